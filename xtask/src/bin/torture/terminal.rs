//! T1: terminals that go away, shrink to nothing or cannot do much. Start from [`lost`].
//!
//! The terminal is that of `script`; killing it is what closing a window or losing a connection is.

use std::fs::{self, File};
use std::os::fd::AsRawFd as _;
use std::time::{Duration, Instant};

use kit::serde_json::json;
use kit::{Cinque, Reply, Running, Scratch, Server, Signal};

use crate::fault::Seen;
use crate::trial::{Trial, has_ended, results, wait_until};

/// What happens before the terminal is gone.
#[derive(Debug, Clone, Copy)]
enum Before {
    Nothing,
    CommandRuns,
    ReplyComes,
    OneByOne,
    Dumb,
}

const BEFORE: [Before; 5] =
    [Before::Nothing, Before::CommandRuns, Before::ReplyComes, Before::OneByOne, Before::Dumb];

/// The terminal goes away at different moments; gives how long the program lives on.
pub fn lost(trial: &Trial) -> Seen {
    if !fs::exists("/usr/bin/script").unwrap_or(false) {
        return Seen::Skipped("no `script`: apt-get install bsdutils".to_owned());
    }
    if trial.seed.is_multiple_of(6) {
        closed_pipe(trial);
        return Seen::Held;
    }
    let before = BEFORE[trial.seed as usize % BEFORE.len()];
    let mark = format!("{}.{}", 9000 + trial.seed % 1000, std::process::id());
    let command = format!("echo > begun; sleep {mark}");
    let server = Server::answer(move |request| match (before, results(request)) {
        (Before::CommandRuns, 0) => Reply::call("shell", json!({ "commands": [command] })),
        (Before::ReplyComes, _) => {
            Reply::text("word ".repeat(2000)).every_byte().slow(Duration::from_millis(1))
        }
        _ => Reply::text("The answer."),
    });
    let work = Scratch::new();
    let (mut running, program, _home) = open(trial, &work, &server, before);
    prepare(trial, &mut running, program, &server, &work, before);
    let gone = Instant::now();
    running.signal(Signal::KILL);
    let ended = wait_until(Duration::from_secs(10), || has_ended(program));
    assert!(ended, "{before:?}: the program lives on without its terminal");
    let took = gone.elapsed();
    assert!(wait_until(Duration::from_secs(1), || !is_alive(&mark)), "{before:?}: its command lives on");
    let cinque = Cinque::new(trial.program, &work);
    cinque.command(["log", "verify"]).run().assert_code(0);
    if !matches!(before, Before::Nothing) {
        assert!(!cinque.command(["log", "list"]).run().stdout.is_empty(), "what was said is kept");
    }
    Seen::Value(took.as_secs_f64() * 1e3)
}

/// The program in a terminal, with its process id and its home.
fn open(trial: &Trial, work: &Scratch, server: &Server, before: Before) -> (Running, u32, Cinque) {
    let line = format!("exec '{}' -m openai/scripted", trial.program.display());
    let script = Cinque::new("script", work).against(server).first_arguments::<&str>([]);
    let term = if matches!(before, Before::Dumb) { "dumb" } else { "xterm-256color" };
    let command = script.command(["-q", "-f", "-e", "-c", &line, "/dev/null"]).stdin_open();
    let running = command.env("TERM", term).env("CINQUE_APPROVE", "auto").spawn();
    let children = format!("/proc/{0}/task/{0}/children", running.id());
    let child = || fs::read_to_string(&children).unwrap_or_default().trim().parse::<u32>().ok();
    let is_program = |id: u32| {
        let found = fs::read_link(format!("/proc/{id}/exe"));
        found.is_ok_and(|found| found == trial.program)
    };
    let begun = wait_until(Duration::from_secs(10), || child().is_some_and(is_program));
    assert!(begun, "the program does not begin: {}", running.stdout());
    (running, child().expect("it has begun"), script)
}

fn prepare(
    trial: &Trial,
    running: &mut Running,
    program: u32,
    server: &Server,
    work: &Scratch,
    before: Before,
) {
    match before {
        Before::Nothing => return,
        Before::OneByOne => {
            for (columns, rows) in [(1, 1), (2, 1), (1, 2), (80, 24), (1, 1)] {
                resize(program, columns, rows);
            }
        }
        Before::CommandRuns | Before::ReplyComes | Before::Dumb => {}
    }
    if !matches!(before, Before::Dumb) {
        // Enter is another key until the program has taken the terminal.
        running.wait_for_stdout("\x1b[?2004h");
    }
    running.say("go\r");
    server.wait_for(1);
    match before {
        Before::CommandRuns => {
            assert!(wait_until(Duration::from_secs(20), || work.exists("begun")), "{}", running.stdout());
        }
        // Words are hard to find on a terminal of one column; the log has them.
        Before::OneByOne | Before::Dumb => {
            let log = Cinque::new(trial.program, work);
            let done = || log.command(["log", "list"]).run().stdout.contains(" done ");
            assert!(wait_until(Duration::from_secs(20), done), "no answer: {}", running.stdout());
            resize(program, 80, 24);
        }
        Before::Nothing | Before::ReplyComes => {}
    }
}

/// Gives the terminal of a process another size, as a window does.
fn resize(process: u32, columns: u16, rows: u16) {
    let terminal = File::open(format!("/proc/{process}/fd/0")).expect("it has a terminal");
    let size = libc::winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: the descriptor is open and the size lives through the call.
    unsafe { libc::ioctl(terminal.as_raw_fd(), libc::TIOCSWINSZ, &raw const size) };
}

/// Nobody reads what the program prints; it ends without a panic.
fn closed_pipe(trial: &Trial) {
    let server = Server::answer(|_| Reply::text("word ".repeat(100_000)));
    let work = Scratch::new();
    let line = format!(
        "'{}' -m openai/scripted exec go | true; '{0}' -m openai/scripted exec --json go | head -c 10",
        trial.program.display()
    );
    let shell = Cinque::new("sh", &work).against(&server).first_arguments(["-c"]);
    let outcome = shell.command([line]).run();
    assert!(!outcome.stderr.contains("panicked"), "{outcome:?}");
}

fn is_alive(mark: &str) -> bool {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).contains(mark))
}
