//! What a finished reply came to in a dialect. Start at [`understand`].

#[cfg(test)]
mod tests;

use super::misread::{MISREAD, misread};
use super::text::{self, Block};
use super::{Dialect, MOST_CALLS, calls, native};
use agent::{Finish, Reply, Spec};

/// The reply with the calls that its words make. `tools` are those of the request before it was rewritten.
///
/// A reply with native calls is taken as it is, in every dialect. One that could not be read whole keeps its words as
/// they were written and gets a call of [`MISREAD`] for each thing that is wrong.
pub fn understand(dialect: Dialect, reply: Reply, tools: &[Spec]) -> Reply {
    if tools.is_empty() || !reply.calls.is_empty() || reply.finish == Finish::Filtered {
        return reply;
    }
    let reply = without_thoughts(reply);
    let heard = match dialect {
        Dialect::Native => None,
        Dialect::Json => heard_object(&reply.text),
        Dialect::Text => heard_blocks(&reply.text, tools),
    };
    let Some((text, calls)) = heard.or_else(|| native::rescue(&reply.text, tools)) else { return reply };
    let (text, calls) = match calls.len() {
        count if count > MOST_CALLS => {
            let fault =
                format!("the reply has {count} calls, and at most {MOST_CALLS} are taken: send fewer");
            (reply.text, vec![misread(fault)])
        }
        _ => (text, calls),
    };
    let cut = reply.finish == Finish::Length;
    let finish = if calls.is_empty() || cut { reply.finish } else { Finish::Calls };
    Reply { text, calls, finish, ..reply }
}

type Heard = (String, Vec<agent::Call>);

fn heard_object(text: &str) -> Option<Heard> {
    match calls::read(text) {
        Ok(said) => said.map(|said| (said.words, said.calls)),
        Err(fault) => Some((text.to_owned(), vec![misread(fault)])),
    }
}

fn heard_blocks(reply: &str, tools: &[Spec]) -> Option<Heard> {
    let reading = text::read(reply);
    if reading.blocks.is_empty() {
        return None;
    }
    let has_tool = |name: &str| tools.iter().any(|spec| spec.name == name);
    let (mut words, mut calls) = (reading.prose, Vec::new());
    for block in &reading.blocks {
        match block {
            // Where nobody takes them as calls, these are words like others.
            Block::Message(text) if !has_tool("message") => add(&mut words, text),
            Block::Done(text) if !has_tool("done") => add(&mut words, text),
            _ => calls.push(text::call(block)),
        }
    }
    if calls.iter().any(|call| call.name == MISREAD) {
        words = reply.to_owned();
    }
    Some((words, calls))
}

fn add(words: &mut String, text: &str) {
    if !words.is_empty() {
        words.push_str("\n\n");
    }
    words.push_str(text);
}

/// Some servers leave a model's thinking in its text. Calls that it only thinks of are not made.
fn without_thoughts(mut reply: Reply) -> Reply {
    let Some(inner) = reply.text.trim_start().strip_prefix("<think>") else { return reply };
    let (thoughts, words) = inner.split_once("</think>").unwrap_or((inner, ""));
    reply.reasoning.push_str(thoughts.trim());
    reply.text = words.trim_start().to_owned();
    reply
}
