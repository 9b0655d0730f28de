//! Which style each kind of text has. Start from [`Palette`]; there is one per background and depth of colour.
//!
//! Nobody else names a colour: renderers ask the palette by role, so `NO_COLOR` and sixteen colours are decided once.
//! Code changes its colour at every word, so its roles keep to the sixteen, which take 5 bytes instead of 11.

use super::{Colour, Style};

/// How many colours the terminal is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// No SGR at all: dumb terminals and `--plain`.
    None,
    /// Bold, dim and the like, but no colour: `NO_COLOR`.
    Marks,
    Sixteen,
    Full,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Palette {
    depth: Depth,
    pub text: Style,
    /// Reasoning, hints, line numbers, addresses of links.
    pub dim: Style,
    /// The prompt marker, what is chosen in a menu.
    pub accent: Style,
    pub good: Style,
    pub bad: Style,
    pub warning: Style,
    /// A character made visible by `safe::reveal`.
    pub revealed: Style,
    pub heading: Style,
    pub strong: Style,
    pub emphasis: Style,
    pub struck: Style,
    /// Code within a sentence.
    pub code: Style,
    pub link: Style,
    pub quote: Style,
    pub added: Style,
    pub removed: Style,
    /// The part of an added or removed line that really differs.
    pub added_words: Style,
    pub removed_words: Style,
    pub comment: Style,
    pub string: Style,
    pub number: Style,
    pub keyword: Style,
    pub function: Style,
    pub kind: Style,
    pub attribute: Style,
}

impl Palette {
    pub const fn dark() -> Palette {
        Palette {
            depth: Depth::Full,
            accent: Style::fg(81),
            good: Style::fg(114),
            bad: Style::fg(203),
            warning: Style::fg(221),
            heading: Style::fg(81).bold(),
            code: Style::fg(180),
            link: Style::fg(75).underline(),
            added: Style::fg(114),
            removed: Style::fg(210),
            added_words: Style::fg(157).on(22),
            removed_words: Style::fg(224).on(52),
            function: Style::fg(12),
            ..Palette::sixteen()
        }
    }

    pub const fn light() -> Palette {
        Palette {
            depth: Depth::Full,
            accent: Style::fg(25),
            good: Style::fg(28),
            bad: Style::fg(160),
            warning: Style::fg(130),
            heading: Style::fg(25).bold(),
            code: Style::fg(94),
            link: Style::fg(26).underline(),
            added: Style::fg(28),
            removed: Style::fg(124),
            added_words: Style::fg(22).on(194),
            removed_words: Style::fg(88).on(224),
            number: Style::fg(130),
            attribute: Style::fg(94),
            ..Palette::sixteen()
        }
    }

    /// The person's own sixteen colours, on a dark background or one that is not known.
    pub const fn sixteen() -> Palette {
        Palette {
            depth: Depth::Sixteen,
            text: Style::PLAIN,
            dim: Style::PLAIN.dim(),
            accent: Style::fg(6),
            good: Style::fg(2),
            bad: Style::fg(1),
            warning: Style::fg(3),
            revealed: Style::PLAIN.reverse(),
            heading: Style::fg(6).bold(),
            strong: Style::PLAIN.bold(),
            emphasis: Style::PLAIN.italic(),
            struck: Style::PLAIN.strike(),
            code: Style::fg(6),
            link: Style::fg(4).underline(),
            quote: Style::PLAIN.italic(),
            added: Style::fg(2),
            removed: Style::fg(1),
            added_words: Style::fg(2).reverse(),
            removed_words: Style::fg(1).reverse(),
            comment: Style::PLAIN.dim(),
            string: Style::fg(2),
            number: Style::fg(3),
            keyword: Style::fg(5),
            function: Style::fg(4),
            kind: Style::fg(6),
            attribute: Style::fg(3),
        }
    }

    /// The same where cyan and yellow, bright as bold makes them, are hard to read.
    pub const fn sixteen_on_light() -> Palette {
        Palette {
            accent: Style::fg(4),
            warning: Style::fg(5),
            heading: Style::fg(4).bold(),
            code: Style::fg(4),
            number: Style::fg(1),
            kind: Style::fg(4),
            attribute: Style::fg(5),
            ..Palette::sixteen()
        }
    }

    /// Marks without colours, for `NO_COLOR`.
    pub fn marks() -> Palette {
        Palette { depth: Depth::Marks, ..Palette::sixteen() }.settle()
    }

    /// No style anywhere, for terminals that know none.
    pub fn none() -> Palette {
        Palette { depth: Depth::None, ..Palette::sixteen() }.settle()
    }

    pub fn depth(&self) -> Depth {
        self.depth
    }

    /// A style from elsewhere, such as a command's own colours, as far as this terminal can show it.
    pub fn fit(&self, style: Style) -> Style {
        let colour = |colour| match self.depth {
            Depth::Full => colour,
            Depth::Sixteen => nearest(colour),
            Depth::Marks | Depth::None => Colour::Default,
        };
        match self.depth {
            Depth::None => Style::PLAIN,
            _ => Style { fg: colour(style.fg), bg: colour(style.bg), ..style },
        }
    }

    fn settle(mut self) -> Palette {
        let shown = self.clone();
        for role in self.roles() {
            *role = shown.fit(*role);
        }
        self
    }

    pub(super) fn roles(&mut self) -> [&mut Style; 25] {
        [
            &mut self.text,
            &mut self.dim,
            &mut self.accent,
            &mut self.good,
            &mut self.bad,
            &mut self.warning,
            &mut self.revealed,
            &mut self.heading,
            &mut self.strong,
            &mut self.emphasis,
            &mut self.struck,
            &mut self.code,
            &mut self.link,
            &mut self.quote,
            &mut self.added,
            &mut self.removed,
            &mut self.added_words,
            &mut self.removed_words,
            &mut self.comment,
            &mut self.string,
            &mut self.number,
            &mut self.keyword,
            &mut self.function,
            &mut self.kind,
            &mut self.attribute,
        ]
    }
}

/// The usual values of the sixteen; the person's may differ, but hue and brightness rarely do.
const SIXTEEN: [(u8, u8, u8); 16] = [
    (0, 0, 0),
    (205, 0, 0),
    (0, 205, 0),
    (205, 205, 0),
    (0, 0, 238),
    (205, 0, 205),
    (0, 205, 205),
    (229, 229, 229),
    (127, 127, 127),
    (255, 0, 0),
    (0, 255, 0),
    (255, 255, 0),
    (92, 92, 255),
    (255, 0, 255),
    (0, 255, 255),
    (255, 255, 255),
];

fn nearest(colour: Colour) -> Colour {
    let (r, g, b) = match colour {
        Colour::Default | Colour::Indexed(0..=15) => return colour,
        Colour::Rgb(r, g, b) => (r, g, b),
        Colour::Indexed(index @ 16..=231) => {
            let step = |part: u8| if part == 0 { 0 } else { 55 + 40 * part };
            let cube = index - 16;
            (step(cube / 36), step(cube / 6 % 6), step(cube % 6))
        }
        Colour::Indexed(index) => {
            let grey = 8 + 10 * (index - 232);
            (grey, grey, grey)
        }
    };
    let away = |known: &(u8, u8, u8)| {
        let part = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
        part(known.0, r) + part(known.1, g) + part(known.2, b)
    };
    let best = (0u8..).zip(&SIXTEEN).min_by_key(|(_, known)| away(known));
    best.map_or(Colour::Default, |(index, _)| Colour::Indexed(index))
}
