//! What could be completed where the cursor stands. Start at [`wanted`].

use crate::commands::{self, Argument};
use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted<'a> {
    pub kind: Kind,
    pub typed: &'a str,
    /// The bytes that a choice replaces.
    pub range: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Command,
    Argument(Argument),
    Path,
}

/// What is being typed right before the cursor, if it is something that can be completed.
pub fn wanted(text: &str, cursor: usize) -> Option<Wanted<'_>> {
    let before = text.get(..cursor)?;
    if before.starts_with('/') && !before.contains('\n') {
        return match before.split_once(' ') {
            None => Some(Wanted { kind: Kind::Command, typed: before, range: 0..cursor })
                .filter(|_| !before[1..].contains('/')),
            Some((name, typed)) => match commands::argument(name) {
                Argument::None => None,
                argument => {
                    let range = name.len() + 1..cursor;
                    Some(Wanted { kind: Kind::Argument(argument), typed: typed.trim_start(), range })
                }
            },
        };
    }
    let start = before
        .rfind(char::is_whitespace)
        .map_or(0, |at| at + before[at..].chars().next().map_or(0, char::len_utf8));
    let typed = before[start..].strip_prefix('@')?;
    Some(Wanted { kind: Kind::Path, typed, range: start..cursor })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_before_the_cursor() {
        let path = |typed, range| Some(Wanted { kind: Kind::Path, typed, range });
        for (marked, expected) in [
            ("|", None),
            ("hello|", None),
            ("/mo|", Some(Wanted { kind: Kind::Command, typed: "/mo", range: 0..3 })),
            ("/|mo", Some(Wanted { kind: Kind::Command, typed: "/", range: 0..1 })),
            ("/etc/h|", None),
            ("/help x|", None),
            ("/model gp|", Some(Wanted { kind: Kind::Argument(Argument::Model), typed: "gp", range: 7..9 })),
            ("@|", path("", 0..1)),
            ("look at @src/m| now", path("src/m", 8..14)),
            ("line\n@a|", path("a", 5..7)),
            ("mail me@home|", None),
            ("@done |", None),
        ] {
            let (before, after) = marked.split_once('|').unwrap();
            assert_eq!(wanted(&format!("{before}{after}"), before.len()), expected, "{marked}");
        }
    }
}
