//! The name of a conversation: one line that can be shown anywhere. Start at [`topic`].

/// The most characters that a person may give a conversation for a name.
pub const LONGEST_TOPIC: usize = 200;
/// How long a name is that is made from what was said.
const LONGEST_MADE: usize = 80;

/// A name as a person wrote it: in one line, with nothing in it that a terminal or a browser would obey or that cannot be
/// seen. `None` when nothing is left or it is too long.
pub fn topic(text: &str) -> Option<String> {
    let line = one_line(text);
    (1..=LONGEST_TOPIC).contains(&line.chars().count()).then_some(line)
}

/// A name from the first words that a person said.
pub(super) fn made_from(text: &str) -> String {
    // Whatever is looked at beyond this is cut off anyway, and what was said may be very long.
    let lines = text.lines().map(|line| one_line(&line.chars().take(4 * LONGEST_MADE).collect::<String>()));
    let line = lines.into_iter().find(|line| !line.is_empty()).unwrap_or_default();
    if line.chars().count() <= LONGEST_MADE {
        return line;
    }
    let cut: String = line.chars().take(LONGEST_MADE - 1).collect();
    format!("{}…", cut.trim_end())
}

fn one_line(text: &str) -> String {
    let seen: String = text.chars().filter(|c| c.is_whitespace() || !is_unseen(*c)).collect();
    seen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Control characters, marks that turn the direction of writing, and what has no width. The joiners stay: they are
/// letters' business.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}')
        || matches!(c, '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_line_that_nobody_obeys() {
        for (text, name) in [
            ("  two \n words\t", Some("two words")),
            ("red \u{1b}[31m\0\u{7}", Some("red [31m")),
            ("a\u{202e}b\u{2066}c\u{200f}\u{feff}", Some("abc")),
            ("line\u{2028}line\u{85}line", Some("line line line")),
            ("👩\u{200d}💻 می\u{200c}خواهم", Some("👩\u{200d}💻 می\u{200c}خواهم")),
            ("<b>&amp;", Some("<b>&amp;")),
            ("", None),
            (" \u{200b}\u{1b}\n", None),
        ] {
            assert_eq!(topic(text).as_deref(), name, "{text:?}");
            assert_eq!(made_from(text), name.unwrap_or_default().replace("two words", "two"), "{text:?}");
        }
    }

    #[test]
    fn names_are_bounded() {
        for (length, fits) in [(LONGEST_TOPIC, true), (LONGEST_TOPIC + 1, false), (1 << 20, false)] {
            assert_eq!(topic(&"é".repeat(length)).is_some(), fits, "{length}");
            assert_eq!(made_from(&"é".repeat(length)).chars().count(), LONGEST_MADE);
        }
    }
}
