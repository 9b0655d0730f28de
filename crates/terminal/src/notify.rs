//! What a person sees of a conversation when they look elsewhere: the window's title, a notification. Start at
//! [`title`].

use crate::safe;
use crate::width;

const LONGEST: usize = 60;

/// Sets the window's title.
pub fn title(text: &str) -> String {
    format!("\x1b]2;{}\x1b\\", words(text))
}

/// Asks the terminal to notify the person.
pub fn notification(text: &str) -> String {
    format!("\x1b]9;{}\x1b\\", words(text))
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
        assert!(notification(&"x".repeat(500)).len() < 100);
    }
}
