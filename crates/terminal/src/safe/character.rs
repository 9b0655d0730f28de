//! What single characters do to a reader. Start from [`class`] for text to read, [`hides`] for text to decide about.

/// Marks that one character may carry: more than any script needs, fewer than it takes to paint over other lines.
pub(super) const MARKS: usize = 16;

pub(super) enum Class {
    /// Shown as it is.
    Seen,
    /// Looks like a blank and measures differently everywhere: shown as one.
    Blank,
    /// Ends a line.
    Break,
    /// Cannot be seen, or reorders what can.
    Hidden,
}

/// How `c` is shown after `last`. Joiners stay where scripts and emoji need them, which is never behind ASCII.
pub(super) fn class(c: char, last: char) -> Class {
    match c {
        ' '..='~' => Class::Seen,
        '\u{2028}' | '\u{2029}' => Class::Break,
        '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}' => Class::Blank,
        '\u{200c}' | '\u{200d}' if last.is_ascii() => Class::Hidden,
        '\u{200c}' | '\u{200d}' => Class::Seen,
        // Flags of regions are spelled with tags behind a black flag; elsewhere tags are a way to smuggle text.
        '\u{e0020}'..='\u{e007f}' if last == '\u{1f3f4}' || is_tag(last) => Class::Seen,
        c if is_tag(c) || reorders(c) || vanishes(c) || c.is_control() => Class::Hidden,
        _ => Class::Seen,
    }
}

/// Whether a person who decides about a text must be shown `c` by its number: it cannot be seen, reorders, or passes for a
/// plain blank.
pub(super) fn hides(c: char) -> bool {
    match c {
        ' '..='~' => false,
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => true,
        '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}' => true,
        '\u{200c}' | '\u{200d}' | '\u{2028}' | '\u{2029}' | '\u{fe00}'..='\u{fe0f}' => true,
        c => c.is_control() || is_tag(c) || reorders(c) || vanishes(c),
    }
}

fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e007f}')
}

fn reorders(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn vanishes(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'
            | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0080}'..='\u{e0fff}'
    )
}
