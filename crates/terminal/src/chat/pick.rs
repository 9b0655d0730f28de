//! Choosing from a list that fills the place of the input: conversations, models, profiles, things said.

use super::Chat;
use crate::Error;
use crate::commands::Argument;
use crate::keys::{Code, Key};
use crate::menu::{Item, Menu, Search};
use crate::prompt::{Act, Prompt};
use crate::style::{Line, Palette};
use std::io::Write;

#[derive(Debug)]
pub(super) struct Picker {
    pub(super) what: Argument,
    pub(super) query: Prompt,
    /// Nothing until the list is there.
    menu: Option<Menu>,
}

impl Picker {
    pub(super) fn new(what: Argument) -> Picker {
        Picker { what, query: Prompt::default(), menu: None }
    }

    pub(super) fn fill(&mut self, items: Vec<Item>) {
        let none = if items.is_empty() { "there is none yet" } else { "nothing fits" };
        let mut menu = Menu::new(items, Search::NamesAndAbout, none);
        menu.filter(self.query.editor.text());
        self.menu = Some(menu);
    }

    pub(super) fn lines(&self, columns: usize, rows: usize, palette: &Palette) -> Vec<Line> {
        let title = self.what.question();
        let mut lines = match &self.menu {
            Some(menu) => menu.lines(palette, columns, rows),
            None => vec![Line::styled("  looking…", palette.dim)],
        };
        lines.push(Line::styled(
            format!("  {title} ↑ ↓ choose · Enter takes it · Esc goes back"),
            palette.dim,
        ));
        lines
    }
}

impl<W: Write> Chat<W> {
    pub(super) fn pick(&mut self, what: Argument) {
        self.picker = self.plain.is_none().then(|| Picker::new(what));
        self.fetch(what);
        self.draw_now();
    }

    pub(super) fn close_picker(&mut self) {
        self.picker = None;
        self.greet_once();
    }

    pub(super) async fn key_for_picker(&mut self, key: Key) -> Result<(), Error> {
        self.draw_now();
        let Some(picker) = &mut self.picker else { return Ok(()) };
        let menu = &mut picker.menu;
        match (key.code, key.with.ctrl) {
            (Code::Esc, _) => self.close_picker(),
            (Code::Up, _) | (Code::Char('p'), true) => menu.iter_mut().for_each(Menu::up),
            (Code::Down | Code::Tab, _) | (Code::Char('n'), true) => menu.iter_mut().for_each(Menu::down),
            (Code::Enter, _) => {
                let chosen = menu.as_ref().and_then(Menu::chosen).map(|item| item.name.clone());
                let what = picker.what;
                if let Some(name) = chosen {
                    self.picker = None;
                    self.chosen(what, &name).await?;
                }
            }
            (Code::Char('d'), true) if picker.query.is_empty() => self.close_picker(),
            _ => {
                // A name that looks like a command is none here.
                if let Act::Done = picker.query.key(key, self.look.columns) {
                    picker.query.close_list();
                    let query = picker.query.editor.text().to_owned();
                    menu.iter_mut().for_each(|menu| menu.filter(&query));
                }
            }
        }
        Ok(())
    }
}
