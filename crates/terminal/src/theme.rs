//! Which colours the terminal gets, and how it takes what is written: what the environment says, then what the terminal itself answers. Start at
//! [`Theme::read`].
//!
//! The terminal is asked for its background without waiting for the answer: the first frame is never late for it.

use crate::notify::Carrier;
use crate::style::Palette;

/// What is known of the terminal before it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    depth: Depth,
    reflows: bool,
    /// Whether it is one of those that tell their background, or at least pass over the question.
    answers: bool,
    pub(crate) carrier: Carrier,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    Marks,
    Sixteen,
    Full,
}

/// Asks for the background; the answer comes with the keys.
pub const ASK: &str = "\x1b]11;?\x1b\\";

impl Theme {
    /// `variable` gives what the environment says.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Theme {
        let set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
        let term = variable("TERM").unwrap_or_default();
        let many = term.contains("256color")
            || term.contains("direct")
            || set("COLORTERM")
            || ["kitty", "ghostty", "alacritty", "foot", "wezterm"].iter().any(|name| term.contains(name));
        let depth = match (set("NO_COLOR"), many) {
            (true, _) => Depth::Marks,
            (false, true) => Depth::Full,
            (false, false) => Depth::Sixteen,
        };
        // These two cut rows off when they get narrower; the others break them.
        let reflows = term != "linux" && !set("XTERM_VERSION");
        let answers = many || ["xterm", "rxvt", "screen", "tmux"].iter().any(|name| term.starts_with(name));
        let carrier = if set("TMUX") { Carrier::Tmux } else { Carrier::Nobody };
        Theme { depth, reflows, answers, carrier }
    }

    /// The colours for a background; dark until the terminal has answered.
    pub fn palette(&self, background: Option<[u8; 3]>) -> Palette {
        let light = background.is_some_and(is_light);
        match self.depth {
            Depth::Marks => Palette::marks(),
            Depth::Sixteen if light => Palette::sixteen_on_light(),
            Depth::Sixteen => Palette::sixteen(),
            Depth::Full if light => Palette::light(),
            Depth::Full => Palette::dark(),
        }
    }

    /// Whether the answer would change anything.
    pub fn wants_background(&self) -> bool {
        self.depth != Depth::Marks && self.answers
    }

    pub(crate) fn reflows(&self) -> bool {
        self.reflows
    }
}

fn is_light([red, green, blue]: [u8; 3]) -> bool {
    // How bright people find the three.
    299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue) > 128_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_and_the_background_decide() {
        let theme = |variables: &'static [(&str, &str)]| {
            Theme::read(|name| {
                variables.iter().find(|(own, _)| *own == name).map(|(_, value)| value.to_string())
            })
        };
        for (variables, background, palette) in [
            (&[("TERM", "xterm-256color")][..], None, Palette::dark()),
            (&[("TERM", "xterm-256color")], Some([250, 250, 240]), Palette::light()),
            (&[("TERM", "xterm-256color")], Some([30, 30, 46]), Palette::dark()),
            (&[("TERM", "xterm-256color"), ("NO_COLOR", "1")], None, Palette::marks()),
            (&[("TERM", "xterm-256color"), ("NO_COLOR", "")], None, Palette::dark()),
            (&[("TERM", "xterm")], Some([250, 250, 240]), Palette::sixteen_on_light()),
            (&[("TERM", "xterm")], Some([0, 0, 0]), Palette::sixteen()),
            (&[("TERM", "vt220")], None, Palette::sixteen()),
        ] {
            assert_eq!(theme(variables).palette(background), palette);
        }
        for (variables, asked) in [
            (&[("TERM", "xterm-256color")][..], true),
            (&[("TERM", "xterm")], true),
            (&[("TERM", "vt220")], false),
            (&[("TERM", "linux")], false),
            (&[("TERM", "xterm"), ("NO_COLOR", "1")], false),
        ] {
            assert_eq!(theme(variables).wants_background(), asked, "{variables:?}");
        }
    }
}
