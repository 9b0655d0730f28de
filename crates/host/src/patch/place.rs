//! Deciding where in a file each hunk of a patch belongs.
//!
//! Start from [`place`]. Hunks follow one another in the file. Line numbers, anchors and the hunk
//! before say where to look; where they leave two places, the second is handed back as a
//! [`Rival`] and the caller refuses unless both come to the same text. It never picks by luck.

use std::borrow::Cow;

use super::anchor::starts;
use super::error::{Mismatch, Reason, excerpt};
use super::hunk::{Hunk, Kind, Numbers, Tail};
use super::nearest::nearest;
use super::seek::{Index, Level};

/// How many doubtful hunks are followed up before the patch is refused as ambiguous.
const DOUBTS: usize = 8;

/// How many blank lines too many a hunk may end with.
const BLANKS: usize = 3;

/// The formats differ in a few habits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// A headerless V4A diff: lines added without any context go where the hunk before ended.
    Body,
    /// A V4A section of an envelope: such lines go to the end of the file.
    Envelope,
    /// A unified diff.
    Unified,
}

/// A hunk and the line, from 0, where its old text begins.
#[derive(Clone, Debug)]
pub struct Placed<'h, 'a> {
    pub hunk: Cow<'h, Hunk<'a>>,
    pub at: usize,
}

/// All hunks in place, in the order of the patch.
#[derive(Debug)]
pub struct Placement<'h, 'a> {
    pub placed: Vec<Placed<'h, 'a>>,
    pub rivals: Vec<Rival<'h, 'a>>,
}

/// Another way to place the same hunks, and what to say if it comes to another text.
#[derive(Debug)]
pub struct Rival<'h, 'a> {
    pub placed: Vec<Placed<'h, 'a>>,
    pub mismatch: Box<Mismatch>,
}

/// Finds the place of every hunk.
pub fn place<'h, 'a>(
    index: &Index<'h>,
    hunks: &'h [Hunk<'a>],
    dialect: Dialect,
) -> Result<Placement<'h, 'a>, Box<Mismatch>> {
    let search = Search { index, hunks, dialect };
    let (placed, doubts) = search.walk(Vec::new(), Progress::default())?;
    let mut rivals = Vec::new();
    for (i, doubt) in doubts.iter().enumerate() {
        let mismatch = search.mismatch(
            doubt.hunk,
            doubt.before.cursor,
            ambiguous(placed[doubt.hunk].at, doubt.other.at),
        );
        if i == DOUBTS {
            return Err(mismatch);
        }
        let mut start = placed[..doubt.hunk].to_vec();
        let progress = doubt.before.after(&doubt.other);
        start.push(doubt.other.clone());
        if let Ok((placed, _)) = search.walk(start, progress) {
            rivals.push(Rival { placed, mismatch });
        }
    }
    if index.is_exhausted() {
        return Err(search.mismatch(0, 0, Reason::Exhausted));
    }
    Ok(Placement { placed, rivals })
}

struct Search<'s, 'h, 'a> {
    index: &'s Index<'h>,
    hunks: &'h [Hunk<'a>],
    dialect: Dialect,
}

/// How far the placing has come.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    /// The line after the old text of the hunk before.
    cursor: usize,
    /// How many unchanged lines the hunk before ends with.
    slack: usize,
    /// How far the line numbers of the hunk before were off.
    drift: isize,
}

/// A hunk that could as well be elsewhere.
struct Doubt<'h, 'a> {
    hunk: usize,
    before: Progress,
    other: Placed<'h, 'a>,
}

/// The first place found, and another that nothing speaks against.
type Found = (usize, Option<usize>);

impl Progress {
    fn after(self, placed: &Placed<'_, '_>) -> Progress {
        let old = placed.hunk.old().len();
        let tail = placed.hunk.rows.iter().rev();
        let drift = match placed.hunk.numbers {
            Some(numbers) => signed(placed.at) - signed(first_line(&placed.hunk, numbers)),
            None => self.drift,
        };
        Progress {
            // Lines added without any context say nothing about where the next hunk is.
            cursor: if placed.hunk.is_floating() { self.cursor } else { placed.at + old },
            slack: tail.take_while(|row| row.kind == Kind::Keep).count(),
            drift,
        }
    }
}

impl<'h, 'a> Search<'_, 'h, 'a> {
    /// Places the hunks that are not placed yet, each after the one before.
    fn walk(
        &self,
        mut placed: Vec<Placed<'h, 'a>>,
        mut progress: Progress,
    ) -> Result<(Vec<Placed<'h, 'a>>, Vec<Doubt<'h, 'a>>), Box<Mismatch>> {
        let mut doubts = Vec::new();
        for i in placed.len()..self.hunks.len() {
            let (hunk, (at, other)) = self.locate(i, progress)?;
            if let Some(at) = other {
                let other = Placed { hunk: hunk.clone(), at };
                doubts.push(Doubt { hunk: i, before: progress, other });
            }
            let next = Placed { hunk, at };
            progress = progress.after(&next);
            placed.push(next);
        }
        Ok((placed, doubts))
    }

    /// The place of one hunk, as written or with a blank line less at its end.
    fn locate(&self, i: usize, progress: Progress) -> Result<(Cow<'h, Hunk<'a>>, Found), Box<Mismatch>> {
        let hunk = &self.hunks[i];
        let reason = match self.seek(hunk, i, progress) {
            Ok(found) => return Ok((Cow::Borrowed(hunk), found)),
            Err(reason) => reason,
        };
        let mut shorter = hunk.without_blank_tail();
        for _ in 0..BLANKS {
            let Some(hunk) = shorter else { break };
            if let Ok(found) = self.seek(&hunk, i, progress) {
                return Ok((Cow::Owned(hunk), found));
            }
            shorter = hunk.without_blank_tail();
        }
        // Hunks may share context: the lines the hunk before only kept can be the first ones here.
        if progress.slack > 0 {
            let back =
                Progress { cursor: progress.cursor.saturating_sub(progress.slack), slack: 0, ..progress };
            if let Ok(found) = self.seek(hunk, i, back) {
                return Ok((Cow::Borrowed(hunk), found));
            }
        }
        Err(self.mismatch(i, progress.cursor, reason))
    }

    fn seek(&self, hunk: &Hunk<'a>, i: usize, progress: Progress) -> Result<Found, Reason> {
        let old = hunk.old();
        if old.is_empty() {
            return self.float(hunk, progress).map(|at| (at, None));
        }
        if hunk.tail != Tail::Anywhere {
            if let Some(at) = self.at_end(&old, progress.cursor) {
                return Ok((at, None));
            }
            if hunk.tail == Tail::Required {
                return Err(self.blame(&old, Reason::NotAtEnd));
            }
        }
        let found = match hunk.numbers {
            Some(numbers) => self.by_number(hunk, &old, numbers, progress),
            None => self.by_anchor(hunk, &old, i, progress.cursor)?,
        };
        found.ok_or_else(|| self.blame(&old, Reason::Absent))
    }

    /// Where lines go that come without any context.
    fn float(&self, hunk: &Hunk<'a>, progress: Progress) -> Result<usize, Reason> {
        let end = self.index.len();
        if let Some(numbers) = hunk.numbers {
            let creates = numbers.old_start == 0 && end > 0;
            let at = shifted(first_line(hunk, numbers), progress.drift);
            let fits = at >= progress.cursor && at <= end && numbers.old_count == 0;
            return if fits && !creates { Ok(at) } else { Err(Reason::Nowhere) };
        }
        if hunk.tail != Tail::Anywhere || end == 0 {
            return Ok(end);
        }
        let starts = starts(self.index, hunk, 1, progress.cursor)?;
        match (hunk.anchors.is_empty(), starts.pinned, self.dialect) {
            (false, true, _) => Ok(starts.lines[0]),
            (false, false, _) | (true, _, Dialect::Unified) => Err(Reason::Nowhere),
            (true, _, Dialect::Body) => Ok(progress.cursor),
            (true, _, Dialect::Envelope) => Ok(end),
        }
    }

    fn at_end(&self, old: &[&str], cursor: usize) -> Option<usize> {
        let at = self.index.len().checked_sub(old.len())?;
        let fits = |level: &Level| {
            let run = self.index.run(old, *level);
            run.is_some_and(|run| run.is_at(at))
        };
        (at >= cursor && Level::ALL.iter().any(fits)).then_some(at)
    }

    /// The match nearest to where the line numbers point.
    fn by_number(
        &self,
        hunk: &Hunk<'a>,
        old: &[&str],
        numbers: Numbers,
        progress: Progress,
    ) -> Option<Found> {
        let expected = shifted(first_line(hunk, numbers), progress.drift);
        let (run, found) = Level::ALL.iter().find_map(|level| {
            let run = self.index.run(old, *level)?;
            let found = run.nearest(expected, progress.cursor)?;
            Some((run, found))
        })?;
        if let ((_, Some(_)), Some(heading)) = (found, hunk.anchors.first())
            && let [line] = self.index.places(heading, Level::Blanks)
            && *line >= progress.cursor
            && let Some(at) = run.first_from(line + 1)
        {
            return Some((at, None));
        }
        // A looser match right where the numbers point makes a stricter one elsewhere doubtful.
        let loosest = || self.index.run(old, Level::Typography);
        let rival = expected >= progress.cursor
            && found.0 != expected
            && loosest().is_some_and(|run| run.is_at(expected));
        Some((found.0, if rival { Some(expected) } else { found.1 }))
    }

    /// The first match after the anchors, or after the hunk before if there are none.
    fn by_anchor(
        &self,
        hunk: &Hunk<'a>,
        old: &[&str],
        i: usize,
        cursor: usize,
    ) -> Result<Option<Found>, Reason> {
        let starts = starts(self.index, hunk, i, cursor)?;
        for level in Level::ALL {
            let Some(run) = self.index.run(old, level) else {
                continue;
            };
            let mut places: Vec<usize> =
                starts.lines.iter().filter_map(|start| run.first_from(*start)).collect();
            // The order of hunks decides between matches, but nothing comes before the first.
            if let ([at], false, 0) = (&places[..], starts.pinned, i) {
                places.extend(run.first_from(at + 1));
            }
            // An anchor that repeats the first line of context is that line.
            if let (true, true, Some(before)) =
                (places.is_empty(), starts.pinned, starts.lines[0].checked_sub(1))
                && before >= cursor
                && run.is_at(before)
            {
                places.push(before);
            }
            places.dedup();
            if let Some(first) = places.first() {
                return Ok(Some((*first, places.get(1).copied())));
            }
        }
        Ok(None)
    }

    /// Says more precisely why lines were not found, if they are somewhere else.
    fn blame(&self, old: &[&str], reason: Reason) -> Reason {
        let elsewhere = Level::ALL.iter().find_map(|level| self.index.run(old, *level)?.first_from(0));
        match (elsewhere, reason) {
            (None, _) => Reason::Absent,
            (Some(_), Reason::NotAtEnd) => Reason::NotAtEnd,
            (Some(at), _) => Reason::Behind(at + 1),
        }
    }

    fn mismatch(&self, i: usize, cursor: usize, reason: Reason) -> Box<Mismatch> {
        let hunk = self.hunks.get(i);
        let old = hunk.map(Hunk::old).unwrap_or_default();
        let wanted = match (&reason, hunk) {
            (Reason::Anchor, Some(hunk)) => hunk.anchors.clone(),
            _ => old,
        };
        let reason = if self.index.is_exhausted() { Reason::Exhausted } else { reason };
        let numbers = hunk.and_then(|hunk| hunk.numbers);
        let expected = numbers.map_or(cursor, |numbers| numbers.old_start.saturating_sub(1));
        let nearest = match reason {
            Reason::Absent | Reason::Anchor => nearest(self.index, &wanted, expected),
            _ => None,
        };
        Box::new(Mismatch {
            path: None,
            hunk: i + 1,
            line: hunk.map_or(0, |hunk| hunk.line),
            cursor,
            wanted: excerpt(&wanted),
            reason,
            nearest,
        })
    }
}

/// The line, from 0, that a unified header names. Where it has no old lines, the header names the line before.
fn first_line(hunk: &Hunk<'_>, numbers: Numbers) -> usize {
    if hunk.rows.iter().all(|row| row.kind == Kind::Add) {
        numbers.old_start
    } else {
        numbers.old_start.saturating_sub(1)
    }
}

fn ambiguous(one: usize, other: usize) -> Reason {
    Reason::Ambiguous(one.min(other) + 1, one.max(other) + 1)
}

fn shifted(line: usize, drift: isize) -> usize {
    line.saturating_add_signed(drift)
}

fn signed(line: usize) -> isize {
    isize::try_from(line).unwrap_or(isize::MAX)
}
