//! What the web door costs, seen by a client. Start at [`FIGURES`].

use std::time::Instant;

use crate::crowd::crowd;
use crate::figure::Sample::Alone;
use crate::figure::{Figure, Goal, Rounds, Unit};
use crate::process::Memory;
use crate::program::{Fault, Program};
use crate::rows::{calls, middle};
use crate::samples::milliseconds;
use crate::served::Served;

pub const FIGURES: &[Figure] = &[
    Figure {
        name: "page",
        title: "first byte of the page",
        unit: Unit::Milliseconds,
        goal: Goal::AtMost(5.0),
        rounds: Rounds { full: 3, quick: 1 },
        sample: Alone(page),
    },
    Figure {
        name: "open",
        title: "opening 10,000 records",
        unit: Unit::Milliseconds,
        goal: Goal::AtMost(50.0),
        rounds: Rounds { full: 1, quick: 1 },
        sample: Alone(open),
    },
    Figure {
        name: "idle",
        title: "memory for 10,000 idle conversations",
        unit: Unit::Megabytes,
        goal: Goal::AtMost(50.0),
        rounds: Rounds { full: 1, quick: 1 },
        sample: Alone(idle),
    },
    Figure {
        name: "crowd-delay",
        title: "a piece to 1,000 clients, p99",
        unit: Unit::Milliseconds,
        goal: Goal::AtMost(50.0),
        rounds: Rounds { full: 5, quick: 1 },
        sample: Alone(|program| crowd(program).map(|crowd| crowd.delay)),
    },
    Figure {
        name: "crowd-memory",
        title: "memory for 1,000 clients",
        unit: Unit::Megabytes,
        goal: Goal::AtMost(200.0),
        rounds: Rounds { full: 1, quick: 1 },
        sample: Alone(|program| crowd(program).map(|crowd| crowd.memory)),
    },
];

/// How many conversations a busy folder has.
const IDLE: usize = 10_000;
/// How many of them are held at the same time.
const AT_ONCE: usize = 200;

fn page(program: &Program) -> Result<f64, Fault> {
    let served = Served::start(program.server("http://127.0.0.1:9/v1"))?;
    let first = |_| served.get("/").map(|(first, _)| milliseconds(first));
    let times: Vec<f64> = (0..20).map(first).collect::<Result<_, _>>().map_err(failed)?;
    middle(&times)
}

/// A call is five records: asked, replied, judged, started, ran.
fn open(program: &Program) -> Result<f64, Fault> {
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

/// What a server has at most that held so many conversations and then lists them all. There is no key, so that each of
/// them ends at once and costs no model.
fn idle(program: &Program) -> Result<f64, Fault> {
    let mut command = program.server("");
    command.env_remove("OPENAI_API_KEY").env_remove("OPENAI_BASE_URL");
    let served = Served::start(command)?;
    let mut person = served.follow().map_err(failed)?;
    for first in (0..IDLE).step_by(AT_ONCE) {
        if Instant::now() >= program.end() {
            return Err(Fault::NoTime);
        }
        for number in first..first + AT_ONCE {
            let prompt = format!(r#"["0190c0de-0000-4000-8000-{number:012}","say something"]"#);
            person.begin("SubmitPrompt", &prompt).map_err(failed)?;
        }
        let mut open = AT_ONCE;
        while open > 0 {
            let heard = person.hear_json().map_err(failed)?;
            open = open.saturating_sub(heard.iter().filter(|message| message["type"] == 3).count());
        }
    }
    served.get("/api/conversations").map_err(failed)?;
    Ok(served.memory() as f64 / 1e6)
}

fn failed(error: std::io::Error) -> Fault {
    Fault::NotStarted(error.to_string())
}
