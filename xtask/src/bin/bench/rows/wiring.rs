//! What replies cost on each wire, and whether long ones cost more a byte. Start from [`a_token`].

use kit::{Reply, Script};

use super::TOKENS;
use crate::process::Memory;
use crate::program::{Door, Fault, Plan, Program};
use crate::wires::{self, Wire};

/// Pieces of a call's arguments, the first time.
const FRAGMENTS: usize = 25_000;

pub fn a_token(program: &Program, wire: Wire) -> Result<f64, Fault> {
    let processor =
        |count: usize| processor(program, wire, vec![Reply::events(wire.answer(" token", count))]);
    Ok((processor(TOKENS)? - processor(1)?) * 1e6 / TOKENS as f64)
}

/// An answer of so many bytes, in pieces of a hundred.
pub fn reply_growth(program: &Program) -> Result<f64, Fault> {
    let (piece, wire) = ("0123456789".repeat(10), Wire::Openai);
    let processor = |megabytes: usize| {
        processor(program, wire, vec![Reply::events(wire.answer(&piece, megabytes * 10_000))])
    };
    compared(processor(0)?, processor(3)?, processor(12)?)
}

/// A call whose arguments come in so many pieces, and an answer. Ten thousand of them cost no more than two runs of the
/// program differ by.
pub fn fragment_growth(program: &Program) -> Result<f64, Fault> {
    let wire = Wire::Openai;
    // What else the machine does only ever adds.
    let least = |count: usize| {
        let replies = || vec![Reply::events(wires::fragments(count)), Reply::events(wire.answer("Done.", 1))];
        let once = || processor(program, wire, replies());
        Ok::<f64, Fault>(once()?.min(once()?).min(once()?))
    };
    compared(least(1)?, least(FRAGMENTS)?, least(4 * FRAGMENTS)?)
}

/// What one of four times as much costs over one of as much, above what a run costs anyway.
fn compared(nothing: f64, once: f64, four_times: f64) -> Result<f64, Fault> {
    match once - nothing {
        cost if cost > 0.0 => Ok((four_times - nothing) / (4.0 * cost)),
        _ => Err(Fault::Senseless("it costs nothing")),
    }
}

/// The seconds of processor time that a conversation takes.
fn processor(program: &Program, wire: Wire, replies: Vec<Reply>) -> Result<f64, Fault> {
    let requests = replies.len();
    // A list of replies is for the paths of one wire only.
    let script =
        Script::rule(move |request| replies.get(request.number).cloned().unwrap_or_else(|| Reply::text("")));
    let run = program.run(Plan { door: Door::Exec(wire), script, requests, memory: Memory::Ignored })?;
    Ok(run.processor.as_secs_f64())
}
