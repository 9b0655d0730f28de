//! [`Cleaner`]: `plain` for text that arrives in pieces, with sequences that are cut in two by a border.

use super::scan::{Token, tokens};
use super::{Sink, TAB};

/// A sequence that is longer than this and still open is taken for text.
const PATIENCE: usize = 16 * 1024;

/// Makes pieces of a text safe; whatever the cuts, the result is that of `plain` on the whole.
#[derive(Debug, Clone)]
pub struct Cleaner {
    sink: Sink,
    /// The beginning of a sequence whose end has not come yet.
    open: String,
}

impl Default for Cleaner {
    fn default() -> Cleaner {
        Cleaner { sink: Sink::new(TAB), open: String::new() }
    }
}

impl Cleaner {
    /// Gives the safe text that `piece` adds.
    pub fn push(&mut self, piece: &str) -> String {
        if self.open.is_empty() {
            self.clean(piece);
        } else {
            let mut text = std::mem::take(&mut self.open);
            text.push_str(piece);
            self.clean(&text);
        }
        std::mem::take(&mut self.sink.text)
    }

    /// Gives what was held back for an end that did not come.
    pub fn finish(&mut self) -> String {
        let open = std::mem::take(&mut self.open);
        self.sink.abandon(&open);
        std::mem::take(&mut self.sink.text)
    }

    fn clean(&mut self, text: &str) {
        for token in tokens(text) {
            match token {
                Token::Open(open) if open.len() > PATIENCE => self.sink.abandon(open),
                Token::Open(open) => self.open.push_str(open),
                token => self.sink.take(&token),
            }
        }
    }
}
