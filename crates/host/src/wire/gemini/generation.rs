//! Which generation of Gemini a model is, and what follows from that for a request. Start from [`Generation`].

use crate::wire::format::Asked;
use crate::wire::provider::Effort;
use serde_json::{Value, json};

/// In order; each refuses something that another one wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Generation {
    /// It does not think, and refuses to be asked about it.
    First,
    /// It has a budget for thoughts.
    SecondAndHalf,
    /// It thinks on levels, signs its calls and refuses those that come back without a signature, and can be given
    /// tools and a schema at once. Whatever came later does the same.
    Third,
}

impl Generation {
    pub(super) fn of(model: &str) -> Generation {
        let name = model.rsplit('/').next().unwrap_or(model);
        if ["gemini-1", "gemini-2.0", "gemma", "learnlm"].iter().any(|old| name.starts_with(old)) {
            return Generation::First;
        }
        if name.starts_with("gemini-2.5") { Generation::SecondAndHalf } else { Generation::Third }
    }

    /// How it should think, and that we want to see it.
    pub(super) fn thinking(self, asked: &Asked<'_>) -> Option<Value> {
        let mut config = json!({ "includeThoughts": true });
        match (self, asked.provider.effort) {
            (Generation::First, _) => return None,
            (_, None) => {}
            (Generation::SecondAndHalf, Some(effort)) => config["thinkingBudget"] = json!(effort.tokens()),
            (Generation::Third, Some(effort)) => config["thinkingLevel"] = json!(level(effort, asked.model)),
        }
        Some(config)
    }
}

/// The nearest level that the model accepts: few know the smallest one, and the first of them no middle.
fn level(effort: Effort, model: &str) -> &'static str {
    match effort {
        Effort::Minimal => Effort::Low.name(),
        Effort::Medium if model.starts_with("gemini-3-pro") => Effort::High.name(),
        effort => effort.name(),
    }
}
