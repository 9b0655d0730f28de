//! Colours for people, only where they are wanted: on a terminal, without `NO_COLOR`. Start at [`Paint`].
//!
//! What comes from models, files and commands passes [`visible`] before it is printed to a terminal, and what a person
//! is about to approve [`reveal`].

use std::io::IsTerminal;
pub use terminal::safe::{reveal, visible};

#[derive(Debug, Clone, Copy)]
pub struct Paint {
    colours: bool,
}

impl Paint {
    pub fn for_stderr() -> Paint {
        Paint::when(std::io::stderr().is_terminal())
    }

    pub fn for_stdout() -> Paint {
        Paint::when(std::io::stdout().is_terminal())
    }

    fn when(terminal: bool) -> Paint {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Paint { colours: !refused && !dumb && terminal }
    }

    pub fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }

    pub fn red(self, text: &str) -> String {
        self.wrap("31", text)
    }

    pub fn green(self, text: &str) -> String {
        self.wrap("32", text)
    }

    pub fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    /// A unified diff with its lines coloured.
    pub fn diff(self, diff: &str) -> String {
        let line = |line: &str| match line.as_bytes().first() {
            Some(b'+') => self.green(line),
            Some(b'-') => self.red(line),
            Some(b'@') => self.dim(line),
            _ => line.to_owned(),
        };
        diff.lines().map(line).collect::<Vec<_>>().join("\n")
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.colours { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}
