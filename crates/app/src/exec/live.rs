//! What is shown while it happens: the text of the reply in progress and the output of a running command. Start at
//! [`Live`].
//!
//! It goes to stderr, and only if that is a terminal: stdout gets the answer alone, once, when it is finished.

use crate::aside;
use crate::exit::one_place;
use crate::paint::{Paint, visible};
use std::io::IsTerminal;

/// Lines of one command's output that are shown as they come; whoever wants more of them reads the log.
const LINES: usize = 500;

/// Whether the output of the call that ended was shown while it ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    Nothing,
    Output,
}

pub struct Live {
    on: bool,
    /// Whether stdout is the same terminal, so that what was shown need not be printed there again.
    same: bool,
    paint: Paint,
    /// The reply in progress, or the last one, as far as it was shown.
    text: String,
    finished: bool,
    /// The unfinished last line of the output.
    line: String,
    lines: usize,
}

impl Live {
    pub fn new() -> Live {
        Live {
            on: std::io::stderr().is_terminal(),
            same: std::io::stdout().is_terminal() && one_place(),
            paint: Paint::for_stderr(),
            text: String::new(),
            finished: true,
            line: String::new(),
            lines: 0,
        }
    }

    pub fn is_on(&self) -> bool {
        self.on
    }

    /// More of the reply; at offset 0 a new one begins.
    pub fn text(&mut self, offset: usize, text: &str) {
        if !self.on {
            return;
        }
        if offset == 0 {
            self.forget();
            self.text.clear();
        }
        self.finished = false;
        self.text.push_str(text);
        aside::write(&visible(text));
    }

    /// The reply is whole. Says whether all of its text was shown.
    pub fn replied(&mut self, text: &str) -> bool {
        self.forget();
        let shown = self.on && self.text.trim() == text.trim();
        if !shown {
            self.text.clear();
        }
        shown
    }

    /// What was begun does not go on: whatever is printed next starts a line of its own.
    pub fn forget(&mut self) {
        if !self.finished && !self.text.ends_with('\n') {
            aside!("");
        }
        self.finished = true;
    }

    /// More output of the running command.
    pub fn output(&mut self, text: &str) {
        self.line.push_str(text);
        while let Some(end) = self.line.find('\n') {
            let line: String = self.line.drain(..=end).collect();
            self.print(&line);
        }
    }

    /// The command ended.
    pub fn ran(&mut self) -> Shown {
        let rest = std::mem::take(&mut self.line);
        if !rest.is_empty() {
            self.print(&rest);
        }
        match std::mem::take(&mut self.lines) {
            0 => Shown::Nothing,
            lines => {
                if lines > LINES {
                    aside!("{}", self.paint.dim(&format!("  … {} more lines", lines - LINES)));
                }
                Shown::Output
            }
        }
    }

    /// Whether the answer stands on the person's terminal already, and stdout is that terminal.
    pub fn has_shown(&self, answer: &str) -> bool {
        self.same && self.on && !answer.trim().is_empty() && self.text.trim() == answer.trim()
    }

    /// A line that was written over with carriage returns is shown as it would look at last.
    fn print(&mut self, line: &str) {
        self.lines += 1;
        if self.lines <= LINES {
            let line = line.trim_end_matches(['\n', '\r']);
            let last = line.rsplit('\r').next().unwrap_or_default();
            aside!("{}", self.paint.dim(&format!("  {}", visible(last))));
        }
    }
}
