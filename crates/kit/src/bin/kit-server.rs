//! `kit-server`: plays a script file over HTTP, for tests by hand.
//!
//! Start from `main`. It prints the base URL on standard output and a line for each request on
//! standard error, and runs until it is stopped.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use kit::{Recording, Request, Script, Server};

const USAGE: &str = "\
Plays a script of model replies over HTTP, for tests by hand.

Usage: kit-server [--port PORT] SCRIPT

The base URL is printed on standard output (use it as OPENAI_BASE_URL), and a line for each
request on standard error. Without --port a free port is taken.
";

/// How long one wait for further requests lasts before the next.
const TURN: Duration = Duration::from_secs(3600);

struct Options {
    port: u16,
    script: PathBuf,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|word| word == "--help" || word == "-h") {
        println!("{USAGE}\n{}", Script::FORMAT);
        return ExitCode::SUCCESS;
    }
    let options = match options(&arguments) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("kit-server: {error}; --help shows the usage");
            return ExitCode::from(2);
        }
    };
    match Script::file(&options.script) {
        Ok(script) => serve(script, options.port),
        Err(error) => {
            eprintln!("kit-server: {error}; --help shows the format");
            ExitCode::FAILURE
        }
    }
}

fn options(arguments: &[String]) -> Result<Options, String> {
    let mut port = 0;
    let mut script = None;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if word == "--port" {
            let number = words.next().ok_or("--port needs a number")?;
            port = number.parse().map_err(|_| format!("{number} is not a port"))?;
        } else if word.starts_with("--") {
            return Err(format!("there is no option {word}"));
        } else if script.replace(PathBuf::from(word)).is_some() {
            return Err("more than one script is named".to_owned());
        }
    }
    let script = script.ok_or("no script is named")?;
    Ok(Options { port, script })
}

fn serve(script: Script, port: u16) -> ExitCode {
    let server = match Server::start(script, Recording::Full, port) {
        Ok(server) => server,
        Err(error) => {
            eprintln!("kit-server: cannot listen on port {port}: {error}");
            return ExitCode::FAILURE;
        }
    };
    println!("{}", server.base_url());
    let mut shown = 0;
    loop {
        let Ok(requests) = server.wait_for_within(shown + 1, TURN) else {
            continue;
        };
        for request in requests.iter().skip(shown) {
            eprintln!("{}", line(request));
        }
        shown = requests.len();
    }
}

fn line(request: &Request) -> String {
    let Request { number, connection, method, path, body, .. } = request;
    format!("#{number} on connection {connection}: {method} {path}, {} bytes", body.len())
}
