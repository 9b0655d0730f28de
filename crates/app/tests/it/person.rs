//! A person at a terminal: what they see while it happens, and what they may answer. The terminal is that of `script`.

use super::*;

/// Runs the binary in a terminal of its own; standard output is what the person sees.
fn at_terminal(work: &Scratch, server: &Server, line: &str) -> (Cinque, String) {
    let cinque = Cinque::new("script", work)
        .against(server)
        .env("TERM", "xterm-256color")
        .env("NO_COLOR", "1")
        .first_arguments(["-q", "-e", "-c"]);
    let line = format!("{} -m openai/scripted {line}", env!("CARGO_BIN_EXE_cinque"));
    (cinque, line)
}

#[test]
fn always_shows_the_rule_saves_it_and_holds_at_once_and_later() {
    let work = Scratch::new();
    let server = Server::play([
        shell("mkdir made"),
        shell("mkdir made"),
        shell("mkdir other"),
        Reply::text("done"),
        shell("mkdir made"),
        Reply::text("again"),
    ]);
    let (cinque, line) = at_terminal(&work, &server, "exec go");
    let mut running = cinque.command([line.as_str(), "/dev/null"]).stdin_open().spawn();
    running.wait_for_stdout("Let it run? [y/n] ");
    assert!(running.stdout().contains("a: always"), "{}", running.stdout());
    running.say("a\n");
    running.wait_for_stdout("Save this rule? [y/n] ");
    assert!(running.stdout().contains("exactly `mkdir made`"), "{}", running.stdout());
    running.say("y\n");
    // The same command runs by itself now; another one is asked about.
    running.wait_for_stdout("│ command: mkdir other");
    assert!(work.exists("made"));
    let before = running.stdout();
    let before = before.split("│ command: mkdir other").next().unwrap_or_default();
    assert_eq!(before.matches("Let it run?").count(), 1, "{before}");
    running.wait_for_stdout("mkdir other\r\n  y: this once, n: no, a: always, which shows a rule to save first\r\nLet it run? [y/n] ");
    running.say("n\n");
    let outcome = running.wait();
    assert!(!work.exists("other"), "{}", outcome.stdout);
    let (later, line) = at_terminal(&work, &server, "exec go");
    let later = later.env("XDG_CONFIG_HOME", cinque.home().join(".config"));
    let outcome = later.command([line.as_str(), "/dev/null"]).run();
    assert!(
        !outcome.stdout.contains("Let it run?") && outcome.stdout.contains("again"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn what_the_network_is_wanted_for_is_decided_each_time() {
    let work = Scratch::new();
    let call = Reply::call("shell", json!({ "command": "mkdir made", "network": true }));
    let server = Server::play([call, Reply::text("done")]);
    let (cinque, line) = at_terminal(&work, &server, "exec go");
    let mut running = cinque.command([line.as_str(), "/dev/null"]).stdin_open().spawn();
    running.wait_for_stdout("Let it run? [y/n] ");
    assert!(!running.stdout().contains("a: always"), "{}", running.stdout());
    running.say("y\n");
    running.wait_for_stdout("done");
    running.wait();
    assert!(work.exists("made"));
}

#[test]
fn a_person_sees_the_reply_and_the_output_while_they_come() {
    let work = Scratch::new();
    let gate = kit::Gate::new();
    let answer = Reply::text("The rest comes later.");
    let server = Server::play([
        shell("echo first; until [ -e go ]; do :; done; echo second"),
        answer.hold(kit::Point::Finish, &gate),
    ]);
    let (cinque, line) = at_terminal(&work, &server, "exec --approve auto go");
    let running = cinque.command([line.as_str(), "/dev/null"]).spawn();
    running.wait_for_stdout("thinking…");
    running.wait_for_stdout("  first");
    work.write("go", "");
    running.wait_for_stdout("  second");
    running.wait_for_stdout("comes later");
    assert!(!running.stdout().contains("tokens:"), "the reply is not finished yet");
    gate.open();
    let outcome = running.wait();
    assert_eq!(outcome.stdout.matches("comes later").count(), 1, "{}", outcome.stdout);
    assert_eq!(outcome.stdout.matches("  first").count(), 1, "{}", outcome.stdout);
}
