//! The `responses` wire: OpenAI's Responses, streamed. Requests are written by [`head`] and [`write`]; replies are
//! read by [`Reader`].
//!
//! Either we remember the conversation, and reasoning travels encrypted with it, or the provider does, and a request
//! names the reply before it ([`remembered`]).

mod event;
mod request;

pub(super) use request::{head, remembered, write};

use super::answer::{Fault, Step};
use super::draft::{Draft, Piece};
use super::layout::Layout;
use super::lenient::Number;
use super::reported::Reported;
use agent::Finish;
use event::{Event, Item, Outcome};
use serde_json::Value;

/// Reads one reply.
#[derive(Debug, Default)]
pub(super) struct Reader {
    layout: Layout,
    /// The items of which something was heard before they were over, by their index.
    begun: Vec<u64>,
    over: Vec<u64>,
    summaries: usize,
    /// Whether the message being heard is on the way or the answer, in the provider's words; it wants them back.
    phase: String,
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
            "response.output_text.delta" | "response.refusal.delta" => {
                self.begin(event.output_index);
                self.text(event.delta.as_str(), draft)?;
            }
            "response.reasoning_summary_part.added" => self.next_summary(draft)?,
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                self.begin(event.output_index);
                draft.reasoning(event.delta.as_str())?;
            }
            "response.function_call_arguments.delta" => {
                self.begin(event.output_index);
                self.call(
                    Piece {
                        index: event.output_index.0,
                        arguments: event.delta.as_str(),
                        ..Piece::default()
                    },
                    draft,
                )?;
            }
            "response.output_item.added" => self.added(&event, draft)?,
            "response.output_item.done" => self.done(event.output_index, &event.item, draft)?,
            "response.completed" | "response.incomplete" | "response.failed" => {
                let outcome = event.response.ok_or_else(|| Fault::NotJson(data.to_owned()))?;
                self.outcome(&outcome, data, draft)?;
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
        let outcome: Outcome<'_> = serde_json::from_str(body).map_err(|_| Fault::NotJson(body.to_owned()))?;
        if outcome.status.is_empty() {
            return Err(Fault::foreign(body));
        }
        self.outcome(&outcome, body, draft)
    }

    /// The end of a reply: what it came to, what it cost, and whatever was not streamed.
    fn outcome(&mut self, outcome: &Outcome<'_>, data: &str, draft: &mut Draft) -> Result<(), Fault> {
        let reason = outcome.incomplete_details.as_ref().map_or("", |details| details.reason.as_str());
        let finish = match (outcome.status.as_str(), reason) {
            ("failed" | "cancelled", _) => return Err(Fault::Reported(reported(outcome, data))),
            (_, "max_output_tokens") => Finish::Length,
            (_, "content_filter") => Finish::Filtered,
            ("incomplete", _) => Finish::Other,
            _ => Finish::Stop,
        };
        for (place, item) in outcome.output.iter().enumerate() {
            if !self.over.contains(&(place as u64)) {
                self.done(Number(Some(place as u64)), item, draft)?;
            }
        }
        if let Some(usage) = &outcome.usage {
            draft.usage = usage.counted();
        }
        let mut opaque = self.layout.opaque(request::NAME);
        if !outcome.id.is_empty() {
            let kept = opaque.get_or_insert_with(|| serde_json::json!({ "wire": request::NAME }));
            kept["id"] = Value::from(outcome.id.as_str());
        }
        draft.opaque = opaque;
        draft.finish(finish);
        Ok(())
    }

    fn added(&mut self, event: &Event<'_>, draft: &mut Draft) -> Result<(), Fault> {
        let item = &event.item;
        if item.kind.as_str() == "message" {
            item.phase.as_str().clone_into(&mut self.phase);
        }
        if item.kind.as_str() != "function_call" {
            return Ok(());
        }
        let (id, name) = (item.call_id.as_str(), item.name.as_str());
        self.call(Piece { id, index: event.output_index.0, name, arguments: "" }, draft)
    }

    /// An item is over. Servers that do not stream its parts say them all here.
    fn done(&mut self, index: Number, item: &Item<'_>, draft: &mut Draft) -> Result<(), Fault> {
        let heard = index.0.is_some_and(|index| self.begun.contains(&index));
        match item.kind.as_str() {
            "message" if !heard => {
                item.phase.as_str().clone_into(&mut self.phase);
                self.text(item.content.as_str(), draft)?;
            }
            "function_call" => {
                let arguments = if heard { "" } else { item.arguments.as_str() };
                let (id, name) = (item.call_id.as_str(), item.name.as_str());
                self.call(Piece { id, index: index.0, name, arguments }, draft)?;
            }
            "reasoning" => {
                if !heard {
                    draft.reasoning(item.summary.as_str())?;
                }
                if let Some(part) = request::returnable(item) {
                    self.layout.thought(part);
                }
            }
            _ => {}
        }
        self.over.extend(index.0);
        Ok(())
    }

    fn call(&mut self, piece: Piece<'_>, draft: &mut Draft) -> Result<(), Fault> {
        let place = draft.call(piece)?;
        self.layout.call(place);
        Ok(())
    }

    fn text(&mut self, text: &str, draft: &mut Draft) -> Result<(), Fault> {
        match self.phase.as_str() {
            "" => self.layout.text(text.len()),
            phase => self.layout.phased_text(text.len(), phase),
        }
        Ok(draft.text(text)?)
    }

    /// Summaries are paragraphs.
    fn next_summary(&mut self, draft: &mut Draft) -> Result<(), Fault> {
        self.summaries += 1;
        if self.summaries > 1 {
            draft.reasoning("\n\n")?;
        }
        Ok(())
    }

    fn begin(&mut self, index: Number) {
        if let Some(index) = index.0
            && self.begun.last() != Some(&index)
            && !self.begun.contains(&index)
        {
            self.begun.push(index);
        }
    }
}

fn reported(outcome: &Outcome<'_>, data: &str) -> Reported {
    let told = outcome.error.and_then(|error| Reported::read(&format!("{{\"error\":{}}}", error.get())));
    told.or_else(|| Reported::read(data)).unwrap_or_else(|| {
        Reported::plain(format!("the reply ended with the status `{}`", outcome.status.as_str()))
    })
}

#[cfg(test)]
mod tests;
