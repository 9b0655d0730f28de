//! Where letters lie and how they travel: folders, several sessions, the clipboard.

use super::*;

#[test]
fn two_sessions_share_an_inbox() {
    let work = Scratch::new();
    let cinque = alone(&work);
    let first = Chat::begin(&work, &cinque);
    first.running.wait_for_stdout("Waiting for inbox");
    let second = Chat::begin(&work, &cinque);
    second.running.wait_for_stdout(&format!("Session {} waits at the same inbox", first.id));
    second.running.wait_for_stdout("Waiting for inbox");
    work.write(format!(".cinque/mailbox/inbox/{}_seq0001.txt", second.id), "[DONE]\nsecond\n[/DONE]\n");
    assert!(second.running.wait().assert_code(0).stdout.contains("Task complete!\nsecond\n"));
    work.write(".cinque/mailbox/inbox/any.txt", "[DONE]\nfirst\n[/DONE]\n");
    assert!(first.running.wait().assert_code(0).stdout.contains("Task complete!\nfirst\n"));
}

#[test]
fn a_folder_that_cannot_be_written_is_told_and_nothing_is_lost() {
    let work = Scratch::new();
    work.write("outbox", "a file where a folder should be");
    let cinque = alone(&work).env("CINQUE_MAILBOX__OUTBOX", "outbox");
    let outcome = cinque.command(["mailbox", "new", "go"]).run();
    assert!(outcome.assert_code(1).stderr.contains("cannot write the outbox file"), "{}", outcome.stderr);
    std::fs::remove_file(work.join("outbox")).unwrap();
    let running = cinque.command(["mailbox", "resume"]).spawn();
    running.wait_for_stdout("seq0001.txt");
    assert!(work.exists("outbox"));
}

#[test]
fn folders_and_workspace_are_configured() {
    let work = Scratch::new();
    work.write("project/a.txt", "a\n");
    let cinque = alone(&work)
        .env("CINQUE_MAILBOX__WORKSPACE", "project")
        .env("CINQUE_MAILBOX__INBOX", "in")
        .env("CINQUE_MAILBOX__OUTBOX", work.join("out").as_os_str())
        .env("CINQUE_MAILBOX__SESSIONS", "state");
    let running = cinque.command(["mailbox", "new", "go", "--sessions", "elsewhere"]).spawn();
    running.wait_for_stdout("Waiting for inbox");
    let letter = std::fs::read_dir(work.join("out")).unwrap().next().unwrap().unwrap().path();
    assert!(std::fs::read_to_string(letter).unwrap().contains("## Workspace Files\n  a.txt (2 bytes)\n\n"));
    work.write("project/in/r.txt", "[DELETE_FILE path=\"a.txt\"]\n[DONE]\nok\n[/DONE]\n");
    running.wait().assert_code(0);
    assert!(
        !work.exists("project/a.txt") && work.exists("project/elsewhere") && !work.exists("project/state")
    );
}

#[test]
fn the_clipboard_carries_letters_both_ways() {
    let work = Scratch::new();
    let tools = Scratch::new();
    let clip = tools.join("clip");
    for (name, script) in [
        ("wl-copy", format!("#!/bin/sh\nexec cat > {}\n", clip.display())),
        ("wl-paste", format!("#!/bin/sh\nexec cat {}\n", clip.display())),
    ] {
        let path = tools.write(name, script);
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:{}", tools.path().display(), std::env::var("PATH").unwrap_or_default());
    let cinque = alone(&work).env("PATH", path);
    let running = cinque.command(["mailbox", "new", "go", "--copy", "--paste"]).spawn();
    running.wait_for_stdout("The outbox is on the clipboard.");
    assert!(tools.read("clip").starts_with("=== HEADER ==="));
    tools.write("next", "[DONE]\nfrom the clipboard\n[/DONE]\n");
    std::fs::rename(tools.join("next"), clip).unwrap();
    assert!(running.wait().assert_code(0).stdout.contains("Task complete!\nfrom the clipboard\n"));
}

#[test]
fn what_must_be_asked_is_asked_on_the_console_in_its_turn() {
    let work = Scratch::new();
    let terminal = Cinque::new("script", &work).env("NO_COLOR", "1").first_arguments(["-q", "-e", "-c"]);
    let line = format!("{} mailbox new go", env!("CARGO_BIN_EXE_cinque"));
    let mut running = terminal.command([line.as_str(), "/dev/null"]).stdin_open().spawn();
    running.wait_for_stdout("Waiting for inbox");
    let reply = run("touch made") + &create("after.txt", "x") + &run("touch other") + "[DONE]\nok\n[/DONE]\n";
    work.write(".cinque/mailbox/inbox/a.txt", reply);
    running.wait_for_stdout("│ command: touch made\r\nLet it run? [y/n] ");
    assert!(!work.exists("made") && !work.exists("after.txt"), "what comes after waits");
    running.say("y\n");
    running.wait_for_stdout("│ command: touch other\r\nLet it run? [y/n] ");
    assert!(work.exists("made") && work.exists("after.txt"));
    running.say("n\n");
    let printed = running.wait().stdout;
    assert!(printed.contains("  [FAIL] RUN_COMMAND: Command not approved: touch other\r\n"), "{printed}");
    assert!(printed.contains("Task complete!\r\nok\r\n") && !work.exists("other"), "{printed}");
}
