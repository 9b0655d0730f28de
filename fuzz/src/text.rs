//! The text dialect: what was read can be written and read again, and nothing runs after a block that is not closed.

use agent::{Finish, Reply, Spec};
use host::dialect::text::{Block, Unprintable, parse, print};
use host::dialect::{Dialect, MOST_CALLS, understand};
use serde_json::json;

pub fn check(data: &[u8]) {
    let reply = String::from_utf8_lossy(data);
    for block in parse(&reply) {
        match print(&block) {
            Ok(text) => assert_eq!(parse(&text), [block], "{text:?}"),
            Err(Unprintable::ParseError) => assert!(matches!(block, Block::ParseError(_))),
            // An escaped block may hold what a plain one cannot.
            Err(_) => {}
        }
    }
    let unix = reply.replace('\r', "");
    assert_eq!(parse(&unix.replace('\n', "\r\n")), parse(&unix), "line ends");
    let after = parse(&format!("{reply}\n[DONE]\n[/DONE]\n[DELETE_FILE path=\"after\"]"));
    assert_ne!(after.last(), Some(&Block::DeleteFile { path: "after".to_owned() }), "after the end");
    understood(Dialect::Text, &reply);
}

/// Takes a whole reply as the agent would.
pub fn understood(dialect: Dialect, text: &str) {
    let tool = |name: &str| Spec {
        name: name.to_owned(),
        description: String::new(),
        parameters: json!({ "type": "object" }),
    };
    let tools = ["shell", "read", "message", "RUN_COMMAND"].map(tool);
    let reply = Reply { text: text.to_owned(), finish: Finish::Stop, ..Reply::default() };
    let heard = understand(dialect, reply.clone(), &tools);
    assert!(heard.calls.len() <= MOST_CALLS);
    assert_eq!(understand(dialect, reply, &tools), heard, "the same reply");
}
