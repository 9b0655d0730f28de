//! [`ansi`]: a command's output with its colours kept as styles, and nothing else of its sequences.

use super::Sink;
use super::scan::{Token, tokens};
use crate::style::{Colour, Line, Palette, Style};

/// Commands lay out for the terminal's own tab stops.
const TAB: usize = 8;

/// The lines of a command's output. Where a command went back to the beginning of a line, as progress bars do, the
/// line shows what it wrote last.
pub fn ansi(text: &str, palette: &Palette) -> Vec<Line> {
    let mut page =
        Page { palette, sink: Sink::new(TAB), style: Style::PLAIN, line: Line::new(), lines: Vec::new() };
    let mut returned = false;
    for token in tokens(text) {
        match token {
            Token::Sgr(codes) => {
                page.flush();
                page.style = graphic(page.style, codes);
            }
            Token::Line => {
                page.end();
                returned = false;
            }
            Token::Return => returned = true,
            Token::Dropped | Token::Open("\r") => {}
            token => {
                if std::mem::take(&mut returned) {
                    page.restart();
                }
                page.take(&token);
            }
        }
    }
    page.finish()
}

struct Page<'a> {
    palette: &'a Palette,
    sink: Sink,
    style: Style,
    line: Line,
    lines: Vec<Line>,
}

impl Page<'_> {
    fn take(&mut self, token: &Token<'_>) {
        self.sink.take(token);
        // Separators of Unicode end lines too.
        let text = std::mem::take(&mut self.sink.text);
        let rest = match text.rsplit_once('\n') {
            None => text,
            Some((ended, rest)) => {
                for part in ended.split('\n') {
                    self.line.push(part, self.palette.fit(self.style));
                    self.lines.push(std::mem::take(&mut self.line));
                }
                rest.to_owned()
            }
        };
        self.sink.text = rest;
    }

    fn flush(&mut self) {
        self.line.push(&self.sink.text, self.palette.fit(self.style));
        self.sink.text.clear();
    }

    fn restart(&mut self) {
        self.line = Line::new();
        self.sink = Sink::new(TAB);
    }

    fn end(&mut self) {
        self.flush();
        self.lines.push(std::mem::take(&mut self.line));
        self.sink = Sink::new(TAB);
    }

    fn finish(mut self) -> Vec<Line> {
        self.flush();
        if !self.line.is_empty() {
            self.lines.push(self.line);
        }
        self.lines
    }
}

/// The style after a Select Graphic Rendition; codes that are not ours to show change nothing.
fn graphic(mut style: Style, codes: &str) -> Style {
    if !codes.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b';' | b':')) {
        return style;
    }
    let mut codes =
        codes.split([';', ':']).map(|code| if code.is_empty() { Some(0) } else { code.parse().ok() });
    while let Some(code) = codes.next() {
        let Some(code) = code else { continue };
        match code {
            0 => style = Style::PLAIN,
            1 => style.bold = true,
            2 => style.dim = true,
            3 => style.italic = true,
            4 => style.underline = true,
            7 => style.reverse = true,
            9 => style.strike = true,
            22 => (style.bold, style.dim) = (false, false),
            23 => style.italic = false,
            24 => style.underline = false,
            27 => style.reverse = false,
            29 => style.strike = false,
            38 => style.fg = extended(&mut codes).unwrap_or(style.fg),
            48 => style.bg = extended(&mut codes).unwrap_or(style.bg),
            39 => style.fg = Colour::Default,
            49 => style.bg = Colour::Default,
            30..=37 => style.fg = Colour::Indexed(code - 30),
            40..=47 => style.bg = Colour::Indexed(code - 40),
            90..=97 => style.fg = Colour::Indexed(code - 90 + 8),
            100..=107 => style.bg = Colour::Indexed(code - 100 + 8),
            _ => {}
        }
    }
    style
}

fn extended(codes: &mut impl Iterator<Item = Option<u8>>) -> Option<Colour> {
    let mut part = || codes.next().flatten();
    match part()? {
        5 => Some(Colour::Indexed(part()?)),
        2 => Some(Colour::Rgb(part()?, part()?, part()?)),
        _ => None,
    }
}
