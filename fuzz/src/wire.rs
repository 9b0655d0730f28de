//! The wires: whatever a provider sends and however it is cut, there is one result, and it is one reply or one failure.

use agent::Delta;
use host::wire::{Answer, End, Provider, Step, Wire};
use std::sync::Arc;

pub fn check(wire: Wire, data: &[u8]) {
    let [whole, single, pieces] = super::cuttings(data).map(|pieces| hear(wire, &pieces));
    assert!(matches!(whole.last.as_slice(), [Delta::Finished(_) | Delta::Failed(_)]), "{:?}", whole.last);
    assert_eq!(single, whole, "byte by byte");
    assert_eq!(pieces, whole, "in pieces");
    if let [Delta::Finished(reply)] = whole.last.as_slice() {
        assert_eq!((&reply.text, &reply.reasoning), (&whole.text, &whole.reasoning), "what was streamed");
    }
    // What was shown of an answer that breaks off is never taken back by the rest of it.
    let early = hear(wire, &[&data[..data.len() / 2]]);
    assert!(whole.text.starts_with(&early.text), "{:?} is not the start of {:?}", early.text, whole.text);
}

/// All that a stream says: its text and its reasoning, each joined, and what else came.
#[derive(Debug, PartialEq)]
struct Heard {
    text: String,
    reasoning: String,
    last: Vec<Delta>,
}

fn hear(wire: Wire, pieces: &[&[u8]]) -> Heard {
    let mut answer = Answer::new(Arc::new(Provider::new("someone", wire, "")), "test");
    let mut deltas = Vec::new();
    for piece in pieces {
        let step = answer.take(piece);
        deltas.extend(std::iter::from_fn(|| answer.delta()));
        if step == Step::Done {
            break;
        }
    }
    deltas.extend(answer.end(End::Closed));
    let mut heard = Heard { text: String::new(), reasoning: String::new(), last: Vec::new() };
    for delta in deltas {
        match delta {
            Delta::Text(piece) => heard.text += &piece,
            Delta::Reasoning(piece) => heard.reasoning += &piece,
            other => heard.last.push(other),
        }
    }
    heard
}
