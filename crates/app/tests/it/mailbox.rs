//! The mailbox door, with a chat that answers by script.

#[path = "mailbox/clipboard.rs"]
mod clipboard;
#[path = "mailbox/crashes.rs"]
mod crashes;
#[path = "mailbox/places.rs"]
mod places;

use super::*;
use kit::{Outcome, Running};

const RULE: &str = "========================================";

/// A session and the chat at its other end.
struct Chat<'a> {
    work: &'a Scratch,
    running: Running,
    id: String,
    replies: usize,
}

impl<'a> Chat<'a> {
    fn begin(work: &'a Scratch, cinque: &Cinque) -> Chat<'a> {
        Chat::of(work, cinque.command(["mailbox", "new", "mend", "the", "thing"]).spawn())
    }

    fn resume(work: &'a Scratch, cinque: &Cinque) -> Chat<'a> {
        Chat::of(work, cinque.command(["mailbox", "resume"]).spawn())
    }

    fn of(work: &'a Scratch, running: Running) -> Chat<'a> {
        running.wait_for_stdout("Task: ");
        let printed = running.stdout();
        let (_, rest) = printed.split_once("session: ").expect("the first line names the session");
        let id = rest.chars().take(8).collect();
        Chat { work, running, id, replies: 0 }
    }

    fn outbox(&self, sequence: usize) -> String {
        self.work.read(format!(".cinque/mailbox/outbox/{}_seq{sequence:04}.txt", self.id))
    }

    /// Answers the letter of this number.
    fn answer(&mut self, sequence: usize, reply: &str) {
        self.running.wait_for_stdout(&format!("seq{sequence:04}.txt\n"));
        self.drop_in(reply);
    }

    fn drop_in(&mut self, reply: &str) {
        self.replies += 1;
        let name = format!(".cinque/mailbox/inbox/reply-{}.txt", self.replies);
        self.work.write(format!("{name}.part"), reply);
        std::fs::rename(self.work.join(format!("{name}.part")), self.work.join(name)).unwrap();
    }

    fn session(&self) -> Value {
        let text = self.work.read(format!(".cinque/mailbox/sessions/{}.json", self.id));
        kit::serde_json::from_str(&text).unwrap()
    }

    /// Ends the session, and gives all it printed.
    fn done(mut self, sequence: usize) -> Outcome {
        self.answer(sequence, "[DONE]\nall good\n[/DONE]\n");
        let outcome = self.running.wait();
        outcome.assert_code(0);
        outcome
    }
}

/// What one reply prints, and what the next letter says of it.
pub fn play(work: &Scratch, cinque: &Cinque, reply: &str) -> (String, String) {
    let mut chat = Chat::begin(work, cinque);
    chat.answer(1, reply);
    chat.running.wait_for_stdout("seq0002.txt");
    let told = chat.outbox(2);
    (chat.done(2).stdout, told)
}

fn create(path: &str, body: &str) -> String {
    format!("[CREATE_FILE path=\"{path}\"]\n{body}\n[/CREATE_FILE]\n")
}

fn run(command: &str) -> String {
    format!("[RUN_COMMAND]\n{command}\n[/RUN_COMMAND]\n")
}

fn read(path: &str) -> String {
    format!("[READ_FILE path=\"{path}\"]\n")
}

fn edit(path: &str, lines: &str, body: &str) -> String {
    let (start, end) = lines.split_once('-').unwrap();
    format!("[EDIT_FILE path=\"{path}\" start_line=\"{start}\" end_line=\"{end}\"]\n{body}\n[/EDIT_FILE]\n")
}

/// Commands in the order of one reply, each with what is printed of it.
fn check(setup: impl Fn(&Scratch), cinque: impl Fn(Cinque) -> Cinque, cases: &[(String, &str)]) -> Scratch {
    let work = Scratch::new();
    setup(&work);
    let reply: String = cases.iter().map(|(command, _)| command.as_str()).collect();
    let (printed, told) = play(&work, &cinque(alone(&work)), &reply);
    for (command, line) in cases {
        assert!(printed.contains(&format!("  {line}\n")), "{command} should print {line}\n{printed}");
        let line = line.replace("[FAIL]", "[FAILED]");
        assert!(told.contains(&format!("\n{line}\n")), "{command} should be told as {line}\n{told}");
    }
    work
}

#[test]
fn a_session_from_beginning_to_end() {
    let work = Scratch::new();
    work.write("a.txt", "one\ntwo\n");
    let cinque = alone(&work);
    let mut chat = Chat::begin(&work, &cinque);
    let id = chat.id.clone();
    assert!(id.chars().all(|c| c.is_ascii_hexdigit() && !c.is_ascii_uppercase()), "{id}");
    chat.answer(1, &(read("a.txt") + "[MESSAGE]\n looking \n[/MESSAGE]\n"));
    chat.running.wait_for_stdout("seq0002.txt");
    let session = chat.session();
    assert_eq!(
        [&session["sessionId"], &session["task"], &session["readFileRequests"]],
        [&json!(id), &json!("mend the thing"), &json!(["a.txt"])]
    );
    assert_eq!(
        (&session["isComplete"], session["lastResults"].as_array().unwrap().len()),
        (&json!(false), 2)
    );
    assert!(chat.outbox(2).contains("--- a.txt ---\none\ntwo\n--- end a.txt ---\n"));
    let outbox = |number: u32| work.join(format!(".cinque/mailbox/outbox/{id}_seq000{number}.txt"));
    let round = |number: u32| {
        format!(
            "{RULE}\nOutbox file ready: {}\n\n1. Copy the contents of the outbox file\n2. Paste into your LLM chat\n\
             3. Save the LLM response as a .txt file in the inbox/ folder\n{RULE}\n\
             Waiting for inbox response... (Ctrl+C to exit)\nProcessing: reply-{number}.txt\n",
            outbox(number).canonicalize().unwrap().display()
        )
    };
    let (first, second) = (round(1), round(2));
    let outcome = chat.done(2);
    assert_eq!(
        outcome.stdout,
        format!(
            "New session: {id}\nTask: mend the thing\n{first}  [OK] READ_FILE: Queued 'a.txt' for next outbox\n  \
             [OK] MESSAGE: looking\n{second}  [OK] DONE: all good\n{RULE}\nTask complete!\nall good\n{RULE}\n"
        )
    );
    let inbox = work.join(".cinque/mailbox/inbox").canonicalize().unwrap();
    assert_eq!(outcome.stderr, format!("Inbox folder: {}\n", inbox.display()));
    let shown = work.read(format!(".cinque/mailbox/sessions/{id}.json"));
    assert!(shown.contains("\"isComplete\": true") && shown.contains("\"sequenceNumber\": 2"), "{shown}");
    assert!(work.exists(".cinque/mailbox/inbox/processed/reply-2.txt"));
    let resumed = cinque.command(["mailbox", "resume"]).run();
    assert_eq!(resumed.assert_code(0).stdout, "No incomplete session found to resume.\n");
    assert!(cinque.command(["log", "list"]).run().stdout.contains(&id), "it is a conversation like others");
    cinque.command(["log", "verify", &id]).run().assert_code(0);
}

#[test]
fn the_command_line() {
    let work = Scratch::new();
    for (arguments, code) in
        [(vec!["mailbox", "new"], 2), (vec!["mailbox", "new", " "], 2), (vec!["mailbox"], 2)]
    {
        alone(&work).command(arguments).run().assert_code(code);
    }
    let outcome = alone(&work).command(["mailbox", "resume"]).run();
    assert_eq!(outcome.assert_code(0).stdout, "No incomplete session found to resume.\n");
}

#[test]
fn files() {
    let outside = Scratch::new();
    let setup = |work: &Scratch| {
        work.write("a.txt", "1\n2\n3\n4\n");
        work.write("gone.txt", "x");
        std::os::unix::fs::symlink(outside.path(), work.join("out")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("x"), work.join("link")).unwrap();
    };
    let work = check(
        setup,
        |cinque| cinque,
        &[
            (create("new/deep.py", "  def f():\n    pass"), "[OK] CREATE_FILE: Created 'new/deep.py'"),
            (edit("a.txt", "1-1", "one\nand a half"), "[OK] EDIT_FILE: Edited 'a.txt' lines 1-1"),
            (edit("a.txt", "3-4", "rest"), "[OK] EDIT_FILE: Edited 'a.txt' lines 3-4"),
            (edit("a.txt", "4-5", "x"), "[FAIL] EDIT_FILE: Invalid line range 4-5 for file with 4 lines"),
            (edit("a.txt", "0-1", "x"), "[FAIL] EDIT_FILE: Invalid line range 0-1 for file with 4 lines"),
            (
                edit("a.txt", "-3--1", "x").replace("\"\" end_line=\"3--1\"", "\"-3\" end_line=\"-1\""),
                "[FAIL] EDIT_FILE: Invalid line range -3--1 for file with 4 lines",
            ),
            (edit("none.txt", "1-1", "x"), "[FAIL] EDIT_FILE: File 'none.txt' not found"),
            ("[DELETE_FILE path=\"gone.txt\"]\n".into(), "[OK] DELETE_FILE: Deleted 'gone.txt'"),
            ("[DELETE_FILE path=\"none.txt\"]\n".into(), "[FAIL] DELETE_FILE: File 'none.txt' not found"),
            (create("../x", "x"), "[FAIL] CREATE_FILE: REJECTED: Path '../x' is outside workspace"),
            (create("/etc/x", "x"), "[FAIL] CREATE_FILE: REJECTED: Path '/etc/x' is outside workspace"),
            (create("out/x", "x"), "[FAIL] CREATE_FILE: REJECTED: Path 'out/x' is outside workspace"),
            (
                "[DELETE_FILE path=\"out/x\"]\n".into(),
                "[FAIL] DELETE_FILE: REJECTED: Path 'out/x' is outside workspace",
            ),
            (
                "[DELETE_FILE path=\"link\"]\n".into(),
                "[FAIL] DELETE_FILE: REJECTED: Path 'link' is outside workspace",
            ),
            (edit("../x", "1-1", "x"), "[FAIL] EDIT_FILE: REJECTED: Path '../x' is outside workspace"),
            (read("none.txt"), "[OK] READ_FILE: Queued 'none.txt' for next outbox"),
            (read("../x"), "[FAIL] READ_FILE: REJECTED: Path '../x' is outside workspace"),
        ],
    );
    assert_eq!(work.read("a.txt"), "one\nand a half\n2\nrest\n");
    assert_eq!(work.read("new/deep.py"), "  def f():\n    pass\n");
    assert!(!work.exists("gone.txt") && std::fs::read_dir(outside.path()).unwrap().count() == 0);
}

#[test]
fn a_file_that_must_be_asked_about_is_not_shown_when_nobody_is_there() {
    let work = Scratch::new();
    work.write(".env", "KEY=quite-secret\n");
    work.write("open.txt", "not secret\n");
    let (printed, told) = play(&work, &alone(&work), &(read(".env") + &read("open.txt")));
    assert!(!told.contains("quite-secret"), "{told}");
    let id = printed.split_whitespace().nth(2).unwrap();
    let shown = alone(&work).command(["log", "show", id]).run().assert_code(0).stdout.clone();
    assert!(shown.contains("decline by the door: nobody was there to ask"), "{shown}");
    for part in [
        "[FAILED] READ_FILE: Call not approved: '.env' (nobody was there to ask)\n",
        "--- .env --- (file not found or access denied)\n--- open.txt ---\nnot secret\n",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }
}

#[test]
fn commands() {
    let cinque = |cinque: Cinque| {
        cinque.env("CINQUE_MAILBOX__COMMAND_TIMEOUT", "0.5").env("CINQUE_MAILBOX__OUTPUT_LIMIT", "10")
    };
    let work = check(
        |_| {},
        cinque,
        &[
            (run("echo hi"), "[OK] RUN_COMMAND: Ran 'echo hi' (exit code 0)"),
            (run("  false  "), "[FAIL] RUN_COMMAND: Ran 'false' (exit code 1)"),
            (run("echo hi\nexit 3"), "[FAIL] RUN_COMMAND: Ran 'echo hi\nexit 3' (exit code 3)"),
            (
                run("(sleep 1; echo > late) & sleep 60"),
                "[FAIL] RUN_COMMAND: Command not approved: (sleep 1; echo > late) & sleep 60 (nobody was there to ask)",
            ),
            (run("sleep 60 & sleep 60"), "[FAIL] RUN_COMMAND: Command timed out (0.5s): sleep 60 & sleep 60"),
            (
                run("touch made"),
                "[FAIL] RUN_COMMAND: Command not approved: touch made (nobody was there to ask)",
            ),
        ],
    );
    assert!(!work.exists("made") && !work.exists("late"));
    let work = Scratch::new();
    let reply = run("printf %s 1234567890")
        + &run("printf %s 12345é789012; echo err >&2")
        + &run("echo a; echo b >&2");
    let (_, told) = play(&work, &cinque(alone(&work)), &reply);
    for output in ["1234567890", "12345é7890\n... (output truncated)", "a\nb"] {
        assert!(told.contains(&format!("(exit code 0)\n  Output: {output}\n")), "{output}\n{told}");
    }
}

#[test]
fn what_cannot_be_read_is_told_and_not_run() {
    let work = check(
        |work| drop(work.write("a.txt", "a\n")),
        |cinque| cinque,
        &[
            ("[DELETE_FILE]\n".into(), "[FAIL] PARSE_ERROR: DELETE_FILE missing path attribute"),
            ("[READ_FILE file=\"a\"]\n".into(), "[FAIL] PARSE_ERROR: READ_FILE missing path attribute"),
            (
                create("x", "y").replace(" path=\"x\"", ""),
                "[FAIL] PARSE_ERROR: CREATE_FILE missing path attribute",
            ),
            (edit("a.txt", "1-z", "b"), "[FAIL] PARSE_ERROR: EDIT_FILE start_line/end_line must be integers"),
            (
                edit("a.txt", "1-1", "b").replace(" end_line=\"1\"", ""),
                "[FAIL] PARSE_ERROR: EDIT_FILE missing required attributes (path, start_line, end_line)",
            ),
            (
                "[CREATE_FILE path=\"b.txt\"]\nbody\n[DELETE_FILE path=\"a.txt\"]\n[DONE]\nno\n[/DONE]\n"
                    .into(),
                "[FAIL] PARSE_ERROR: CREATE_FILE for 'b.txt' missing closing tag",
            ),
        ],
    );
    assert!(work.exists("a.txt") && !work.exists("b.txt"), "an unclosed block swallows the rest");
    for (reply, told) in [
        ("Let me think about it.", "[FAILED] PARSE_ERROR: No command was found in the reply"),
        ("", "[FAILED] PARSE_ERROR: The reply is empty"),
        ("[RUN_COMMAND]\nls\n", "[FAILED] PARSE_ERROR: RUN_COMMAND missing closing tag"),
    ] {
        let work = Scratch::new();
        assert!(play(&work, &alone(&work), reply).1.contains(told), "{reply}");
    }
}

#[test]
fn nothing_after_done_runs_and_it_can_be_undone() {
    let work = Scratch::new();
    work.write("a.txt", "a\n");
    let cinque = alone(&work);
    let mut chat = Chat::begin(&work, &cinque);
    let reply = edit("a.txt", "1-1", "b") + "[DONE]\nok\n[/DONE]\n" + &create("late.txt", "x");
    chat.answer(1, &format!("```text\n{}```\n", reply.replace('"', "”").replace('\n', "\r\n")));
    assert!(chat.running.wait().assert_code(0).stdout.ends_with(&format!("Task complete!\nok\n{RULE}\n")));
    assert_eq!((work.read("a.txt").as_str(), work.exists("late.txt")), ("b\n", false));
    cinque.command(["undo"]).run().assert_code(0);
    assert_eq!(work.read("a.txt"), "a\n");
}

#[test]
fn files_that_lie_there_and_that_come_while_busy_are_each_a_round() {
    let work = Scratch::new();
    work.write(".cinque/mailbox/inbox/0.txt", read("zero"));
    let cinque = alone(&work);
    let mut chat = Chat::begin(&work, &cinque);
    chat.running.wait_for_stdout("Processing: 0.txt");
    for number in 1..4 {
        chat.drop_in(&read(&format!("file-{number}")));
        chat.running.wait_for_stdout(&format!("seq{:04}.txt", number + 2));
    }
    let printed = chat.done(5).stdout;
    let order: Vec<&str> =
        printed.lines().filter(|line| line.contains("Processing") || line.contains("ready")).collect();
    assert_eq!(order.len(), 10, "a letter and a reply each\n{printed}");
    assert!(printed.contains("Queued 'file-3'"));
}

#[test]
fn with_the_standard_profile_a_person_can_be_the_model_too() {
    let work = Scratch::new();
    work.write("note.txt", "the note\n");
    let running = alone(&work).command(["exec", "-m", "mailbox/", "what does it say?"]).spawn();
    running.wait_for_stderr("seq0001.txt\n");
    work.write(".cinque/mailbox/inbox/a.txt", "[CALL tool=\"read\"]\n{\"path\": \"note.txt\"}\n[/CALL]\n");
    running.wait_for_stderr("seq0002.txt\n");
    let letters = std::fs::read_dir(work.join(".cinque/mailbox/outbox")).unwrap();
    let mut texts: Vec<String> =
        letters.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
    texts.sort_by_key(|text| text.contains("Sequence: 2"));
    assert!(texts[0].ends_with("=== PROMPT ===\nwhat does it say?\n") && texts[1].contains("1\tthe note"));
    work.write(".cinque/mailbox/inbox/b.txt", "It says: the note.\n");
    assert_eq!(running.wait().assert_code(0).stdout, "It says: the note.\n");
}
