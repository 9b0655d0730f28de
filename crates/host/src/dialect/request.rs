//! A request as a dialect says it. Start at [`rewrite`].
//!
//! Nothing native is left in it: tools are described in the instructions, calls and results are messages of plain text.
//! Every message is written from itself alone (results of one reply together), so that what was a prefix stays one.

#[cfg(test)]
mod tests;

use super::misread::MISREAD;
use super::text::{self, Block};
use super::{Dialect, Enforcement, calls};
use crate::schema::demand;
use agent::{Call, Message, Request, Spec};
use serde_json::Value;
use std::sync::Arc;

const TEXT: &str = include_str!("request/text.md");

/// The request that asks the same in a dialect. One without tools is asked as it is, whatever the dialect.
pub fn rewrite(request: Request, dialect: Dialect, enforcement: Enforcement) -> Request {
    if dialect == Dialect::Native || request.tools.is_empty() {
        return request;
    }
    let tools: Vec<Spec> = request.tools.iter().filter(|spec| spec.name != MISREAD).cloned().collect();
    let answer = request.schema.as_deref();
    // In `text` an enforced schema would leave no room for tags.
    let enforced = (dialect, enforcement) == (Dialect::Json, Enforcement::Schema);
    let schema = enforced.then(|| Arc::new(calls::schema(&tools, answer)));
    Request {
        instructions: instructions(&request.instructions, dialect, &tools, answer).into(),
        tools: Arc::default(),
        messages: messages(dialect, &request.messages, &tools),
        schema,
        ..request
    }
}

fn instructions(own: &str, dialect: Dialect, tools: &[Spec], answer: Option<&Value>) -> String {
    let commands = dialect == Dialect::Text && text::has_commands(tools);
    let others: Vec<&Spec> =
        tools.iter().filter(|spec| !(commands && text::is_command(&spec.name))).collect();
    let mut parts = vec![own.trim_end().to_owned()];
    if commands {
        parts.push(text::PROTOCOL.trim_end().to_owned());
    }
    if !others.is_empty() {
        let protocol = if dialect == Dialect::Json { calls::PROTOCOL } else { TEXT };
        parts.push(protocol.trim_end().to_owned());
        parts.push("# Tools".to_owned());
    }
    parts.extend(others.into_iter().map(|Spec { name, description, parameters }| {
        format!("## {name}\n{}\nParameters, as a JSON Schema: {parameters}", description.trim())
    }));
    parts.extend(answer.map(demand));
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

fn messages(dialect: Dialect, messages: &[Arc<Message>], tools: &[Spec]) -> Vec<Arc<Message>> {
    let mut said = Vec::with_capacity(messages.len());
    let mut rest = messages;
    while let Some((first, after)) = rest.split_first() {
        let results = rest.iter().take_while(|message| matches!(***message, Message::Result { .. })).count();
        if results > 0 {
            said.push(Arc::new(told(&rest[..results])));
            rest = &rest[results..];
            continue;
        }
        said.push(spoken(dialect, first, tools));
        rest = after;
    }
    said
}

/// The results of one reply, which always come together: one message, so that the roles take turns.
fn told(results: &[Arc<Message>]) -> Message {
    let count = results.len();
    let part = |(place, message): (usize, &Arc<Message>)| match &**message {
        Message::Result { name, text, .. } if count == 1 => Some(format!("Result of {name}:\n{text}")),
        Message::Result { name, text, .. } => {
            Some(format!("Result of {name} (call {} of {count}):\n{text}", place + 1))
        }
        _ => None,
    };
    Message::User { parts: results.iter().enumerate().filter_map(part).collect() }
}

fn spoken(dialect: Dialect, message: &Arc<Message>, tools: &[Spec]) -> Arc<Message> {
    let Message::Assistant { text, reasoning, calls, opaque, prefix } = &**message else {
        return message.clone();
    };
    let misread = calls.iter().any(|call| call.name == MISREAD);
    let words = match dialect {
        // The words of a reply that could not be read are all of it, as the model wrote it.
        _ if misread => text.clone(),
        Dialect::Json if text.is_empty() && calls.is_empty() => return message.clone(),
        Dialect::Json => calls::render(text, calls),
        _ if calls.is_empty() => return message.clone(),
        _ => blocks(text, calls, tools),
    };
    Arc::new(Message::Assistant {
        text: words,
        reasoning: reasoning.clone(),
        calls: Vec::new(),
        // What a wire keeps beside calls may name them, and they are no longer there.
        opaque: opaque.clone().filter(|_| calls.is_empty()),
        prefix: *prefix,
    })
}

fn blocks(words: &str, calls: &[Call], tools: &[Spec]) -> String {
    let commands = text::has_commands(tools);
    let written = calls.iter().map(|call| {
        let command = text::command(call).filter(|_| commands);
        command.and_then(|block| text::print(&block).ok()).unwrap_or_else(|| block(call))
    });
    let parts: Vec<String> =
        Some(words.to_owned()).filter(|words| !words.is_empty()).into_iter().chain(written).collect();
    parts.join("\n\n")
}

/// A call in the general form. What the dialect could not have said is shown all the same: only the model reads it.
fn block(call: &Call) -> String {
    let arguments = match serde_json::from_str::<Value>(&call.arguments) {
        Ok(value) => value.to_string(),
        Err(_) => call.arguments.clone(),
    };
    let said = Block::Call { tool: call.name.clone(), arguments };
    text::print(&said)
        .unwrap_or_else(|_| format!("[CALL tool=\"{}\"]\n{}\n[/CALL]", call.name, call.arguments))
}
