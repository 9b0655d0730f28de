//! Where finished lines go: indents, quote bars, list markers and the blank lines between blocks. Start from [`Page`].

use crate::style::{Line, Palette, Style};
use crate::width;
use crate::wrap::{self, Hang};

pub(super) struct Page<'a> {
    palette: &'a Palette,
    columns: usize,
    lines: Vec<Line>,
    open: Vec<Container>,
    /// A blank line is due before the next block, inside of this many of the containers.
    gap: Option<usize>,
}

enum Container {
    Quote,
    Item {
        /// Shown once, before the first line.
        marker: Option<String>,
        columns: usize,
    },
}

impl<'a> Page<'a> {
    pub(super) fn new(columns: usize, palette: &'a Palette) -> Page<'a> {
        Page { palette, columns: columns.max(1), lines: Vec::new(), open: Vec::new(), gap: None }
    }

    pub(super) fn quote(&mut self) {
        self.open.push(Container::Quote);
    }

    pub(super) fn item(&mut self, marker: &str) {
        self.open.push(Container::Item { marker: Some(marker.to_owned()), columns: width::of(marker) });
    }

    /// Closes the innermost quote or item; an item without text still shows its marker.
    pub(super) fn leave(&mut self) {
        if matches!(self.open.last(), Some(Container::Item { marker: Some(_), .. })) {
            self.exact(&Line::new());
        }
        self.open.pop();
    }

    /// Asks for a blank line before whatever comes next.
    pub(super) fn gap(&mut self) {
        self.gap = Some(self.open.len());
    }

    /// The columns that are left inside of what is open.
    pub(super) fn room(&self) -> usize {
        let used: usize = self.open.iter().map(Container::columns).sum();
        self.columns.saturating_sub(used).max(1)
    }

    pub(super) fn prose(&mut self, line: &Line) {
        let hang = self.hang("");
        self.lines.extend(wrap::words(line, self.columns, &hang));
    }

    pub(super) fn code(&mut self, line: &Line) {
        let hang = self.hang("  ");
        self.lines.extend(wrap::cells(line, self.columns, &hang));
    }

    /// A line that was made to fit [`Page::room`].
    pub(super) fn exact(&mut self, line: &Line) {
        let mut whole = self.hang("").first;
        whole.append(line);
        self.lines.push(width::truncate_line(&whole, self.columns));
    }

    pub(super) fn finish(self) -> Vec<Line> {
        self.lines
    }

    /// What stands before the lines of a block; takes the markers that are due, and puts the blank line before them.
    fn hang(&mut self, inset: &str) -> Hang {
        if let Some(depth) = self.gap.take()
            && !self.lines.is_empty()
        {
            self.lines.push(width::truncate_line(&self.separator(depth), self.columns));
        }
        let rest = self.indent(inset);
        let mut first = Line::new();
        for container in &mut self.open {
            container.begin(self.palette, &mut first);
        }
        first.push(inset, Style::PLAIN);
        Hang { first, rest }
    }

    fn indent(&self, inset: &str) -> Line {
        let mut line = Line::new();
        for container in &self.open {
            container.go_on(self.palette, &mut line);
        }
        line.push(inset, Style::PLAIN);
        line
    }

    /// A blank line, but for the bars of the quotes that go on.
    fn separator(&self, depth: usize) -> Line {
        let open = self.open.get(..depth).unwrap_or(&self.open);
        let mut line = Line::new();
        let last = open.iter().rposition(|container| matches!(container, Container::Quote));
        for container in open.iter().take(last.map_or(0, |last| last + 1)) {
            container.go_on(self.palette, &mut line);
        }
        line
    }
}

impl Container {
    fn columns(&self) -> usize {
        match self {
            Container::Quote => 2,
            Container::Item { columns, .. } => *columns,
        }
    }

    fn begin(&mut self, palette: &Palette, line: &mut Line) {
        match self {
            Container::Item { marker: marker @ Some(_), .. } => {
                line.push(&marker.take().unwrap_or_default(), palette.accent);
            }
            _ => self.go_on(palette, line),
        }
    }

    fn go_on(&self, palette: &Palette, line: &mut Line) {
        match self {
            Container::Quote => line.push("│ ", palette.dim),
            Container::Item { columns, .. } => line.push(&" ".repeat(*columns), Style::PLAIN),
        }
    }
}
