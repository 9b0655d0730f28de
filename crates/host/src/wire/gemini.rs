//! The `gemini` wire: Google's `streamGenerateContent`. Requests are written by [`head`] and [`write`]; replies are
//! read by [`Reader`].
//!
//! Parts may be signed; a signature goes back on the part that it came with.

mod chunk;
mod generation;
mod request;

pub(super) use request::{head, path, write};

use super::answer::{Fault, Step};
use super::draft::{Draft, Piece};
use super::layout::Layout;
use super::lenient::fragment;
use super::reported::Reported;
use agent::Finish;
use chunk::{Candidate, Chunk, Function, Part};
use serde_json::json;

/// Reads one reply.
#[derive(Debug, Default)]
pub(super) struct Reader {
    layout: Layout,
    calls: u64,
}

impl Reader {
    pub(super) fn event(&mut self, name: &str, data: &str, draft: &mut Draft) -> Result<Step, Fault> {
        let data = data.trim();
        if data.is_empty() || data == "[DONE]" {
            return Ok(Step::More);
        }
        let chunk: Chunk<'_> = serde_json::from_str(data).map_err(|_| Fault::NotJson(data.to_owned()))?;
        if (name == "error" || chunk.error.is_some() || chunk.candidates.is_none())
            && let Some(reported) = Reported::read(data)
        {
            return Err(Fault::Reported(reported));
        }
        self.chunk(&chunk, draft)?;
        Ok(Step::More)
    }

    /// Takes an answer that came in one piece: a reply, or a list of the pieces of one.
    pub(super) fn whole(&mut self, body: &str, draft: &mut Draft) -> Result<(), Fault> {
        let not_json = |_| Fault::NotJson(body.to_owned());
        if let Some(reported) = Reported::read(body) {
            return Err(Fault::Reported(reported));
        }
        let chunks: Vec<Chunk<'_>> = match body.starts_with('[') {
            true => serde_json::from_str(body).map_err(not_json)?,
            false => vec![serde_json::from_str(body).map_err(not_json)?],
        };
        for chunk in &chunks {
            self.chunk(chunk, draft)?;
        }
        if draft.is_finished() { Ok(()) } else { Err(Fault::NotJson(body.to_owned())) }
    }

    fn chunk(&mut self, chunk: &Chunk<'_>, draft: &mut Draft) -> Result<(), Fault> {
        if let Some(tokens) = &chunk.usage {
            draft.usage = tokens.counted();
        }
        if let Some(reason) =
            chunk.feedback.as_ref().map(|feedback| feedback.reason.as_str()).filter(|r| !r.is_empty())
        {
            return Err(Fault::Reported(Reported::refusal(format!("the request was blocked: {reason}"))));
        }
        for candidate in chunk.candidates.iter().flatten() {
            self.candidate(candidate, draft)?;
        }
        Ok(())
    }

    fn candidate(&mut self, candidate: &Candidate<'_>, draft: &mut Draft) -> Result<(), Fault> {
        let parts = candidate.content.iter().flat_map(|content| content.parts.iter().flatten());
        for part in parts {
            self.part(part, draft)?;
        }
        let finish = match candidate.reason.as_str() {
            "" => return Ok(()),
            "STOP" => Finish::Stop,
            "MAX_TOKENS" | "CONTINUATION" => Finish::Length,
            "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII"
            | "IMAGE_SAFETY" => Finish::Filtered,
            reason @ ("MALFORMED_FUNCTION_CALL"
            | "UNEXPECTED_TOOL_CALL"
            | "MALFORMED_RESPONSE"
            | "TOO_MANY_TOOL_CALLS") => {
                let message = candidate.message.as_str();
                return Err(Fault::Reported(Reported::plain(format!(
                    "the reply ended with {reason} {message}"
                ))));
            }
            _ => Finish::Other,
        };
        draft.opaque = self.layout.opaque(request::NAME);
        draft.finish(finish);
        Ok(())
    }

    fn part(&mut self, part: &Part<'_>, draft: &mut Draft) -> Result<(), Fault> {
        let (text, signature) = (part.text.as_str(), part.signature.as_str());
        if let Some(call) = &part.call {
            return self.call(call, signature, draft);
        }
        if part.thought {
            if !signature.is_empty() {
                self.layout.thought(json!({ "text": text, "thoughtSignature": signature }));
            }
            return Ok(draft.reasoning(text)?);
        }
        match signature {
            "" => self.layout.text(text.len()),
            _ => self.layout.signed_text(text.len(), signature),
        }
        Ok(draft.text(text)?)
    }

    fn call(&mut self, call: &Function<'_>, signature: &str, draft: &mut Draft) -> Result<(), Fault> {
        let arguments = call.args.map(fragment).unwrap_or_default();
        let (id, name) = (call.id.as_str(), call.name.as_str());
        let place = draft.call(Piece { id, index: Some(self.calls), name, arguments: &arguments })?;
        self.calls += 1;
        match signature {
            "" => self.layout.call(place),
            _ => self.layout.signed_call(place, signature),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
