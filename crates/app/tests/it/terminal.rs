//! The terminal door in a real terminal: what a person sees and types.

#[path = "terminal/tmux.rs"]
mod tmux;
#[path = "terminal/window.rs"]
mod window;

use super::*;
use kit::{Call, Gate, Message, Point};
use std::process::Command;
use std::time::Duration;
use tmux::{Colours, Options, Tmux};

/// A call of this profile's shell.
fn commands(commands: &[&str]) -> Reply {
    Reply::call("shell", json!({ "commands": commands, "needsApproval": false }))
}

fn patch(kind: &str, path: &str, diff: &str) -> Reply {
    Reply::call("apply_patch", json!({ "type": kind, "path": path, "diff": diff }))
}

/// The order in which texts stand on the screen.
fn in_order(screen: &str, texts: &[&str]) {
    let mut at = 0;
    for text in texts {
        match screen[at..].find(text) {
            Some(found) => at += found + text.len(),
            None => panic!("{text:?} is not there after what comes before it:\n{screen}"),
        }
    }
}

#[test]
fn a_prompt_is_answered_and_everything_stands_once_and_in_order() {
    let first = Message::text("I *look* first.").reasoning("Where is it?").and_call(Call::new(
        "shell",
        json!({ "commands": ["cat note.txt", "cat missing"], "needsApproval": false }),
    ));
    let work = Scratch::new();
    work.write("note.txt", "forty-two\n");
    let server = Server::play([first.reply(), Reply::text("# Found\n\nIt **is** there.")]);
    let options = Options { arguments: "-r low", ..Options::default() };
    let Some(tmux) = Tmux::open(&work, &server, options) else { return };
    tmux.see("Using model: openai/scripted with reasoning effort: low");
    tmux.types("where is the note");
    tmux.press(&["Enter"]);
    tmux.see("It is there.");
    tmux.see_not("Working");
    let all = tmux.all(Colours::Left);
    let texts = [
        "❯ where is the note",
        "Where is it?",
        "I look first.",
        "$ cat note.txt",
        "forty-two",
        "$ cat missing",
        "exit code 1",
        "Found",
        "It is there.",
        "❯",
    ];
    in_order(&all, &texts);
    for text in &texts[..9] {
        assert_eq!(all.matches(text).count(), 1, "{text}\n{all}");
    }
    let messages = server.last_messages();
    assert!(messages.iter().any(|message| message["content"].to_string().contains("where is the note")));
    tmux.types("/quit");
    tmux.press(&["Enter"]);
    tmux.see("ended with 0");
    tmux.see("terminal restored");
    tmux.see("To go on: cinque --resume");
}

#[test]
fn what_is_typed_before_the_program_is_there_is_not_lost() {
    let work = Scratch::new();
    let server = Server::play([Reply::text("Early answer.")]);
    let before = "echo not yet; until [ -e go ]; do sleep 0.02; done";
    let Some(tmux) = Tmux::open(&work, &server, Options { before, ..Options::default() }) else { return };
    tmux.see("not yet");
    tmux.types("early words\rand a draft");
    tmux.see("and a draft");
    work.write("go", "");
    tmux.see("Early answer.");
    tmux.see("❯ and a draft");
    let screen = tmux.screen();
    assert!(screen.contains("\nUsing model: openai/scripted\n"), "{screen}");
    assert!(
        server.last_messages().iter().any(|message| message["content"].to_string().contains("early words"))
    );
}

#[test]
fn calls_are_approved_declined_and_declined_with_words() {
    for (keys, happens, shown, told) in [
        ("y", true, "✓ approved", "exit"),
        ("n", false, "✗ declined", "declined"),
        ("e", false, "✗ declined: use the other file", "use the other file"),
    ] {
        let work = Scratch::new();
        let server = Server::play([commands(&["touch made"]), Reply::text("Well then.")]);
        let Some(tmux) = Tmux::open(&work, &server, Options::default()) else { return };
        tmux.see("❯");
        tmux.types("go\r");
        tmux.see("e decline with words");
        tmux.see("Why it asks:");
        tmux.types(keys);
        if keys == "e" {
            tmux.see("The model reads what you write");
            tmux.types("use the other file");
            tmux.press(&["Enter"]);
        }
        tmux.see("Well then.");
        let screen = tmux.screen();
        assert!(screen.contains(shown) && !screen.contains("decline with words"), "{screen}");
        assert_eq!(work.exists("made"), happens, "{keys}");
        let result = server.last_messages().last().unwrap()["content"].to_string();
        assert!(result.contains(told), "{result}");
    }
}

#[test]
fn always_shows_the_rule_and_asks_no_more() {
    let work = Scratch::new();
    let touch = || commands(&["touch made"]);
    let server = Server::play([touch(), Reply::text("Once."), touch(), Reply::text("Twice.")]);
    let Some(tmux) = Tmux::open(&work, &server, Options::default()) else { return };
    tmux.see("❯");
    tmux.types("go\r");
    tmux.see("a always");
    tmux.types("a");
    tmux.see("From now on, without asking, in every folder:");
    assert!(!work.exists("made"));
    tmux.types("y");
    tmux.see("Once.");
    tmux.types("again\r");
    tmux.see("Twice.");
    assert!(work.exists("made"));
}

#[test]
fn a_patch_is_shown_before_and_applied_after() {
    let work = Scratch::new();
    work.write("a.txt", "one\ntwo\n");
    let server = Server::play([
        patch("create_file", "new.txt", "+fresh\n"),
        patch("update_file", "a.txt", "@@\n one\n-two\n+three\n"),
        patch("delete_file", "a.txt", ""),
        Reply::text("Done with files."),
    ]);
    let Some(tmux) = Tmux::open(&work, &server, Options::default()) else { return };
    tmux.see("❯");
    tmux.types("go\r");
    for (tag, line) in [("[CREATE] new.txt", "+fresh"), ("[UPDATE] a.txt", "+three"), ("[DELETE] a.txt", "")]
    {
        tmux.see(tag);
        tmux.see(line);
        tmux.see("y approve");
        tmux.types("y");
    }
    tmux.see("Done with files.");
    assert!(work.exists("new.txt") && !work.exists("a.txt"));
    // All edits of a file taken together: the line that came and went is in none of them.
    tmux.types("/diff\r");
    tmux.see("-two");
    tmux.types("/undo\r");
    tmux.see("Put back:");
    assert_eq!(work.read("a.txt"), "one\ntwo\n");
    tmux.types("/diff\r");
    tmux.see("Nothing was changed.");
}

#[test]
fn escape_stops_a_run() {
    let (work, gate) = (Scratch::new(), Gate::default());
    let server =
        Server::play([Reply::text("Half of it").hold(Point::Finish, &gate), Reply::text("Here again.")]);
    let Some(tmux) = Tmux::open(&work, &server, Options::default()) else { return };
    tmux.see("❯");
    tmux.types("go\r");
    tmux.see("Half of it");
    tmux.press(&["Escape"]);
    tmux.see("Stopped");
    tmux.types("on\r");
    tmux.see("Here again.");
    let messages = server.last_messages();
    let told: Vec<String> = messages.iter().skip(2).map(|message| message["content"].to_string()).collect();
    assert!(told[0].contains("Half of it") && told[1].contains("I stopped your reply there"), "{told:?}");
    assert!(told.last().is_some_and(|last| last.contains("on")), "{told:?}");
    gate.open();
}

#[test]
fn the_history_outlives_the_process() {
    let work = Scratch::new();
    let server = Server::play([Reply::text("One."), Reply::text("Two.")]);
    let Some(tmux) = Tmux::open(&work, &server, Options::default()) else { return };
    tmux.see("❯");
    tmux.types("first message\r");
    tmux.see("One.");
    let stored: Value =
        kit::serde_json::from_str(&tmux.home().read(".local/state/cinque/history.json")).unwrap();
    assert_eq!(stored, json!({ "messages": ["first message"] }));
    tmux.types("draft");
    tmux.press(&["Up"]);
    tmux.see("❯ first message");
    tmux.press(&["Down"]);
    tmux.see("❯ draft");
    tmux.press(&["Escape"]);
    tmux.see("Press ESC again to clear input");
    tmux.press(&["Escape"]);
    tmux.see_not("draft");
}

#[test]
fn a_signal_gives_the_terminal_back() {
    for signal in ["TERM", "HUP", "QUIT", "ABRT"] {
        let (work, server) = (Scratch::new(), Server::play(Vec::<Reply>::new()));
        let Some(tmux) = Tmux::open(&work, &server, Options::default()) else { return };
        tmux.see("❯");
        assert_eq!(tmux.tell("#{alternate_on} #{mouse_any_flag}"), "0 0");
        let sent = Command::new("kill").args([&format!("-{signal}"), &tmux.process()]).status().unwrap();
        assert!(sent.success());
        tmux.see("ended with 1");
        tmux.see("terminal restored");
        assert_eq!(tmux.tell("#{cursor_flag}"), "1", "the cursor is shown");
    }
}

#[test]
fn what_was_stopped_goes_on_as_it_was() {
    for (how, asked) in [("C-z", true), ("TSTP", true), ("STOP", false)] {
        let (work, server) = (Scratch::new(), Server::play([Reply::text("Here I am.")]));
        let Some(tmux) = Tmux::open(&work, &server, Options::default()) else { return };
        tmux.see("❯");
        tmux.types("a draft");
        tmux.see("❯ a draft");
        match how {
            "C-z" => tmux.press(&["C-z"]),
            signal => assert!(
                Command::new("kill")
                    .args([&format!("-{signal}"), &tmux.process()])
                    .status()
                    .unwrap()
                    .success()
            ),
        }
        tmux.see("ended with 1");
        if asked {
            tmux.see("terminal restored");
            assert_eq!(tmux.tell("#{cursor_flag}"), "1");
        }
        // Whoever was not asked could give nothing back, so the line discipline is still raw.
        tmux.press(&[if asked { "Enter" } else { "C-j" }]);
        tmux.see("openai/scripted   /");
        tmux.types(" goes on");
        tmux.see("❯ a draft goes on");
        tmux.press(&["Enter"]);
        tmux.see("Here I am.");
        tmux.types("/quit\r");
        tmux.see("ended again with 0");
    }
}

#[test]
fn another_size_repeats_nothing() {
    let work = Scratch::new();
    let long: String = (0..60).map(|n| format!("Paragraph number {n} of the answer.\n\n")).collect();
    let server = Server::play([Reply::text(long)]);
    let Some(tmux) = Tmux::open(&work, &server, Options::default()) else { return };
    tmux.see("❯");
    tmux.types("go\r");
    tmux.see("Paragraph number 59");
    tmux.see_not("Working");
    tmux.types("a draft that is long enough to be broken in a narrow window");
    for (columns, rows) in [(40, 20), (120, 40), (30, 12), (90, 30)] {
        tmux.resize(columns, rows);
        tmux.press(&["End"]);
        tmux.see("narrow window");
    }
    let all = tmux.all(Colours::Left);
    for n in 0..60 {
        assert_eq!(all.matches(&format!("Paragraph number {n} of")).count(), 1, "{n}\n{all}");
    }
}

#[test]
fn nothing_from_a_model_or_a_command_is_obeyed() {
    let evil = "\u{1b}]2;owned\u{7}\u{1b}[31mred\u{1b}[?1049h \u{202e}txet";
    let work = Scratch::new();
    work.write("evil", evil);
    let server = Server::play([
        Message::text(evil).and_call(Call::new("shell", json!({ "commands": ["cat evil"] }))).reply(),
        commands(&["echo a\u{202e}b; touch x"]),
        Reply::text("Survived."),
    ]);
    let options = Options { environment: "NO_COLOR=1", ..Options::default() };
    let Some(tmux) = Tmux::open(&work, &server, options) else { return };
    tmux.see("❯");
    tmux.types("go\r");
    tmux.see("echo a<U+202E>b");
    tmux.types("n");
    tmux.see("Survived.");
    assert_ne!(tmux.tell("#{pane_title}"), "owned");
    assert_eq!(tmux.tell("#{alternate_on}"), "0");
    let all = tmux.all(Colours::Kept);
    assert!(!all.contains('\u{202e}'), "{all}");
    let coloured = |all: &str| all.contains("\u{1b}[3") && all.contains("\u{1b}[31m") || all.contains("38;5");
    assert!(!coloured(&all), "NO_COLOR is set:\n{all}");
}

#[test]
fn twenty_columns_are_enough() {
    let work = Scratch::new();
    let server = Server::play([
        commands(&["touch made"]),
        Reply::text("| a | b |\n|---|---|\n| long cell | other |\n"),
    ]);
    let options = Options { columns: 20, rows: 15, ..Options::default() };
    let Some(tmux) = Tmux::open(&work, &server, options) else { return };
    tmux.see("❯");
    tmux.types("make the file please and tell me\r");
    for key in ["y approve", "n decline", "a always"] {
        tmux.see(key);
    }
    tmux.types("y");
    tmux.see("cell");
    assert!(work.exists("made"));
}

#[test]
fn an_earlier_conversation_goes_on() {
    let work = Scratch::new();
    let server = Server::play([Reply::text("Old answer."), Reply::text("New answer.")]);
    cinque(&work, &server).command(["exec", "old question"]).run().assert_code(0);
    let options = Options { arguments: "--continue", ..Options::default() };
    let Some(tmux) = Tmux::open(&work, &server, options) else { return };
    tmux.see("❯ old question");
    tmux.see("Old answer.");
    tmux.types("new question\r");
    tmux.see("New answer.");
    assert!(
        server.last_messages().iter().any(|message| message["content"].to_string().contains("Old answer."))
    );
}

#[test]
fn a_folder_with_settings_of_its_own_is_asked_about() {
    let work = Scratch::new();
    work.write(".cinque/config.toml", "max_turns = 7\n");
    let server = Server::play([Reply::text("Trusted.")]);
    let Some(tmux) = Tmux::open(&work, &server, Options::default()) else { return };
    tmux.see("[y/n]");
    tmux.see("max_turns = 7");
    tmux.types("y");
    tmux.see("Using model:");
    tmux.types("go\r");
    tmux.see("Trusted.");
}

#[test]
fn a_terminal_that_can_do_nothing_gets_plain_lines() {
    for environment in ["TERM=dumb", "LC_ALL=C.UTF-8"] {
        let work = Scratch::new();
        let server = Server::play([commands(&["touch made"]), Reply::text("Plainly **done**.")]);
        let arguments = if environment == "TERM=dumb" { "" } else { "--plain" };
        let options = Options { environment, arguments, ..Options::default() };
        let Some(tmux) = Tmux::open(&work, &server, options) else { return };
        tmux.see("❯");
        tmux.types("go\r");
        tmux.see("a always approves this");
        tmux.types("a\r");
        tmux.see("Save this rule and approve? [y/n]");
        tmux.types("y\r");
        tmux.see("Plainly done.");
        assert!(work.exists("made"));
        assert_eq!(tmux.screen().matches("❯ go").count(), 1, "what was typed stands there already");
        tmux.types("/resume\r");
        tmux.see("1. go (");
        tmux.types("1\r");
        tmux.see("Using model: openai/scripted\n\n❯ go");
        tmux.types("/quit\r");
        tmux.see("ended with 0");
    }
}

#[test]
fn what_is_piped_is_a_run_and_an_unknown_effort_is_a_mistake() {
    let (work, server) = (Scratch::new(), Server::play([Reply::text("Piped answer.")]));
    let piped = cinque(&work, &server).command(Vec::<&str>::new()).stdin("say it").run();
    assert_eq!(piped.assert_code(0).stdout, "Piped answer.\n");
    let mistaken = cinque(&work, &server).command(["-r", "extreme"]).run();
    assert!(mistaken.assert_code(2).stderr.contains("extreme"));
}
