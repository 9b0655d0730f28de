//! What a client sends, and what is wrong with it. Start at [`Wish::read`].

use super::context::block;
use super::time::is_date_time;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// The body of a request, as the document describes it. Fields that are not named here are ignored.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(example = AgentRequest::example())]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AgentRequest {
    /// What is wanted. Not blank.
    prompt: String,
    /// Kept for older clients; it never routes. Not blank.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default = "automatic", with = "String")]
    #[cfg_attr(test, ts(optional))]
    tool_type: Option<String>,
    /// What was asked and answered before, oldest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    context_history: Option<Vec<Exchange>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Exchange {
    /// An ISO date-time, with or without zone.
    #[schemars(with = "Option<String>")]
    pub timestamp: String,
    #[schemars(with = "Option<String>")]
    pub prompt: String,
    #[schemars(with = "Option<String>")]
    pub result: String,
}

/// When something happened of which the client does not say when.
const UNDATED: &str = "unknown";

impl AgentRequest {
    fn example() -> AgentRequest {
        let exchange = Exchange {
            timestamp: "2026-01-02T03:04:05Z".into(),
            prompt: "What is in this folder?".into(),
            result: "Found 1 items matching '.'\n\nnotes.txt".into(),
        };
        AgentRequest {
            prompt: "Show me notes.txt".into(),
            tool_type: automatic(),
            context_history: Some(vec![exchange]),
        }
    }
}

fn automatic() -> Option<String> {
    Some("auto".into())
}

/// A request that makes sense.
#[derive(Debug, PartialEq)]
pub(super) struct Wish {
    pub prompt: String,
    /// What came before, as the model reads it.
    pub context: String,
}

impl Wish {
    /// An `Err` is the detail that the client is told.
    pub(super) fn read(body: &Value) -> Result<Wish, String> {
        let Value::Object(fields) = body else { return Err("The body must be a JSON object".into()) };
        let prompt = match fields.get("prompt") {
            Some(Value::String(prompt)) if !prompt.trim().is_empty() => prompt.clone(),
            None | Some(Value::Null | Value::String(_)) => {
                return Err("Prompt cannot be null or empty".into());
            }
            Some(_) => return Err("Prompt must be a string".into()),
        };
        match fields.get("toolType") {
            None => {}
            Some(Value::String(kind)) if !kind.trim().is_empty() => {}
            Some(Value::Null | Value::String(_)) => return Err("ToolType cannot be null or empty".into()),
            Some(_) => return Err("ToolType must be a string".into()),
        }
        let history = match fields.get("contextHistory") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(entries)) => {
                let numbered = entries.iter().enumerate();
                numbered.map(|(at, entry)| exchange(at, entry)).collect::<Result<_, _>>()?
            }
            Some(_) => return Err("ContextHistory must be an array or null".into()),
        };
        let context = block(&history, &prompt);
        Ok(Wish { prompt, context })
    }
}

fn exchange(at: usize, entry: &Value) -> Result<Exchange, String> {
    let wrong = |what: &str| format!("ContextHistory entry {at} {what}");
    let Value::Object(fields) = entry else { return Err(wrong("must be an object")) };
    let text = |name: &str| match fields.get(name) {
        Some(Value::String(text)) => Ok(text.clone()),
        None | Some(Value::Null) => Ok(String::new()),
        Some(_) => Err(wrong(&format!("must have a string as {name}"))),
    };
    let timestamp = match text("timestamp")? {
        blank if blank.trim().is_empty() => UNDATED.into(),
        timestamp if is_date_time(&timestamp) => timestamp,
        _ => return Err(wrong("must have an ISO date-time as timestamp")),
    };
    Ok(Exchange { timestamp, prompt: text("prompt")?, result: text("result")? })
}
