//! The figures, one row each. Start from [`FIGURES`]; a new figure is a new row and a function.

mod solve;
mod wiring;

use kit::serde_json::{Value, json};
use kit::{Message, Reply, Script, Split};

use crate::chat;
use crate::figure::Sample::{Alone, Compared};
use crate::figure::{Figure, Goal, Rounds, Unit};
use crate::mailbox;
use crate::page;
use crate::process::Memory;
use crate::program::{Door, Fault, Plan, Program, Run};
use crate::samples::{median, milliseconds};
use crate::wires::Wire;

pub const FIGURES: &[Figure] = &[
    Figure {
        name: "start",
        title: "start to first request",
        unit: Unit::Milliseconds,
        goal: Goal::AtMost(15.0),
        rounds: Rounds { full: 30, quick: 20 },
        sample: Compared(start),
    },
    Figure {
        name: "call",
        title: "a tool call (`true`)",
        unit: Unit::Milliseconds,
        goal: Goal::OverFloor(3.0),
        rounds: Rounds { full: 5, quick: 2 },
        sample: Compared(call),
    },
    Figure {
        name: "memory",
        title: "peak memory over 100 calls",
        unit: Unit::Megabytes,
        goal: Goal::AtMost(25.0),
        rounds: Rounds { full: 3, quick: 1 },
        sample: Compared(memory),
    },
    Figure {
        name: "token",
        title: "CPU a streamed token",
        unit: Unit::Microseconds,
        goal: Goal::AtMost(2.0),
        rounds: Rounds { full: 7, quick: 3 },
        sample: Compared(token),
    },
    Figure {
        name: "token-alone",
        title: "CPU a token sent alone",
        unit: Unit::Microseconds,
        goal: Goal::None,
        rounds: Rounds { full: 5, quick: 2 },
        sample: Compared(token_alone),
    },
    Figure {
        name: "request",
        title: "first request",
        unit: Unit::Bytes,
        goal: Goal::AtMost(4096.0),
        rounds: Rounds { full: 1, quick: 1 },
        sample: Compared(request),
    },
    Figure {
        name: "growth",
        title: "call 1,000 over call 10",
        unit: Unit::Times,
        goal: Goal::AtMost(1.2),
        rounds: Rounds { full: 5, quick: 1 },
        sample: Compared(growth),
    },
    Figure {
        name: "start-instructions",
        title: "instructions of one answer",
        unit: Unit::Instructions,
        goal: Goal::None,
        rounds: Rounds { full: 3, quick: 1 },
        sample: Compared(answer_instructions),
    },
    Figure {
        name: "call-instructions",
        title: "instructions of a tool call",
        unit: Unit::Instructions,
        goal: Goal::None,
        rounds: Rounds { full: 3, quick: 1 },
        sample: Compared(call_instructions),
    },
    Figure {
        name: "page-script",
        title: "JavaScript of the page, compressed",
        unit: Unit::Kilobytes,
        goal: Goal::AtMost(350.0),
        rounds: Rounds { full: 1, quick: 1 },
        sample: Alone(page::script),
    },
    Figure {
        name: "page-paint",
        title: "first paint of the page",
        unit: Unit::Milliseconds,
        goal: Goal::AtMost(300.0),
        rounds: Rounds { full: 1, quick: 1 },
        sample: Alone(page::paint),
    },
    Figure {
        name: "token-anthropic",
        title: "CPU a token, anthropic",
        unit: Unit::Microseconds,
        goal: Goal::AtMost(2.0),
        rounds: Rounds { full: 5, quick: 2 },
        sample: Alone(|program| wiring::a_token(program, Wire::Anthropic)),
    },
    Figure {
        name: "token-responses",
        title: "CPU a token, responses",
        unit: Unit::Microseconds,
        goal: Goal::AtMost(2.0),
        rounds: Rounds { full: 5, quick: 2 },
        sample: Alone(|program| wiring::a_token(program, Wire::Responses)),
    },
    Figure {
        name: "token-gemini",
        title: "CPU a token, gemini",
        unit: Unit::Microseconds,
        goal: Goal::AtMost(2.0),
        rounds: Rounds { full: 5, quick: 2 },
        sample: Alone(|program| wiring::a_token(program, Wire::Gemini)),
    },
    Figure {
        name: "reply-growth",
        title: "a byte of 12 MB over one of 3 MB",
        unit: Unit::Times,
        goal: Goal::AtMost(1.3),
        rounds: Rounds { full: 3, quick: 1 },
        sample: Compared(wiring::reply_growth),
    },
    Figure {
        name: "fragment-growth",
        title: "a fragment of 100,000 over one of 25,000",
        unit: Unit::Times,
        goal: Goal::AtMost(1.3),
        rounds: Rounds { full: 3, quick: 1 },
        sample: Alone(wiring::fragment_growth),
    },
    Figure {
        name: "mailbox-pickup",
        title: "a mailbox reply is taken",
        unit: Unit::Milliseconds,
        // A writer that pauses for 100 ms is still writing; then it has 100 ms more.
        goal: Goal::AtMost(200.0),
        rounds: Rounds { full: 5, quick: 2 },
        sample: Alone(mailbox::pickup),
    },
    Figure {
        name: "mailbox-list",
        title: "an outbox over 100,000 files",
        unit: Unit::Milliseconds,
        goal: Goal::AtMost(1000.0),
        rounds: Rounds { full: 3, quick: 1 },
        sample: Alone(mailbox::list),
    },
    Figure {
        name: "mailbox-memory",
        title: "memory while a mailbox waits",
        unit: Unit::Megabytes,
        goal: Goal::AtMost(30.0),
        rounds: Rounds { full: 2, quick: 1 },
        sample: Alone(mailbox::memory),
    },
    Figure {
        name: "mailbox-idle",
        title: "CPU a second while it waits",
        unit: Unit::Milliseconds,
        // What a list of processes shows as 0.0 %.
        goal: Goal::AtMost(0.5),
        rounds: Rounds { full: 1, quick: 1 },
        sample: Alone(mailbox::idle),
    },
    Figure {
        name: "frame",
        title: "terminal: start to first frame",
        unit: Unit::Milliseconds,
        goal: Goal::AtMost(30.0),
        rounds: Rounds { full: 20, quick: 5 },
        sample: Alone(chat::first_frame),
    },
    Figure {
        name: "key",
        title: "terminal: key to screen, streaming",
        unit: Unit::Milliseconds,
        goal: Goal::AtMost(5.0),
        rounds: Rounds { full: 3, quick: 1 },
        sample: Alone(chat::key),
    },
    Figure {
        name: "written",
        title: "terminal: bytes a byte of text",
        unit: Unit::Times,
        goal: Goal::AtMost(3.0),
        rounds: Rounds { full: 3, quick: 1 },
        sample: Alone(chat::written),
    },
    Figure {
        name: "long-open",
        title: "terminal: opening 10,000 messages",
        unit: Unit::Milliseconds,
        goal: Goal::AtMost(100.0),
        rounds: Rounds { full: 5, quick: 1 },
        sample: Alone(chat::long_open),
    },
    Figure {
        name: "long-memory",
        title: "terminal: memory of 10,000 messages",
        unit: Unit::Megabytes,
        goal: Goal::AtMost(40.0),
        rounds: Rounds { full: 1, quick: 1 },
        sample: Alone(chat::long_memory),
    },
    Figure {
        name: "solve",
        title: "an iteration of solve (`true`)",
        unit: Unit::Milliseconds,
        goal: Goal::OverFloor(3.0),
        rounds: Rounds { full: 5, quick: 2 },
        sample: Compared(solve::iteration),
    },
    Figure {
        name: "solve-memory",
        title: "peak memory over 100 iterations",
        unit: Unit::Megabytes,
        goal: Goal::AtMost(25.0),
        rounds: Rounds { full: 3, quick: 1 },
        sample: Alone(solve::memory),
    },
    Figure {
        name: "solve-diff",
        title: "a diff of 10,000 lines",
        unit: Unit::Milliseconds,
        goal: Goal::AtMost(50.0),
        rounds: Rounds { full: 5, quick: 2 },
        sample: Alone(solve::diff),
    },
];

/// The calls of a conversation of ordinary length.
const CALLS: usize = 100;
const TOKENS: usize = 20_000;
/// How many calls on either side are looked at together with the one that a figure is about.
const AROUND: usize = 9;

/// A first run that is not measured: it brings the program into memory and makes its database.
pub fn warm_up(program: &Program) -> Result<(), Fault> {
    program.run(calls(1, Memory::Ignored)).map(drop)
}

fn start(program: &Program) -> Result<f64, Fault> {
    let run = program.run(calls(0, Memory::Ignored))?;
    let first = first(&run)?.at;
    Ok(milliseconds(first.saturating_duration_since(run.started)))
}

fn call(program: &Program) -> Result<f64, Fault> {
    let run = program.run(calls(CALLS, Memory::Ignored))?;
    middle(&times(&run))
}

fn memory(program: &Program) -> Result<f64, Fault> {
    let run = program.run(calls(CALLS, Memory::Watched))?;
    match run.memory {
        0 => Err(Fault::Senseless("the kernel does not tell how much memory a process has")),
        bytes => Ok(bytes as f64 / 1e6),
    }
}

fn token(program: &Program) -> Result<f64, Fault> {
    processor_a_token(program, Split::Events)
}

/// The worst case: each token comes in a packet, and wakes the program, by itself.
fn token_alone(program: &Program) -> Result<f64, Fault> {
    processor_a_token(program, Split::Writes)
}

fn request(program: &Program) -> Result<f64, Fault> {
    let run = program.run(calls(0, Memory::Ignored))?;
    let length = first(&run)?.header("content-length").and_then(|length| length.parse().ok());
    length.ok_or(Fault::Senseless("the first request does not tell its length"))
}

fn growth(program: &Program) -> Result<f64, Fault> {
    let run = program.run(calls(1000 + AROUND, Memory::Ignored))?;
    let times = times(&run);
    let around = |call: usize| middle(times.get(call - 1 - AROUND..call + AROUND).unwrap_or_default());
    Ok(around(1000)? / around(10)?)
}

/// From the start to the end; unlike times, these say the same on a busy machine.
fn answer_instructions(program: &Program) -> Result<f64, Fault> {
    program.count(calls(0, Memory::Ignored))
}

/// The agent's own: what the wall and the command cost is seen in the time alone.
fn call_instructions(program: &Program) -> Result<f64, Fault> {
    const MORE: usize = 10;
    let (few, many) =
        (program.count(calls(1, Memory::Ignored))?, program.count(calls(1 + MORE, Memory::Ignored))?);
    Ok((many - few) / MORE as f64)
}

/// A conversation with this many calls of the shell and an answer.
pub fn calls(count: usize, memory: Memory) -> Plan {
    let script = Script::rule(move |request| match request.number < count {
        true => Reply::events(called(request.number)),
        false => Reply::text("Done."),
    });
    Plan { door: Door::Exec(Wire::Openai), script, requests: count + 1, memory }
}

/// The events of a reply that calls the shell.
///
/// They are written out here because a reply in the kit's own words reads the whole request first, which
/// would charge the program for the server's work on long conversations.
fn called(number: usize) -> [String; 3] {
    let event = |delta: Value, finish: Option<&str>| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        json!({"id": "reply", "object": "chat.completion.chunk", "choices": [choice]}).to_string()
    };
    let function = json!({"name": "shell", "arguments": r#"{"command":"true"}"#});
    let call = json!({"index": 0, "id": format!("call_{number}"), "type": "function", "function": function});
    [
        event(json!({"role": "assistant", "tool_calls": [call]}), None),
        event(json!({}), Some("tool_calls")),
        "[DONE]".to_owned(),
    ]
}

/// What a long answer costs above one of a single token, a token.
fn processor_a_token(program: &Program, split: Split) -> Result<f64, Fault> {
    let processor = |count: usize| {
        let answer = Message::tokens(vec![" token"; count]).reply().split(split);
        let script = Script::list([answer]);
        let plan = Plan { door: Door::Exec(Wire::Openai), script, requests: 1, memory: Memory::Ignored };
        program.run(plan).map(|run| run.processor)
    };
    let short = processor(1)?;
    let long = processor(TOKENS)?;
    Ok((long.as_secs_f64() - short.as_secs_f64()) * 1e6 / TOKENS as f64)
}

fn first(run: &Run) -> Result<&kit::Request, Fault> {
    run.requests.first().map(AsRef::as_ref).ok_or(Fault::Requests(0, 1))
}

/// The milliseconds of each call, as the server sees them.
fn times(run: &Run) -> Vec<f64> {
    run.gaps().into_iter().map(milliseconds).collect()
}

pub fn middle(times: &[f64]) -> Result<f64, Fault> {
    median(times).filter(|time| *time > 0.0).ok_or(Fault::Senseless("no time passed between requests"))
}
