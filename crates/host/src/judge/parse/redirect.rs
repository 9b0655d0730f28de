//! Redirections and here-documents. Part of the parser; a here-document's body is read after its line.

use std::cell::OnceCell;
use std::rc::Rc;

use super::*;

/// A here-document whose body is still to come.
pub(super) struct Pending {
    end: String,
    strip_tabs: bool,
    quoted: bool,
    body: Rc<OnceCell<Word>>,
}

impl Parser<'_> {
    pub(super) fn redirect(&mut self) -> Result<Option<Redirect>> {
        let start = self.at;
        let variable = self.descriptor();
        let Some((operator, mode)) = REDIRECTS.iter().find(|(text, _)| self.looking_at(text)) else {
            self.at = start;
            return Ok(None);
        };
        if self.at == start && self.at_process() {
            return Ok(None);
        }
        self.at += operator.len();
        self.blanks();
        if self.at_word_end() && !self.at_process() {
            return Err(ParseError::Syntax("a redirection without a target"));
        }
        let target = match *operator {
            "<<<" => Target::Text(self.word()?),
            "<<" | "<<-" => self.announce(*operator == "<<-")?,
            _ => Target::Word(self.word()?),
        };
        Ok(Some(Redirect { variable, mode: *mode, target }))
    }

    /// The number or `{name}` before a redirection; moves only when one follows directly.
    fn descriptor(&mut self) -> Option<String> {
        let start = self.at;
        let mut variable = None;
        if self.eat("{") {
            let name = self.name();
            if !name.is_empty() && self.eat("}") {
                variable = Some(name);
            }
        } else {
            while self.peek().is_some_and(|c| c.is_ascii_digit()) {
                self.at += 1;
            }
        }
        if !matches!(self.peek(), Some('<' | '>')) {
            self.at = start;
            return None;
        }
        variable
    }

    fn announce(&mut self, strip_tabs: bool) -> Result<Target> {
        let word = self.word()?;
        let mut end = String::new();
        let mut any_quoted = false;
        for piece in &word.pieces {
            let Piece::Text { text, quoted } = piece else {
                return Err(ParseError::Syntax("a here-document whose end is not plain"));
            };
            end.push_str(text);
            any_quoted |= quoted;
        }
        if end.contains('\n') {
            return Err(ParseError::Syntax("a here-document whose end is not plain"));
        }
        let body = Rc::new(OnceCell::new());
        self.pending.push(Pending { end, strip_tabs, quoted: any_quoted, body: Rc::clone(&body) });
        Ok(Target::Here(body))
    }

    /// Reads the bodies of the here-documents announced on the line that has just ended.
    pub(super) fn bodies(&mut self) -> Result<()> {
        for pending in std::mem::take(&mut self.pending) {
            let mut text: Vec<char> = Vec::new();
            loop {
                let rest = &self.source[self.at..];
                if rest.is_empty() {
                    return Err(ParseError::Syntax("a here-document without its end"));
                }
                let length = rest.iter().position(|c| *c == '\n').unwrap_or(rest.len());
                let mut line = &rest[..length];
                self.at += (length + 1).min(rest.len());
                while pending.strip_tabs && line.first() == Some(&'\t') {
                    line = &line[1..];
                }
                if line.iter().copied().eq(pending.end.chars()) {
                    break;
                }
                text.extend_from_slice(line);
                text.push('\n');
            }
            let body = if pending.quoted {
                word::quoted(text.into_iter().collect())
            } else {
                self.deeper(|parser| Parser::new(&text, parser.depth).here_text())?
            };
            // Each cell is made with its announcement and filled only here.
            let _ = pending.body.set(body);
        }
        Ok(())
    }
}

/// Longest first, so that the first that fits is the operator.
#[rustfmt::skip]
const REDIRECTS: &[(&str, Mode)] = &[
    ("&>>", Mode::Write),
    ("<<<", Mode::Read),
    ("<<-", Mode::Read),
    ("&>", Mode::Write),
    (">>", Mode::Write),
    (">|", Mode::Write),
    (">&", Mode::Copy),
    ("<&", Mode::Copy),
    ("<>", Mode::Write),
    ("<<", Mode::Read),
    ("<", Mode::Read),
    (">", Mode::Write),
];
