//! One line as a tag. Start at [`opening`] and [`closes`].
//!
//! A tag stands alone on its line. What chats do to it is undone here: blanks around it, smart quotes, and brackets
//! and quotes written as HTML does. Whatever cannot be read for certain is a fault of the tag, never a guess.

use super::body::entity;

/// The attributes that mean something; others are ignored.
const ATTRIBUTES: [&str; 4] = ["path", "start_line", "end_line", "tool"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    CreateFile,
    EditFile,
    DeleteFile,
    ReadFile,
    RunCommand,
    Message,
    Done,
    Call,
}

impl Kind {
    const ALL: [Kind; 8] = [
        Kind::CreateFile,
        Kind::EditFile,
        Kind::DeleteFile,
        Kind::ReadFile,
        Kind::RunCommand,
        Kind::Message,
        Kind::Done,
        Kind::Call,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::CreateFile => "CREATE_FILE",
            Kind::EditFile => "EDIT_FILE",
            Kind::DeleteFile => "DELETE_FILE",
            Kind::ReadFile => "READ_FILE",
            Kind::RunCommand => "RUN_COMMAND",
            Kind::Message => "MESSAGE",
            Kind::Done => "DONE",
            Kind::Call => "CALL",
        }
    }

    /// Without attributes, `[DONE with this part]` is a line of prose and no tag.
    fn has_attributes(self) -> bool {
        !matches!(self, Kind::RunCommand | Kind::Message | Kind::Done)
    }
}

/// How a tag was written. A block that was opened plainly is closed plainly, so that a body may speak of the other way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dress {
    Plain,
    /// Brackets or quotes were escaped, as by a chat that shows HTML.
    Escaped,
}

#[derive(Debug)]
pub(super) struct Tag {
    pub(super) kind: Kind,
    pub(super) dress: Dress,
    /// Why the attributes cannot be relied on, in words that follow the command's name.
    pub(super) fault: Option<String>,
    attributes: Vec<(String, String)>,
}

impl Tag {
    /// An attribute that says something.
    pub(super) fn value(&self, name: &str) -> Option<String> {
        let found = self.attributes.iter().find(|(given, _)| given == name);
        found.map(|(_, value)| value.clone()).filter(|value| !value.trim().is_empty())
    }
}

/// The opening tag that a line is, if it is one.
pub(super) fn opening(line: &str) -> Option<Tag> {
    let mut signs = Signs::of(line);
    let bracket = signs.next().filter(|sign| sign.glyph == '[')?;
    let kind = signs.kind()?;
    let mut tag = Tag { kind, dress: bracket.dress, fault: None, attributes: Vec::new() };
    loop {
        signs.skip_blanks();
        let before = signs.rest;
        let sign = signs.next()?;
        match sign.glyph {
            ']' => return tag.ended(sign, &signs),
            // Some write `[READ_FILE path="p" /]`, as they would in XML.
            '/' if signs.is_bracket_next() => {}
            c if is_name(c) && sign.dress == Dress::Plain => {
                signs.rest = before;
                tag.attribute(&mut signs)?;
            }
            _ => tag.unreadable(),
        }
    }
}

/// Whether a line is the closing tag of a block of this kind that was opened in this dress.
pub(super) fn closes(line: &str, kind: Kind, dress: Dress) -> bool {
    let mut signs = Signs::of(line);
    let mut is_next = |glyph| {
        signs.next().is_some_and(|sign| {
            sign.glyph == glyph && (sign.dress == Dress::Plain || dress == Dress::Escaped)
        })
    };
    if !(is_next('[') && is_next('/')) || signs.kind() != Some(kind) {
        return false;
    }
    signs.skip_blanks();
    let last = signs.next();
    last.is_some_and(|sign| sign.glyph == ']' && (sign.dress == Dress::Plain || dress == Dress::Escaped))
        && signs.rest.is_empty()
}

impl Tag {
    fn ended(mut self, bracket: Sign, signs: &Signs<'_>) -> Option<Tag> {
        if bracket.dress == Dress::Escaped {
            self.dress = Dress::Escaped;
        }
        let prose = self.fault.is_some() && !self.kind.has_attributes();
        (signs.rest.is_empty() && !prose).then_some(self)
    }

    fn unreadable(&mut self) {
        self.fault
            .get_or_insert_with(|| "attributes cannot be read, write them as name=\"value\"".to_owned());
    }

    /// Reads `name="value"`. `None` if the line ends before the tag does.
    fn attribute(&mut self, signs: &mut Signs<'_>) -> Option<()> {
        let name = signs.name();
        signs.skip_blanks();
        if signs.peek()?.glyph != '=' {
            self.unreadable();
            return Some(());
        }
        signs.next();
        signs.skip_blanks();
        let quote = signs.peek()?;
        let Some(marks) = marks(quote.glyph) else {
            self.unreadable();
            return Some(());
        };
        signs.next();
        let Some(value) = signs.value(quote, marks) else {
            // The value never ends; the line is a broken tag if it ends as a tag would.
            self.unreadable();
            signs.rest = signs.closing_bracket()?;
            return Some(());
        };
        if quote.dress == Dress::Escaped {
            self.dress = Dress::Escaped;
        }
        let twice = self.attributes.iter().any(|(given, _)| *given == name);
        if twice {
            self.fault.get_or_insert_with(|| format!("{name} attribute given twice"));
        } else if ATTRIBUTES.contains(&name.as_str()) {
            self.attributes.push((name, value));
        }
        Some(())
    }
}

/// A character of a tag, and whether it stood for itself.
#[derive(Debug, Clone, Copy)]
struct Sign {
    glyph: char,
    dress: Dress,
}

/// What is left of a line.
#[derive(Debug, Clone, Copy)]
struct Signs<'a> {
    rest: &'a str,
}

impl<'a> Signs<'a> {
    fn of(line: &'a str) -> Signs<'a> {
        Signs { rest: line.trim_matches(is_blank) }
    }

    fn peek(&self) -> Option<Sign> {
        let mut ahead = *self;
        ahead.next()
    }

    fn next(&mut self) -> Option<Sign> {
        let glyph = self.rest.chars().next()?;
        let (glyph, dress, length) = match entity(self.rest) {
            Some((decoded, length)) => (decoded, Dress::Escaped, length),
            None => (glyph, Dress::Plain, glyph.len_utf8()),
        };
        self.rest = &self.rest[length..];
        Some(Sign { glyph, dress })
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(|sign| is_blank(sign.glyph)) {
            self.next();
        }
    }

    /// The command that is named here. Names are upper case, so that prose in brackets is not taken for one.
    fn kind(&mut self) -> Option<Kind> {
        let after = |kind: &Kind| self.rest.strip_prefix(kind.name());
        let (kind, rest) = Kind::ALL.iter().find_map(|kind| Some((*kind, after(kind)?)))?;
        self.rest = rest;
        self.peek().is_some_and(|sign| !is_name(sign.glyph)).then_some(kind)
    }

    fn name(&mut self) -> String {
        let length = self.rest.find(|c| !is_name(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(length);
        self.rest = rest;
        name.to_ascii_lowercase()
    }

    /// The value up to the mark that ends it. A mark that looks and is written as the first one is the best end; if
    /// there is none, a chat has changed it, and any of its family will do.
    fn value(&mut self, first: Sign, marks: &[char]) -> Option<String> {
        let same = |sign: Sign| sign.glyph == first.glyph && sign.dress == first.dress;
        let any = |sign: Sign| marks.contains(&sign.glyph);
        let straight = matches!(first.glyph, '"' | '\'');
        let best = if straight { self.value_until(first.dress, same) } else { None };
        let (value, rest) = best.or_else(|| self.value_until(first.dress, any))?;
        self.rest = rest;
        Some(value)
    }

    /// A value in plain quotes is verbatim; one in escaped quotes was escaped as they were.
    fn value_until(&self, dress: Dress, ends: impl Fn(Sign) -> bool) -> Option<(String, &'a str)> {
        let mut ahead = *self;
        let mut value = String::new();
        loop {
            let before = ahead.rest;
            let sign = ahead.next()?;
            if ends(sign) {
                return Some((value, ahead.rest));
            }
            match dress {
                Dress::Escaped => value.push(sign.glyph),
                Dress::Plain => value.push_str(&before[..before.len() - ahead.rest.len()]),
            }
        }
    }

    fn is_bracket_next(&self) -> bool {
        self.peek().is_some_and(|sign| sign.glyph == ']')
    }

    /// The last sign of the line, if it is a closing bracket.
    fn closing_bracket(&self) -> Option<&'a str> {
        let start = self.rest.rfind([']', '&'])?;
        let last = Signs { rest: &self.rest[start..] };
        let mut ahead = last;
        (ahead.next()?.glyph == ']' && ahead.rest.is_empty()).then_some(last.rest)
    }
}

/// The family of quotation marks that this one belongs to.
fn marks(glyph: char) -> Option<&'static [char]> {
    const DOUBLE: [char; 8] = ['"', '“', '”', '„', '‟', '″', '«', '»'];
    const SINGLE: [char; 6] = ['\'', '‘', '’', '‚', '‛', '′'];
    [&DOUBLE[..], &SINGLE[..]].into_iter().find(|family| family.contains(&glyph))
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// Blanks, and the marks without width that come along when text is copied.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
}
