//! What the web door costs, seen by a client. Start at [`page`].

use crate::process::Memory;
use crate::program::{Fault, Program};
use crate::rows::{calls, middle};
use crate::samples::milliseconds;
use crate::served::Served;

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

fn failed(error: std::io::Error) -> Fault {
    Fault::NotStarted(error.to_string())
}
