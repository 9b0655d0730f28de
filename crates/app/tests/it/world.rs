//! The small doors to the world: apply, undo, policy, sandbox.

use super::*;
use kit::{Call, Message};

fn add(path: &str, text: &str) -> String {
    format!("*** Begin Patch\n*** Add File: {path}\n+{text}\n*** End Patch\n")
}

#[test]
fn apply_says_by_its_exit_code_what_became_of_a_patch() {
    let update = |path: &str, old: &str| format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{old}\n+new\n");
    let two =
        "*** Begin Patch\n*** Add File: made\n+x\n*** Update File: file\n@@\n-absent\n+y\n*** End Patch\n";
    let cases = [
        (add("made", "hello"), 0, "file=old made=hello"),
        (update("file", "old"), 0, "file=new"),
        (update("file", "other"), 7, "file=old"),
        (two.to_owned(), 7, "file=old"),
        (add("../out", "x"), 6, "file=old"),
        (add("/tmp/cinque-out", "x"), 6, "file=old"),
        (add(".git/hooks/pre-commit", "x"), 6, "file=old"),
        (add(".cinque/config.toml", "x"), 6, "file=old"),
        (add(".vscode/settings.json", "x"), 6, "file=old"),
        ("no patch at all".to_owned(), 7, "file=old"),
    ];
    for (patch, code, expected) in cases {
        for check in [true, false] {
            let work = Scratch::new();
            work.write("file", "old\n");
            let arguments = if check { vec!["apply", "--check", "-"] } else { vec!["apply"] };
            let outcome = alone(&work).command(arguments).stdin(patch.as_str()).run();
            outcome.assert_code(code);
            let mut found = vec![format!("file={}", work.read("file").trim())];
            if work.exists("made") {
                found.push(format!("made={}", work.read("made").trim()));
            }
            let expected = if check { "file=old" } else { expected };
            assert_eq!(found.join(" "), expected, "{patch}");
        }
    }
}

#[test]
fn undo_puts_files_back_and_undo_of_undo_brings_the_changes_again() {
    let work = Scratch::new();
    let server = Server::play([
        Message::calls([
            Call::new("write", json!({ "path": "new/made.txt", "content": "made\n" })),
            Call::new("replace", json!({ "path": "file", "old": "old", "new": "changed" })),
        ])
        .reply(),
        Reply::text("done"),
        Reply::text("I see"),
    ]);
    work.write("file", "old\r\n");
    let cinque = cinque(&work, &server);
    cinque.command(["exec", "--approve", "auto", "go"]).run().assert_code(0);
    let state = || (work.read("file"), work.exists("new"));
    let (before, after) = (("old\r\n".to_owned(), false), ("changed\r\n".to_owned(), true));
    assert_eq!(state(), after);
    let dry = cinque.command(["undo", "--dry-run"]).run();
    assert!(dry.assert_code(0).stdout.contains("-changed"), "{}", dry.stdout);
    assert_eq!(state(), after);
    for expected in [&before, &after, &before] {
        cinque.command(["undo"]).run().assert_code(0);
        assert_eq!(&state(), expected);
    }
    cinque.command(["exec", "--continue", "what now?"]).run().assert_code(0);
    let told = server
        .last_messages()
        .iter()
        .any(|message| message["content"].to_string().contains("put these files back"));
    assert!(told, "the model learns of it");
    cinque.command(["log", "verify"]).run().assert_code(0);
}

#[test]
fn undo_names_the_commands_that_it_does_not_cover() {
    let (work, server) = (
        Scratch::new(),
        Server::play([
            Reply::call("write", json!({ "path": "file", "content": "new\n" })),
            Message::calls([
                Call::new("shell", json!({ "command": "touch made\ntouch too" })),
                Call::new("shell", json!({ "command": "cat file" })),
            ])
            .reply(),
            Reply::text("done"),
            shell("touch other"),
            Reply::text("done"),
            Reply::text("I see"),
        ]),
    );
    let cinque = cinque(&work, &server);
    let run = || cinque.command(["exec", "--approve", "auto", "go"]).run().assert_code(0).stdout.clone();
    run();
    let seen = cinque.command(["undo", "--dry-run"]).run();
    assert!(seen.assert_code(0).stderr.contains("\n  $ touch made\n    touch too\n"), "{}", seen.stderr);
    assert!(!seen.stderr.contains("cat file"), "what only reads leaves nothing to undo: {}", seen.stderr);
    run();
    assert_eq!(run(), "I see\n", "what did nothing is not what is meant");
    let none = cinque.command(["undo"]).run();
    assert!(none.assert_code(0).stderr.contains("nothing can be put back"), "{}", none.stderr);
    assert!(none.stderr.contains("\n  $ touch other\n"), "{}", none.stderr);
    assert_eq!(work.read("file"), "new\n", "an older conversation is left alone unless named");
}

#[test]
fn undo_does_not_overwrite_what_others_did_unless_told() {
    let work = Scratch::new();
    let server = Server::play([
        Reply::call("write", json!({ "path": "file", "content": "agent\n" })),
        Reply::text("ok"),
    ]);
    work.write("file", "old\n");
    let cinque = cinque(&work, &server);
    cinque.command(["exec", "--approve", "auto", "go"]).run().assert_code(0);
    work.write("file", "somebody else\n");
    let refused = cinque.command(["undo"]).run();
    assert!(refused.assert_code(7).stderr.contains("--force"), "{}", refused.stderr);
    assert_eq!(work.read("file"), "somebody else\n");
    cinque.command(["undo", "--force"]).run().assert_code(0);
    assert_eq!(work.read("file"), "old\n");
}

#[test]
fn policy_check_judges_one_or_many() {
    let work = Scratch::new();
    let cinque = alone(&work);
    for (source, verdict) in
        [("ls -la | wc -l", "allow"), ("touch x", "ask"), ("rm -rf /", "forbid"), ("'unclosed", "ask")]
    {
        let outcome = cinque.command(["policy", "check", "--json", "--", source]).run();
        assert_eq!(outcome.assert_code(0).json_lines()[0]["verdict"], verdict, "{source}");
    }
    let many =
        cinque.command(["policy", "check", "--stdin"]).stdin("\"ls\"\n\"rm -rf ~\"\n\"echo a\\nls\"\n").run();
    let verdicts: Vec<Value> =
        many.assert_code(0).json_lines().iter().map(|line| line["verdict"].clone()).collect();
    assert_eq!(verdicts, ["allow", "forbid", "allow"]);
    cinque.command(["policy", "check", "--", "two", "arguments"]).run().assert_code(2);
}

#[test]
fn the_sandbox_passes_output_and_exit_code_through_and_nothing_else() {
    let work = Scratch::new();
    let outside = Scratch::new();
    let script = format!(
        "echo out; echo err >&2; echo in > inside; echo x > {}/leak; exit 5",
        outside.path().display()
    );
    let outcome = alone(&work).command(["sandbox", "--", "bash", "-c", &script]).run();
    outcome.assert_code(5);
    assert_eq!(outcome.stdout, "out\n");
    assert!(outcome.stderr.starts_with("err\n"), "{}", outcome.stderr);
    assert!(work.exists("inside") && !outside.exists("leak"));
    for (command, code) in [(vec!["no-such-program"], 127), (vec!["bash", "-c", "kill -9 $$"], 137)] {
        let arguments = ["sandbox", "--"].into_iter().chain(command);
        alone(&work).command(arguments).run().assert_code(code);
    }
    let line = alone(&work).command(["sandbox", "--", "ls | head -3"]).run();
    assert!(line.assert_code(127).stderr.contains("cinque sandbox -- bash -c"), "{}", line.stderr);
}

#[test]
fn doctor_says_what_is_missing() {
    let work = Scratch::new();
    let outcome = alone(&work).command(["doctor"]).run();
    let report = &outcome.assert_code(0).stdout;
    for word in ["OPENAI_API_KEY", "cinque demo", "sandbox", "terminal", "locale", "colours"] {
        assert!(report.contains(word), "{word}: {report}");
    }
    // The scripted server has no list of models, as many have none.
    let server = Server::answer(|_| Reply::text("ok"));
    let unlisted = cinque(&work, &server).command(["doctor"]).run();
    let words = "openai/scripted: the server answers, but lists no models";
    assert!(unlisted.assert_code(0).stdout.contains(words), "{}", unlisted.stdout);
    let models = cinque(&work, &server).command(["models"]).run();
    assert!(models.assert_code(3).stderr.contains("lists no models"), "{}", models.stderr);
    let gone = alone(&work).env("OPENAI_BASE_URL", kit::refused_url()).env("OPENAI_API_KEY", "k");
    assert!(gone.command(["doctor"]).run().assert_code(0).stdout.contains("miss model"));
}

#[test]
fn a_repository_names_no_programs_that_reading_git_runs() {
    let work = Scratch::new();
    let git = |arguments: &[&str]| {
        let ran =
            std::process::Command::new("git").args(arguments).current_dir(work.path()).output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
    };
    git(&["init", "-q"]);
    work.write("file.txt", "one\n");
    work.write(".gitattributes", "*.txt filter=evil diff=evil\n");
    git(&["add", "."]);
    git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"]);
    work.write("file.txt", "two\n");
    for (name, value) in [
        ("filter.evil.clean", "touch CLEANED; cat"),
        ("diff.evil.textconv", "touch CONVERTED; cat"),
        ("diff.external", "touch EXTERNAL"),
        ("core.fsmonitor", "touch MONITORED; false"),
    ] {
        git(&["config", name, value]);
    }
    let server = Server::play([
        shell("git diff"),
        shell("git log -p"),
        shell("git status --short"),
        Reply::text("ok"),
    ]);
    cinque(&work, &server).command(["exec", "go"]).run().assert_code(0);
    for name in ["CLEANED", "CONVERTED", "EXTERNAL", "MONITORED"] {
        assert!(!work.exists(name), "{name}");
    }
    let told = server.last_messages()[3]["content"].to_string();
    assert!(told.contains("+two"), "{told}");
}

/// A repository whose settings name programs that drop a canary, with a change to look at.
fn evil_repository(folder: &std::path::Path, canary: &std::path::Path) {
    let git = |arguments: &[&str]| {
        let ran = std::process::Command::new("git").args(arguments).current_dir(folder).output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
    };
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    git(&["init", "-q"]);
    write("file.txt", "one\n");
    write(".gitattributes", "*.txt filter=evil diff=evil\n");
    git(&["add", "."]);
    git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"]);
    write("file.txt", "two\n");
    let drop = format!("touch {}", canary.display());
    for (name, program) in [
        ("filter.evil.clean", format!("{drop}; cat")),
        ("filter.evil.smudge", format!("{drop}; cat")),
        ("diff.evil.textconv", format!("{drop}; cat")),
        ("diff.external", drop.clone()),
        ("core.fsmonitor", format!("{drop}; false")),
        ("core.pager", format!("{drop}; cat")),
    ] {
        git(&["config", name, &program]);
    }
}

#[test]
fn repositories_elsewhere_name_no_programs_either() {
    let work = Scratch::new();
    let canary = work.join("CANARY");
    // Not below the temporary folder: commands have one of their own.
    let other =
        std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("elsewhere-{}", std::process::id()));
    std::fs::create_dir_all(&other).unwrap();
    evil_repository(&other, &canary);
    let place = other.display();
    let commands = [
        format!("git -C {place} diff"),
        format!("git -C {place} status --short"),
        format!("cd {place} && git diff"),
        format!("cd {place} && git log -p"),
        format!("git --git-dir={place}/.git log -p"),
        format!("git --git-dir {place}/.git show"),
        format!("bash -c 'cd {place}; git diff'"),
    ];
    let told = git_runs(&work, &commands);
    std::fs::remove_dir_all(&other).unwrap();
    assert!(!canary.exists(), "{told:?}");
    assert!(told.iter().all(|told| told.contains("exit code 0")), "{told:?}");
    assert!(told[0].contains("+two") && told[2].contains("+two"), "{told:?}");
}

#[test]
fn repositories_registered_in_others_name_no_programs() {
    let work = Scratch::new();
    let canary = work.join("CANARY");
    let git = |arguments: &[&str]| {
        let ran =
            std::process::Command::new("git").args(arguments).current_dir(work.path()).output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
    };
    git(&["init", "-q"]);
    for (name, listed) in [("listed", true), ("plain one", false)] {
        work.directory(name);
        evil_repository(&work.join(name), &canary);
        std::fs::write(work.join(name).join("file.txt"), "one\n").unwrap();
        git(&["-c", "core.fsmonitor=false", "add", name]);
        if listed {
            work.write(
                ".gitmodules",
                format!("[submodule \"x\"]\npath = {name}\nurl = ./x\nignore = none\n"),
            );
        }
        // Adding looks inside, and so does making it look changed.
        std::fs::write(work.join(name).join("file.txt"), "two!\n").unwrap();
    }
    git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"]);
    let _ = std::fs::remove_file(&canary);
    let commands = [
        "git status",
        "git diff",
        "git diff --submodule=diff",
        "git diff --ignore-submodules=none",
        "git diff-files",
        "git diff-index HEAD",
        "git describe --always --dirty",
    ];
    let told = git_runs(&work, &commands.map(String::from));
    assert!(!canary.exists(), "{told:?}");
    assert!(told.iter().all(|told| told.contains("exit code 0")), "{told:?}");
    git(&["diff-files"]);
    assert!(canary.exists(), "the settings would have run a program");
}

/// Runs commands unasked and gives what the model was told of each.
fn git_runs(work: &Scratch, commands: &[String]) -> Vec<String> {
    let replies = commands.iter().map(|command| shell(command)).chain([Reply::text("ok")]);
    let server = Server::play(replies.collect::<Vec<_>>());
    cinque(work, &server).command(["exec", "--max-turns", "50", "go"]).run().assert_code(0);
    let messages = server.last_messages();
    let results = messages.iter().filter(|message| message["role"] == "tool");
    results.map(|message| message["content"].to_string()).collect()
}
