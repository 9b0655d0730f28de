//! A diff as rows. Start from [`parse`].
//!
//! Of an envelope (`*** Begin Patch`) the lines that name files are headings; its first and last line say nothing.
//! Inside of a hunk that says how long it is, its count decides what a line is, so a removed `-- x` is no heading.

use super::Change;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Old,
    New,
    Both,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Row<'a> {
    File {
        change: Change,
        path: &'a str,
    },
    Text {
        side: Side,
        number: Option<usize>,
        text: &'a str,
    },
    /// A hunk's heading, or anything else that a diff says beside its lines.
    Note(&'a str),
}

impl Row<'_> {
    pub(super) fn number(&self) -> Option<usize> {
        match self {
            Row::Text { number, .. } => *number,
            _ => None,
        }
    }
}

pub(super) fn parse(diff: &str) -> Vec<Row<'_>> {
    let mut reader = Reader { envelope: is_envelope(diff), ..Reader::default() };
    let mut lines = diff.split_terminator('\n').peekable();
    while let Some(line) = lines.next() {
        if reader.hunk.as_ref().is_none_or(Hunk::is_over)
            && let Some(new) = lines.peek().and_then(|next| next.strip_prefix("+++ "))
            && let Some(old) = line.strip_prefix("--- ")
        {
            lines.next();
            reader.file(old, new);
        } else if let Some(change) = reader.change_of_mode(line) {
            // An empty file has no lines, and so no names above them.
            let named = lines.clone().find(|next| !next.starts_with("index "));
            if !named.is_some_and(|next| next.starts_with("--- ")) {
                let path = reader.named;
                reader.rows.push(Row::File { change, path });
            }
        } else {
            reader.line(line);
        }
    }
    reader.level();
    reader.rows
}

/// Whether the diff names its files by itself, as a whole patch does.
pub(super) fn is_envelope(diff: &str) -> bool {
    diff.lines().any(|line| line.trim() == "*** Begin Patch")
}

#[derive(Default)]
struct Reader<'a> {
    rows: Vec<Row<'a>>,
    /// The file that git named last.
    named: &'a str,
    envelope: bool,
    hunk: Option<Hunk>,
}

/// Where the next line of a numbered hunk stands, and how many are to come.
struct Hunk {
    old: usize,
    new: usize,
    old_left: usize,
    new_left: usize,
}

impl<'a> Reader<'a> {
    fn file(&mut self, old: &'a str, new: &'a str) {
        let (old, new) = (name(old), name(new));
        let (change, path) = match (old, new) {
            ("/dev/null", path) => (Change::Create, path),
            (path, "/dev/null") => (Change::Delete, path),
            (_, path) => (Change::Update, path),
        };
        self.hunk = None;
        self.rows.push(Row::File { change, path });
    }

    /// What git says of a common file that comes or goes, where no hunk is open.
    fn change_of_mode(&self, line: &str) -> Option<Change> {
        if self.named.is_empty() || !self.hunk.as_ref().is_none_or(Hunk::is_over) {
            return None;
        }
        match line {
            "new file mode 100644" => Some(Change::Create),
            "deleted file mode 100644" => Some(Change::Delete),
            _ => None,
        }
    }

    /// Whether the line was one of an envelope's own.
    fn marker(&mut self, line: &'a str) -> bool {
        let files = [
            ("*** Add File: ", Change::Create),
            ("*** Update File: ", Change::Update),
            ("*** Delete File: ", Change::Delete),
        ];
        let named =
            files.iter().find_map(|(mark, change)| Some((*change, line.trim().strip_prefix(mark)?.trim())));
        if let Some((change, path)) = named {
            self.hunk = None;
            self.rows.push(Row::File { change, path });
        }
        named.is_some() || matches!(line.trim(), "*** Begin Patch" | "*** End Patch")
    }

    fn line(&mut self, line: &'a str) {
        if self.envelope && self.marker(line) {
            return;
        }
        if self.hunk.as_ref().is_none_or(Hunk::is_over) {
            if line.starts_with("@@") {
                self.hunk = Hunk::read(line);
                return self.rows.push(Row::Note(line));
            }
            // What git writes above the two names says nothing that they do not.
            if line.starts_with("diff --git ") || line.starts_with("index ") {
                self.hunk = None;
                if let Some((_, path)) = line.split_once(" b/") {
                    self.named = path;
                }
                return;
            }
        }
        let side = match line.as_bytes().first() {
            Some(b'+') => Side::New,
            Some(b'-') => Side::Old,
            Some(b' ') | None => Side::Both,
            Some(_) => return self.rows.push(Row::Note(line)),
        };
        let number = self.hunk.as_mut().and_then(|hunk| hunk.take(side));
        self.rows.push(Row::Text { side, number, text: line.get(1..).unwrap_or_default() });
    }

    /// Where every line ends in a return, the returns are the file's line ends and not worth showing.
    fn level(&mut self) {
        let mut texts = self.rows.iter().filter_map(|row| match row {
            Row::Text { text, .. } => Some(text),
            _ => None,
        });
        if !texts.all(|text| text.ends_with('\r')) {
            return;
        }
        for row in &mut self.rows {
            if let Row::Text { text, .. } = row {
                *text = text.strip_suffix('\r').unwrap_or(text);
            }
        }
    }
}

impl Hunk {
    /// Reads `@@ -old,count +new,count @@`; anything else is an anchor without numbers.
    fn read(line: &str) -> Option<Hunk> {
        let mut words = line.split(' ');
        let (Some("@@"), Some(old), Some(new)) = (words.next(), words.next(), words.next()) else {
            return None;
        };
        let (old, old_left) = span(old.strip_prefix('-')?)?;
        let (new, new_left) = span(new.strip_prefix('+')?)?;
        Some(Hunk { old, new, old_left, new_left })
    }

    fn is_over(&self) -> bool {
        self.old_left == 0 && self.new_left == 0
    }

    fn take(&mut self, side: Side) -> Option<usize> {
        if self.is_over() {
            return None;
        }
        let number = if side == Side::Old { self.old } else { self.new };
        if side != Side::New {
            self.old = self.old.saturating_add(1);
            self.old_left = self.old_left.saturating_sub(1);
        }
        if side != Side::Old {
            self.new = self.new.saturating_add(1);
            self.new_left = self.new_left.saturating_sub(1);
        }
        Some(number)
    }
}

fn span(text: &str) -> Option<(usize, usize)> {
    match text.split_once(',') {
        None => Some((text.parse().ok()?, 1)),
        Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
    }
}

/// The path behind `--- ` or `+++ `: without a time stamp, and without git's one-letter folder.
fn name(text: &str) -> &str {
    let path = text.split('\t').next().unwrap_or(text).trim_end_matches('\r');
    path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path)
}
