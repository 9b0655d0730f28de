//! The mailbox without a person: letters, the inbox, edits by line numbers.

use super::*;
use crate::config::Secrets;
use crate::dialect::text;
use crate::profiles;
use agent::event::{Call, CallId};
use agent::{Prefix, Reply, Spec};
use kit::Scratch;
use std::fs;
use std::sync::LazyLock;
use std::time::{Duration, SystemTime};

mod edits;
mod inbox;
mod outbox;

/// A workspace with a mailbox of its own.
fn post(scratch: &Scratch) -> Post {
    let redactor: Redactor = Arc::new(LazyLock::new(Box::new(Secrets::default)));
    let at = |name: &str| scratch.join(format!(".cinque/mailbox/{name}"));
    Post {
        workspace: scratch.path().canonicalize().unwrap(),
        inbox: at("inbox"),
        outbox: at("outbox"),
        sessions: at("sessions"),
        limit: 400_000,
        secrets: redactor,
    }
}

fn specs() -> Arc<[Spec]> {
    let named = |name: &String| Spec {
        name: name.clone(),
        description: String::new(),
        parameters: Default::default(),
    };
    profiles::find("mailbox").unwrap().tools.iter().map(named).collect()
}

fn request(messages: Vec<Message>) -> Request {
    Request {
        conversation: "0a1b2c3d".into(),
        instructions: "Act.".into(),
        tools: specs(),
        messages: messages.into_iter().map(Arc::new).collect(),
        generation: 0,
        schema: None,
    }
}

fn said(words: &str) -> Message {
    Message::User { parts: vec![words.into()] }
}

/// A reply of these commands, and what came of each.
fn round(commands: &str, texts: &[&str]) -> Vec<Message> {
    let numbered = |(number, block): (usize, &text::Block)| Call {
        id: CallId(format!("c{number}")),
        ..text::call(block)
    };
    let calls: Vec<Call> = text::parse(commands).iter().enumerate().map(numbered).collect();
    let results = calls.iter().zip(texts).map(|(call, text)| Message::Result {
        call: call.id.clone(),
        name: call.name.clone(),
        text: (*text).to_owned(),
    });
    let results: Vec<Message> = results.collect();
    let reply = Message::Assistant {
        text: String::new(),
        reasoning: String::new(),
        calls,
        opaque: None,
        prefix: Prefix::Same,
    };
    std::iter::once(reply).chain(results).collect()
}

fn written(post: &Post, messages: Vec<Message>) -> String {
    let request = request(messages);
    let files = super::outbox::write(post, &request, sequence(&request.messages)).unwrap();
    files.iter().map(|file| fs::read_to_string(file).unwrap()).collect()
}

#[test]
fn each_reply_and_each_late_word_makes_a_new_letter() {
    let (task, reply) = (|| said("go"), || round("[READ_FILE path=\"a\"]", &["ok"]));
    let cases = [
        (vec![task()], 1),
        (vec![task(), task()], 2),
        ([vec![task()], reply()].concat(), 2),
        ([vec![task()], reply(), vec![task()]].concat(), 3),
        ([vec![task()], reply(), reply()].concat(), 3),
    ];
    for (messages, expected) in cases {
        let messages: Vec<Arc<Message>> = messages.into_iter().map(Arc::new).collect();
        assert_eq!(sequence(&messages), expected, "{messages:?}");
    }
}

#[test]
fn what_a_command_came_to_is_told_and_read_back() {
    let call = |name: &str, arguments: &str| Call {
        id: CallId("c".into()),
        name: name.into(),
        arguments: arguments.into(),
    };
    let run = |command: &str| call("run_command", &serde_json::json!({ "command": command }).to_string());
    let cases = [
        (call("create_file", "{}"), "[OK] CREATE_FILE: Created 'a'", true, "Created 'a'", None),
        (
            run("ls"),
            "[OK] RUN_COMMAND: Ran 'ls' (exit code 0)\n  Output: a\nb",
            true,
            "Ran 'ls' (exit code 0)",
            Some("a\nb"),
        ),
        (
            run("echo '\n  Output: x'"),
            "[FAILED] RUN_COMMAND: Ran 'echo '\n  Output: x'' (exit code 1)\n  Output: y\n  Output: z",
            false,
            "Ran 'echo '\n  Output: x'' (exit code 1)",
            Some("y\n  Output: z"),
        ),
        (call("message", "{}"), "[OK] MESSAGE: a\n  Output: b", true, "a\n  Output: b", None),
        (run("rm x"), "Error: refused by policy: no", false, "refused by policy: no", None),
        (
            run("rm x"),
            "Error: User declined permission to execute this function.",
            false,
            "Command not approved: rm x",
            None,
        ),
        (
            run("rm x"),
            "Error: User declined permission to execute this function.\nnot now",
            false,
            "Command not approved: rm x (not now)",
            None,
        ),
        (call("read", "{}"), "a (lines 1-1 of 1)\n1\tx\n", true, "a (lines 1-1 of 1)", Some("1\tx")),
        (call("shell", "{}"), "exit code 2\nno", false, "exit code 2", Some("no")),
    ];
    for (call, text, ok, summary, output) in cases {
        let told = told(&call, text);
        assert_eq!((told.ok, told.summary.as_str(), told.output.as_deref()), (ok, summary, output), "{text}");
        assert!(!text.starts_with('[') || told.render() == text, "{text}");
    }
    let interrupted = told(&run("make"), &agent::Outcome::interrupted().text);
    assert!(!interrupted.ok && interrupted.summary.starts_with("interrupted, outcome unknown"));
}
