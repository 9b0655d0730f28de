//! Finding a run of lines in a file, exactly or with blanks and typography forgiven.
//!
//! Start from [`Index`]. Lines become numbers once for each [`Level`], so a comparison costs one
//! integer, and every search starts from the rarest wanted line. The work is bounded: past the
//! bound nothing is found any more and [`Index::is_exhausted`] says so.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::HashMap;

use super::text::Line;

/// Sixteen-line comparisons that one file may cost. Ordinary patches need a few thousand.
const BUDGET: u32 = 4_000_000;

/// How much a match may forgive, strictest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Exact,
    /// Blanks at the end of a line.
    TrailingBlanks,
    /// Blanks at both ends of a line.
    Blanks,
    /// The same, and Unicode dashes, quotes and spaces count as their ASCII kin.
    Typography,
}

impl Level {
    /// All levels in the order they are tried.
    pub const ALL: [Level; 4] = [Level::Exact, Level::TrailingBlanks, Level::Blanks, Level::Typography];
}

/// The lines of a file, ready to be searched.
#[derive(Debug)]
pub struct Index<'a> {
    lines: &'a [Line<'a>],
    tables: [OnceCell<Table<'a>>; 4],
    left: Cell<u32>,
}

#[derive(Debug)]
struct Table<'a> {
    numbers: HashMap<Cow<'a, [u8]>, u32>,
    lines: Vec<u32>,
    /// All lines, those with the same number together and in order.
    places: Vec<usize>,
    /// Where in `places` each number begins, and at last where they end.
    starts: Vec<usize>,
}

/// One run of wanted lines at one level, known to consist of lines that the file has.
#[derive(Debug)]
pub struct Run<'i, 'a> {
    index: &'i Index<'a>,
    lines: &'i [u32],
    wanted: Vec<u32>,
    /// The rarest wanted line: its offset in the run and where the file has it.
    pivot: usize,
    places: &'i [usize],
}

impl<'a> Index<'a> {
    /// Prepares the lines; tables are made when a level is first needed.
    pub fn new(lines: &'a [Line<'a>]) -> Index<'a> {
        Index { lines, tables: Default::default(), left: Cell::new(BUDGET) }
    }

    /// Number of lines in the file.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether a search was given up, which makes every answer since then worthless.
    pub fn is_exhausted(&self) -> bool {
        self.left.get() == 0
    }

    /// The run of `wanted` lines at a level, unless one of them is nowhere in the file.
    pub fn run<'i>(&'i self, wanted: &[&str], level: Level) -> Option<Run<'i, 'a>> {
        let table = self.table(level);
        let wanted: Vec<u32> = wanted
            .iter()
            .map(|line| {
                let key = levelled(line.as_bytes(), level);
                table.numbers.get(key.as_ref()).copied()
            })
            .collect::<Option<_>>()?;
        let pivot = (0..wanted.len()).min_by_key(|i| table.places(wanted[*i]).len())?;
        let places = table.places(wanted[pivot]);
        Some(Run { index: self, lines: &table.lines, wanted, pivot, places })
    }

    /// The lines of the file that equal `line` at a level.
    pub fn places(&self, line: &str, level: Level) -> &[usize] {
        let table = self.table(level);
        match table.numbers.get(levelled(line.as_bytes(), level).as_ref()) {
            Some(number) => table.places(*number),
            None => &[],
        }
    }

    /// The texts of up to `count` lines.
    pub fn texts(&self, from: usize, count: usize) -> Vec<&'a [u8]> {
        let lines = self.lines.iter().skip(from).take(count);
        lines.map(|line| line.text).collect()
    }

    fn table(&self, level: Level) -> &Table<'a> {
        self.tables[level as usize].get_or_init(|| Table::new(self.lines, level))
    }

    fn spend(&self, lines: usize) -> bool {
        let cost = u32::try_from(lines / 16 + 1).unwrap_or(u32::MAX);
        #[cfg(test)]
        spent::add(cost);
        self.left.set(self.left.get().saturating_sub(cost));
        !self.is_exhausted()
    }
}

impl<'a> Table<'a> {
    fn new(lines: &'a [Line<'a>], level: Level) -> Table<'a> {
        let mut numbers = HashMap::with_capacity(lines.len());
        let lines: Vec<u32> = lines
            .iter()
            .map(|line| {
                let fresh = numbers.len() as u32;
                *numbers.entry(levelled(line.text, level)).or_insert(fresh)
            })
            .collect();
        let mut starts = vec![0; numbers.len() + 1];
        for number in &lines {
            starts[*number as usize + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut places = vec![0; lines.len()];
        for (at, number) in lines.iter().enumerate() {
            let next = &mut next[*number as usize];
            places[*next] = at;
            *next += 1;
        }
        Table { numbers, lines, places, starts }
    }

    /// The lines that bear a number, in order.
    fn places(&self, number: u32) -> &[usize] {
        let number = number as usize;
        &self.places[self.starts[number]..self.starts[number + 1]]
    }
}

impl Run<'_, '_> {
    /// The first place at or after `from`.
    pub fn first_from(&self, from: usize) -> Option<usize> {
        let pivot_from = from.saturating_add(self.pivot);
        let start = self.places.partition_point(|place| *place < pivot_from);
        self.places[start..].iter().map(|place| place - self.pivot).find(|at| self.is_at(*at))
    }

    /// Whether the run is at this place.
    pub fn is_at(&self, at: usize) -> bool {
        if !self.index.spend(self.wanted.len()) {
            return false;
        }
        let end = at.saturating_add(self.wanted.len());
        self.lines.get(at..end) == Some(&self.wanted[..])
    }

    /// The place nearest to `expected` at or after `from`, and a second one if it is not
    /// at least twice as far away: then the expectation does not decide between them.
    pub fn nearest(&self, expected: usize, from: usize) -> Option<(usize, Option<usize>)> {
        if expected >= from && self.is_at(expected) {
            return Some((expected, None));
        }
        let pivot_from = from.saturating_add(self.pivot);
        let start = self.places.partition_point(|place| *place < pivot_from);
        let places = &self.places[start..];
        let pivot_expected = expected.saturating_add(self.pivot);
        let mut above = places.partition_point(|place| *place < pivot_expected);
        let mut below = above;
        let mut best: Option<usize> = None;
        loop {
            let up = above.checked_sub(1).map(|i| places[i] - self.pivot);
            let down = places.get(below).map(|place| place - self.pivot);
            let at = match (up, down) {
                (None, None) => return best.map(|at| (at, None)),
                (Some(up), Some(down)) if expected.abs_diff(up) <= expected.abs_diff(down) => up,
                (_, Some(down)) => down,
                (Some(up), None) => up,
            };
            if Some(at) == up {
                above -= 1;
            } else {
                below += 1;
            }
            if let Some(best) = best
                && expected.abs_diff(at) > expected.abs_diff(best).saturating_mul(2)
            {
                return Some((best, None));
            }
            if self.is_at(at) {
                match best {
                    Some(best) => return Some((best, Some(at))),
                    None => best = Some(at),
                }
            }
        }
    }
}

/// A line as it is compared at a level.
pub fn levelled(line: &[u8], level: Level) -> Cow<'_, [u8]> {
    let Ok(text) = std::str::from_utf8(line) else {
        return Cow::Borrowed(match level {
            Level::Exact => line,
            Level::TrailingBlanks => line.trim_ascii_end(),
            Level::Blanks | Level::Typography => line.trim_ascii(),
        });
    };
    match level {
        Level::Exact => Cow::Borrowed(line),
        Level::TrailingBlanks => Cow::Borrowed(text.trim_end().as_bytes()),
        Level::Blanks => Cow::Borrowed(text.trim().as_bytes()),
        Level::Typography if text.is_ascii() => Cow::Borrowed(text.trim().as_bytes()),
        Level::Typography => {
            let plain: String = text.trim().chars().map(plain).collect();
            Cow::Owned(plain.into_bytes())
        }
    }
}

/// The ASCII character that a typographic one stands for.
fn plain(c: char) -> char {
    match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => '-',
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        other => other,
    }
}

/// What the searches of this thread have cost, for tests that bound it.
#[cfg(test)]
pub(super) mod spent {
    use std::cell::Cell;

    thread_local! {
        static SPENT: Cell<u64> = const { Cell::new(0) };
    }

    pub(super) fn add(cost: u32) {
        SPENT.set(SPENT.get() + u64::from(cost));
    }

    /// What was spent since the last time.
    pub fn take() -> u64 {
        SPENT.take()
    }
}
