//! What makes one door's agent differ from another's, as data. Start at [`Profile`].
//!
//! A profile holds no code: stop rules, bounds, stances and the names of its tools, so that users can write their own.

use crate::event::Usage;
use crate::policy::Stance;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    pub name: String,
    /// The tools shown to the model, in this order.
    pub tools: Vec<String>,
    /// Model calls in one run.
    pub max_turns: u32,
    /// Whether a reply without calls ends the run.
    pub text_ends: bool,
    /// A tool whose successful call ends the run.
    pub final_tool: Option<String>,
    #[serde(default)]
    pub calls: Calls,
    pub read: Stance,
    pub write: Stance,
    pub run: Stance,
    /// Bytes of conversation that one request may carry before it is made shorter.
    pub context: usize,
    /// Tokens that one run may use, in and out together.
    pub max_tokens: Option<u64>,
    /// What one run may cost, in dollars, where prices are known.
    pub max_cost: Option<f64>,
    pub price: Option<Price>,
    /// What a request carries of what came before.
    #[serde(default)]
    pub recall: Recall,
    /// Whether the calls of a reply end the run once they have their outcomes: whoever spoke decides what is said next.
    #[serde(default)]
    pub calls_end: bool,
}

/// Which calls of a reply are carried out, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Calls {
    /// Each as soon as it may.
    #[default]
    Free,
    /// Each after those before it, also after those that wait for a person.
    InOrder,
    /// In order, and none after one that failed.
    UntilFailure,
    /// Only the first, whose outcome ends the run.
    First,
}

/// What a request carries of what came before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recall {
    /// All of it.
    #[default]
    Whole,
    /// What was said last and what followed: the speaker repeats what is worth knowing.
    LastPrompt,
}

/// What a model costs, in dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    pub input: f64,
    pub output: f64,
    /// Input that the provider had cached; without a price of its own it costs what input costs.
    pub cached: Option<f64>,
}

impl Price {
    pub fn of(&self, usage: &Usage) -> f64 {
        let fresh = usage.input.saturating_sub(usage.cached) as f64;
        let cached = usage.cached as f64 * self.cached.unwrap_or(self.input);
        (fresh * self.input + cached + usage.output as f64 * self.output) / 1e6
    }
}

impl Profile {
    /// The profile of `cinque exec`.
    pub fn standard() -> Profile {
        Profile {
            name: "standard".into(),
            tools: ["shell", "read", "list", "search", "write", "replace"].map(String::from).to_vec(),
            max_turns: 20,
            text_ends: true,
            final_tool: None,
            calls: Calls::Free,
            read: Stance::Finding,
            write: Stance::Ask,
            run: Stance::Finding,
            context: 400_000,
            max_tokens: None,
            max_cost: None,
            price: None,
            recall: Recall::Whole,
            calls_end: false,
        }
    }
}
