//! A list to choose from, filtered as a person types. Start at [`Menu`].
//!
//! Commands, arguments, paths and conversations are all chosen with this one list.

use crate::safe;
use crate::style::{Line, Palette};
use crate::width;
use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Item {
    /// What is chosen.
    pub name: String,
    /// What is shown in its place, where the name says nothing to a person.
    pub label: Option<String>,
    /// What is shown beside it, and searched as well.
    pub about: String,
}

impl Item {
    pub fn new(name: impl Into<String>, about: impl Into<String>) -> Item {
        Item { name: name.into(), label: None, about: about.into() }
    }

    pub fn labelled(name: impl Into<String>, label: impl Into<String>, about: impl Into<String>) -> Item {
        Item { label: Some(label.into()), ..Item::new(name, about) }
    }

    pub fn shown(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.name)
    }
}

/// What the filter looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    Names,
    NamesAndAbout,
    Paths,
}

#[derive(Debug, Clone)]
pub struct Menu {
    items: Vec<Item>,
    search: Search,
    /// Shown when nothing is found.
    none: &'static str,
    query: String,
    /// The items that fit, the best first.
    found: Vec<usize>,
    chosen: usize,
}

/// Rows that a menu shows at most.
pub const ROWS: usize = 13;

impl Menu {
    pub fn new(items: Vec<Item>, search: Search, none: &'static str) -> Menu {
        let found = (0..items.len()).collect();
        Menu { items, search, none, query: String::new(), found, chosen: 0 }
    }

    pub fn has(&self, name: &str) -> bool {
        self.items.iter().any(|item| item.name == name)
    }

    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Keeps what fits, the best first.
    pub fn filter(&mut self, query: &str) {
        if self.query == query {
            return;
        }
        self.query = query.to_owned();
        self.chosen = 0;
        let config = match self.search {
            Search::Paths => Config::DEFAULT.match_paths(),
            _ => Config::DEFAULT,
        };
        let mut matcher = Matcher::new(config);
        let pattern = Pattern::new(query, CaseMatching::Smart, Normalization::Smart, AtomKind::Fuzzy);
        let mut buffer = Vec::new();
        let mut score = |text: &str| pattern.score(Utf32Str::new(text, &mut buffer), &mut matcher);
        let about = self.search == Search::NamesAndAbout;
        let mut found: Vec<(u32, usize)> = Vec::new();
        for (at, item) in self.items.iter().enumerate() {
            let best = score(item.shown()).max(if about { score(&item.about) } else { None });
            found.extend(best.map(|best| (best, at)));
        }
        // The sort keeps the order of items that fit equally well.
        found.sort_by_key(|(best, _)| std::cmp::Reverse(*best));
        self.found = found.into_iter().map(|(_, at)| at).collect();
    }

    pub fn up(&mut self) {
        let count = self.found.len().max(1);
        self.chosen = (self.chosen + count - 1) % count;
    }

    pub fn down(&mut self) {
        self.chosen = (self.chosen + 1) % self.found.len().max(1);
    }

    pub fn chosen(&self) -> Option<&Item> {
        self.found.get(self.chosen).and_then(|at| self.items.get(*at))
    }

    /// The rows to show, with the chosen one among them.
    pub fn lines(&self, palette: &Palette, columns: usize, rows: usize) -> Vec<Line> {
        if self.found.is_empty() {
            return vec![Line::styled(format!("  {}", self.none), palette.dim)];
        }
        let rows = rows.clamp(1, ROWS);
        let first = (self.chosen + 1).saturating_sub(rows);
        let visible = self.found.iter().enumerate().skip(first).take(rows);
        let shown: Vec<(usize, String, String)> = visible
            .filter_map(|(at, index)| self.items.get(*index).map(|item| (at, item)))
            .map(|(at, item)| {
                (at, safe::single(item.shown()).into_owned(), safe::single(&item.about).into_owned())
            })
            .collect();
        let widest = shown.iter().map(|(_, name, _)| width::of(name)).max().unwrap_or(0).min(columns / 2);
        let mut lines: Vec<Line> = shown
            .into_iter()
            .map(|(at, name, about)| {
                let chosen = at == self.chosen;
                let style = if chosen { palette.accent.bold() } else { palette.text };
                let mut line = Line::styled(if chosen { "▸ " } else { "  " }, style);
                line.push(&name, style);
                if !about.is_empty() {
                    let gap = (widest + 2).saturating_sub(width::of(&name)).max(2);
                    line.push(&" ".repeat(gap), palette.text);
                    line.push(&about, palette.dim);
                }
                width::truncate_line(&line, columns)
            })
            .collect();
        let hidden = self.found.len() - lines.len();
        if hidden > 0 {
            lines.push(Line::styled(format!("  … {hidden} more"), palette.dim));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn menu(names: &[&str]) -> Menu {
        Menu::new(
            names.iter().map(|name| Item::new(*name, "")).collect(),
            Search::Names,
            "No matching commands",
        )
    }

    #[test]
    fn the_filter_is_fuzzy_and_the_best_comes_first() {
        let names = ["/clear", "/compact", "/resume", "/usage", "/undo", "/model"];
        for (query, best) in
            [("", "/clear"), ("mod", "/model"), ("cpt", "/compact"), ("us", "/usage"), ("UN", "")]
        {
            let mut menu = menu(&names);
            menu.filter(query);
            assert_eq!(menu.chosen().map_or("", |item| item.name.as_str()), best, "{query}");
        }
    }

    #[test]
    fn up_and_down_wrap() {
        let mut menu = menu(&["a", "b", "c"]);
        menu.up();
        assert_eq!(menu.chosen().unwrap().name, "c");
        menu.down();
        menu.down();
        assert_eq!(menu.chosen().unwrap().name, "b");
        menu.filter("zzz");
        menu.up();
        menu.down();
        assert_eq!(menu.chosen(), None);
        let shown: Vec<String> = menu.lines(&Palette::none(), 40, 8).iter().map(Line::text).collect();
        assert_eq!(shown, ["  No matching commands"]);
    }

    #[test]
    fn the_chosen_one_is_always_shown() {
        let names: Vec<String> = (0..30).map(|n| format!("item{n}")).collect();
        let mut menu = Menu::new(names.iter().map(|n| Item::new(n, "about")).collect(), Search::Names, "");
        for n in 0..30 {
            let shown = menu.lines(&Palette::none(), 20, 5);
            assert!(shown.iter().any(|line| line.text().starts_with(&format!("▸ item{n} "))));
            assert!(shown.iter().all(|line| line.width() <= 20));
            menu.down();
        }
    }
}
