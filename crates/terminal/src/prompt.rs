//! Where a person types: the editor with its history, its folded pastes and the list that completes. Start at
//! [`Prompt::key`].
//!
//! It sends nothing: what is submitted comes back as [`Act::Submit`], and what it does not understand as
//! [`Act::Unused`].

mod show;

use crate::commands::{self, Argument};
use crate::complete::{Kind, wanted};
use crate::editor::{Editor, Moved, Reach};
use crate::history::History;
use crate::keys::{Code, Key};
use crate::menu::{Item, Menu, Search};
use crate::paste::Folds;
use std::collections::HashMap;
use std::ops::Range;

#[derive(Debug, Default)]
pub struct Prompt {
    pub editor: Editor,
    folds: Folds,
    history: History,
    list: Option<List>,
    /// What stood there when the person closed the list; it stays closed until that changes.
    closed: Option<String>,
    supplies: HashMap<Argument, Vec<Item>>,
    paths: Option<Vec<Item>>,
}

#[derive(Debug)]
struct List {
    kind: Kind,
    range: Range<usize>,
    typed: String,
    menu: Menu,
    /// Whether the person moved in it: then Enter means what is chosen there.
    moved: bool,
}

impl List {
    /// Whether what was typed names nothing by itself, so that it can only mean what is chosen. A model or a file may be
    /// one that is not listed.
    fn is_meant_by(&self, argument: Argument) -> bool {
        let names = match argument {
            Argument::Conversation | Argument::Profile => self.menu.has(&self.typed),
            Argument::Prompt => self.typed.parse::<u64>().is_ok(),
            Argument::None | Argument::Model | Argument::File => true,
        };
        !self.typed.is_empty() && !names
    }
}

#[derive(Debug, PartialEq, Eq)]
pub enum Act {
    Done,
    Submit(String),
    Unused(Key),
}

impl Prompt {
    pub fn new(history: History) -> Prompt {
        Prompt { history, ..Prompt::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.editor.is_empty()
    }

    /// All that was typed, pastes unfolded.
    pub fn whole(&self) -> String {
        self.folds.unfold(self.editor.text())
    }

    pub fn set(&mut self, text: &str) {
        self.editor.set(text);
        self.history.leave();
        self.refresh();
    }

    pub fn clear(&mut self) {
        self.set("");
    }

    pub fn paste(&mut self, text: &str) {
        let text = self.folds.fold(text);
        self.editor.insert(&text);
        self.changed();
    }

    pub fn remember(&mut self, text: &str) {
        self.history.add(text);
    }

    pub fn has_list(&self) -> bool {
        self.list.is_some()
    }

    pub fn close_list(&mut self) {
        self.closed = Some(self.editor.text().to_owned());
        self.list = None;
    }

    /// What would have to be known to complete what is being typed.
    pub fn lacks(&self) -> Option<Kind> {
        let wanted = wanted(self.editor.text(), self.editor.cursor())?;
        let known = match wanted.kind {
            Kind::Command | Kind::Argument(Argument::None) => true,
            Kind::Argument(argument) => self.supplies.contains_key(&argument),
            Kind::Path => self.paths.is_some(),
        };
        (!known).then_some(wanted.kind)
    }

    pub fn supply(&mut self, kind: Kind, items: Vec<Item>) {
        match kind {
            Kind::Path => self.paths = Some(items),
            Kind::Argument(argument) => drop(self.supplies.insert(argument, items)),
            Kind::Command => {}
        }
        self.refresh();
    }

    /// What was supplied may no longer be so: it is asked for again.
    pub fn forget_supplies(&mut self) {
        self.supplies.clear();
        self.paths = None;
    }

    pub fn key(&mut self, key: Key, columns: usize) -> Act {
        if self.list.is_some()
            && let Some(act) = self.key_in_list(key)
        {
            return act;
        }
        let newline = key.with.alt || key.with.shift || key.with.ctrl;
        match key.code {
            Code::Enter if newline => self.insert("\n"),
            Code::Enter => return self.submit(),
            Code::Char('j') if key.with.ctrl => self.insert("\n"),
            Code::Up => self.up(columns),
            Code::Down => self.down(columns),
            Code::Char('p') if key.with.ctrl => self.up(columns),
            Code::Char('n') if key.with.ctrl => self.down(columns),
            _ => return self.edit(key),
        }
        Act::Done
    }

    fn edit(&mut self, key: Key) -> Act {
        let editor = &mut self.editor;
        let word = key.with.alt || key.with.ctrl;
        match (key.code, key.with.ctrl, key.with.alt) {
            (Code::Left, ..) if word => editor.go(Reach::WordLeft),
            (Code::Right, ..) if word => editor.go(Reach::WordRight),
            (Code::Left, ..) | (Code::Char('b'), true, _) => editor.go(Reach::Left),
            (Code::Right, ..) | (Code::Char('f'), true, _) => editor.go(Reach::Right),
            (Code::Char('b'), _, true) => editor.go(Reach::WordLeft),
            (Code::Char('f'), _, true) => editor.go(Reach::WordRight),
            (Code::Home, true, _) | (Code::Char('<'), _, true) => editor.go(Reach::Start),
            (Code::End, true, _) | (Code::Char('>'), _, true) => editor.go(Reach::End),
            (Code::Home, ..) | (Code::Char('a'), true, _) => editor.go(Reach::LineStart),
            (Code::End, ..) | (Code::Char('e'), true, _) => editor.go(Reach::LineEnd),
            (Code::Backspace, ..) if word => editor.kill(Reach::WordLeft),
            (Code::Backspace, ..) | (Code::Char('h'), true, _) => editor.delete(Reach::Left),
            (Code::Delete, ..) if word => editor.kill(Reach::WordRight),
            (Code::Delete, ..) | (Code::Char('d'), true, _) => editor.delete(Reach::Right),
            (Code::Char('d'), _, true) => editor.kill(Reach::WordRight),
            (Code::Char('u'), true, _) => editor.kill(Reach::LineStart),
            (Code::Char('k'), true, _) => editor.kill(Reach::LineEnd),
            (Code::Char('w'), true, _) => editor.kill(Reach::BlankLeft),
            (Code::Char('y'), true, _) => editor.yank(),
            (Code::Char('7' | '_' | '-'), true, _) => editor.undo(),
            (Code::Char(c), false, false) => {
                let mut buffer = [0; 4];
                let typed = self.folds.fold(c.encode_utf8(&mut buffer));
                self.editor.insert(&typed);
            }
            _ => return Act::Unused(key),
        }
        self.changed();
        Act::Done
    }

    fn insert(&mut self, text: &str) {
        self.editor.insert(text);
        self.changed();
    }

    fn up(&mut self, columns: usize) {
        if self.editor.up(&self.layout(columns)) == Moved::AtEdge
            && let Some(older) = self.history.older(self.editor.text())
        {
            self.recall(&older);
        }
    }

    fn down(&mut self, columns: usize) {
        if self.editor.down(&self.layout(columns)) == Moved::AtEdge
            && let Some(newer) = self.history.newer()
        {
            self.recall(&newer);
        }
    }

    fn recall(&mut self, text: &str) {
        self.editor.set(text);
        // A recalled command should not catch the arrow keys.
        self.close_list();
    }

    /// The text is the person's own again, and what completes it may be another.
    fn changed(&mut self) {
        self.history.leave();
        self.refresh();
    }

    fn submit(&mut self) -> Act {
        let text = self.whole();
        if text.trim().is_empty() {
            return Act::Done;
        }
        self.editor.take();
        self.folds.clear();
        self.list = None;
        self.closed = None;
        self.forget_supplies();
        Act::Submit(text)
    }

    fn key_in_list(&mut self, key: Key) -> Option<Act> {
        let list = self.list.as_mut()?;
        match key.code {
            Code::Up | Code::BackTab => list.menu.up(),
            Code::Down => list.menu.down(),
            Code::Char('p') if key.with.ctrl => list.menu.up(),
            Code::Char('n') if key.with.ctrl => list.menu.down(),
            Code::Tab => {
                self.choose();
                return Some(Act::Done);
            }
            Code::Enter if key.with == crate::keys::With::NONE => return self.enter_in_list(),
            _ => return None,
        }
        list.moved = true;
        Some(Act::Done)
    }

    /// Enter means what is chosen, unless what was typed is already something.
    fn enter_in_list(&mut self) -> Option<Act> {
        let list = self.list.as_ref()?;
        let chosen = list.menu.chosen()?.name.clone();
        match list.kind {
            Kind::Command => {
                self.editor.set(&chosen);
                Some(self.submit())
            }
            Kind::Argument(argument) if list.moved || list.is_meant_by(argument) => {
                self.choose();
                Some(self.submit())
            }
            Kind::Path if list.moved || chosen != list.typed => {
                self.choose();
                Some(Act::Done)
            }
            _ => None,
        }
    }

    /// Puts what is chosen in the place of what was typed.
    fn choose(&mut self) {
        let Some(list) = self.list.take() else { return };
        let Some(item) = list.menu.chosen() else { return };
        let with = match list.kind {
            Kind::Command if commands::argument(&item.name) == Argument::None => item.name.clone(),
            Kind::Command => format!("{} ", item.name),
            Kind::Argument(_) => item.name.clone(),
            Kind::Path => format!("@{} ", item.name),
        };
        self.editor.replace(list.range, &with);
        self.changed();
        if matches!(list.kind, Kind::Argument(_)) {
            self.close_list();
        }
    }

    /// Opens, filters or closes the list, as what is typed wants it.
    fn refresh(&mut self) {
        if self.closed.as_deref() != Some(self.editor.text()) {
            self.closed = None;
        }
        let text = self.editor.text();
        let Some(wanted) = wanted(text, self.editor.cursor()).filter(|_| self.closed.is_none()) else {
            self.list = None;
            return;
        };
        let (kind, range, typed) = (wanted.kind, wanted.range, wanted.typed.to_owned());
        let menu = match self.list.take() {
            Some(list) if list.kind == kind => Some(list.menu),
            _ => self.menu(kind),
        };
        let Some(mut menu) = menu else { return };
        menu.filter(typed.trim_start_matches('/'));
        // Only commands say that there is none: a path or a name may well be new.
        if kind != Kind::Command && menu.is_empty() {
            return;
        }
        self.list = Some(List { kind, range, typed, menu, moved: false });
    }

    fn menu(&self, kind: Kind) -> Option<Menu> {
        match kind {
            Kind::Command => Some(Menu::new(commands::items(), Search::Names, "No matching commands")),
            Kind::Argument(argument) => {
                let items = self.supplies.get(&argument)?.clone();
                let search = if argument == Argument::File { Search::Paths } else { Search::NamesAndAbout };
                Some(Menu::new(items, search, "")).filter(|menu| !menu.is_empty())
            }
            Kind::Path => Some(Menu::new(self.paths.clone()?, Search::Paths, "")),
        }
    }
}

#[cfg(test)]
mod tests;
