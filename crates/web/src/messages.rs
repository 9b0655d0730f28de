//! A conversation as a list of messages, as REST shows it. Start at [`messages`].

use crate::shape::MessageShape;
use crate::teller::{FINAL, final_words};
use agent::event::{Call, CallId, Event, Outcome, Reply, Status};
use std::collections::HashMap;

/// Every prompt, every text of the model and every call, in order; a call that answers the person is such a text.
pub fn messages<'a>(events: impl Iterator<Item = &'a Event> + Clone) -> Vec<MessageShape> {
    let outcomes: HashMap<&CallId, &Outcome> = events
        .clone()
        .filter_map(|event| match event {
            Event::Ran { call, outcome } => Some((call, outcome)),
            _ => None,
        })
        .collect();
    let mut all = Vec::new();
    for event in events {
        match event {
            Event::Said(said) => all.push(MessageShape::UserPrompt { content: said.text.clone() }),
            Event::Replied(reply) => add_reply(&mut all, reply, &outcomes),
            _ => {}
        }
    }
    all
}

fn add_reply(all: &mut Vec<MessageShape>, reply: &Reply, outcomes: &HashMap<&CallId, &Outcome>) {
    if !reply.text.is_empty() || reply.calls.is_empty() {
        all.push(MessageShape::AgentResponse { content: reply.text.clone() });
    }
    all.extend(reply.calls.iter().map(|call| one_call(call, outcomes.get(&call.id).copied())));
}

fn one_call(call: &Call, outcome: Option<&Outcome>) -> MessageShape {
    let answers = outcome.is_none_or(|outcome| outcome.status == Status::Done);
    if call.name == FINAL && answers {
        return MessageShape::AgentResponse { content: final_words(&call.arguments) };
    }
    MessageShape::ToolCall {
        tool_name: call.name.clone(),
        arguments: call.arguments.clone(),
        response: outcome.map(|outcome| outcome.text.clone()).unwrap_or_default(),
    }
}
