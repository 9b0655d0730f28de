//! The stateless API under load. Start from [`Site::start`]; the figures about it are [`FIGURES`].
//!
//! What only reads a tree is compared with ripgrep, which stands in the place of the floor.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use kit::serde_json::{Value, json};
use kit::{Recording, Reply, Scratch, Script, Server};

use crate::figure::Sample::{Alone, Compared};
use crate::figure::{Figure, Goal, Rounds, Unit};
use crate::program::{Fault, Program};
use crate::samples::{median, milliseconds};
use crate::served::Served;

pub const FIGURES: &[Figure] = &[
    Figure {
        name: "api",
        title: "API p99, 200/s at 50 at once",
        unit: Unit::Milliseconds,
        goal: Goal::AtMost(50.0),
        rounds: Rounds { full: 3, quick: 1 },
        sample: Alone(latency),
    },
    Figure {
        name: "api-memory",
        title: "API memory after 10,000 requests",
        unit: Unit::Times,
        goal: Goal::AtMost(1.1),
        rounds: Rounds { full: 1, quick: 1 },
        sample: Alone(growth),
    },
    Figure {
        name: "api-search",
        title: "searchText in 100,000 files (floor: rg)",
        unit: Unit::Milliseconds,
        goal: Goal::TimesFloor(1.2),
        rounds: Rounds { full: 5, quick: 3 },
        sample: Compared(search),
    },
    Figure {
        name: "api-list",
        title: "listFiles in 100,000 files (floor: rg)",
        unit: Unit::Milliseconds,
        goal: Goal::TimesFloor(1.2),
        rounds: Rounds { full: 5, quick: 3 },
        sample: Compared(list),
    },
];

const AT_ONCE: usize = 50;
const A_SECOND: u32 = 200;
/// How long one sample of the load lasts.
const LOAD: Duration = Duration::from_secs(2);
const REQUESTS: usize = 10_000;
/// Requests after which a server has all the memory that it needs for one.
const SETTLED: usize = 1000;
const FILES: usize = 100_000;
const FILES_A_FOLDER: usize = 100;

fn latency(program: &Program) -> Result<f64, Fault> {
    let site = Site::start(program, None, Reply::text("ok"))?;
    site.ask(AT_ONCE)?;
    let pace = Duration::from_secs(1) * u32::try_from(AT_ONCE).unwrap_or(1) / A_SECOND;
    let start = Instant::now();
    let client = |number: usize| -> Result<Vec<f64>, Fault> {
        let mut line = site.line()?;
        let mut times = Vec::new();
        let mut due = start + pace / u32::try_from(AT_ONCE).unwrap_or(1) * u32::try_from(number).unwrap_or(0);
        while due < start + LOAD {
            #[expect(clippy::disallowed_methods, reason = "requests come at a pace")]
            thread::sleep(due.saturating_duration_since(Instant::now()));
            // Counted from when it was due, so that a server that holds clients up cannot hide it.
            line.ask()?;
            times.push(milliseconds(due.elapsed()));
            due += pace;
        }
        Ok(times)
    };
    let mut times = thread::scope(|scope| {
        let clients: Vec<_> = (0..AT_ONCE).map(|number| scope.spawn(move || client(number))).collect();
        clients.into_iter().map(|client| client.join().unwrap_or(Err(BROKEN))).collect::<Result<Vec<_>, _>>()
    })?
    .concat();
    times.sort_by(f64::total_cmp);
    times.get(times.len() * 99 / 100).copied().ok_or(Fault::NoTime)
}

fn growth(program: &Program) -> Result<f64, Fault> {
    let site = Site::start(program, None, Reply::text("ok"))?;
    site.ask(SETTLED)?;
    let before = site.resident()?;
    site.ask(REQUESTS)?;
    Ok(site.resident()? / before)
}

fn search(program: &Program) -> Result<f64, Fault> {
    let call = Reply::call("searchText", json!({"pattern": "no such word", "searchPath": "."}));
    over_tree(program, call, &["-i", "-F", "no such word", "."])
}

fn list(program: &Program) -> Result<f64, Fault> {
    over_tree(program, Reply::call("listFiles", json!({"path": "**/*.txt"})), &["--files", "."])
}

/// The time of one answer over a large tree; of the floor, the time of ripgrep in the same one.
fn over_tree(program: &Program, call: Reply, ripgrep: &[&str]) -> Result<f64, Fault> {
    let tree = tree();
    if program.is_floor() {
        let start = Instant::now();
        let mut command = Command::new("rg");
        command.args(ripgrep).current_dir(tree).stdin(Stdio::null()).stdout(Stdio::null());
        command.status().map_err(|error| Fault::NotStarted(format!("rg: {error}")))?;
        return Ok(milliseconds(start.elapsed()));
    }
    let site = Site::start(program, Some(tree), call)?;
    let mut line = site.line()?;
    line.ask()?;
    let times: Result<Vec<f64>, Fault> = (0..3)
        .map(|_| {
            let start = Instant::now();
            line.ask().map(|_| milliseconds(start.elapsed()))
        })
        .collect();
    median(&times?).ok_or(Fault::NoTime)
}

/// A tree of small files, made once.
fn tree() -> &'static Path {
    static TREE: OnceLock<Scratch> = OnceLock::new();
    let grow = || {
        let scratch = Scratch::new();
        for file in 0..FILES {
            scratch.write(
                format!("d{}/f{file}.txt", file / FILES_A_FOLDER),
                "some words in a small file\n".repeat(10),
            );
        }
        scratch
    };
    TREE.get_or_init(grow).path()
}

const BROKEN: Fault = Fault::Senseless("the server broke a connection off");

/// A running server in front of a model that always says the same.
struct Site {
    served: Served,
    _model: Server,
}

impl Site {
    fn start(program: &Program, directory: Option<&Path>, reply: Reply) -> Result<Site, Fault> {
        let told = |error: std::io::Error| Fault::NotStarted(error.to_string());
        let model = Server::start(Script::circle([reply]), Recording::Heads, 0).map_err(told)?;
        let mut command = program.server(&model.base_url());
        if let Some(directory) = directory {
            command.current_dir(directory);
        }
        Ok(Site { served: Served::start(command)?, _model: model })
    }

    fn line(&self) -> Result<Line, Fault> {
        let stream = self.served.connect().map_err(|_| BROKEN)?;
        let body = r#"{"prompt":"go"}"#;
        let request = format!(
            "POST /api/agent HTTP/1.1\r\n{}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.served.headers(),
            body.len()
        );
        Ok(Line { stream: BufReader::new(stream), request })
    }

    /// Asks so often, with as many clients as there may be.
    fn ask(&self, count: usize) -> Result<(), Fault> {
        let client = || -> Result<(), Fault> {
            let mut line = self.line()?;
            (0..count / AT_ONCE).try_for_each(|_| line.ask().map(drop))
        };
        thread::scope(|scope| {
            let clients: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(client)).collect();
            clients.into_iter().try_for_each(|client| client.join().unwrap_or(Err(BROKEN)))
        })
    }

    /// The memory that the server has now, in kilobytes.
    fn resident(&self) -> Result<f64, Fault> {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.served.process())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let size = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        size.ok_or(Fault::Senseless("the kernel does not tell how much memory a process has"))
    }
}

/// One connection of a client.
struct Line {
    stream: BufReader<TcpStream>,
    request: String,
}

impl Line {
    /// Sends the request again and reads the answer, which must be a success.
    fn ask(&mut self) -> Result<Value, Fault> {
        self.stream.get_mut().write_all(self.request.as_bytes()).map_err(|_| BROKEN)?;
        let mut length = 0;
        loop {
            let mut head = String::new();
            self.stream.read_line(&mut head).map_err(|_| BROKEN)?;
            if let Some(value) = head.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or_default();
            }
            match head.as_str() {
                "" => return Err(BROKEN),
                "\r\n" => break,
                _ => {}
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).map_err(|_| BROKEN)?;
        let answer: Value = kit::serde_json::from_slice(&body).unwrap_or_default();
        match answer["success"] == json!(true) {
            true => Ok(answer),
            false => Err(Fault::Senseless("the server did not succeed")),
        }
    }
}
