//! A conversation as one file for other programs and people. Start at [`Format`].

use agent::event::{Event, Reply, Usage};
use agent::profile::Price;
use agent::{Line, Message, Record};
use clap::ValueEnum;
use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// As it is stored: one record a line
    #[default]
    Cinque,
    /// For people
    Markdown,
    /// The messages of a Chat Completions request
    Openai,
    /// Agent Trajectory Interchange Format 1.4
    Atif,
}

/// What a model costs, by its name.
pub type Prices<'a> = &'a dyn Fn(&str) -> Option<Price>;

pub fn render(format: Format, id: &str, lines: &[Line], prices: Prices<'_>) -> String {
    match format {
        Format::Cinque => lines.iter().map(|line| format!("{}\n", line.text)).collect(),
        Format::Markdown => markdown(lines),
        Format::Openai => format!("{:#}\n", json!({ "messages": openai(lines) })),
        Format::Atif => format!("{:#}\n", atif(id, lines, prices)),
    }
}

fn markdown(lines: &[Line]) -> String {
    let mut out = String::new();
    for line in lines {
        match &line.record.event {
            Event::Opened(opened) => {
                out.push_str(&format!(
                    "# Conversation with {}\n\nIn `{}`.\n",
                    opened.model, opened.directory
                ));
            }
            Event::Said(said) => {
                let material = said.context.iter().map(|context| format!("\n{}\n", fenced("", context)));
                out.push_str(&format!("\n## Person\n{}\n{}\n", material.collect::<String>(), said.text));
            }
            Event::Replied(reply) => {
                out.push_str(&format!("\n## Agent\n\n{}\n", reply.text));
                for call in &reply.calls {
                    out.push_str(&format!(
                        "\n**{}** ({})\n\n{}\n",
                        call.name,
                        call.id,
                        fenced("json", &call.arguments)
                    ));
                }
            }
            Event::Ran { call, outcome } => {
                let status = json!(outcome.status);
                let status = status.as_str().unwrap_or_default();
                out.push_str(&format!("\n**{call}**: {status}\n\n{}\n", fenced("", &outcome.text)));
            }
            Event::Failed { failure, .. } => {
                out.push_str(&format!("\n> The model failed: {}\n", failure.message))
            }
            Event::Stopped { reason } => {
                out.push_str(&format!("\n---\nStopped: {}\n", json!(reason).as_str().unwrap_or_default()));
            }
            _ => {}
        }
    }
    out
}

/// A code fence that is longer than any in the text.
fn fenced(language: &str, text: &str) -> String {
    let longest = text.lines().map(|line| line.trim_start().chars().take_while(|c| *c == '`').count()).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}", text.trim_end())
}

fn openai(lines: &[Line]) -> Vec<Value> {
    let mut transcript = agent::transcript::Transcript::new("", None);
    lines.iter().for_each(|line| transcript.apply(&line.record.event));
    let request = transcript.request();
    let system = json!({ "role": "system", "content": &*request.instructions });
    let message = |message: &std::sync::Arc<Message>| match &**message {
        Message::User { parts } => json!({ "role": "user", "content": parts.join("\n\n") }),
        Message::Assistant { text, calls, .. } if calls.is_empty() => {
            json!({ "role": "assistant", "content": text })
        }
        Message::Assistant { text, calls, .. } => {
            let call = |call: &agent::event::Call| {
                let function = json!({ "name": call.name, "arguments": call.arguments });
                json!({ "id": call.id, "type": "function", "function": function })
            };
            json!({ "role": "assistant", "content": text, "tool_calls": calls.iter().map(call).collect::<Vec<_>>() })
        }
        Message::Result { call, text, .. } => {
            json!({ "role": "tool", "tool_call_id": call, "content": text })
        }
    };
    std::iter::once(system).chain(request.messages.iter().map(message)).collect()
}

fn atif(id: &str, lines: &[Line], prices: Prices<'_>) -> Value {
    let mut steps: Vec<Value> = Vec::new();
    let mut model = String::new();
    let mut total = Usage::default();
    for line in lines {
        let Record { at, event, .. } = &*line.record;
        let number = steps.len() + 1;
        let step = |source: &str, message: &str| json!({ "step_id": number, "timestamp": super::stamp(*at).to_string(), "source": source, "message": message });
        match event {
            Event::Opened(opened) => {
                model.clone_from(&opened.model);
                steps.push(step("system", &opened.instructions));
            }
            Event::Said(said) => steps.push(step("user", &said.text)),
            Event::Replied(reply) => {
                total += reply.usage;
                steps.push(agent_step(step("agent", &reply.text), reply, &model));
            }
            Event::Ran { call, outcome } => {
                let result = json!({ "source_call_id": call, "content": outcome.text });
                observe(&mut steps, call.0.as_str(), result);
            }
            _ => {}
        }
    }
    let count = steps.len();
    json!({
        "schema_version": "ATIF-v1.4",
        "session_id": id,
        "agent": { "name": "cinque", "version": env!("CARGO_PKG_VERSION"), "model_name": model },
        "steps": steps,
        "final_metrics": {
            "total_prompt_tokens": total.input,
            "total_completion_tokens": total.output,
            "total_cached_tokens": total.cached,
            "total_cost_usd": prices(&model).map(|price| price.of(&total)),
            "total_steps": count,
        },
    })
}

fn agent_step(mut step: Value, reply: &Reply, model: &str) -> Value {
    let call = |call: &agent::event::Call| {
        let raw = || json!({ "raw": call.arguments });
        let arguments =
            serde_json::from_str(&call.arguments).ok().filter(Value::is_object).unwrap_or_else(raw);
        json!({ "tool_call_id": call.id, "function_name": call.name, "arguments": arguments })
    };
    step["model_name"] = json!(model);
    if !reply.reasoning.is_empty() {
        step["reasoning_content"] = json!(reply.reasoning);
    }
    if !reply.calls.is_empty() {
        step["tool_calls"] = reply.calls.iter().map(call).collect();
    }
    let Usage { input, output, cached, .. } = reply.usage;
    step["metrics"] = json!({ "prompt_tokens": input, "completion_tokens": output, "cached_tokens": cached });
    step
}

/// Adds a result to the step whose call it belongs to.
fn observe(steps: &mut [Value], call: &str, result: Value) {
    let made = |step: &Value| {
        step["tool_calls"]
            .as_array()
            .is_some_and(|calls| calls.iter().any(|known| known["tool_call_id"] == call))
    };
    let Some(step) = steps.iter_mut().rev().find(|step| made(step)) else { return };
    match step["observation"]["results"].as_array_mut() {
        Some(results) => results.push(result),
        None => step["observation"] = json!({ "results": [result] }),
    }
}
