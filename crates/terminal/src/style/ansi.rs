//! SGR for styled lines in as few bytes as it takes. Start from [`Line::to_ansi`], or hold a [`Pen`] across lines.
//!
//! A line begins and ends in the terminal's own style, so lines can be printed, kept and mixed in any order.

use std::fmt::Write;

use super::{Colour, Line, Style};

/// What the terminal is set to now.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pen {
    style: Style,
}

impl Line {
    pub fn to_ansi(&self) -> String {
        let mut out = String::with_capacity(self.spans.iter().map(|span| span.text.len() + 8).sum());
        let mut pen = Pen::default();
        pen.write(self, &mut out);
        pen.lift(&mut out);
        out
    }
}

impl Pen {
    /// Writes a line and leaves the terminal in a style of its own. Blanks that look the same in any style change none.
    pub fn write(&mut self, line: &Line, out: &mut String) {
        for span in &line.spans {
            let unseen =
                span.text.bytes().all(|byte| byte == b' ') && self.style.is_bare() && span.style.is_bare();
            if !unseen {
                self.set(span.style, out);
            }
            out.push_str(&span.text);
        }
    }

    pub fn set(&mut self, style: Style, out: &mut String) {
        if style != self.style {
            out.push_str(&change(self.style, style));
            self.style = style;
        }
    }

    /// Puts the terminal's own style back.
    pub fn lift(&mut self, out: &mut String) {
        self.set(Style::PLAIN, out);
    }
}

impl Style {
    /// Whether a blank in this style looks like any other blank.
    fn is_bare(self) -> bool {
        self.bg == Colour::Default && !self.underline && !self.strike && !self.reverse
    }
}

/// The shorter of two ways: only what differs, or everything after a reset.
fn change(from: Style, to: Style) -> String {
    if to == Style::PLAIN {
        return "\x1b[m".to_owned();
    }
    let step = codes(from, to);
    let anew = codes(Style::PLAIN, to);
    if step.len() <= anew.len() + 1 { format!("\x1b[{step}m") } else { format!("\x1b[;{anew}m") }
}

fn codes(from: Style, to: Style) -> String {
    let mut out = Codes::default();
    // Bold and dim share one off switch, so losing either means setting the other again.
    let faded = (from.bold && !to.bold) || (from.dim && !to.dim);
    if faded {
        out.add(22);
    }
    if to.bold && (faded || !from.bold) {
        out.add(1);
    }
    if to.dim && (faded || !from.dim) {
        out.add(2);
    }
    out.mark(from.italic, to.italic, 3);
    out.mark(from.underline, to.underline, 4);
    out.mark(from.reverse, to.reverse, 7);
    out.mark(from.strike, to.strike, 9);
    out.colour(from.fg, to.fg, 30);
    out.colour(from.bg, to.bg, 40);
    out.text
}

#[derive(Default)]
struct Codes {
    text: String,
}

impl Codes {
    fn add(&mut self, code: u8) {
        let gap = if self.text.is_empty() { "" } else { ";" };
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{gap}{code}");
    }

    fn mark(&mut self, from: bool, to: bool, on: u8) {
        match (from, to) {
            (false, true) => self.add(on),
            (true, false) => self.add(on + 20),
            _ => {}
        }
    }

    /// `base` is 30 for the text and 40 for what lies behind it.
    fn colour(&mut self, from: Colour, to: Colour, base: u8) {
        if from == to {
            return;
        }
        match to {
            Colour::Default => self.add(base + 9),
            Colour::Indexed(index @ 0..=7) => self.add(base + index),
            Colour::Indexed(index @ 8..=15) => self.add(base + 60 + index - 8),
            Colour::Indexed(index) => [base + 8, 5, index].into_iter().for_each(|code| self.add(code)),
            Colour::Rgb(r, g, b) => [base + 8, 2, r, g, b].into_iter().for_each(|code| self.add(code)),
        }
    }
}
