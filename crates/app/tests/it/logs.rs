//! What is kept of conversations, and that damage to it is found.

use super::*;
use kit::{Gate, Point, Signal};

fn said(work: &Scratch, server: &Server, words: &str) -> String {
    let outcome = cinque(work, server).command(["exec", "--json", words]).run();
    conversation(&outcome.assert_code(0).json_lines())
}

#[test]
fn list_show_export_and_verify() {
    let (work, server) = (Scratch::new(), Server::play([Reply::text("one"), Reply::text("two")]));
    let first = said(&work, &server, "the first question");
    let second = said(&work, &server, "the second question");
    let cinque = cinque(&work, &server);
    let listed = cinque.command(["log", "list", "--json"]).run();
    let lines = listed.assert_code(0).json_lines();
    let ids: Vec<&str> = lines.iter().filter_map(|line| line["conversation"].as_str()).collect();
    assert_eq!(ids, [second.as_str(), first.as_str()], "newest first");
    assert_eq!((&lines[0]["topic"], &lines[0]["status"]), (&json!("the second question"), &json!("done")));
    let shown = cinque.command(["log", "show", &first]).run();
    assert!(shown.assert_code(0).stdout.contains("said: the first question"), "{}", shown.stdout);
    let verified = cinque.command(["log", "verify"]).run();
    assert_eq!(verified.assert_code(0).stdout.lines().count(), 2);
    assert!(work.read(".cinque/.gitignore").contains('*'));
}

#[test]
fn the_beginning_of_an_id_is_enough() {
    let (work, server) = (Scratch::new(), Server::answer(|_| Reply::text("fine")));
    let id = said(&work, &server, "a question");
    let cinque = cinque(&work, &server);
    for (arguments, code) in [
        (vec!["log", "show", &id[..8]], 0),
        (vec!["log", "verify", &id[..4]], 0),
        (vec!["exec", "--resume", &id[..13], "more"], 0),
        (vec!["log", "show", &id[..3]], 2),
        (vec!["log", "show", "ffffffff"], 2),
    ] {
        cinque.command(&arguments).run().assert_code(code);
    }
    said(&work, &server, "another");
    let outcome = cinque.command(["log", "show", &id[..4]]).run();
    assert!(outcome.assert_code(2).stderr.contains("several conversations begin with"), "{}", outcome.stderr);
    cinque.command(["log", "show", &id]).run().assert_code(0);
}

#[test]
fn a_misspelled_command_is_no_prompt() {
    let (work, server) = (Scratch::new(), Server::answer(|_| Reply::text("fine")));
    let cinque = cinque(&work, &server);
    for (word, code) in [("doctro", 2), ("sovle", 2), ("logs", 2), ("test", 0), ("hello", 0)] {
        let outcome = cinque.command([word]).run();
        assert_eq!(outcome.assert_code(code).stderr.contains("did you mean"), code == 2, "{word}");
    }
}

#[test]
fn a_conversation_can_be_exported_for_others() {
    let (work, server) = (Scratch::new(), Server::play([shell("echo hi"), Reply::text("the answer")]));
    let id = said(&work, &server, "a question");
    let cinque = cinque(&work, &server);
    for (format, parts) in [
        ("markdown", vec!["## Person", "a question", "**shell**", "the answer"]),
        ("openai", vec!["\"role\": \"tool\"", "\"tool_calls\"", "the answer"]),
        ("atif", vec!["ATIF-v1.4", "\"source_call_id\"", "total_prompt_tokens"]),
        ("cinque", vec!["\"prev\"", "\"seq\":0"]),
    ] {
        let exported = cinque.command(["log", "export", &id, "--format", format]).run();
        exported.assert_code(0);
        assert!(parts.iter().all(|part| exported.stdout.contains(part)), "{format}: {}", exported.stdout);
    }
}

#[test]
fn an_exported_log_is_a_model() {
    let (work, server) = (Scratch::new(), Server::play([shell("echo hi"), Reply::text("recorded words")]));
    let id = said(&work, &server, "a question");
    let exported = cinque(&work, &server).command(["log", "export", &id]).run();
    work.write("log.jsonl", &exported.stdout);
    let replayed = alone(&work).command(["exec", "-m", "replay/log.jsonl", "again"]).run();
    assert_eq!(replayed.assert_code(0).stdout, "recorded words\n");
    let missing = alone(&work).command(["exec", "-m", "replay/nothing.jsonl", "again"]).run();
    assert!(missing.assert_code(3).stderr.contains("cannot be replayed"));
}

#[test]
fn a_replay_is_the_same_until_something_else_is() {
    let work = Scratch::new();
    work.write("file", "old\n");
    let server = Server::play([
        shell("cat file; pwd"),
        Reply::call("replace", json!({ "path": "file", "old": "old", "new": "new" })),
        shell("cat file"),
        Reply::text("done"),
    ]);
    let cinque = cinque(&work, &server);
    let outcome = cinque.command(["exec", "--json", "--approve", "auto", "go"]).run();
    let id = conversation(&outcome.assert_code(0).json_lines());
    cinque.command(["log", "replay", &id]).run().assert_code(4);
    let replayed = cinque.command(["log", "replay", &id, "--approve"]).run();
    assert!(replayed.assert_code(0).stdout.contains("the same"), "{replayed:?}");
    assert_eq!(work.read("file"), "new\n", "the files themselves are not touched");
    let other = Scratch::new();
    other.write("file", "something else\n");
    let elsewhere =
        cinque.command(["log", "replay", &id, "--approve", "--in", &other.path().to_string_lossy()]).run();
    assert!(elsewhere.assert_code(7).stdout.contains("differs from byte"), "{elsewhere:?}");
}

#[test]
fn a_reply_that_was_stopped_is_stopped_again() {
    let (work, gate) = (Scratch::new(), Gate::default());
    let server =
        Server::play([Reply::text("Half of it").hold(Point::Finish, &gate), Reply::text("All of it.")]);
    let cinque = cinque(&work, &server);
    let running = cinque.command(["exec", "--json", "go"]).spawn();
    running.wait_for_stdout("Half of it");
    running.signal(Signal::INT);
    let id = conversation(&running.wait().assert_code(130).json_lines());
    gate.open();
    cinque.command(["exec", "--resume", &id, "on"]).run().assert_code(0);
    let replayed = cinque.command(["log", "replay", &id]).run();
    assert!(replayed.assert_code(0).stdout.contains("the same"), "{replayed:?}");
    work.write("log.jsonl", cinque.command(["log", "export", &id]).run().assert_code(0).stdout.clone());
    let played = alone(&work).command(["exec", "-m", "replay/log.jsonl", "again"]).run();
    assert_eq!(played.assert_code(0).stdout, "All of it.\n");
}

#[test]
fn a_changed_or_removed_record_is_named() {
    for (sql, bad) in [
        ("UPDATE records SET line = replace(line, 'question', 'quest1on') WHERE seq = 1", "record 1"),
        ("UPDATE records SET line = replace(line, 'answer', 'answ3r') WHERE seq = 3", "record 3"),
        ("DELETE FROM records WHERE seq = (SELECT max(seq) FROM records)", "record 3"),
        ("DELETE FROM records WHERE seq = 1", "record 1"),
        ("UPDATE records SET line = 'no record' WHERE seq = 2", "record 2"),
    ] {
        let (work, server) = (Scratch::new(), Server::play([Reply::text("the answer")]));
        let id = said(&work, &server, "a question");
        let database = host::rusqlite::Connection::open(work.join(".cinque/app.db")).unwrap();
        assert_eq!(database.execute(sql, []).unwrap(), 1);
        drop(database);
        let verified = cinque(&work, &server).command(["log", "verify", &id]).run();
        assert!(verified.assert_code(7).stdout.contains(bad), "{sql}: {}", verified.stdout);
    }
}

#[test]
fn a_database_that_cannot_be_used_is_left_alone() {
    type Damage = fn(&Scratch);
    let damages: [(&str, Damage); 2] = [
        ("newer Cinque", |work| {
            let database = host::rusqlite::Connection::open(work.join(".cinque/app.db")).unwrap();
            database.pragma_update(None, "user_version", 999).unwrap();
        }),
        ("cannot be used", |work| {
            // What is left of a log beside it would mend the file.
            let _ = std::fs::remove_file(work.join(".cinque/app.db-wal"));
            let _ = std::fs::remove_file(work.join(".cinque/app.db-shm"));
            work.write(".cinque/app.db", "this is no database at all".repeat(100));
        }),
    ];
    for (words, damage) in damages {
        let (work, server) = (Scratch::new(), Server::play([Reply::text("one")]));
        said(&work, &server, "a question");
        damage(&work);
        let before = work.read_bytes(".cinque/app.db");
        let outcome = cinque(&work, &server).command(["exec", "again"]).run();
        assert!(outcome.assert_code(1).stderr.contains(words), "{}", outcome.stderr);
        assert!(work.read_bytes(".cinque/app.db") == before, "the file is left as it is");
    }
}
