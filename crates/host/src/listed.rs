//! What providers list about well-known models: how much one request may hold, and what tokens cost. Start at
//! [`Listed::find`].
//!
//! Lists change; these are as they were when this was written, and configuration overrides them. Of a model that is not
//! here nothing is known, and nothing is said about its cost.

use crate::wire::Known;
use agent::profile::Price;

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Listed {
    /// The beginning of a model's name; the longest that fits counts.
    begins: &'static str,
    /// Tokens that go into one request.
    pub window: u64,
    /// Dollars for a million tokens.
    pub price: Price,
}

const LISTED: &[Listed] = &[
    listed("gpt-4o", 128_000, 2.5, 10.0, 1.25),
    listed("gpt-4o-mini", 128_000, 0.15, 0.6, 0.075),
    listed("gpt-4.1", 1_047_576, 2.0, 8.0, 0.5),
    listed("gpt-4.1-mini", 1_047_576, 0.4, 1.6, 0.1),
    listed("gpt-4.1-nano", 1_047_576, 0.1, 0.4, 0.025),
    listed("o3", 200_000, 2.0, 8.0, 0.5),
    listed("o3-mini", 200_000, 1.1, 4.4, 0.55),
    listed("o3-pro", 200_000, 20.0, 80.0, 20.0),
    listed("o4-mini", 200_000, 1.1, 4.4, 0.275),
    listed("gpt-5", 272_000, 1.25, 10.0, 0.125),
    listed("gpt-5-mini", 272_000, 0.25, 2.0, 0.025),
    listed("gpt-5-nano", 272_000, 0.05, 0.4, 0.005),
    listed("gpt-5-pro", 272_000, 15.0, 120.0, 15.0),
    listed("gpt-5.1", 272_000, 1.25, 10.0, 0.125),
    listed("gpt-5.1-codex-mini", 272_000, 0.25, 2.0, 0.025),
    listed("gpt-5.2", 272_000, 1.75, 14.0, 0.175),
    listed("gpt-5.2-pro", 272_000, 21.0, 168.0, 21.0),
    listed("gpt-5.3", 272_000, 1.75, 14.0, 0.175),
    listed("gpt-5.4", 1_050_000, 2.5, 15.0, 0.25),
    listed("gpt-5.4-mini", 272_000, 0.75, 4.5, 0.075),
    listed("gpt-5.4-nano", 272_000, 0.2, 1.25, 0.02),
    listed("gpt-5.4-pro", 1_050_000, 30.0, 180.0, 30.0),
    listed("gpt-5.5", 1_050_000, 5.0, 30.0, 0.5),
    listed("gpt-5.5-pro", 1_050_000, 30.0, 180.0, 30.0),
    listed("gpt-5.6", 922_000, 4.0, 20.0, 0.4),
    listed("gpt-5.6-luna", 922_000, 0.2, 1.2, 0.02),
    listed("gpt-5.6-terra", 922_000, 2.0, 12.0, 0.2),
    listed("gpt-6-astra", 922_000, 10.0, 50.0, 1.0),
    listed("gpt-6-luna", 922_000, 0.1, 0.5, 0.01),
    listed("gpt-6-sol", 922_000, 2.0, 10.0, 0.2),
    listed("gpt-6.1-sol", 922_000, 2.0, 10.0, 0.1),
    listed("claude-opus-4", 200_000, 15.0, 75.0, 1.5),
    listed("claude-opus-4-5", 200_000, 5.0, 25.0, 0.5),
    listed("claude-opus-4-6", 1_000_000, 5.0, 25.0, 0.5),
    listed("claude-opus-4-7", 1_000_000, 5.0, 25.0, 0.5),
    listed("claude-opus-4-8", 1_000_000, 5.0, 25.0, 0.5),
    listed("claude-opus-5", 1_000_000, 5.0, 25.0, 0.5),
    listed("claude-opus-5-5", 1_000_000, 4.0, 20.0, 0.2),
    listed("claude-sonnet-4", 200_000, 3.0, 15.0, 0.3),
    listed("claude-sonnet-4-6", 1_000_000, 3.0, 15.0, 0.3),
    listed("claude-sonnet-5", 1_000_000, 2.0, 10.0, 0.2),
    listed("claude-sonnet-5-5", 1_000_000, 2.0, 10.0, 0.1),
    listed("claude-haiku-4", 200_000, 1.0, 5.0, 0.1),
    listed("claude-haiku-5-5", 1_000_000, 0.1, 0.5, 0.01),
    listed("claude-fable-5", 1_000_000, 10.0, 50.0, 1.0),
    listed("claude-fable-5-1", 1_000_000, 10.0, 50.0, 0.25),
    listed("gemini-2.5-pro", 1_048_576, 1.25, 10.0, 0.125),
    listed("gemini-2.5-flash", 1_048_576, 0.3, 2.5, 0.03),
    listed("gemini-2.5-flash-lite", 1_048_576, 0.1, 0.4, 0.01),
    listed("gemini-3-flash", 1_048_576, 0.5, 3.0, 0.05),
    listed("gemini-3.1-pro", 1_048_576, 2.0, 12.0, 0.2),
    listed("gemini-3.1-flash-lite", 1_048_576, 0.25, 1.5, 0.025),
    listed("gemini-3.5-flash", 1_048_576, 1.5, 9.0, 0.15),
    listed("gemini-3.5-flash-lite", 1_048_576, 0.3, 2.5, 0.03),
    listed("gemini-3.6-flash", 1_048_576, 0.75, 3.75, 0.075),
    listed("gemini-3.7-flash", 1_048_576, 0.75, 3.75, 0.075),
    listed("gemini-3.8-flash", 1_048_576, 0.75, 3.75, 0.075),
    listed("deepseek-chat", 131_072, 0.28, 0.42, 0.028),
    listed("deepseek-reasoner", 131_072, 0.28, 0.42, 0.028),
    listed("deepseek-v4-flash", 1_000_000, 0.3, 1.2, 0.006),
    listed("deepseek-v4-pro", 1_000_000, 1.32, 3.96, 0.044),
];

impl Listed {
    /// The row of a `provider/model` name. What a server on this machine calls by such a name is something else.
    pub fn find(name: &str) -> Option<&'static Listed> {
        let provider = name.split_once('/').and_then(|(provider, _)| Known::find(provider));
        if provider.is_some_and(|known| known.key_variables.is_empty()) {
            return None;
        }
        let model = name.rsplit('/').next().unwrap_or(name);
        LISTED.iter().filter(|row| row.fits(model)).max_by_key(|row| row.begins.len())
    }

    /// Whether the name begins so and goes on, if at all, with another word. Gateways write dots where others write
    /// dashes.
    fn fits(&self, model: &str) -> bool {
        let same = |own: u8, other: u8| own == other || (is_mark(own) && is_mark(other));
        let (own, other) = (self.begins.as_bytes(), model.as_bytes());
        own.len() <= other.len()
            && own.iter().zip(other).all(|(own, other)| same(*own, *other))
            && other.get(own.len()).is_none_or(|next| !next.is_ascii_alphanumeric())
    }
}

fn is_mark(byte: u8) -> bool {
    matches!(byte, b'-' | b'.')
}

const fn listed(begins: &'static str, window: u64, input: f64, output: f64, cached: f64) -> Listed {
    Listed { begins, window, price: Price { input, output, cached: Some(cached) } }
}

#[cfg(test)]
mod tests {
    use super::Listed;

    #[test]
    fn the_longest_beginning_counts() {
        for (name, begins) in [
            ("openai/gpt-5.1", Some("gpt-5.1")),
            ("openai/gpt-5-2025-08-07", Some("gpt-5")),
            ("openai/gpt-5-mini-2025-08-07", Some("gpt-5-mini")),
            ("openrouter/anthropic/claude-sonnet-4.5", Some("claude-sonnet-4")),
            ("openrouter/anthropic/claude-sonnet-4.6", Some("claude-sonnet-4-6")),
            ("anthropic/claude-opus-4-20250514", Some("claude-opus-4")),
            ("azure/gpt-4o", Some("gpt-4o")),
            ("openai/o30", None),
            ("ollama/deepseek-chat", None),
            ("ollama/llama3", None),
        ] {
            assert_eq!(Listed::find(name).map(|row| row.begins), begins, "{name}");
        }
    }
}
