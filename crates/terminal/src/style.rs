//! Styled text: [`Line`]s of [`Span`]s. Start from [`Line`]; [`Line::to_ansi`] is the only place that writes SGR.
//!
//! Types of our own, because this door needs runs of text and nothing of a cell buffer. A span's text has passed
//! `safe` before it gets here; nothing in this file looks at it again, and nothing writes anywhere.

mod ansi;
mod palette;
#[cfg(test)]
mod tests;

pub use ansi::Pen;
pub use palette::{Depth, Palette};

use crate::width;

/// A colour of the terminal. `Indexed` 0 to 15 are the person's own sixteen, 16 to 255 the fixed cube and greys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Colour {
    #[default]
    Default,
    Indexed(u8),
    Rgb(u8, u8, u8),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Style {
    pub fg: Colour,
    pub bg: Colour,
    pub bold: bool,
    pub dim: bool,
    pub italic: bool,
    pub underline: bool,
    pub strike: bool,
    pub reverse: bool,
}

/// A run of text in one style, without line ends or control characters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Span {
    pub text: String,
    pub style: Style,
}

/// One line of the screen, or one still to be wrapped. No span is empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    pub spans: Vec<Span>,
}

impl Style {
    pub const PLAIN: Style = Style {
        fg: Colour::Default,
        bg: Colour::Default,
        bold: false,
        dim: false,
        italic: false,
        underline: false,
        strike: false,
        reverse: false,
    };

    pub const fn fg(index: u8) -> Style {
        Style { fg: Colour::Indexed(index), ..Style::PLAIN }
    }

    pub const fn on(self, index: u8) -> Style {
        Style { bg: Colour::Indexed(index), ..self }
    }

    pub const fn bold(self) -> Style {
        Style { bold: true, ..self }
    }

    pub const fn dim(self) -> Style {
        Style { dim: true, ..self }
    }

    pub const fn italic(self) -> Style {
        Style { italic: true, ..self }
    }

    pub const fn underline(self) -> Style {
        Style { underline: true, ..self }
    }

    pub const fn strike(self) -> Style {
        Style { strike: true, ..self }
    }

    pub const fn reverse(self) -> Style {
        Style { reverse: true, ..self }
    }

    /// This style with `over` laid on top: its colours win where it has any, its marks are added.
    pub fn with(self, over: Style) -> Style {
        let pick = |below: Colour, above: Colour| if above == Colour::Default { below } else { above };
        Style {
            fg: pick(self.fg, over.fg),
            bg: pick(self.bg, over.bg),
            bold: self.bold || over.bold,
            dim: self.dim || over.dim,
            italic: self.italic || over.italic,
            underline: self.underline || over.underline,
            strike: self.strike || over.strike,
            reverse: self.reverse || over.reverse,
        }
    }
}

impl Line {
    pub const fn new() -> Line {
        Line { spans: Vec::new() }
    }

    pub fn styled(text: impl Into<String>, style: Style) -> Line {
        let text = text.into();
        if text.is_empty() { Line::new() } else { Line { spans: vec![Span { text, style }] } }
    }

    /// Adds text at the end; text in the style of the last span joins it.
    pub fn push(&mut self, text: &str, style: Style) {
        if text.is_empty() {
            return;
        }
        match self.spans.last_mut() {
            Some(last) if last.style == style => last.text.push_str(text),
            _ => self.spans.push(Span { text: text.to_owned(), style }),
        }
    }

    pub fn append(&mut self, other: &Line) {
        for span in &other.spans {
            self.push(&span.text, span.style);
        }
    }

    /// The same text, with `under` showing through wherever its own style says nothing.
    #[must_use]
    pub fn over(mut self, under: Style) -> Line {
        for span in &mut self.spans {
            span.style = under.with(span.style);
        }
        self
    }

    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }

    pub fn width(&self) -> usize {
        self.spans.iter().map(|span| width::of(&span.text)).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The part from byte `start` to byte `end` of [`Line::text`].
    #[must_use]
    pub fn slice(&self, start: usize, end: usize) -> Line {
        let mut part = Line::new();
        let mut at = 0;
        for span in &self.spans {
            let from = start.saturating_sub(at).min(span.text.len());
            let to = end.saturating_sub(at).min(span.text.len());
            part.push(span.text.get(from..to).unwrap_or_default(), span.style);
            at += span.text.len();
        }
        part
    }
}

impl From<&str> for Line {
    fn from(text: &str) -> Line {
        Line::styled(text, Style::PLAIN)
    }
}

impl From<String> for Line {
    fn from(text: String) -> Line {
        Line::styled(text, Style::PLAIN)
    }
}
