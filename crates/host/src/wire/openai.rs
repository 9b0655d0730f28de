//! The `openai` wire: Chat Completions, streamed, as OpenAI and the many servers that imitate it speak it. Requests
//! are written by [`head`] and [`write`]; replies are read by [`Reader`].
//!
//! The request begins with what stays the same and ends with the messages, so that one request is a byte prefix of
//! the next but for two closing brackets. Replies are read tolerantly (`openai/chunk.rs` says what servers do).

mod chunk;
mod details;
mod request;

pub(super) use request::{azure_path, head, write};

use super::answer::{Fault, Step};
use super::draft::{Draft, Piece};
use super::reported::Reported;
use agent::Finish;
use chunk::{CallPart, Chunk, Function, Said, Tokens};
use details::Details;
use serde_json::{Value, json};

/// Reads one reply.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// What came with each call and must go back with it, in the order of the calls.
    extras: Vec<Value>,
    /// Thoughts with their signatures, as gateways to other providers tell them.
    details: Details,
}

impl Reader {
    /// Takes one event of the stream.
    pub(super) fn event(&mut self, name: &str, data: &str, draft: &mut Draft) -> Result<Step, Fault> {
        let data = data.trim();
        match data {
            "" => return Ok(Step::More),
            "[DONE]" => return self.done(draft),
            _ => {}
        }
        let chunk: Chunk<'_> = serde_json::from_str(data).map_err(|_| Fault::NotJson(data.to_owned()))?;
        if name == "error" || chunk.error.is_some() || chunk.choices.is_none() {
            if let Some(reported) = Reported::read(data) {
                return Err(Fault::Reported(reported));
            }
            if name == "error" {
                return Err(Fault::Reported(Reported::plain(data)));
            }
        }
        self.chunk(chunk, draft)?;
        Ok(Step::More)
    }

    /// Takes an answer that came in one piece, from a server that does not stream.
    pub(super) fn whole(&mut self, body: &str, draft: &mut Draft) -> Result<(), Fault> {
        let chunk: Chunk<'_> = serde_json::from_str(body).map_err(|_| Fault::NotJson(body.to_owned()))?;
        if let Some(reported) =
            Reported::read(body).filter(|_| chunk.error.is_some() || chunk.choices.is_none())
        {
            return Err(Fault::Reported(reported));
        }
        if chunk.choices.as_ref().is_none_or(Vec::is_empty) {
            return Err(Fault::NotJson(body.to_owned()));
        }
        self.chunk(chunk, draft)?;
        if !draft.is_finished() {
            self.finish(Finish::Stop, draft);
        }
        Ok(())
    }

    fn done(&mut self, draft: &mut Draft) -> Result<Step, Fault> {
        if draft.is_finished() {
            return Ok(Step::Done);
        }
        if draft.is_empty() {
            return Err(Fault::Empty);
        }
        self.finish(Finish::Stop, draft);
        Ok(Step::Done)
    }

    fn chunk(&mut self, chunk: Chunk<'_>, draft: &mut Draft) -> Result<(), Fault> {
        if let Some(tokens) = chunk.usage.or(chunk.x_groq.and_then(|groq| groq.usage)).and_then(Tokens::read)
        {
            draft.usage = tokens;
        }
        // Only one answer is ever asked for, whatever number a server gives it.
        for choice in chunk.choices.unwrap_or_default() {
            if let Some(said) = &choice.delta {
                self.said(said, draft)?;
            }
            if let Some(said) = &choice.message {
                self.said(said, draft)?;
            }
            match choice.finish_reason.as_str() {
                "" => {}
                reason => self.finish(finish(reason)?, draft),
            }
        }
        Ok(())
    }

    fn said(&mut self, said: &Said<'_>, draft: &mut Draft) -> Result<(), Fault> {
        let reasoning =
            if said.reasoning_content.is_empty() { &said.reasoning } else { &said.reasoning_content };
        draft.reasoning(reasoning.as_str())?;
        draft.reasoning(said.content.thinking())?;
        if let Some(raw) = said.reasoning_details {
            draft.grow(raw.get())?;
            self.details.add(raw);
        }
        draft.text(said.content.as_str())?;
        if let Some(refusal) = &said.refusal {
            draft.text(refusal.as_str())?;
        }
        for call in said.tool_calls.iter().flatten() {
            self.call(call, draft)?;
        }
        Ok(())
    }

    fn call(&mut self, call: &CallPart<'_>, draft: &mut Draft) -> Result<(), Fault> {
        let function = call.function.as_ref();
        let place = draft.call(Piece {
            id: call.id.as_str(),
            index: call.index.0,
            name: function.map_or("", |function| function.name.as_str()),
            arguments: &function.map(Function::arguments).unwrap_or_default(),
        })?;
        if let Some(extra) = call.extra_content.and_then(|raw| serde_json::from_str(raw.get()).ok()) {
            self.extras.resize(self.extras.len().max(place + 1), Value::Null);
            self.extras[place] = extra;
        }
        Ok(())
    }

    /// The reply is whole, with all that must go back with it.
    fn finish(&self, finish: Finish, draft: &mut Draft) {
        draft.finish(finish);
        let details = self.details.whole();
        if self.extras.is_empty() && details.is_none() {
            return;
        }
        let mut kept = json!({ "wire": request::NAME });
        if !self.extras.is_empty() {
            kept["extra_content"] = json!(self.extras);
        }
        if let Some(details) = details {
            kept["reasoning_details"] = details;
        }
        draft.opaque = Some(kept);
    }
}

/// What a finish reason means; some of them are failures.
fn finish(reason: &str) -> Result<Finish, Fault> {
    match reason {
        "stop" | "eos" | "eos_token" | "end_turn" | "stop_sequence" | "complete" => Ok(Finish::Stop),
        "tool_calls" | "function_call" | "tool_use" => Ok(Finish::Calls),
        "length" | "max_tokens" | "model_length" => Ok(Finish::Length),
        "content_filter" | "sensitive" | "safety" => Ok(Finish::Filtered),
        "error" | "network_error" | "insufficient_system_resource" | "abort" => {
            Err(Fault::Reported(Reported::plain(format!("the reply ended with `{reason}`"))))
        }
        _ => Ok(Finish::Other),
    }
}

#[cfg(test)]
mod tests;
