//! Where finished lines are collected until the screen prints them. Start at [`Paper`].
//!
//! Blocks are set apart by one blank line, never two, whatever they begin and end with.

use crate::style::Line;

#[derive(Debug, Default)]
pub struct Paper {
    lines: Vec<Line>,
    /// Whether the last line that was printed is blank, or nothing was.
    apart: bool,
    gap: bool,
}

impl Paper {
    pub fn new() -> Paper {
        Paper { lines: Vec::new(), apart: true, gap: false }
    }

    /// The next line is set apart from the last.
    pub fn gap(&mut self) {
        self.gap = true;
    }

    pub fn print(&mut self, lines: impl IntoIterator<Item = Line>) {
        for line in lines {
            let blank = line.text().trim().is_empty();
            if self.gap && blank {
                continue;
            }
            if self.gap && !self.apart {
                self.lines.push(Line::new());
            }
            self.gap = false;
            self.apart = blank;
            self.lines.push(line);
        }
    }

    /// Prints lines as a block of their own.
    pub fn block(&mut self, lines: impl IntoIterator<Item = Line>) {
        self.gap();
        self.print(lines);
        self.gap();
    }

    /// Prints more lines of the block that was printed last.
    pub fn go_on(&mut self, lines: impl IntoIterator<Item = Line>) {
        self.gap = false;
        self.print(lines);
        self.gap();
    }

    /// Whether what is shown next needs a blank line before it.
    pub fn wants_gap(&self) -> bool {
        !self.apart
    }

    pub fn take(&mut self) -> Vec<Line> {
        std::mem::take(&mut self.lines)
    }
}
