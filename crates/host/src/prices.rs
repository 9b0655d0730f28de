//! What well-known models cost, in dollars for a million tokens. Start at [`price`].
//!
//! Prices change; these are what providers listed when this was written, and configuration overrides them. A model that
//! is not here has no known price, and nothing is said about its cost.

use agent::profile::Price;

/// Beginnings of model names; the longest that fits counts. Input, output, cached input.
const PRICES: &[(&str, f64, f64, f64)] = &[
    ("gpt-5", 1.25, 10.0, 0.125),
    ("gpt-5-mini", 0.25, 2.0, 0.025),
    ("gpt-5-nano", 0.05, 0.4, 0.005),
    ("gpt-4.1", 2.0, 8.0, 0.5),
    ("gpt-4.1-mini", 0.4, 1.6, 0.1),
    ("gpt-4.1-nano", 0.1, 0.4, 0.025),
    ("gpt-4o", 2.5, 10.0, 1.25),
    ("gpt-4o-mini", 0.15, 0.6, 0.075),
    ("o3", 2.0, 8.0, 0.5),
    ("o4-mini", 1.1, 4.4, 0.275),
    ("claude-opus-4", 15.0, 75.0, 1.5),
    ("claude-sonnet-4", 3.0, 15.0, 0.3),
    ("claude-haiku-4", 1.0, 5.0, 0.1),
    ("gemini-2.5-pro", 1.25, 10.0, 0.31),
    ("gemini-2.5-flash", 0.3, 2.5, 0.075),
    ("gemini-2.5-flash-lite", 0.1, 0.4, 0.025),
    ("deepseek-chat", 0.27, 1.1, 0.07),
    ("deepseek-reasoner", 0.55, 2.19, 0.14),
];

/// The price of a model by its `provider/model` name. A model served from this machine is not in the table and so free
/// of charge in every report.
pub fn price(name: &str) -> Option<Price> {
    let model = name.rsplit('/').next().unwrap_or(name);
    let fits = |row: &&(&str, f64, f64, f64)| model.starts_with(row.0);
    let (_, input, output, cached) = PRICES.iter().filter(fits).max_by_key(|row| row.0.len())?;
    Some(Price { input: *input, output: *output, cached: Some(*cached) })
}

#[cfg(test)]
mod tests {
    use super::price;

    #[test]
    fn the_longest_beginning_counts() {
        for (name, input) in [
            ("openai/gpt-5.1", Some(1.25)),
            ("openai/gpt-5-mini-2025-08-07", Some(0.25)),
            ("openrouter/anthropic/claude-sonnet-4.5", Some(3.0)),
            ("ollama/llama3", None),
        ] {
            assert_eq!(price(name).map(|price| price.input), input, "{name}");
        }
    }
}
