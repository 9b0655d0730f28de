//! Carrying sections out on an overlay of the files, in the order of the patch.
//!
//! Start from [`carry_out`]. The first section that fails ends it, and nothing has been changed.

use super::apply::{Endings, Manner, apply};
use super::error::{Failure, Mismatch, PatchError, Reason};
use super::hunk::{Hunk, Kind};
use super::overlay::{Overlay, Read};
use super::path::cleaned;
use super::section::{Action, Section};
use super::text::BOM;
use super::{Creation, Plan};

/// The net changes of all sections.
pub fn carry_out<E>(
    sections: Vec<Section<'_>>,
    creation: Creation,
    read: Read<'_, E>,
) -> Result<Plan, Failure<E>> {
    let mut overlay = Overlay::new(read);
    for section in sections {
        step(&mut overlay, section, creation)?;
    }
    Ok(overlay.finish()?)
}

fn step<E>(overlay: &mut Overlay<'_, E>, section: Section<'_>, creation: Creation) -> Result<(), Failure<E>> {
    let path = overlay.choose(&section.names)?;
    let manner = section.manner;
    match section.action {
        Action::Write(content) => overlay.put(&path, content.into_bytes()),
        Action::Create(hunks) => {
            if creation == Creation::Refuse && overlay.get(&path)?.is_some() {
                return Err(PatchError::Exists { path }.into());
            }
            overlay.put(&path, created(&hunks, manner)?)
        }
        Action::Update { hunks, to: None } => {
            let content = updated(overlay, &path, &hunks, manner)?;
            overlay.put(&path, content)
        }
        Action::Update { hunks, to: Some(to) } => {
            let content = updated(overlay, &path, &hunks, manner)?;
            overlay.rename(&path, &cleaned(&to)?, content)
        }
        Action::Copy { hunks, to } => {
            let content = updated(overlay, &path, &hunks, manner)?;
            overlay.put(&cleaned(&to)?, content)
        }
        Action::Delete => match overlay.get(&path)? {
            Some(_) => overlay.remove(&path),
            None => Err(missing("delete", path)),
        },
        Action::Erase(hunks) => erase(overlay, path, &hunks, manner),
    }
}

fn updated<E>(
    overlay: &mut Overlay<'_, E>,
    path: &str,
    hunks: &[Hunk<'_>],
    manner: Manner,
) -> Result<Vec<u8>, Failure<E>> {
    let Some(bytes) = overlay.get(path)? else {
        // A diff from no lines creates the file, though its header forgot to say /dev/null.
        let from_nothing = |hunk: &Hunk<'_>| hunk.numbers.is_some_and(|numbers| numbers.old_start == 0);
        return match hunks {
            [hunk] if from_nothing(hunk) => Ok(created(hunks, manner)?),
            _ => Err(missing("update", path.to_owned())),
        };
    };
    apply(bytes, hunks, manner).map_err(|error| error.in_file(path).into())
}

fn erase<E>(
    overlay: &mut Overlay<'_, E>,
    path: String,
    hunks: &[Hunk<'_>],
    manner: Manner,
) -> Result<(), Failure<E>> {
    let Some(bytes) = overlay.get(&path)? else {
        return Err(missing("delete", path));
    };
    let rest = apply(bytes, hunks, manner).map_err(|error| error.in_file(&path))?;
    if rest.is_empty() || rest == BOM.as_bytes() {
        return overlay.remove(&path);
    }
    let mismatch = Mismatch {
        path: Some(path),
        hunk: hunks.len(),
        line: hunks.last().map_or(0, |hunk| hunk.line),
        cursor: 0,
        wanted: String::new(),
        reason: Reason::Remainder,
        nearest: None,
    };
    Err(PatchError::Mismatch(Box::new(mismatch)).into())
}

/// The bytes of a file that hunks create from nothing.
fn created(hunks: &[Hunk<'_>], manner: Manner) -> Result<Vec<u8>, PatchError> {
    let mut content = String::new();
    let mut last_end = "";
    for row in hunks.iter().flat_map(|hunk| &hunk.rows) {
        match (row.kind, row.bare) {
            (Kind::Add, _) => {}
            (_, true) => continue,
            _ => return Err(PatchError::AddLine(row.text.to_owned())),
        }
        last_end = match (manner.endings, row.returned) {
            (Endings::Spelled, true) => "\r\n",
            (Endings::Spelled, false) => "\n",
            _ => manner.patch_end,
        };
        content.push_str(row.text);
        content.push_str(last_end);
    }
    if hunks.iter().any(|hunk| hunk.new_open) {
        content.truncate(content.len() - last_end.len());
    }
    Ok(content.into_bytes())
}

fn missing<E>(verb: &'static str, path: String) -> Failure<E> {
    PatchError::Missing { verb, path }.into()
}
