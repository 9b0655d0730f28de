//! What goes wrong at the model's side: each failure has its exit code, its words and its hint, and nothing is lost.

use super::*;
use kit::refused_url;
use std::time::Duration;

#[test]
fn odd_but_whole_streams_are_understood() {
    let text = "Grüße, 漢字 and 🙂";
    let replies: Vec<Reply> = vec![
        Reply::text(text).every_byte(),
        Reply::text(text).split_inside_characters(),
        Reply::text(text).pings().crlf(),
        Reply::text(text).bom().tight(),
        Reply::text(text).without_done(),
        Reply::text(text).slow(Duration::from_millis(5)),
    ];
    for reply in replies {
        let (work, server) = (Scratch::new(), Server::play([reply]));
        let outcome = cinque(&work, &server).command(["exec", "go"]).run();
        assert_eq!(outcome.assert_code(0).stdout, format!("{text}\n"));
    }
}

#[test]
fn passing_faults_are_tried_again_and_nothing_runs_twice() {
    let call = || shell("echo ran >> runs");
    let faults: Vec<Reply> = vec![
        Reply::status(429).retry_after(0),
        Reply::status(500),
        call().cut_before_finish(),
        call().cut_after(40),
        call().hang_up(),
    ];
    for fault in faults {
        let (work, server) = (Scratch::new(), Server::play([fault, call(), Reply::text("ok")]));
        let outcome = cinque(&work, &server).command(["exec", "--approve", "auto", "go"]).run();
        outcome.assert_code(0);
        assert_eq!(work.read("runs"), "ran\n");
        assert!(outcome.stderr.contains("trying again"), "{}", outcome.stderr);
    }
}

#[test]
fn lasting_faults_end_the_run_with_words_and_the_conversation_goes_on_later() {
    let faults: Vec<(Reply, &str)> = vec![
        (
            Reply::error(401, "invalid_request_error", "invalid_api_key", "Incorrect API key"),
            "OPENAI_API_KEY",
        ),
        (Reply::error(404, "invalid_request_error", "model_not_found", "no such model"), "model"),
        (Reply::status(429).retry_after(3600), "60 minutes"),
        (Reply::error(400, "invalid_request_error", "context_length_exceeded", "too long"), "too long"),
    ];
    for (fault, words) in faults {
        let (work, server) = (Scratch::new(), Server::play([fault, Reply::text("recovered")]));
        let cinque = cinque(&work, &server);
        let outcome = cinque.command(["exec", "--json", "go"]).run();
        let id = conversation(&outcome.assert_code(3).json_lines());
        assert!(outcome.stderr.contains(words), "{words}: {}", outcome.stderr);
        assert_eq!(server.requests().len(), 1, "{words} is not tried again");
        let resumed = cinque.command(["exec", "--resume", &id]).run();
        assert_eq!(resumed.assert_code(0).stdout, "recovered\n");
    }
}

#[test]
fn silence_is_given_up() {
    let (work, server) = (Scratch::new(), Server::answer(|_| Reply::text("never").silent()));
    let outcome = cinque(&work, &server)
        .command(["exec", "go"])
        .env("CINQUE_IDLE_TIMEOUT", "0.05")
        .deadline(Duration::from_secs(60))
        .run();
    outcome.assert_code(3);
    assert!(server.requests().len() <= 10);
}

#[test]
fn without_a_key_or_a_server_it_says_what_to_do() {
    let work = Scratch::new();
    let outcome = alone(&work).command(["exec", "-m", "openai/x", "go"]).run();
    assert!(outcome.assert_code(3).stderr.contains("OPENAI_API_KEY"), "{}", outcome.stderr);
    assert!(alone(&work).command(["log", "list"]).run().stdout.is_empty(), "and leaves no conversation");
    let refused = alone(&work)
        .command(["-m", "openai/x", "exec", "go"])
        .env("OPENAI_API_KEY", "sk-secret-key")
        .env("OPENAI_BASE_URL", refused_url())
        .run();
    assert!(refused.assert_code(3).stderr.contains("OPENAI_BASE_URL"), "{}", refused.stderr);
    assert!(!format!("{refused:?}").contains("sk-secret-key"));
    let unknown = alone(&work).command(["-m", "nobody/x", "exec", "go"]).run();
    assert!(unknown.assert_code(3).stderr.contains("PROVIDER/MODEL"));
}

#[test]
fn bad_usage_is_exit_code_2() {
    let work = Scratch::new();
    let cases: [&[&str]; 8] = [
        &["exec", "  "],
        &["exec", ""],
        &["exec", "--no-such-flag", "go"],
        &["-C", "no/such/folder", "exec", "go"],
        &["exec", "--resume", "00000000-0000-0000-0000-000000000000", "go"],
        &["exec", "--resume", "../../etc", "go"],
        &["exec", "--approve-call", "x", "go"],
        &["log", "show", "nosuch"],
    ];
    for arguments in cases {
        let outcome = alone(&work).command(arguments).env("OPENAI_API_KEY", "k").run();
        assert!(
            outcome.assert_code(2).stdout.is_empty() && !outcome.stderr.is_empty(),
            "{arguments:?}: {outcome:?}"
        );
    }
}

#[test]
fn budgets_end_a_run_that_can_be_resumed() {
    let price = ["-m", "openai/gpt-4.1"];
    let cases: [&[&str]; 3] =
        [&["--max-tokens-total", "25"], &["--max-cost", "0.00001"], &["--max-time", "0.3"]];
    for flags in cases {
        let server = Server::answer(|_| shell("sleep 0.2"));
        let work = Scratch::new();
        let arguments: Vec<&str> =
            ["exec"].iter().chain(&price).chain(flags).chain(&["go"]).copied().collect();
        let cinque = cinque(&work, &server);
        cinque.command(&arguments).run().assert_code(5);
        assert!(server.requests().len() < 10, "{flags:?}: {}", server.requests().len());
        cinque.command(["exec", "--continue", "--max-turns", "1"]).run().assert_code(5);
    }
    let work = Scratch::new();
    alone(&work).command(["exec", "--max-cost", "-1", "go"]).run().assert_code(2);
}

#[test]
fn the_bound_on_model_calls_is_exact() {
    let (work, server) = (Scratch::new(), Server::answer(|_| shell("true")));
    let outcome = cinque(&work, &server).command(["exec", "--max-turns", "3", "go"]).run();
    outcome.assert_code(5);
    assert_eq!(server.requests().len(), 3);
}
