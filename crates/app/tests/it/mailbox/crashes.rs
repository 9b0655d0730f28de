//! kill -9 at each step of a mailbox session.

#![expect(clippy::disallowed_methods, reason = "a kill at a moment needs a moment to pass")]

use super::*;
use std::time::Duration;

#[test]
fn killed_while_it_waits_it_goes_on_with_the_same_letter() {
    let work = Scratch::new();
    let cinque = alone(&work);
    let mut chat = Chat::begin(&work, &cinque);
    chat.answer(1, &read("a.txt"));
    chat.running.wait_for_stdout("seq0002.txt");
    let (id, before) = (chat.id.clone(), chat.outbox(2));
    chat.running.kill();
    work.write("new.txt", "changes the list of files");
    let chat = Chat::resume(&work, &cinque);
    assert!(
        chat.running.stdout().starts_with(&format!("Resumed session: {id} (seq 2)\nTask: mend the thing\n"))
    );
    chat.running.wait_for_stdout("Waiting for inbox");
    assert_eq!(chat.outbox(2), before);
    chat.running.kill();
    let chat = Chat::resume(&work, &cinque);
    assert!(chat.done(2).stdout.contains("Task complete!"));
    assert_eq!(std::fs::read_dir(work.join(".cinque/mailbox/outbox")).unwrap().count(), 2);
}

#[test]
fn killed_in_a_command_it_is_told_as_interrupted_and_the_rest_runs() {
    let work = Scratch::new();
    let cinque = alone(&work).env("CINQUE_APPROVE", "auto");
    let mut chat = Chat::begin(&work, &cinque);
    let slow = "echo x >> begun; sleep 1; echo x > survived";
    chat.answer(
        1,
        &(run("echo 1 >> marks") + &run(slow) + &create("after.txt", "x") + &run("echo 2 >> marks")),
    );
    while !work.exists("begun") || work.read("begun").is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
    chat.running.kill();
    assert!(!work.exists("after.txt"));
    let chat = Chat::resume(&work, &cinque);
    chat.running.wait_for_stdout("seq0002.txt");
    let told = chat.outbox(2);
    for part in [
        "[OK] RUN_COMMAND: Ran 'echo 1 >> marks' (exit code 0)",
        "[FAILED] RUN_COMMAND: interrupted, outcome unknown",
        "[OK] CREATE_FILE: Created 'after.txt'",
        "[OK] RUN_COMMAND: Ran 'echo 2 >> marks' (exit code 0)",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }
    let printed = chat.done(2).stdout;
    assert!(printed.contains("  [FAIL] RUN_COMMAND: interrupted, outcome unknown"), "{printed}");
    std::thread::sleep(Duration::from_millis(1000));
    assert_eq!((work.read("marks").as_str(), work.read("begun").as_str()), ("1\n2\n", "x\n"));
    assert!(!work.exists("survived"));
}

#[test]
fn killed_at_any_moment_no_command_is_repeated_or_lost() {
    let work = Scratch::new();
    let cinque = alone(&work).env("CINQUE_APPROVE", "auto");
    let reply: String = (0..12).map(|number| run(&format!("echo {number} >> marks"))).collect();
    let mut chat = Chat::begin(&work, &cinque);
    chat.answer(1, &reply);
    // Moments around the taking of the reply and in the middle of its commands, so that a failure can be repeated.
    let mut interrupted = 0;
    for pause in [140, 152, 158, 165, 20, 35, 50, 65] {
        std::thread::sleep(Duration::from_millis(pause));
        chat.running.kill();
        cinque.command(["log", "verify"]).run().assert_code(0);
        chat = Chat::resume(&work, &cinque);
    }
    chat.running.wait_for_stdout("seq0002.txt");
    let told = chat.outbox(2);
    let marks: Vec<String> = work.read("marks").lines().map(str::to_owned).collect();
    for number in 0..12 {
        let times = marks.iter().filter(|mark| **mark == number.to_string()).count();
        let ran = told.contains(&format!("Ran 'echo {number} >> marks' (exit code 0)"));
        assert!(times <= 1 && (times == 1) >= ran, "{number}: {times} times\n{told}");
        interrupted += usize::from(!ran);
    }
    assert_eq!(told.matches("interrupted, outcome unknown").count(), interrupted, "{told}");
    chat.done(2);
}

#[test]
fn killed_in_a_command_before_done_it_is_complete_after_all() {
    let work = Scratch::new();
    let cinque = alone(&work).env("CINQUE_APPROVE", "auto");
    let mut chat = Chat::begin(&work, &cinque);
    chat.answer(1, &(run("echo x > begun; sleep 60") + "[DONE]\nfine\n[/DONE]\n"));
    while !work.exists("begun") || work.read("begun").is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
    chat.running.kill();
    let printed = cinque.command(["mailbox", "resume"]).run().assert_code(0).stdout.clone();
    assert!(printed.contains("[FAIL] RUN_COMMAND: interrupted, outcome unknown"), "{printed}");
    assert!(
        printed.contains("  [OK] DONE: fine\n") && printed.contains("Task complete!\nfine\n"),
        "{printed}"
    );
}

#[test]
fn killed_before_it_showed_the_end_the_view_is_put_right() {
    let work = Scratch::new();
    let cinque = alone(&work);
    let chat = Chat::begin(&work, &cinque);
    let view = format!(".cinque/mailbox/sessions/{}.json", chat.id);
    chat.done(1);
    let ended = work.read(&view);
    work.write(&view, ended.replace("\"isComplete\": true", "\"isComplete\": false"));
    assert_ne!(work.read(&view), ended);
    let outcome = cinque.command(["mailbox", "resume"]).run();
    assert_eq!(outcome.assert_code(0).stdout, "No incomplete session found to resume.\n");
    assert_eq!(work.read(&view), ended);
}
