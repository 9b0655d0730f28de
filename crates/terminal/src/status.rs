//! The line that says what goes on: a spinner, how long, how many tokens. Start at [`busy`].

use crate::style::{Line, Palette};
use agent::event::Usage;
use std::time::Duration;

/// How long each picture of the spinner is shown.
pub const BEAT: Duration = Duration::from_millis(160);

const PICTURES: [&str; 8] = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇", "⠏", "⠛"];

/// How much the line itself moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Nothing else shows that something goes on.
    Lively,
    /// Text streams in above; a spinner beside it would only cost bytes.
    Calm,
}

pub fn busy(what: &str, elapsed: Duration, pace: Pace, usage: Usage, palette: &Palette) -> Line {
    let beat = match pace {
        Pace::Lively => elapsed.as_millis() / BEAT.as_millis(),
        Pace::Calm => 0,
    };
    let mut line = Line::styled(PICTURES[(beat % PICTURES.len() as u128) as usize], palette.accent);
    line.push(&format!(" {what} "), palette.text);
    line.push(&format!("{}{} · Esc stops", time(elapsed), tokens(usage)), palette.dim);
    line
}

pub fn time(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs();
    if seconds < 60 { format!("{seconds}s") } else { format!("{}m {:02}s", seconds / 60, seconds % 60) }
}

fn tokens(usage: Usage) -> String {
    match (usage.input, usage.output) {
        (0, 0) => String::new(),
        (input, output) => format!(" · ↑ {} ↓ {} tokens", count(input), count(output)),
    }
}

/// A number in few characters.
pub fn count(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..100_000 => format!("{:.1}k", number as f64 / 1e3),
        100_000..1_000_000 => format!("{}k", number / 1_000),
        _ => format!("{:.1}M", number as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_numbers_are_short() {
        assert_eq!([5, 65, 3600].map(|s| time(Duration::from_secs(s))), ["5s", "1m 05s", "60m 00s"]);
        assert_eq!([7, 1234, 123_456, 2_500_000].map(count), ["7", "1.2k", "123k", "2.5M"]);
    }
}
