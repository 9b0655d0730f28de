//! Bash's grammar, read by recursive descent. Start from [`parse`].
//!
//! The parser must never guess: whatever it does not know for certain is an error, and an error makes
//! the judge ask. It must never recurse deeper than [`MAX_DEPTH`] nor build more than [`MAX_NODES`].

mod compound;
mod cursor;
mod dollar;
mod redirect;
mod word;

use super::syntax::*;
use cursor::is_meta;
use redirect::Pending;
use word::Pieces;

pub const MAX_LENGTH: usize = 256 * 1024;
const MAX_DEPTH: usize = 60;
const MAX_NODES: usize = 100_000;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    #[error("it is not understood as bash: {0}")]
    Syntax(&'static str),
    #[error("it is nested too deeply or too long to judge")]
    Limit,
    #[error("it holds control or invisible characters, so it may not be what it looks like")]
    Hidden,
}

type Result<T> = std::result::Result<T, ParseError>;

pub fn parse(source: &str) -> Result<Script> {
    if source.len() > MAX_LENGTH {
        return Err(ParseError::Limit);
    }
    if source.chars().any(is_hidden) {
        return Err(ParseError::Hidden);
    }
    let chars: Vec<char> = source.chars().collect();
    Parser::new(&chars, 0).whole()
}

/// Characters that a terminal or a reader does not show as they act.
pub fn is_hidden(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{3164}')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
        || (c.is_whitespace() && !c.is_ascii())
}

struct Parser<'a> {
    source: &'a [char],
    at: usize,
    depth: usize,
    nodes: usize,
    /// Here-documents announced on this line, whose bodies start after its end.
    pending: Vec<Pending>,
}

/// Words that end a list because the construct around it goes on.
const CLOSERS: &[&str] = &["then", "do", "done", "fi", "else", "elif", "esac", "}"];

impl<'a> Parser<'a> {
    fn new(source: &'a [char], depth: usize) -> Self {
        Parser { source, at: 0, depth, nodes: 0, pending: Vec::new() }
    }

    fn whole(mut self) -> Result<Script> {
        let script = self.list()?;
        if self.peek().is_some() {
            return Err(ParseError::Syntax("a closing word without its opening"));
        }
        if !self.pending.is_empty() {
            return Err(ParseError::Syntax("a here-document without a body"));
        }
        Ok(script)
    }

    /// Runs `inner` one level deeper, or fails when the limit is reached.
    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_DEPTH {
            return Err(ParseError::Limit);
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn count(&mut self) -> Result<()> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(ParseError::Limit);
        }
        Ok(())
    }

    fn list(&mut self) -> Result<Script> {
        let mut script = Script::default();
        let mut conditional = false;
        loop {
            self.newlines()?;
            if self.at_list_end() {
                if conditional {
                    return Err(ParseError::Syntax("nothing after `&&` or `||`"));
                }
                return Ok(script);
            }
            let stages = self.pipeline()?;
            let mut pipeline = Pipeline { stages, background: false, conditional };
            conditional = false;
            self.blanks();
            let more = if self.eat("&&") || self.eat("||") {
                conditional = true;
                true
            } else if self.looking_at(";;") || self.looking_at(";&") {
                false
            } else if self.eat(";") {
                true
            } else if self.eat("&") {
                pipeline.background = true;
                true
            } else {
                self.peek() == Some('\n')
            };
            script.pipelines.push(pipeline);
            if !more {
                return Ok(script);
            }
        }
    }

    fn at_list_end(&self) -> bool {
        match self.peek() {
            None | Some(')') => true,
            Some(';') => self.looking_at(";;") || self.looking_at(";&"),
            _ => CLOSERS.iter().any(|word| self.at_reserved(word)),
        }
    }

    fn pipeline(&mut self) -> Result<Vec<Command>> {
        let mut stages = Vec::new();
        self.blanks();
        loop {
            if self.eat_reserved("!") {
                self.blanks();
            } else if self.eat_reserved("time") {
                self.blanks();
                if self.eat_reserved("-p") {
                    self.blanks();
                }
            } else {
                break;
            }
        }
        loop {
            stages.push(self.deeper(Self::command)?);
            self.blanks();
            if self.looking_at("||") || !(self.eat("|&") || self.eat("|")) {
                return Ok(stages);
            }
            self.newlines()?;
        }
    }

    fn command(&mut self) -> Result<Command> {
        self.count()?;
        self.blanks();
        let Some(kind) = self.compound()? else {
            return self.simple();
        };
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok(Command { kind, redirects }),
            }
        }
    }

    fn simple(&mut self) -> Result<Command> {
        let mut simple = Simple::default();
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            self.count()?;
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            if self.at_word_end() && !self.at_process() {
                break;
            }
            if simple.words.is_empty()
                && let Some(assign) = self.assign()?
            {
                simple.assigns.push(assign);
                continue;
            }
            let word = self.word()?;
            if matches!(self.peek(), Some('<' | '>')) && is_braced(&word) {
                return Err(ParseError::Syntax("a descriptor stored under a subscript"));
            }
            if simple.words.is_empty() && simple.assigns.is_empty() && self.at_parameters() {
                return self.function(word);
            }
            simple.words.push(word);
        }
        if simple.words.is_empty() && simple.assigns.is_empty() && redirects.is_empty() {
            return Err(ParseError::Syntax("a command is missing"));
        }
        Ok(Command { kind: Kind::Simple(simple), redirects })
    }

    /// `name=value`, `name+=value`, `name[i]=value`, `name=(…)`.
    fn assign(&mut self) -> Result<Option<Assign>> {
        let start = self.at;
        let name = self.name();
        let mut words = Vec::new();
        let mut plain = true;
        let mut subscript = None;
        if self.peek() == Some('[') {
            // Looking ahead by characters avoids reading nested commands twice; a stranger subscript
            // leaves a word that no rule knows.
            let Some(length) = self.subscript() else {
                self.at = start;
                return Ok(None);
            };
            subscript = Some(self.source[self.at + 1..self.at + length - 1].iter().collect());
            self.at += length;
            plain = false;
        }
        plain &= !self.eat("+");
        if name.is_empty() || !self.eat("=") {
            self.at = start;
            return Ok(None);
        }
        if self.eat("(") {
            plain = false;
            loop {
                self.newlines()?;
                if self.eat(")") {
                    break;
                }
                if self.at_word_end() && !self.at_process() {
                    return Err(ParseError::Syntax("an array without its end"));
                }
                words.push(self.word()?);
            }
            if !self.at_word_end() {
                return Err(ParseError::Syntax("text directly after an array"));
            }
        } else if self.at_word_end() && !self.at_process() {
            words.push(Word::default());
        } else {
            words.push(self.word()?);
        }
        Ok(Some(Assign { name, plain, subscript, words }))
    }

    /// The length of a `[…]` that holds nothing but a plain index.
    fn subscript(&self) -> Option<usize> {
        let inner = self.source[self.at + 1..]
            .iter()
            .take_while(|c| c.is_ascii_alphanumeric() || "_+-@*$\"".contains(**c))
            .count();
        (self.ahead(1 + inner) == Some(']')).then_some(inner + 2)
    }
}

/// `{name[…]}` before a redirection: the subscript is arithmetic.
fn is_braced(word: &Word) -> bool {
    let edge = |piece: Option<&Piece>, end: fn(&str) -> bool| matches!(piece, Some(Piece::Text { text, quoted: false }) if end(text));
    edge(word.pieces.first(), |text| text.starts_with('{'))
        && edge(word.pieces.last(), |text| text.ends_with('}'))
}
