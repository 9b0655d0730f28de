//! What `cinque exec` does when all goes well.

use super::*;
use kit::{Call, Message, Signal};

#[test]
fn stdout_is_the_answer_alone() {
    let (work, server) =
        (Scratch::new(), Server::play([shell("echo from the tool"), Reply::text("All *done*.")]));
    let outcome = cinque(&work, &server).command(["exec", "--approve", "auto", "go"]).run();
    outcome.assert_code(0);
    assert_eq!(outcome.stdout, "All *done*.\n");
    assert!(!outcome.stderr.contains("thinking"), "nobody watches: {}", outcome.stderr);
    assert!(
        outcome.stderr.contains("$ echo from the tool") && outcome.stderr.contains("tokens:"),
        "{outcome:?}"
    );
    server.assert_played();
    server.assert_prefix_growth();
}

#[test]
fn json_is_one_object_a_line_with_dense_records() {
    let (work, server) = (Scratch::new(), Server::play([shell("true"), Reply::text("hello")]));
    let outcome = cinque(&work, &server).command(["exec", "--json", "--approve", "auto", "go"]).run();
    let lines = outcome.assert_code(0).json_lines();
    let seqs: Vec<u64> = lines.iter().filter_map(|line| line["seq"].as_u64()).collect();
    assert!(seqs.windows(2).all(|pair| pair[1] == pair[0] + 1), "{seqs:?}");
    assert_eq!(
        kinds(&lines),
        ["opened", "said", "asked", "replied", "judged", "started", "ran", "asked", "replied", "stopped"]
    );
    let text: String = lines.iter().filter_map(|line| line["delta"]["text"].as_str()).collect();
    assert_eq!(text, "hello");
    assert_eq!(lines.last().unwrap()["result"]["answer"], "hello");
    let exported = cinque(&work, &server).command(["log", "export", &conversation(&lines)]).run();
    let records: Vec<&str> = outcome.stdout.lines().filter(|line| line.starts_with("{\"seq\"")).collect();
    assert_eq!(exported.assert_code(0).stdout.lines().collect::<Vec<_>>(), records, "the same bytes");
}

#[test]
fn the_prompt_comes_from_the_argument_or_from_stdin() {
    let cases: [(&[&str], &str, Value); 3] = [
        (&["exec", "words"], "", json!("words")),
        (&["exec", "-"], "words from stdin", json!("words from stdin")),
        (&["exec"], "words from stdin", json!("words from stdin")),
    ];
    for (arguments, stdin, expected) in cases {
        let (work, server) = (Scratch::new(), Server::play([Reply::text("ok")]));
        cinque(&work, &server).command(arguments).stdin(stdin).run().assert_code(0);
        assert_eq!(server.last_messages()[1]["content"], expected);
    }
    let (work, server) = (Scratch::new(), Server::play([Reply::text("ok")]));
    cinque(&work, &server).command(["exec", "explain"]).stdin("piped material").run().assert_code(0);
    let content = &server.last_messages()[1]["content"];
    assert_eq!(content[0]["text"], "piped material");
    assert_eq!(content[1]["text"], "explain", "the person's words are a part of their own");
}

#[test]
fn a_resumed_conversation_goes_on_with_all_that_was_said() {
    let (work, server) =
        (Scratch::new(), Server::play([Reply::text("one"), Reply::text("two"), Reply::text("three")]));
    let cinque = cinque(&work, &server);
    let first = cinque.command(["exec", "--json", "first"]).run();
    let id = conversation(&first.assert_code(0).json_lines());
    cinque.command(["exec", "--resume", &id, "second"]).run().assert_code(0);
    cinque.command(["exec", "--continue", "third"]).run().assert_code(0);
    assert_eq!(server.last_messages().len(), 6, "system, and three prompts with two answers between them");
    server.assert_prefix_growth();
}

#[test]
fn the_first_request_is_small() {
    let (work, server) = (Scratch::new(), Server::play([Reply::text("ok")]));
    cinque(&work, &server).command(["exec", "hello"]).run().assert_code(0);
    let size = server.requests()[0].body.len();
    assert!(size <= 4096, "{size} bytes");
}

#[test]
fn every_tool_of_the_profile_works() {
    let (work, server) = (
        Scratch::new(),
        Server::play([
            Message::calls([
                Call::new("write", json!({ "path": "new/a.txt", "content": "one\ntwo\n" })),
                Call::new("list", json!({ "path": "." })),
            ])
            .reply(),
            Reply::call("replace", json!({ "path": "new/a.txt", "old": "two", "new": "2" })),
            Message::calls([
                Call::new("read", json!({ "path": "new/a.txt" })),
                Call::new("search", json!({ "pattern": "^o.e" })),
                Call::new("read", json!({ "path": "../outside" })),
                Call::new("read", json!({ "path": "missing" })),
                Call::new("read", json!({ "path": ".cinque/app.db" })),
            ])
            .reply(),
            Reply::text("done"),
        ]),
    );
    let outcome = cinque(&work, &server).command(["exec", "--approve", "auto", "go"]).run();
    outcome.assert_code(0);
    assert_eq!(work.read("new/a.txt"), "one\n2\n");
    assert!(outcome.stderr.contains("+2"), "a diff is shown: {}", outcome.stderr);
    let results: Vec<String> = server
        .last_messages()
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].as_str().unwrap_or_default().to_owned())
        .collect();
    for (result, part) in results.iter().zip([
        "Wrote new/a.txt",
        "new/",
        "Changed new/a.txt",
        "2\t2",
        "new/a.txt:1: one",
        "outside the workspace",
        "does not exist",
        "Cinque's own state",
    ]) {
        assert!(result.contains(part), "{result:?} should contain {part:?}");
    }
}

#[test]
fn an_answer_is_checked_against_a_schema_and_may_be_mended_once() {
    let schema = r#"{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}"#;
    for (replies, code) in
        [(vec!["{\"n\":1}"], 0), (vec!["no", "{\"n\":2}"], 0), (vec!["no", "{\"n\":\"x\"}"], 7)]
    {
        let (work, server) = (Scratch::new(), Server::play(replies.iter().map(|text| Reply::text(*text))));
        work.write("schema.json", schema);
        let arguments = ["exec", "--output-schema", "schema.json", "--output-last-message", "last.txt", "go"];
        let outcome = cinque(&work, &server).command(arguments).run();
        outcome.assert_code(code);
        assert_eq!(server.requests().len(), replies.len());
        if code == 0 {
            assert_eq!(work.read("last.txt"), *replies.last().unwrap());
        }
        assert_eq!(server.requests()[0].json()["response_format"]["type"], "json_schema");
    }
}

#[test]
fn an_interrupt_ends_children_and_leaves_a_log_that_goes_on() {
    for signal in [Signal::INT, Signal::TERM] {
        let (work, server) =
            (Scratch::new(), Server::play([shell("echo $$ > pid; sleep 60"), Reply::text("went on")]));
        let cinque = cinque(&work, &server);
        let running = cinque.command(["exec", "--json", "--approve", "auto", "go"]).spawn();
        running.wait_for_stdout("\"started\"");
        while !work.exists("pid") {
            std::thread::yield_now();
        }
        running.signal(signal);
        let outcome = running.wait();
        let lines = outcome.assert_code(130).json_lines();
        assert!(kinds(&lines).ends_with(&["cancelled", "ran", "stopped"]), "{:?}", kinds(&lines));
        cinque.command(["log", "verify"]).run().assert_code(0);
        let resumed = cinque.command(["exec", "--resume", &conversation(&lines), "go on"]).run();
        assert_eq!(resumed.assert_code(0).stdout, "went on\n");
    }
}

#[test]
fn two_runs_in_one_workspace_do_not_disturb_each_other() {
    let server = Server::answer(|request| {
        let messages = request.messages();
        let mark = messages[1]["content"].as_str().unwrap_or_default().to_owned();
        if messages.len() < 12 { shell(&format!("echo x >> {mark}")) } else { Reply::text(mark) }
    });
    let work = Scratch::new();
    let cinque = cinque(&work, &server);
    let runs: Vec<_> = ["a", "b", "c"]
        .map(|mark| (mark, cinque.command(["exec", "--approve", "auto", mark]).spawn()))
        .into();
    for (mark, run) in runs {
        assert_eq!(run.wait().assert_code(0).stdout, format!("{mark}\n"));
        assert_eq!(work.read(mark), "x\n".repeat(5));
    }
    assert_eq!(cinque.command(["log", "list", "--json"]).run().json_lines().len(), 3);
    cinque.command(["log", "verify"]).run().assert_code(0);
}

#[test]
fn the_demo_mends_its_project() {
    let work = Scratch::new();
    let outcome = alone(&work).command(["demo"]).run();
    outcome.assert_code(0);
    assert!(
        outcome.stderr.contains("This is a recording") && outcome.stderr.contains("FAIL 4"),
        "{}",
        outcome.stderr
    );
    assert!(outcome.stdout.contains("The test passes now"));
    let cinque = alone(&work);
    let kept = cinque.command(["demo", "--keep"]).run();
    let folder = kept.assert_code(0).stderr.split("-C ").nth(1).and_then(|rest| rest.split(' ').next());
    let undone = cinque.command(["-C", folder.unwrap(), "undo"]).run();
    assert!(undone.assert_code(0).stdout.contains("roman.sh"), "{}", undone.stderr);
}

#[test]
fn a_conversation_that_grows_too_long_is_summed_up_and_goes_on() {
    let work = Scratch::new();
    let server = Server::answer(|request| {
        let last = request.messages().last().unwrap()["content"].to_string();
        if last.contains("Sum up our conversation") {
            Reply::text("in short: we talked")
        } else {
            Reply::text("words ".repeat(900))
        }
    });
    let cinque = cinque(&work, &server).env("CINQUE_CONTEXT", "10000");
    cinque.command(["exec", "first"]).run().assert_code(0);
    cinque.command(["exec", "--continue", "second"]).run().assert_code(0);
    let third = cinque.command(["exec", "--json", "--continue", "the third task"]).run();
    let lines = third.assert_code(0).json_lines();
    assert!(kinds(&lines).contains(&"compacted"), "{:?}", kinds(&lines));
    let sent = server.last_messages();
    let all = kit::serde_json::to_string(&sent).unwrap();
    assert!(all.contains("in short: we talked") && all.contains("the third task"), "{all}");
    assert!(all.len() < 14_000 && !all.contains("first"), "{}", all.len());
    cinque.command(["log", "verify"]).run().assert_code(0);
}
