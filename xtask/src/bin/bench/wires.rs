//! Replies in the formats of the wires, as the data of their events. Start from [`Wire::answer`].

use kit::serde_json::{Value, json};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    Openai,
    Anthropic,
    Responses,
    Gemini,
}

impl Wire {
    pub fn model(self) -> &'static str {
        match self {
            Self::Openai => "openai/test",
            Self::Anthropic => "anthropic/test",
            Self::Responses => "responses/test",
            Self::Gemini => "gemini/test",
        }
    }

    pub fn key_variable(self) -> &'static str {
        match self {
            Self::Openai | Self::Responses => "OPENAI_API_KEY",
            Self::Anthropic => "ANTHROPIC_API_KEY",
            Self::Gemini => "GEMINI_API_KEY",
        }
    }

    pub fn address_variable(self) -> &'static str {
        match self {
            Self::Openai | Self::Responses => "OPENAI_BASE_URL",
            Self::Anthropic => "ANTHROPIC_BASE_URL",
            Self::Gemini => "GOOGLE_GEMINI_BASE_URL",
        }
    }

    /// An answer of so many equal pieces.
    pub fn answer(self, piece: &str, count: usize) -> Vec<String> {
        let (begin, middle, end) = match self {
            Self::Openai => {
                (vec![], openai(json!({ "content": piece }), None), vec![openai(json!({}), Some("stop"))])
            }
            Self::Anthropic => anthropic(piece),
            Self::Responses => responses(piece, count),
            Self::Gemini => {
                let part = |text: &str, finish: Option<&str>| {
                    let content = json!({ "role": "model", "parts": [{ "text": text }] });
                    json!({ "candidates": [{ "content": content, "index": 0, "finishReason": finish }] })
                };
                (vec![], part(piece, None), vec![part(".", Some("STOP"))])
            }
        };
        let middle = middle.to_string();
        let texts =
            |values: Vec<Value>| values.into_iter().map(|value| value.to_string()).collect::<Vec<_>>();
        let mut events = texts(begin);
        events.extend(std::iter::repeat_n(middle, count));
        events.extend(texts(end));
        if self == Self::Openai {
            events.push("[DONE]".to_owned());
        }
        events
    }
}

/// A call on the `openai` wire whose arguments come in so many pieces.
pub fn fragments(count: usize) -> Vec<String> {
    let piece = |id: Value, name: Value, arguments: &str| {
        let function = json!({ "name": name, "arguments": arguments });
        let call = json!({ "index": 0, "id": id, "type": "function", "function": function });
        openai(json!({ "tool_calls": [call] }), None).to_string()
    };
    let mut events = vec![piece(json!("call_1"), json!("list"), "{\"path\":\"")];
    events.extend(std::iter::repeat_n(piece(Value::Null, Value::Null, "x"), count));
    events.push(piece(Value::Null, Value::Null, "\"}"));
    events.push(openai(json!({}), Some("tool_calls")).to_string());
    events.push("[DONE]".to_owned());
    events
}

fn openai(delta: Value, finish: Option<&str>) -> Value {
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
    json!({ "id": "reply", "object": "chat.completion.chunk", "choices": [choice] })
}

/// What comes before the pieces, one of them, and what comes after.
type Stream = (Vec<Value>, Value, Vec<Value>);

fn anthropic(piece: &str) -> Stream {
    let usage = json!({ "input_tokens": 7, "output_tokens": 1 });
    let block = json!({ "type": "text", "text": "" });
    (
        vec![
            json!({ "type": "message_start", "message": { "id": "m", "role": "assistant", "usage": usage } }),
            json!({ "type": "content_block_start", "index": 0, "content_block": block }),
        ],
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": piece } }),
        vec![
            json!({ "type": "content_block_stop", "index": 0 }),
            json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": 9 } }),
            json!({ "type": "message_stop" }),
        ],
    )
}

fn responses(piece: &str, count: usize) -> Stream {
    let content = json!([{ "type": "output_text", "text": piece.repeat(count) }]);
    let item = json!({ "type": "message", "role": "assistant", "content": content });
    (
        vec![],
        json!({ "type": "response.output_text.delta", "output_index": 0, "delta": piece }),
        vec![
            json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
            json!({ "type": "response.completed", "response": { "id": "r", "status": "completed", "usage": { "input_tokens": 5, "output_tokens": 1 } } }),
        ],
    )
}
