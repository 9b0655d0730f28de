//! Runs of the shell, which stands in for the binary.

use std::time::Instant;

use rustix::process::Signal;

use super::*;
use crate::reply::Reply;

fn shell(work: &Scratch) -> Cinque {
    Cinque::new("/bin/sh", work)
}

#[test]
fn a_run_gives_code_and_output() {
    let work = Scratch::new();
    let outcome =
        shell(&work).command(["-c", "cat; echo err >&2; exit 3"]).stdin("{\"a\":1}\n{\"a\":2}\n").run();
    assert_eq!((outcome.end, outcome.code()), (End::Code(3), Some(3)));
    assert_eq!(outcome.stderr, "err\n");
    assert_eq!(outcome.json_lines()[1]["a"], 2);
    outcome.assert_code(3);
    assert!(std::panic::catch_unwind(|| outcome.assert_code(0).code()).is_err());
}

#[test]
fn a_run_through_another_program_is_the_same_run() {
    let work = Scratch::new();
    let command = shell(&work).command(["-c", "pwd; echo $EXTRA; exit 3"]).env("EXTRA", "kept");
    let outcome = command.through("env", ["-u", "HOME"]).run();
    assert_eq!((outcome.code(), outcome.stdout), (Some(3), format!("{}\nkept\n", work.path().display())));
}

#[test]
fn the_environment_is_clean() {
    let work = Scratch::new();
    let server = Server::play([Reply::text("a")]);
    let cinque = shell(&work).against(&server).first_arguments(["-c"]);
    let outcome = cinque.command(["pwd; env"]).env("EXTRA", "1").run();
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert_eq!(lines[0], work.path().to_str().unwrap());
    let mut names: Vec<&str> = lines[1..].iter().filter_map(|line| line.split('=').next()).collect();
    // The shell sets these by itself.
    names.retain(|name| !["PWD", "OLDPWD", "SHLVL", "_"].contains(name));
    names.sort_unstable();
    let expected = "EXTRA HOME LANG OPENAI_API_KEY OPENAI_BASE_URL PATH TMPDIR XDG_CACHE_HOME \
                    XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR XDG_STATE_HOME";
    assert_eq!(names.join(" "), expected);
    assert!(lines.contains(&format!("OPENAI_BASE_URL={}", server.base_url()).as_str()));
    assert!(lines.contains(&format!("HOME={}", cinque.home().path().display()).as_str()));
    let outcome = cinque.command(["env"]).env_remove("OPENAI_API_KEY").run();
    assert!(!outcome.stdout.contains("OPENAI_API_KEY"));
}

#[test]
fn the_model_comes_before_the_arguments() {
    let work = Scratch::new();
    let server = Server::play([Reply::text("a")]);
    let echo = Cinque::new("/bin/echo", &work).against(&server);
    assert_eq!(echo.command(["exec"]).run().stdout, "-m openai/scripted exec\n");
}

#[test]
fn a_deadline_ends_the_run_and_its_children() {
    let work = Scratch::new();
    let begun = Instant::now();
    let outcome = shell(&work)
        .command(["-c", "echo begun; sleep 100 & sleep 100"])
        .deadline(Duration::from_millis(200))
        .run();
    assert_eq!(outcome.end, End::Deadline);
    assert_eq!(outcome.stdout, "begun\n");
    // The pipe was held by the child; it closed because the child was killed too.
    assert!(begun.elapsed() < Duration::from_secs(2));
}

#[test]
fn signals_reach_the_program() {
    let work = Scratch::new();
    let script = "trap 'echo got; exit 7' TERM; echo ready; while :; do sleep 0.01; done";
    let running = shell(&work).command(["-c", script]).spawn();
    running.wait_for_stdout("ready\n");
    running.signal(Signal::TERM);
    assert_eq!(running.wait().assert_code(7).stdout, "ready\ngot\n");

    let running = shell(&work).command(["-c", script]).spawn();
    running.wait_for_stdout("ready\n");
    assert_eq!(running.kill().end, End::Signal(9));
}

#[test]
fn a_program_is_talked_to_while_it_runs() {
    let work = Scratch::new();
    let mut running = shell(&work)
        .command(["-c", "echo ask >&2; read answer; echo \"<$answer>\"; cat"])
        .stdin_open()
        .spawn();
    running.wait_for_stderr("ask");
    running.say("y\n");
    running.wait_for_stdout("<y>");
    running.say("rest");
    running.close_stdin();
    assert_eq!(running.wait().assert_code(0).stdout, "<y>\nrest");
}

#[test]
#[should_panic(expected = "did not print \"never\"")]
fn waiting_for_words_ends_with_the_program() {
    let work = Scratch::new();
    shell(&work).command(["-c", "echo other"]).spawn().wait_for_stdout("never");
}

#[test]
fn a_program_is_killed_after_its_requests() {
    use std::io::{Read as _, Write as _};
    let work = Scratch::new();
    let server = Server::answer(|_| Reply::text("a"));
    let running = shell(&work).command(["-c", "while :; do sleep 0.01; done"]).spawn();
    let address = server.address();
    let client = std::thread::spawn(move || {
        for _ in 0..3 {
            let mut stream = std::net::TcpStream::connect(address).unwrap();
            stream.write_all(b"GET /v1/chat/completions HTTP/1.0\r\n\r\n").unwrap();
            stream.read_to_end(&mut Vec::new()).unwrap();
        }
    });
    assert_eq!(running.kill_after(&server, 3).end, End::Signal(9));
    client.join().unwrap();
    assert_eq!(server.requests().len(), 3);

    let ended = shell(&work).command(["-c", "exit 4"]).spawn();
    assert_eq!(ended.kill_after(&server, 9).end, End::Code(4));
}

#[test]
fn a_dropped_run_is_killed() {
    let work = Scratch::new();
    let running = shell(&work).command(["-c", "echo ready; sleep 100"]).spawn();
    running.wait_for_stdout("ready");
    let id = i32::try_from(running.id()).unwrap();
    drop(running);
    let gone = rustix::process::test_kill_process(rustix::process::Pid::from_raw(id).unwrap());
    assert!(gone.is_err());
}
