//! Reading characters: looking ahead, moving on, skipping what separates words. Part of the parser.

use super::*;

impl Parser<'_> {
    pub(super) fn peek(&self) -> Option<char> {
        self.source.get(self.at).copied()
    }

    pub(super) fn ahead(&self, offset: usize) -> Option<char> {
        self.source.get(self.at + offset).copied()
    }

    pub(super) fn looking_at(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(offset, c)| self.ahead(offset) == Some(c))
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.looking_at(text);
        if found {
            self.at += text.chars().count();
        }
        found
    }

    /// Skips blanks, line continuations and a comment.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t') => self.at += 1,
                Some('\\') if self.ahead(1) == Some('\n') => self.at += 2,
                // Words end at a metacharacter, so here a token starts and `#` starts a comment.
                Some('#') => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    pub(super) fn newlines(&mut self) -> Result<()> {
        loop {
            self.blanks();
            if self.peek() != Some('\n') {
                return Ok(());
            }
            self.at += 1;
            self.bodies()?;
        }
    }

    pub(super) fn name(&mut self) -> String {
        let start = self.at;
        while self
            .peek()
            .is_some_and(|c| c == '_' || c.is_ascii_alphabetic() || (c.is_ascii_digit() && self.at > start))
        {
            self.at += 1;
        }
        self.source[start..self.at].iter().collect()
    }

    /// Whether a word cannot go on here.
    pub(super) fn at_word_end(&self) -> bool {
        self.peek().is_none_or(is_meta)
    }

    pub(super) fn at_process(&self) -> bool {
        self.looking_at("<(") || self.looking_at(">(")
    }

    pub(super) fn at_reserved(&self, word: &str) -> bool {
        self.looking_at(word) && self.ahead(word.len()).is_none_or(is_meta)
    }

    pub(super) fn eat_reserved(&mut self, word: &str) -> bool {
        let found = self.at_reserved(word);
        if found {
            self.at += word.len();
        }
        found
    }
}

/// Whether `c` ends a word where it is not quoted.
pub(super) fn is_meta(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '|' | '&' | ';' | '(' | ')' | '<' | '>')
}
