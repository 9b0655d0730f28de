//! `cargo xtask schemathesis`: the server's routes against their own document. Start from [`run`].
//!
//! It is no part of `test`: it downloads a package once, and takes a minute.

use std::env;
use std::fs;
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};

use crate::failure::Failure;
use crate::python::{Package, environment};
use crate::workspace::Workspace;

pub const HELP: &str = "\
Try the server's routes with what /openapi.json allows, and with what it does not.

Usage: cargo xtask schemathesis [OPTIONS]

Makes a Python environment in the target directory (once, about 60 MB from PyPI), starts the server in a
folder of its own in front of a scripted model, and lets schemathesis ask. It complains about answers that
the document does not describe, about 5xx, and about requests that are taken or refused against it.

  OPTIONS   are handed to `schemathesis run`, for example `--max-examples 500` or `--seed 1`.

The exit code is 1 when something was found.
";

const PACKAGES: &[Package] = &[Package { module: "schemathesis", install: &["schemathesis>=4,<5"] }];
const CHECKS: &str = include_str!("schemathesis/checks.toml");
/// What the model says, again and again: words, and a call.
const SCRIPT: &str = r#"{"repeat": true, "replies": [
    {"text": "ok"},
    {"calls": [{"name": "listFiles", "arguments": {"path": "."}}]}
]}"#;

pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode, Failure> {
    workspace.build("build -p app -p kit")?;
    let place = workspace.products().join("schemathesis");
    let python = environment(&place, PACKAGES)?;
    let work = place.join("work");
    lay_out(&place, &work)
        .map_err(|error| Failure::new(format!("{} cannot be written: {error}", place.display())))?;
    let model = Running::start(Command::new(workspace.debug("kit-server")).arg(place.join("script.json")))?;
    let server = Running::start(
        Command::new(workspace.debug("cinque"))
            .args(["serve", "--port", "0", "-m", "openai/test"])
            .current_dir(&work)
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap_or_default())
            .env("HOME", &work)
            .env("TMPDIR", place.join("temporary"))
            .env("OPENAI_API_KEY", "none")
            .env("OPENAI_BASE_URL", &model.line),
    )?;
    let (address, token) = server
        .line
        .split_once("/?token=")
        .ok_or_else(|| Failure::new(format!("the server said {:?} and not where it listens", server.line)))?;
    let status = Command::new(python)
        .args(["-m", "schemathesis.cli", "--config-file"])
        .arg(place.join("checks.toml"))
        .arg("run")
        .arg(format!("{address}/openapi.json"))
        .args(["--header", &format!("Authorization: Bearer {token}")])
        .args(arguments)
        .current_dir(&place)
        .status();
    match status {
        Ok(status) if status.success() => Ok(ExitCode::SUCCESS),
        Ok(_) => Ok(ExitCode::FAILURE),
        Err(error) => Err(Failure::new(format!("schemathesis could not be started: {error}"))),
    }
}

/// Folders for the server, empty but for a file, and what the model and the checks go by.
fn lay_out(place: &Path, work: &Path) -> io::Result<()> {
    for folder in [work, &place.join("temporary")] {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => fs::create_dir_all(folder)?,
        }
    }
    fs::write(work.join("notes.txt"), "buy milk\n")?;
    fs::write(place.join("script.json"), SCRIPT)?;
    fs::write(place.join("checks.toml"), CHECKS)
}

/// A program that has said where it listens. It ends with this value.
struct Running {
    child: Child,
    line: String,
}

impl Running {
    fn start(command: &mut Command) -> Result<Self, Failure> {
        let failed = |error: io::Error| Failure::new(format!("a server could not be started: {error}"));
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let mut running = Self { line: String::new(), child };
        if let Some(output) = running.child.stdout.take() {
            BufReader::new(output).read_line(&mut running.line).map_err(failed)?;
        }
        running.line.truncate(running.line.trim_end().len());
        Ok(running)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
