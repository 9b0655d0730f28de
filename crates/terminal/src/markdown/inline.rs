//! The text of one paragraph, heading or cell while it is collected. Start from [`Inline`].

use crate::safe;
use crate::style::{Line, Palette, Style};

pub(super) struct Inline<'a> {
    palette: &'a Palette,
    lines: Vec<Line>,
    /// Styles of what is open, each with those around it laid under.
    styles: Vec<Style>,
    links: Vec<Link>,
}

/// An open link or image: its address, and the text it has had so far, but for that of links within it.
struct Link {
    address: String,
    text: String,
}

impl<'a> Inline<'a> {
    pub(super) fn new(palette: &'a Palette) -> Inline<'a> {
        Inline { palette, lines: Vec::new(), styles: Vec::new(), links: Vec::new() }
    }

    pub(super) fn push(&mut self, text: &str, style: Style) {
        let style = self.style().with(style);
        if let Some(link) = self.links.last_mut() {
            link.text.push_str(text);
        }
        if self.lines.is_empty() {
            self.lines.push(Line::new());
        }
        if let Some(line) = self.lines.last_mut() {
            line.push(text, style);
        }
    }

    pub(super) fn line(&mut self) {
        self.lines.push(Line::new());
    }

    pub(super) fn begin(&mut self, style: Style) {
        self.styles.push(self.style().with(style));
    }

    pub(super) fn end(&mut self) {
        self.styles.pop();
    }

    pub(super) fn link(&mut self, address: &str) {
        self.links.push(Link { address: safe::single(address).into_owned(), text: String::new() });
        self.begin(self.palette.link);
    }

    pub(super) fn image(&mut self, address: &str) {
        self.push("[image] ", self.palette.dim);
        self.link(address);
    }

    /// Ends a link. Its address is always shown, unless its text is the address: a person sees where it leads.
    pub(super) fn close(&mut self) {
        self.end();
        let Some(link) = self.links.pop() else { return };
        let said = link.address.strip_prefix("mailto:").unwrap_or(&link.address);
        if said.is_empty() || said == link.text {
            return;
        }
        let gap = if link.text.is_empty() { "" } else { " " };
        self.push(&format!("{gap}({said})"), self.palette.dim);
    }

    pub(super) fn take(&mut self) -> Vec<Line> {
        std::mem::take(&mut self.lines)
    }

    /// What was collected, as one line.
    pub(super) fn take_one(&mut self) -> Line {
        let mut one = Line::new();
        for line in self.take() {
            if !one.is_empty() {
                one.push(" ", Style::PLAIN);
            }
            one.append(&line);
        }
        one
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or(Style::PLAIN)
    }
}
