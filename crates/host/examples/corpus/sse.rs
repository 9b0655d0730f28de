//! The parser of event streams and the wires against recorded streams. Start at [`run`].
//!
//! Every stream is taken whole, as recorded, byte by byte and cut at every offset. The rule: chunks never change
//! the result, and a stream ends in exactly one of a reply and a failure.

use crate::{Result, field, list, rows};
use agent::{Delta, Finish, Reply};
use host::sse::Parser;
use host::wire::{Answer, End, Provider, Step, Wire};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// What the recorded streams call the format of each wire.
const WIRES: &[(&str, Wire)] = &[("openai-chat", Wire::Openai), ("anthropic-messages", Wire::Anthropic)];

/// What shows in the bytes that a reply was ended on purpose.
const MARKS: &[&[u8]] = &[b"\"finish_reason\":\"", b"\"stop_reason\":\"", b"[DONE]"];

pub fn run(folder: &Path) -> Result<usize> {
    let mut wrong = parser(&rows(&folder.join("sse-parser.jsonl"))?);
    let streams = rows(&folder.join("vercel-ai-unit.jsonl"))?;
    for (name, wire) in WIRES {
        wrong += replies(&streams, name, *wire);
    }
    let spoken = |row: &&Value| WIRES.iter().any(|(name, _)| *name == field(row, "dialect"));
    println!("  of other dialects: {} rows", streams.len() - streams.iter().filter(spoken).count());
    Ok(wrong)
}

type Events = Vec<(String, String, String)>;

fn parser(rows: &[Value]) -> usize {
    let mut wrong = 0;
    for row in rows {
        let chunks: Vec<Vec<u8>> = list(row, "chunks_b64").map(base64).collect();
        let whole = chunks.concat();
        let mut ways = vec![vec![whole.clone()], chunks, whole.chunks(1).map(<[u8]>::to_vec).collect()];
        ways.extend((0..whole.len()).map(|cut| vec![whole[..cut].to_vec(), whole[cut..].to_vec()]));
        let event = |event: &Value| ["event", "data", "id"].map(|name| field(event, name).to_owned());
        let events = row["events"].as_array().into_iter().flatten().map(event);
        let expected: Events = events.map(|[name, data, id]| (name, data, id)).collect();
        if let Some(other) = ways.iter().map(|way| parsed(way)).find(|found| found.as_ref() != Ok(&expected))
        {
            wrong += 1;
            println!("    WRONG: {} {}: {other:?}", field(row, "id"), field(row, "name"));
        }
    }
    println!("  parser: {} of {} right", rows.len() - wrong, rows.len());
    wrong
}

fn parsed(chunks: &[Vec<u8>]) -> std::result::Result<Events, String> {
    let mut parser = Parser::new();
    let mut events = Vec::new();
    for chunk in chunks {
        let mut rest = chunk.as_slice();
        while let Some(event) = parser.next(&mut rest).map_err(|error| error.to_string())? {
            events.push((event.name.into_owned(), event.data.into_owned(), event.id.into_owned()));
        }
    }
    Ok(events)
}

/// All that a stream says: its text and its reasoning, each joined, and what came last.
#[derive(Debug, PartialEq)]
struct Heard {
    text: String,
    reasoning: String,
    last: Vec<Delta>,
}

fn heard<'a>(wire: Wire, chunks: impl IntoIterator<Item = &'a [u8]>) -> Heard {
    let mut answer = Answer::new(Arc::new(Provider::new("someone", wire, "")), "test");
    let mut heard = Heard { text: String::new(), reasoning: String::new(), last: Vec::new() };
    for chunk in chunks {
        let step = answer.take(chunk);
        while let Some(delta) = answer.delta() {
            match delta {
                Delta::Text(piece) => heard.text += &piece,
                Delta::Reasoning(piece) => heard.reasoning += &piece,
                other => heard.last.push(other),
            }
        }
        if step == Step::Done {
            break;
        }
    }
    heard.last.extend(answer.end(End::Closed));
    heard
}

fn replies(rows: &[Value], dialect: &str, wire: Wire) -> usize {
    let (mut count, mut cuts, mut wrong) = (0, 0, 0);
    for row in rows.iter().filter(|row| field(row, "dialect") == dialect) {
        count += 1;
        let writes: Vec<&[u8]> = list(row, "writes").map(str::as_bytes).collect();
        let whole = writes.concat();
        cuts += whole.len();
        let result = heard(wire, [whole.as_slice()]);
        let mut problems = cut_anywhere(wire, &whole, &result);
        if heard(wire, writes) != result || heard(wire, whole.chunks(1)) != result {
            problems.push("chunks change the result".to_owned());
        }
        problems.extend(differences(row, &result));
        if !problems.is_empty() {
            wrong += 1;
            println!("    WRONG: {} {}: {problems:?}", field(row, "id"), field(row, "title"));
        }
    }
    println!("  {dialect}: {} of {count} right, with {cuts} cuts", count - wrong);
    wrong
}

/// The stream in two chunks, and the stream that ends early.
fn cut_anywhere(wire: Wire, whole: &[u8], result: &Heard) -> Vec<String> {
    let mut problems = Vec::new();
    for cut in 0..whole.len() {
        let (before, after) = whole.split_at(cut);
        if heard(wire, [before, after]) != *result {
            problems.push(format!("a chunk that ends at {cut} changes the result"));
        }
        let short = heard(wire, [before]);
        if !result.text.starts_with(&short.text) {
            problems.push(format!("cut at {cut}: other text"));
        }
        let marked = MARKS.iter().any(|mark| before.windows(mark.len()).any(|window| window == *mark));
        if matches!(short.last.as_slice(), [Delta::Finished(_)]) && !marked {
            problems.push(format!("cut at {cut}: finished without a mark"));
        }
    }
    problems
}

/// What differs from what the row expects of its stream.
fn differences(row: &Value, heard: &Heard) -> Vec<String> {
    let expected = &row["expected"];
    let mut found = Vec::new();
    if heard.text != field(expected, "text") {
        found.push(format!("text {:?}", heard.text));
    }
    // Reasoning that a row does not mention is not wrong: some of the recorded clients drop it.
    if expected["reasoning"].as_str().is_some_and(|wanted| wanted != heard.reasoning) {
        found.push(format!("reasoning {:?}", heard.reasoning));
    }
    match heard.last.as_slice() {
        [Delta::Finished(reply)] => found.extend(reply_differences(expected, reply)),
        [Delta::Failed(failure)] => {
            let wanted = expected["errors"].as_array().is_some_and(|errors| !errors.is_empty())
                || row["unparsable_events"] != 0
                || expected["finish_reason"].is_null() && expected["stop_reason"].is_null();
            if !wanted {
                found.push(format!("failed: {}", failure.message));
            }
        }
        other => found.push(format!("ended with {other:?}")),
    }
    found
}

fn reply_differences(expected: &Value, reply: &Reply) -> Vec<String> {
    let mut found = Vec::new();
    let calls: Vec<Value> =
        reply.calls.iter().map(|call| call_of(&call.id.0, &call.name, &call.arguments)).collect();
    let wanted = expected["tool_calls"].as_array().map_or(&[][..], Vec::as_slice);
    let wanted: Vec<Value> = wanted
        .iter()
        .map(|call| call_of(field(call, "id"), field(call, "name"), field(call, "arguments")))
        .collect();
    if calls != wanted {
        found.push(format!("calls {calls:?}"));
    }
    let finish = match expected["finish_reason"].as_str().or(expected["stop_reason"].as_str()) {
        Some("stop" | "end_turn" | "stop_sequence") => Some(Finish::Stop),
        Some("tool_calls" | "tool_use") => Some(Finish::Calls),
        Some("pause_turn") => Some(Finish::Other),
        _ => None,
    };
    if finish.as_ref() != Some(&reply.finish) {
        found.push(format!("finished with {:?}", reply.finish));
    }
    // Usage that a row does not mention is not wrong either.
    let usage = [reply.usage.input, reply.usage.output, reply.usage.cached, reply.usage.reasoning];
    if !expected["usage"].is_null() && usage != usage_of(&expected["usage"]) {
        found.push(format!("usage {usage:?}"));
    }
    found
}

/// A call in a form that can be compared: how its JSON is spaced is nobody's business.
fn call_of(id: &str, name: &str, arguments: &str) -> Value {
    let arguments = serde_json::from_str(arguments).unwrap_or_else(|_| Value::from(arguments));
    json!([id, name, arguments])
}

/// Input, output, cached and reasoning tokens, whichever provider counted them.
fn usage_of(usage: &Value) -> [u64; 4] {
    let sum = |paths: &[&str]| -> u64 {
        paths.iter().filter_map(|path| usage.pointer(path).and_then(Value::as_u64)).sum()
    };
    [
        sum(&["/prompt_tokens", "/input_tokens", "/cache_read_input_tokens", "/cache_creation_input_tokens"]),
        sum(&["/completion_tokens", "/output_tokens"]),
        sum(&["/prompt_tokens_details/cached_tokens", "/cache_read_input_tokens"]),
        sum(&["/completion_tokens_details/reasoning_tokens"]),
    ]
}

fn base64(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    for letter in text.bytes().filter(|letter| *letter != b'=') {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            _ => 63,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}
