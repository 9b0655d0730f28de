//! What the web door costs, seen by a client. Start at [`page`].

use std::time::Instant;

use kit::serde_json::json;
use kit::{Call, Message, Recording, Script, Server};

use crate::process::Memory;
use crate::program::{Fault, Program};
use crate::rows::{calls, middle};
use crate::samples::milliseconds;
use crate::served::Served;

/// How many conversations a busy folder has.
const IDLE: usize = 10_000;

pub fn page(program: &Program) -> Result<f64, Fault> {
    let served = Served::start(program.server("http://127.0.0.1:9/v1"))?;
    let first = |_| served.get("/").map(|(first, _)| milliseconds(first));
    let times: Vec<f64> = (0..20).map(first).collect::<Result<_, _>>().map_err(failed)?;
    middle(&times)
}

/// A call is five records: asked, replied, judged, started, ran.
pub fn open(program: &Program) -> Result<f64, Fault> {
    program.run(calls(2000, Memory::Ignored))?;
    let served = Served::start(program.server("http://127.0.0.1:9/v1"))?;
    let id = served.newest().map_err(failed)?;
    let whole = |_| {
        let path = format!("/api/conversations/{id}/changes?limit=10000");
        served.get(&path).map(|(_, whole)| milliseconds(whole))
    };
    let times: Vec<f64> = (0..7).map(whole).collect::<Result<_, _>>().map_err(failed)?;
    middle(&times)
}

/// What a server has at most that held so many conversations, one after another, and still has them all.
pub fn idle(program: &Program) -> Result<f64, Fault> {
    let end = || Message::calls([Call::new("final_output", json!({"output": "Done."}))]).reply();
    let model = Server::start(Script::rule(move |_| end()), Recording::Heads, 0).map_err(failed)?;
    let served = Served::start(program.server(&model.base_url()))?;
    let mut person = served.follow().map_err(failed)?;
    for number in 0..IDLE {
        if Instant::now() >= program.end() {
            return Err(Fault::NoTime);
        }
        let prompt = format!(r#"["0190c0de-0000-4000-8000-{number:012}","say something"]"#);
        person.invoke("SubmitPrompt", &prompt).map_err(failed)?;
    }
    Ok(served.memory() as f64 / 1e6)
}

fn failed(error: std::io::Error) -> Fault {
    Fault::NotStarted(error.to_string())
}
