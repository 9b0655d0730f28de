//! Following `@@ anchor` lines to the part of a file that a hunk belongs to.
//!
//! Start from [`starts`]. Anchors narrow where to look; they never change the file.

use super::error::Reason;
use super::hunk::Hunk;
use super::seek::{Index, Level};

/// The lines of a file from which a hunk may be looked for.
#[derive(Debug)]
pub struct Starts {
    pub lines: Vec<usize>,
    /// An anchor leads to them, so the first match after one is the right one.
    pub pinned: bool,
}

/// Follows the anchors of a hunk from the cursor on.
pub fn starts(index: &Index<'_>, hunk: &Hunk<'_>, i: usize, cursor: usize) -> Result<Starts, Reason> {
    let loose = Starts { lines: vec![cursor], pinned: false };
    let Some((outermost, inner)) = hunk.anchors.split_first() else {
        return Ok(loose);
    };
    let heads = outermost_lines(index, outermost, i, cursor);
    // A lone anchor that is not in the file is advice; the hunk's own lines must then decide.
    if heads.is_empty() && hunk.markers == 1 {
        return Ok(loose);
    }
    let lines: Vec<usize> = heads
        .into_iter()
        .filter_map(|head| inner.iter().try_fold(head, |from, anchor| following(index, anchor, from)))
        .collect();
    if lines.is_empty() {
        return Err(Reason::Anchor);
    }
    Ok(Starts { lines, pinned: true })
}

/// The lines after the outermost anchor. One already passed still holds: hunks of one
/// class repeat its name. Before the first hunk a second occurrence is reported as well.
fn outermost_lines(index: &Index<'_>, anchor: &str, i: usize, cursor: usize) -> Vec<usize> {
    for level in Level::ALL {
        let places = index.places(anchor, level);
        let ahead = places.partition_point(|place| *place < cursor);
        if ahead > 0 {
            return vec![cursor];
        }
        let wanted = if i == 0 { 2 } else { 1 };
        if !places.is_empty() {
            return places.iter().take(wanted).map(|at| at + 1).collect();
        }
    }
    Vec::new()
}

/// The line after the first occurrence of an anchor from a line on.
fn following(index: &Index<'_>, anchor: &str, from: usize) -> Option<usize> {
    Level::ALL.iter().find_map(|level| {
        let places = index.places(anchor, *level);
        let next = places.partition_point(|place| *place < from);
        places.get(next).map(|at| at + 1)
    })
}
