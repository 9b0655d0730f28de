//! Large pastes, shown folded as `[pasted 312 lines]` and sent whole. Start at [`Folds`].
//!
//! In the editor a fold is one character of a range that nobody types, so that moving over it and deleting it need no
//! rules of their own. Text that holds such a character itself is always folded: what is sent is what was pasted.

/// Longer than this, a paste is folded.
const LINES: usize = 20;
const CHARACTERS: usize = 2000;

const FIRST: u32 = 0x10_ff00;
const LAST: u32 = 0x10_fffd;

#[derive(Debug, Clone, Default)]
pub struct Folds {
    texts: Vec<String>,
}

impl Folds {
    /// What stands in the editor for a text: itself, or one character.
    pub fn fold(&mut self, text: &str) -> String {
        let long = text.lines().count() > LINES || text.chars().count() > CHARACTERS;
        if !long && !text.contains(is_fold) {
            return text.to_owned();
        }
        match char::from_u32(FIRST + self.texts.len() as u32).filter(|c| is_fold(*c)) {
            Some(fold) => {
                self.texts.push(text.to_owned());
                fold.to_string()
            }
            // More folds than anybody makes: the characters that would be mistaken for one are left out.
            None => text.replace(is_fold, ""),
        }
    }

    /// How a character is shown, if it is a fold.
    pub fn label(&self, c: char) -> Option<String> {
        let text = self.text(c)?;
        let lines = text.lines().count();
        Some(match lines {
            0 | 1 => format!("[pasted {} characters]", text.chars().count()),
            _ => format!("[pasted {lines} lines]"),
        })
    }

    /// The whole text.
    pub fn unfold(&self, text: &str) -> String {
        let mut whole = String::with_capacity(text.len());
        for c in text.chars() {
            match self.text(c) {
                Some(folded) => whole.push_str(folded),
                None => whole.push(c),
            }
        }
        whole
    }

    pub fn clear(&mut self) {
        self.texts.clear();
    }

    fn text(&self, c: char) -> Option<&String> {
        is_fold(c).then(|| self.texts.get((c as u32 - FIRST) as usize)).flatten()
    }
}

fn is_fold(c: char) -> bool {
    (FIRST..=LAST).contains(&(c as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_is_what_was_pasted() {
        let long = "line\n".repeat(312);
        let wide = "x".repeat(5000);
        let sly = format!("a{}b", char::from_u32(FIRST).unwrap());
        for (text, label) in [
            ("three\nshort\nlines", None),
            (long.as_str(), Some("[pasted 312 lines]")),
            (wide.as_str(), Some("[pasted 5000 characters]")),
            (sly.as_str(), Some("[pasted 3 characters]")),
        ] {
            let mut folds = Folds::default();
            let shown = format!("before {} after", folds.fold(text));
            let labels: Vec<String> = shown.chars().filter_map(|c| folds.label(c)).collect();
            assert_eq!(labels.first().map(String::as_str), label);
            assert_eq!(folds.unfold(&shown), format!("before {text} after"));
        }
    }
}
