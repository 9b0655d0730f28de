//! The `anthropic` wire: Messages, streamed. Requests are written by [`head`] and [`write`]; replies are read by
//! [`Reader`].
//!
//! Thoughts are signed and go back unchanged, in their place among the other parts. The cache is asked for at the end
//! of the instructions and, for all of the request, at its top, so that messages already sent never change.

mod event;
mod request;
mod schema;
mod version;

pub(super) use request::{VERSION, head, path, write};

use super::answer::{Fault, Step};
use super::draft::{Draft, Piece};
use super::layout::Layout;
use super::lenient::fragment;
use agent::{Finish, Usage};
use event::{Block, Change, Event, Tokens};
use serde_json::json;

/// Reads one reply.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// The blocks that are not over yet, by their index.
    open: Vec<(u64, Kind)>,
    layout: Layout,
    tokens: Tokens,
}

/// What a block is, with what must be kept of it until it is over.
#[derive(Debug)]
enum Kind {
    Text,
    Call,
    Thinking {
        text: String,
        signature: String,
    },
    /// Something that we have no use for.
    Other,
}

impl Reader {
    pub(super) fn event(&mut self, name: &str, data: &str, draft: &mut Draft) -> Result<Step, Fault> {
        let data = data.trim();
        if data.is_empty() || data == "[DONE]" {
            return Ok(Step::More);
        }
        let event: Event<'_> = serde_json::from_str(data).map_err(|_| Fault::NotJson(data.to_owned()))?;
        let kind = if event.kind.is_empty() { name } else { event.kind.as_str() };
        match kind {
            "content_block_delta" => self.change(event.index.0, &event.delta, draft)?,
            "content_block_start" => self.start(event.index.0, &event.content_block, draft)?,
            "content_block_stop" => self.stop(event.index.0),
            "message_start" => self.count(event.message.usage, draft),
            "message_delta" => {
                self.count(event.usage, draft);
                self.finish(event.delta.stop_reason.as_str(), draft);
            }
            "message_stop" => {
                self.end(draft)?;
                return Ok(Step::Done);
            }
            "error" => return Err(Fault::reported(data)),
            _ if event.kind.is_empty() => return Err(Fault::foreign(data)),
            _ => {}
        }
        Ok(Step::More)
    }

    /// Takes an answer that came in one piece.
    pub(super) fn whole(&mut self, body: &str, draft: &mut Draft) -> Result<(), Fault> {
        let message: event::Whole<'_> =
            serde_json::from_str(body).map_err(|_| Fault::NotJson(body.to_owned()))?;
        if message.kind.as_str() != "message" {
            return Err(Fault::foreign(body));
        }
        for (place, block) in message.content.iter().enumerate() {
            self.start(Some(place as u64), block, draft)?;
            self.stop(Some(place as u64));
        }
        self.count(message.usage, draft);
        self.finish(message.stop_reason.as_str(), draft);
        self.end(draft)
    }

    fn start(&mut self, index: Option<u64>, block: &Block<'_>, draft: &mut Draft) -> Result<(), Fault> {
        let index = index.unwrap_or(0);
        let kind = match block.kind.as_str() {
            "text" => Kind::Text,
            "thinking" => {
                draft.reasoning(block.thinking.as_str())?;
                Kind::Thinking {
                    text: block.thinking.as_str().to_owned(),
                    signature: block.signature.as_str().to_owned(),
                }
            }
            "redacted_thinking" => {
                self.layout.thought(json!({ "type": "redacted_thinking", "data": block.data.as_str() }));
                Kind::Other
            }
            "tool_use" => {
                // The input is an empty object here and comes in pieces later, unless it is whole already.
                let input = block.input.map(fragment).filter(|input| input != "{}").unwrap_or_default();
                let (id, name) = (block.id.as_str(), block.name.as_str());
                let place = draft.call(Piece { id, index: Some(index), name, arguments: &input })?;
                self.layout.call(place);
                Kind::Call
            }
            _ => Kind::Other,
        };
        self.open.retain(|(open, _)| *open != index);
        self.open.push((index, kind));
        if block.kind.as_str() == "text" {
            self.text(block.text.as_str(), draft)?;
        }
        Ok(())
    }

    fn change(&mut self, index: Option<u64>, change: &Change<'_>, draft: &mut Draft) -> Result<(), Fault> {
        let open = match index {
            Some(index) => self.open.iter_mut().find(|(open, _)| *open == index),
            None => self.open.last_mut(),
        };
        // Text is text even where the start of its block was lost.
        let Some((index, kind)) = open else { return self.text(change.text.as_str(), draft) };
        match kind {
            Kind::Text => self.text(change.text.as_str(), draft),
            Kind::Thinking { text, signature } => {
                text.push_str(change.thinking.as_str());
                signature.push_str(change.signature.as_str());
                Ok(draft.reasoning(change.thinking.as_str())?)
            }
            Kind::Call => {
                let arguments = change.partial_json.as_str();
                draft.call(Piece { index: Some(*index), arguments, ..Piece::default() })?;
                Ok(())
            }
            Kind::Other => Ok(()),
        }
    }

    fn stop(&mut self, index: Option<u64>) {
        let Some(place) = self.open.iter().position(|(open, _)| Some(*open) == index) else { return };
        if let (_, Kind::Thinking { text, signature }) = self.open.remove(place) {
            self.layout.thought(json!({ "type": "thinking", "thinking": text, "signature": signature }));
        }
    }

    fn text(&mut self, text: &str, draft: &mut Draft) -> Result<(), Fault> {
        self.layout.text(text.len());
        Ok(draft.text(text)?)
    }

    /// Later counts replace earlier ones, number by number.
    fn count(&mut self, tokens: Option<Tokens>, draft: &mut Draft) {
        let Some(tokens) = tokens else { return };
        self.tokens.update(&tokens);
        let counted = |number: event::Count| number.0.unwrap_or(0);
        let cached = counted(self.tokens.cache_read_input_tokens);
        draft.usage = Usage {
            // What was read from the cache or written to it is counted apart here, and with the rest elsewhere.
            input: counted(self.tokens.input_tokens)
                .saturating_add(counted(self.tokens.cache_creation_input_tokens))
                .saturating_add(cached),
            output: counted(self.tokens.output_tokens),
            cached,
            reasoning: self
                .tokens
                .output_tokens_details
                .map_or(0, |details| counted(details.thinking_tokens)),
        };
    }

    fn finish(&mut self, reason: &str, draft: &mut Draft) {
        let finish = match reason {
            "" => return,
            "end_turn" | "stop_sequence" => Finish::Stop,
            "tool_use" => Finish::Calls,
            "max_tokens" | "model_context_window_exceeded" => Finish::Length,
            "refusal" => Finish::Filtered,
            _ => Finish::Other,
        };
        draft.opaque = self.layout.opaque(request::NAME);
        draft.finish(finish);
    }

    /// The message is over, whether or not it was said why.
    fn end(&mut self, draft: &mut Draft) -> Result<(), Fault> {
        if draft.is_finished() {
            return Ok(());
        }
        if draft.is_empty() {
            return Err(Fault::Empty);
        }
        self.finish("end_turn", draft);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
