//! Markdown to lines. Start from [`render`].
//!
//! The text is cleaned before it is parsed, and what the parser gives is cleaned again, because an entity can spell
//! any character. Line ends of the source are kept: models break lines where they mean it. Nothing here knows
//! whether the text is complete.

mod inline;
mod page;
mod table;
#[cfg(test)]
mod tests;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::code;
use crate::safe;
use crate::style::{Line, Palette, Style};
use inline::Inline;
use page::Page;
use table::Table;

/// The lines of a Markdown text in a window of `columns`.
pub fn render(text: &str, columns: usize, palette: &Palette) -> Vec<Line> {
    let clean = safe::plain(text);
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer = Writer::new(columns, palette);
    for event in Parser::new_ext(&clean, options) {
        writer.on(event);
    }
    writer.finish()
}

struct Writer<'a> {
    palette: &'a Palette,
    page: Page<'a>,
    inline: Inline<'a>,
    /// The number of the next item of each open list; `None` for bullets.
    lists: Vec<Option<u64>>,
    code: Option<Code>,
    table: Option<Table>,
}

/// A code block that is being collected.
struct Code {
    language: String,
    text: String,
}

impl<'a> Writer<'a> {
    fn new(columns: usize, palette: &'a Palette) -> Writer<'a> {
        Writer {
            palette,
            page: Page::new(columns, palette),
            inline: Inline::new(palette),
            lists: Vec::new(),
            code: None,
            table: None,
        }
    }

    fn on(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
            Event::Code(text) => self.inline.push(&safe::single(&text), self.palette.code),
            Event::Html(text) => self.markup(&text),
            Event::InlineHtml(text) => self.inline.push(&safe::single(&text), self.palette.dim),
            Event::SoftBreak | Event::HardBreak => self.inline.line(),
            Event::Rule => self.rule(),
            Event::TaskListMarker(done) => {
                let (mark, style) =
                    if done { ("[x] ", self.palette.good) } else { ("[ ] ", self.palette.text) };
                self.inline.push(mark, style);
            }
            Event::FootnoteReference(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.text(&text);
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.flush();
                let style = match level {
                    HeadingLevel::H1 => self.palette.heading.underline(),
                    HeadingLevel::H2 | HeadingLevel::H3 => self.palette.heading,
                    _ => self.palette.strong,
                };
                self.inline.begin(self.palette.fit(style));
            }
            Tag::BlockQuote(_) => {
                self.flush();
                self.page.quote();
                self.inline.begin(self.palette.quote);
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                let language = match kind {
                    CodeBlockKind::Fenced(info) => info.into_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some(Code { language, text: String::new() });
            }
            Tag::List(start) => {
                self.flush();
                self.lists.push(start);
            }
            Tag::Item => self.item(),
            Tag::Paragraph | Tag::HtmlBlock => self.flush(),
            Tag::Emphasis => self.inline.begin(self.palette.emphasis),
            Tag::Strong => self.inline.begin(self.palette.strong),
            Tag::Strikethrough => self.inline.begin(self.palette.struck),
            Tag::Link { dest_url, .. } => self.inline.link(&dest_url),
            Tag::Image { dest_url, .. } => self.inline.image(&dest_url),
            Tag::Table(alignments) => {
                self.flush();
                self.table = Some(Table::new(alignments));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => {
                self.flush();
                self.page.gap();
            }
            TagEnd::Heading(_) => {
                self.flush();
                self.inline.end();
                self.page.gap();
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.inline.end();
                self.page.leave();
                self.page.gap();
            }
            TagEnd::CodeBlock => self.block(),
            TagEnd::List(_) => {
                self.lists.pop();
                if self.lists.is_empty() {
                    self.page.gap();
                }
            }
            TagEnd::Item => {
                self.flush();
                self.page.leave();
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => self.inline.end(),
            TagEnd::Link | TagEnd::Image => self.inline.close(),
            TagEnd::HtmlBlock => self.page.gap(),
            TagEnd::TableCell => {
                let cell = self.inline.take_one();
                self.table.iter_mut().for_each(|table| table.cell(cell.clone()));
            }
            TagEnd::TableHead | TagEnd::TableRow => self.table.iter_mut().for_each(Table::row),
            TagEnd::Table => self.grid(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        match &mut self.code {
            Some(code) => code.text.push_str(&safe::plain(text)),
            None => self.inline.push(&safe::single(text), Style::PLAIN),
        }
    }

    /// A block of HTML is shown as it is written.
    fn markup(&mut self, text: &str) {
        for line in safe::plain(text).lines() {
            self.page.prose(&Line::styled(line, self.palette.dim));
        }
    }

    fn item(&mut self) {
        self.flush();
        let marker = match self.lists.last_mut() {
            Some(Some(number)) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            _ => match self.lists.len() {
                0 | 1 => "• ".to_owned(),
                2 => "◦ ".to_owned(),
                _ => "▪ ".to_owned(),
            },
        };
        self.page.item(&marker);
    }

    fn flush(&mut self) {
        for line in self.inline.take() {
            self.page.prose(&line);
        }
    }

    fn block(&mut self) {
        let Some(code) = self.code.take() else { return };
        for line in code::highlight(&code.text, &code.language, self.palette) {
            self.page.code(&line);
        }
        self.page.gap();
    }

    fn grid(&mut self) {
        let Some(table) = self.table.take() else { return };
        for line in table.render(self.page.room(), self.palette) {
            self.page.exact(&line);
        }
        self.page.gap();
    }

    fn rule(&mut self) {
        self.flush();
        let line = "─".repeat(self.page.room().min(80));
        self.page.exact(&Line::styled(line, self.palette.dim));
        self.page.gap();
    }

    fn finish(mut self) -> Vec<Line> {
        self.flush();
        self.page.finish()
    }
}
