//! What goes out and comes in by stdout, stderr, files and pipes, and what is said where that fails.

use super::*;
use kit::Signal;

#[test]
fn what_cannot_be_written_to_stdout_is_an_error() {
    let (work, server) = (Scratch::new(), Server::answer(|_| Reply::text("the answer")));
    let cinque = cinque(&work, &server);
    let lines = cinque.command(["exec", "--json", "go"]).run().assert_code(0).json_lines();
    let id = conversation(&lines);
    let runs: [&[&str]; 12] = [
        &["exec", "go"],
        &["exec", "--json", "go"],
        &["log", "list"],
        &["log", "show", &id],
        &["log", "export", &id],
        &["log", "export", &id, "--format", "markdown"],
        &["log", "verify"],
        &["solve", "--schema"],
        &["policy", "check", "--", "ls"],
        &["config", "show"],
        &["sandbox", "--", "echo", "hi"],
        &["mailbox", "resume"],
    ];
    for arguments in runs {
        let into = |place: &str| {
            let line = format!("\"$@\" {place}");
            cinque.command(arguments).through("bash", ["-c", &line, "bash"]).run()
        };
        let full = into("> /dev/full");
        assert!(full.assert_code(1).stderr.contains("stdout cannot be written"), "{arguments:?}: {full:?}");
        let closed = into("| true; exit ${PIPESTATUS[0]}");
        assert_eq!(
            (closed.code(), closed.stderr.contains("error:")),
            (Some(0), false),
            "{arguments:?}: {closed:?}"
        );
    }
    let told = cinque.command(["exec", "go"]).through("bash", ["-c", "\"$@\" > /dev/full", "bash"]).run();
    assert!(told.stderr.contains("the answer is in the log: cinque log show"), "{}", told.stderr);
}

#[test]
fn a_stderr_that_cannot_be_written_ends_no_run() {
    let plan = r#"{"thought":"look","plan":["look"],"actions":[]}"#;
    let runs = [
        ("exec", "the answer", "the answer\n"),
        ("solve", plan, "Task completed - no further actions needed\n"),
    ];
    for (door, reply, answer) in runs {
        let (work, server) = (Scratch::new(), Server::answer(move |_| Reply::text(reply)));
        let command = cinque(&work, &server).command([door, "go"]);
        let outcome = command.through("bash", ["-c", "\"$@\" 2> /dev/full", "bash"]).run();
        assert_eq!(outcome.assert_code(0).stdout, answer, "{door}");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_told_before_the_run() {
    let (work, server) = (Scratch::new(), Server::answer(|_| Reply::text("new")));
    work.directory("folder");
    work.write("kept", "old");
    for (link, target) in [("loop", "loop"), ("astray", "none/last"), ("ahead", "made")] {
        std::os::unix::fs::symlink(target, work.join(link)).unwrap();
    }
    let long = "x".repeat(300);
    for (path, words) in [
        ("none/last", "No such file"),
        ("folder", "directory"),
        ("kept/last", "directory"),
        ("new/", "directory"),
        ("astray", "No such file"),
        ("loop", "symbolic links"),
        (&long, "too long"),
    ] {
        for arguments in [["exec", "--output-last-message", path, "go"], ["solve", "--patch", path, "go"]] {
            let outcome = cinque(&work, &server).command(arguments).run();
            let told = &outcome.assert_code(2).stderr;
            assert!(told.contains(&format!("cannot write {path}: ")) && told.contains(words), "{told}");
        }
    }
    assert!(server.requests().is_empty(), "no model was asked");
    assert_eq!(work.read("kept"), "old");
    cinque(&work, &server).command(["exec", "--output-last-message", "kept", "go"]).run().assert_code(0);
    cinque(&work, &server).command(["exec", "--output-last-message", "ahead", "go"]).run().assert_code(0);
    assert_eq!((work.read("kept"), work.read("made")), ("new".into(), "new".into()));
}

#[test]
fn a_pipe_that_nobody_reads_is_waited_for_until_an_interrupt() {
    let (work, server) = (Scratch::new(), Server::answer(|_| Reply::text("the answer")));
    let pipe = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, work.join("pipe"), pipe, 0o600.into(), 0).unwrap();
    let running = cinque(&work, &server).command(["exec", "--output-last-message", "pipe", "go"]).spawn();
    running.wait_for_stdout("the answer");
    running.signal(Signal::TERM);
    let outcome = running.wait();
    assert!(outcome.assert_code(130).stderr.contains("cannot write pipe: nobody reads it"), "{outcome:?}");
}

#[test]
fn what_is_no_text_on_stdin_is_told() {
    let cut = [vec![b'a'; 256 * 1024 - 1], "é and more".into()].concat();
    let cases: [(&[u8], i32, &str); 4] = [
        (b"PNG\0\x01", 2, "stdin is not text: it holds zero bytes"),
        (b"caf\xe9 au lait", 0, "note: stdin is not UTF-8"),
        ("café au lait".as_bytes(), 0, ""),
        (&cut, 0, "note: stdin is longer than 256 KiB"),
    ];
    for (bytes, code, words) in cases {
        for arguments in [["exec", "explain"], ["exec", "-"]] {
            let (work, server) = (Scratch::new(), Server::answer(|_| Reply::text("ok")));
            let outcome = cinque(&work, &server).command(arguments).stdin(bytes).run();
            assert!(outcome.assert_code(code).stderr.contains(words), "{words}: {}", outcome.stderr);
            assert_eq!(outcome.stderr.contains("UTF-8"), words.contains("UTF-8"), "{}", outcome.stderr);
            assert_eq!(server.requests().len(), usize::from(code == 0));
        }
    }
}

#[test]
fn usage_errors_say_what_helps_and_nothing_beside_it() {
    let (work, server) = (Scratch::new(), Server::answer(|_| Reply::text("ok")));
    let general = "hint: see --help";
    let cases: [(&[&str], &str); 5] = [
        (&["exec", " "], general),
        (&["log", "show", "ffffffff"], "hint: `cinque log list` shows"),
        (&["log", "lists"], "similar"),
        (
            &["exec", "fix", "the", "bug"],
            "tip: a prompt of several words needs quotes: cinque exec \"fix the bug\"",
        ),
        (&["fix", "the", "bug"], "tip: a prompt of several words needs quotes"),
    ];
    for (arguments, words) in cases {
        let outcome = cinque(&work, &server).command(arguments).run();
        assert!(outcome.assert_code(2).stderr.contains(words), "{arguments:?}: {}", outcome.stderr);
        assert_eq!(outcome.stderr.contains(general), words == general, "{arguments:?}: {}", outcome.stderr);
    }
    let option = cinque(&work, &server).command(["exec", "--quick", "go"]).run();
    assert!(!option.assert_code(2).stderr.contains("quotes"), "{}", option.stderr);
}

#[test]
fn without_a_key_the_ways_to_do_without_are_told() {
    let work = Scratch::new();
    let outcome = alone(&work).command(["exec", "go"]).run();
    for word in ["no key for openai", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "-m ollama/NAME", "cinque demo"]
    {
        assert!(outcome.assert_code(3).stderr.contains(word), "{word}: {}", outcome.stderr);
    }
}
