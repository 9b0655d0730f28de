//! Hunks, the common currency of all three formats, and the reader of their lines.
//!
//! Start from [`Hunk`]; [`Rows`] reads the lines that follow a header. Nothing here knows
//! which file a hunk is for or where in it the hunk belongs.

use super::error::PatchError;

/// What a line of a hunk does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Keep,
    Drop,
    Add,
}

/// One line of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<'a> {
    pub kind: Kind,
    /// The line without its first character and without its ending.
    pub text: &'a str,
    /// The line ended in `\r\n`.
    pub returned: bool,
    /// The line was wholly empty: a blank context line that lost its space, or mere spacing.
    pub bare: bool,
}

/// Where a hunk claims to sit with respect to the end of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    Anywhere,
    /// `*** End of File`: look there first.
    Preferred,
    /// `\ No newline at end of file`: it can be nowhere else.
    Required,
}

/// The line numbers of a unified hunk header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    pub old_start: usize,
    pub old_count: usize,
    pub new_count: usize,
}

/// A run of context, removed and added lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk<'a> {
    /// `@@ anchor` lines before the hunk, outermost first; for a unified hunk its heading.
    pub anchors: Vec<&'a str>,
    /// How many `@@` lines stood before the hunk, with or without an anchor.
    pub markers: usize,
    pub numbers: Option<Numbers>,
    pub rows: Vec<Row<'a>>,
    pub tail: Tail,
    /// The old text is said to end without a newline.
    pub old_open: bool,
    /// The new text is said to end without a newline.
    pub new_open: bool,
    /// The line of the patch where the hunk begins, from 1.
    pub line: usize,
}

impl<'a> Hunk<'a> {
    /// A hunk without lines yet.
    pub fn new(line: usize) -> Hunk<'a> {
        Hunk {
            anchors: Vec::new(),
            markers: 0,
            numbers: None,
            rows: Vec::new(),
            tail: Tail::Anywhere,
            old_open: false,
            new_open: false,
            line,
        }
    }

    /// The lines that must be in the file, in order.
    pub fn old(&self) -> Vec<&'a str> {
        self.rows.iter().filter(|row| row.kind != Kind::Add).map(|row| row.text).collect()
    }

    /// Whether the hunk only adds lines and does not say where.
    pub fn is_floating(&self) -> bool {
        self.anchors.is_empty() && self.numbers.is_none() && self.rows.iter().all(|row| row.kind == Kind::Add)
    }

    /// The hunk without a blank last line of context, or nothing if it has none to spare.
    ///
    /// Models take the newline that ends a file for an empty line, and blank lines between hunks for
    /// spacing. Both then stand as one blank line too many at the end of what must be found.
    pub fn without_blank_tail(&self) -> Option<Hunk<'a>> {
        let last = self.rows.iter().rposition(|row| row.kind != Kind::Add)?;
        let row = self.rows[last];
        let numbered = self.numbers.is_some();
        if !row.text.trim().is_empty() || (numbered && !row.bare) {
            return None;
        }
        let mut hunk = self.clone();
        let trailing = last + 1 == hunk.rows.len();
        if row.kind == Kind::Keep && !trailing {
            hunk.rows[last].kind = Kind::Add;
        } else {
            hunk.rows.remove(last);
        }
        // Only spacing may be dropped anywhere; the rest makes sense at the end of the file alone.
        if !(row.kind == Kind::Keep && trailing) {
            hunk.tail = Tail::Required;
        }
        (!hunk.old().is_empty()).then_some(hunk)
    }
}

/// The lines of a patch with a reading position.
#[derive(Clone, Debug)]
pub struct Rows<'a> {
    lines: Vec<&'a str>,
    at: usize,
    /// How many lines came before these in what the caller sent.
    before: usize,
}

impl<'a> Rows<'a> {
    /// Cuts a patch into lines, counted after `before` others; a final newline opens no further line.
    pub fn new(patch: &'a str, before: usize) -> Rows<'a> {
        let mut lines: Vec<&str> = patch.split('\n').collect();
        if lines.last().is_some_and(|line| line.is_empty()) {
            lines.pop();
        }
        Rows { lines, at: 0, before }
    }

    /// The line `ahead` of the next one, without its ending.
    pub fn peek(&self, ahead: usize) -> Option<&'a str> {
        let line = self.lines.get(self.at.checked_add(ahead)?)?;
        Some(line.strip_suffix('\r').unwrap_or(line))
    }

    /// Takes the next line, without its ending.
    pub fn take(&mut self) -> Option<&'a str> {
        let line = self.peek(0)?;
        self.at += 1;
        Some(line)
    }

    /// Passes over lines.
    pub fn skip(&mut self, count: usize) {
        self.at = self.at.saturating_add(count).min(self.lines.len());
    }

    /// Whether the next line ends in `\r\n`.
    pub fn returned(&self) -> bool {
        self.lines.get(self.at).is_some_and(|line| line.ends_with('\r'))
    }

    /// Goes back to an earlier [`Rows::number`].
    pub fn go_back(&mut self, number: usize) {
        self.at = number.saturating_sub(self.before + 1).min(self.at);
    }

    /// The number of the next line, from 1.
    pub fn number(&self) -> usize {
        self.before + self.at + 1
    }

    /// Whether nothing but blank lines is left after the next `ahead` lines.
    pub fn is_spent(&self, ahead: usize) -> bool {
        self.lines.iter().skip(self.at.saturating_add(ahead)).all(|line| line.trim().is_empty())
    }

    /// Takes the next line as a line of a hunk, or leaves it if it is none.
    pub fn take_row(&mut self) -> Option<Row<'a>> {
        let line = self.peek(0)?;
        let (kind, text) = match line.as_bytes().first() {
            None => (Kind::Keep, line),
            Some(b' ') => (Kind::Keep, &line[1..]),
            Some(b'-') => (Kind::Drop, &line[1..]),
            Some(b'+') => (Kind::Add, &line[1..]),
            Some(_) => return None,
        };
        let row = Row { kind, text, returned: self.returned(), bare: line.is_empty() };
        self.at += 1;
        Some(row)
    }

    /// Takes a `\ No newline at end of file` line and notes on the hunk what it says.
    pub fn take_open_end(&mut self, hunk: &mut Hunk<'a>) -> bool {
        if !self.peek(0).is_some_and(|line| line.starts_with("\\ ")) {
            return false;
        }
        self.at += 1;
        if let Some(row) = hunk.rows.last() {
            hunk.tail = Tail::Required;
            hunk.old_open |= row.kind != Kind::Add;
            hunk.new_open |= row.kind != Kind::Drop;
        }
        true
    }
}

/// Reads the text after `@@` of a header into the hunk: numbers, an anchor, or nothing.
pub fn read_marker<'a>(rest: &'a str, line: usize, hunk: &mut Hunk<'a>) -> Result<(), PatchError> {
    if rest.starts_with('@') {
        return Err(PatchError::syntax(
            line,
            "This is a combined diff of a merge; make it against one parent.",
        ));
    }
    hunk.markers += 1;
    let anchor = match numbers(rest) {
        Some((numbers, heading)) => {
            hunk.numbers = Some(numbers);
            heading
        }
        None => rest.strip_prefix(' ').unwrap_or(rest),
    };
    let closed = anchor.trim_end();
    let anchor = match closed.strip_suffix("@@") {
        Some(inner) if inner.is_empty() || inner.ends_with(' ') => inner.trim_end(),
        _ => anchor,
    };
    // `@@ ... @@` is how people write "somewhere".
    if !anchor.trim().is_empty() && anchor.trim() != "..." {
        hunk.anchors.push(anchor);
    }
    Ok(())
}

/// Parses ` -1,2 +3,4 @@ heading`.
fn numbers(rest: &str) -> Option<(Numbers, &str)> {
    let (old, rest) = rest.trim_start().strip_prefix('-')?.split_once(' ')?;
    let rest = rest.trim_start().strip_prefix('+')?;
    let (new, heading) = match rest.split_once("@@") {
        Some((new, heading)) => (new.trim(), heading),
        None => (rest.trim(), ""),
    };
    let (old_start, old_count) = pair(old.trim())?;
    let (_, new_count) = pair(new)?;
    let numbers = Numbers { old_start, old_count, new_count };
    Some((numbers, heading.strip_prefix(' ').unwrap_or(heading)))
}

fn pair(text: &str) -> Option<(usize, usize)> {
    match text.split_once(',') {
        Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}
