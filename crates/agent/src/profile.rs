//! What makes one door's agent differ from another's, as data. Start at [`Profile`].
//!
//! A profile holds no code: stop rules, bounds, stances and the names of its tools, so that users can write their own.

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
    pub read: Stance,
    pub write: Stance,
    pub run: Stance,
    /// Bytes of conversation that one request may carry before old tool output is left out.
    pub context: usize,
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
            read: Stance::Finding,
            write: Stance::Ask,
            run: Stance::Finding,
            context: 400_000,
        }
    }
}
