//! What a person sees of a conversation when they look elsewhere: the window's title, a notification. Start at
//! [`title`].

use crate::safe;
use crate::width;

const LONGEST: usize = 60;

/// Sets the window's title.
pub fn title(text: &str) -> String {
    format!("\x1b]2;{}\x1b\\", words(text))
}

/// Who stands between the program and the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carrier {
    Nobody,
    /// It keeps to itself what it does not know, unless it is told to hand it on.
    Tmux,
}

/// Asks the terminal to notify the person.
pub fn notification(text: &str, carrier: Carrier) -> String {
    let plain = format!("\x1b]9;{}\x1b\\", words(text));
    match carrier {
        Carrier::Nobody => plain,
        Carrier::Tmux => format!("\x1bPtmux;{}\x1b\\", plain.replace('\x1b', "\x1b\x1b")),
    }
}

fn words(text: &str) -> String {
    width::truncate(&safe::single(text), LONGEST).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_says_cannot_end_the_sequence() {
        assert_eq!(title("a\x07b\x1b\\c\nd"), "\x1b]2;abc⏎d\x1b\\");
        assert!(notification(&"x".repeat(500), Carrier::Nobody).len() < 100);
        assert_eq!(notification("a\x1b\\b", Carrier::Tmux), "\x1bPtmux;\x1b\x1b]9;ab\x1b\x1b\\\x1b\\");
    }
}
