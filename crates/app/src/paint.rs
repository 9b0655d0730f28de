//! Colours for people, only where they are wanted: on a terminal, without `NO_COLOR`. Start at [`Paint`].
//!
//! What comes from models, files and commands passes [`visible`] before it is printed to a terminal.

use std::borrow::Cow;
use std::io::IsTerminal;

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

/// Text in which nothing is obeyed by a terminal and nothing hides: control, bidirectional and invisible characters are
/// shown as what they are. Line ends and tabs stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            c if !hidden(c) => shown.push(c),
            '\x1b' => shown.push('␛'),
            c => shown.push_str(&format!("<U+{:04X}>", c as u32)),
        }
    }
    Cow::Owned(shown)
}

/// Like [`visible`], for what a person is about to approve: blanks at the end of a line are shown as well.
pub fn exact(text: &str) -> String {
    let line = |line: &str| {
        let kept = line.trim_end_matches([' ', '\t']);
        let blanks = line[kept.len()..].chars().map(|c| if c == '\t' { '⇥' } else { '·' });
        let kept =
            kept.chars().map(|c| if disguised(c) { format!("<U+{:04X}>", c as u32) } else { c.to_string() });
        visible(&kept.collect::<String>()).chars().chain(blanks).collect::<String>()
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Characters that look like nothing or like a blank; harmless in prose, not in what is to be approved.
fn disguised(c: char) -> bool {
    matches!(
        c,
        '\u{a0}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}'
    ) || matches!(c, '\u{2800}' | '\u{3000}' | '\u{3164}' | '\u{ffa0}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

fn hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        c if c.is_control() => true,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}' => true,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{e0000}'..='\u{e007f}' | '\u{fff9}'..='\u{fffb}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{exact, visible};

    #[test]
    fn blanks_at_the_end_are_shown_where_it_matters() {
        assert_eq!(exact("touch a  \n\tb\t\n"), "touch a··\n\tb⇥\n");
        assert_eq!(exact("rm\u{3164}a\u{a0}b"), "rm<U+3164>a<U+00A0>b");
    }

    #[test]
    fn nothing_hides_and_nothing_is_obeyed() {
        for (raw, shown) in [
            ("plain\ttext\n", "plain\ttext\n"),
            ("\x1b[31mred", "␛[31mred"),
            ("a\u{202e}b", "a<U+202E>b"),
            ("a\u{200b}b\r", "a<U+200B>b<U+000D>"),
            ("héllo 漢字 🙂", "héllo 漢字 🙂"),
        ] {
            assert_eq!(visible(raw), shown);
        }
    }
}
