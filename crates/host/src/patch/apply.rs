//! Making the edits of placed hunks in the bytes of one file.
//!
//! Start from [`apply`]. It changes the lines that hunks drop and add and no other byte.

use super::error::PatchError;
use super::hunk::{Hunk, Kind};
use super::place::{Dialect, Placed, place};
use super::seek::Index;
use super::text::{BOM, Close, Edit, Line, Mark, Split, Text, has_lone_return};

/// How lines that a patch adds are to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endings {
    /// As the file does, or as the patch does if the file has no line yet.
    File,
    /// As the lines around them do.
    Nearby,
    /// As the patch spells them, because it shows where returns are and where not.
    Spelled,
}

/// How one file's hunks are to be read.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    pub dialect: Dialect,
    pub endings: Endings,
    /// The ending the patch itself is written with.
    pub patch_end: &'static str,
}

/// The file with all hunks applied.
pub fn apply(bytes: &[u8], hunks: &[Hunk<'_>], manner: Manner) -> Result<Vec<u8>, PatchError> {
    let spelled = |hunk: &Hunk<'_>| hunk.rows.iter().any(|row| row.text.starts_with(BOM));
    let mark = if hunks.iter().any(spelled) { Mark::Within } else { Mark::Aside };
    match attempt(bytes, hunks, manner, Split::Newlines, mark) {
        Err(error) if has_lone_return(bytes) => {
            attempt(bytes, hunks, manner, Split::Returns, mark).map_err(|_| error)
        }
        result => result,
    }
}

fn attempt(
    bytes: &[u8],
    hunks: &[Hunk<'_>],
    manner: Manner,
    split: Split,
    mark: Mark,
) -> Result<Vec<u8>, PatchError> {
    let text = Text::new(bytes, split, mark);
    let index = Index::new(&text.lines);
    let placement = place(&index, hunks, manner.dialect).map_err(PatchError::Mismatch)?;
    let result = edited(&text, &placement.placed, manner);
    for rival in placement.rivals {
        if edited(&text, &rival.placed, manner) != result {
            return Err(PatchError::Mismatch(rival.mismatch));
        }
    }
    Ok(result)
}

fn edited<'a>(text: &Text<'a>, placed: &[Placed<'_, 'a>], manner: Manner) -> Vec<u8> {
    let mut edits: Vec<Edit<'a>> = placed.iter().flat_map(|placed| edits(text, placed, manner)).collect();
    // Lines added at the end of the file may stand anywhere in the patch.
    edits.sort_by_key(|edit| edit.at);
    let says = |open: fn(&Hunk<'_>) -> bool| placed.iter().any(|placed| open(&placed.hunk));
    let close = if says(|hunk| hunk.new_open) {
        Close::Open
    } else if says(|hunk| hunk.old_open) {
        Close::Newline
    } else {
        Close::AsBefore
    };
    text.edited(&edits, close, manner.patch_end.as_bytes())
}

/// One edit for each run of dropped and added lines, so that kept lines keep their own bytes.
fn edits<'a>(text: &Text<'a>, placed: &Placed<'_, 'a>, manner: Manner) -> Vec<Edit<'a>> {
    let old = placed.hunk.old().len();
    let nearby = text.common_end(placed.at, old);
    let mut edits: Vec<Edit<'a>> = Vec::new();
    let mut at = placed.at;
    let mut open = false;
    for row in &placed.hunk.rows {
        if row.kind == Kind::Keep {
            at += 1;
            open = false;
            continue;
        }
        if !open {
            edits.push(Edit { at, remove: 0, insert: Vec::new() });
            open = true;
        }
        let Some(edit) = edits.last_mut() else {
            continue;
        };
        if row.kind == Kind::Drop {
            edit.remove += 1;
            at += 1;
            continue;
        }
        let end: &[u8] = match (manner.endings, row.returned) {
            (Endings::File, _) => b"",
            (Endings::Nearby, _) => nearby.unwrap_or_default(),
            (Endings::Spelled, true) => b"\r\n",
            (Endings::Spelled, false) => b"\n",
        };
        edit.insert.push(Line { text: row.text.as_bytes(), end });
    }
    edits
}
