//! The stateless API as programs meet it: over HTTP, against the built binary.

#[path = "api/client.rs"]
pub mod client;

use super::*;
use client::{Answer, Site};
use kit::{Call, Gate, Message, Point};

/// The four fields of an answer, in the words of the contract.
fn fields(success: bool, message: &str, data: Value, error: Value) -> Value {
    json!({ "success": success, "message": message, "data": data, "error": error })
}

fn result(data: &str) -> Value {
    fields(true, "Tool execution result", json!(data), Value::Null)
}

fn tool_failure(error: &str) -> Value {
    fields(false, "Tool execution failed", Value::Null, json!(error))
}

fn refusal(error: &str) -> Value {
    fields(false, "AgentService error", Value::Null, json!(error))
}

#[test]
fn answers() {
    let read = |path: &str| Reply::call("readFile", json!({ "filePath": path }));
    let second = Message::calls([
        Call::new("replaceText", json!({ "filePath": "a", "oldString": "one", "newString": "1" })),
        Call::new("replaceText", json!({ "filePath": "a", "oldString": "two", "newString": "2" })),
    ]);
    let cases: Vec<(Reply, Value)> = vec![
        (Reply::text("plain words"), result("plain words")),
        (Reply::text("Error: words of the model"), result("Error: words of the model")),
        (read("a"), result("Read a (lines 1-2 of 2 total)\n\n1 | one\n2 | two")),
        (
            Message::text("beside").and_call(Call::new("listFiles", json!({ "path": "*" }))).reply(),
            result("Found 1 items matching '*'\n\na"),
        ),
        (second.reply(), result("Replaced 'one' with '1' in a")),
        (read("no"), tool_failure("Error: Failed to read file - File not found: no")),
        (read(""), tool_failure("Error: Path cannot be null or empty")),
        (
            Reply::call("shell", json!({ "command": "touch x" })),
            tool_failure(
                "Error: there is no tool named \"shell\". The tools are: readFile, listFiles, searchText, replaceText.",
            ),
        ),
    ];
    let (replies, expected): (Vec<Reply>, Vec<Value>) = cases.into_iter().unzip();
    let work = Scratch::new();
    work.write("a", "one\ntwo\n");
    let server = Server::play(replies);
    let site = Site::start(&cinque(&work, &server));
    for expected in expected {
        let answer = site.ask(&json!({ "prompt": "go" }));
        assert_eq!((answer.status, answer.json()), (200, expected));
    }
    assert_eq!(work.read("a"), "1\ntwo\n", "the second call of a reply never ran");
    server.assert_played();
    let state: Vec<String> = work.files().into_iter().filter(|file| file.contains("x")).collect();
    assert!(state.is_empty(), "{state:?}");
}

#[test]
fn what_is_wrong_with_a_request_is_said_and_asks_no_model() {
    let (work, server) = (Scratch::new(), Server::play(Vec::<Reply>::new()));
    let site = Site::start(&cinque(&work, &server));
    for (body, error) in [
        (json!({}), "Prompt cannot be null or empty"),
        (json!({ "prompt": "  " }), "Prompt cannot be null or empty"),
        (json!({ "prompt": "x", "toolType": null }), "ToolType cannot be null or empty"),
        (json!({ "prompt": "x", "toolType": "" }), "ToolType cannot be null or empty"),
    ] {
        let answer = site.ask(&body);
        assert_eq!((answer.status, answer.json()), (200, refusal(error)), "{body}");
    }
    let deep = format!("{{\"prompt\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    for body in ["", "{", "not JSON", "{\"prompt\":\"\u{0}\"}", deep.as_str()] {
        let answer = site.post(body.as_bytes());
        assert_eq!(answer.status, 400, "{:?}", &body[..body.len().min(40)]);
        assert_eq!(answer.json()["message"], "AgentService error");
        assert_eq!(answer.json().as_object().map(|fields| fields.len()), Some(4));
    }
    let latin = site.post(b"{\"prompt\":\"caf\xe9\"}");
    assert_eq!(latin.status, 400);
    let large = format!("{{\"prompt\":\"{}\"}}", "x".repeat(10_000_000));
    let large = site.post(large.as_bytes());
    assert_eq!((large.status, large.json()["message"].clone()), (413, json!("AgentService error")));
    for body in ["{}", "not JSON"] {
        let plain = site.send("POST", "text/plain", Some(&site.token), body.as_bytes());
        assert_eq!((plain.status, plain.json()), (400, refusal("The body must be application/json.")));
    }
    assert_eq!(site.send("POST", "application/json", None, b"{}").status, 401);
    assert_eq!(site.send("GET", "application/json", Some(&site.token), b"").status, 405);
    assert!(server.requests().is_empty());
}

/// What the model is shown: the context as a part of its own, then the prompt; and less than a megabyte of it.
#[test]
fn the_context_reaches_the_model_within_its_budget() {
    let (work, server) = (Scratch::new(), Server::answer(|_| Reply::text("ok")));
    let site = Site::start(&cinque(&work, &server));
    let entry = |at: usize, length: usize| json!({ "timestamp": "2026-01-02T03:04:05", "prompt": format!("p{at}"), "result": "r".repeat(length) });
    let small: Vec<Value> = (0..2).map(|at| entry(at, 3)).collect();
    let context = "--- Recent Context ---\n[2026-01-02T03:04:05] User: p0 | Result: rrr\n\
                   [2026-01-02T03:04:05] User: p1 | Result: rrr\n--- End Context ---";
    let many: Vec<Value> = (0..10_000).map(|at| entry(at, 500)).collect();
    let huge = vec![entry(0, 7 << 20)];
    for (history, expected) in
        [(Value::Null, "No previous context."), (json!(small), context), (json!(many), ""), (json!(huge), "")]
    {
        let answer = site.ask(&json!({ "prompt": "the words", "contextHistory": history }));
        assert_eq!((answer.status, answer.json()), (200, result("ok")));
        let content = server.last_messages()[1]["content"].clone();
        assert_eq!(content[1]["text"], "the words");
        let shown = content[0]["text"].as_str().expect("the context");
        assert!(expected.is_empty() || shown == expected, "{shown}");
        let sent = server.requests().last().expect("a request").json().to_string().len();
        assert!(sent < 1 << 20, "{sent}");
    }
}

#[test]
fn a_model_that_cannot_be_asked_is_an_error_of_the_service() {
    let (work, server) = (Scratch::new(), Server::answer(|_| Reply::status(401)));
    let site = Site::start(&cinque(&work, &server));
    let answer = site.ask(&json!({ "prompt": "go" }));
    assert_eq!((answer.status, answer.json()["message"].clone()), (200, json!("AgentService error")));
    assert_eq!(server.requests().len(), 1);
    let site = Site::start(&alone(&work));
    let answer = site.ask(&json!({ "prompt": "go" }));
    assert_eq!((answer.status, answer.json()["success"].clone()), (200, json!(false)));
}

#[test]
fn configuration_makes_it_read_only_bounded_and_audited() {
    let work = Scratch::new();
    work.write("a", "one\n");
    let replace =
        Reply::call("replaceText", json!({ "filePath": "a", "oldString": "one", "newString": "1" }));
    let server = Server::play([
        replace,
        Reply::call("readFile", json!({ "filePath": "a" })),
        Reply::text("never").silent(),
    ]);
    let program = cinque(&work, &server)
        .env("CINQUE_API__READ_ONLY", "true")
        .env("CINQUE_API__AUDIT", "true")
        .env("CINQUE_API__TIMEOUT", "0.5");
    let site = Site::start(&program);
    let answer = site.ask(&json!({ "prompt": "go" }));
    assert_eq!(answer.json()["message"], "Tool execution failed");
    assert_eq!(work.read("a"), "one\n");
    assert_eq!(site.ask(&json!({ "prompt": "go" })).json()["success"], true);
    let late = site.ask(&json!({ "prompt": "go" }));
    assert_eq!(late.json(), refusal("The request took longer than 0.5 s and was given up."));
    server.wait_for_hang_up(2);
    let kept = program.command(["log", "list", "--json"]).run();
    assert_eq!(kept.assert_code(0).json_lines().len(), 3);
}

#[test]
fn nothing_is_kept() {
    let (work, server) = (Scratch::new(), Server::answer(|_| Reply::text("ok")));
    let program = cinque(&work, &server);
    let site = Site::start(&program);
    (0..3).for_each(|_| assert_eq!(site.ask(&json!({ "prompt": "go" })).json(), result("ok")));
    let kept = program.command(["log", "list", "--json"]).run();
    assert_eq!(kept.assert_code(0).json_lines().len(), 0);
}

#[test]
fn a_client_that_leaves_cancels_and_one_too_many_is_told_to_come_back() {
    let work = Scratch::new();
    let gate = Gate::new();
    let held = Reply::text("late").hold(Point::Start, &gate);
    let server = Server::play([held.clone(), held, Reply::text("after")]);
    let site = Site::start(&cinque(&work, &server).env("CINQUE_API__CONCURRENCY", "1"));
    let leaving = site.begin(&json!({ "prompt": "go" }));
    server.wait_for(1);
    drop(leaving);
    server.wait_for_hang_up(0);
    let waiting = site.begin(&json!({ "prompt": "go" }));
    server.wait_for(2);
    let refused = site.ask(&json!({ "prompt": "go" }));
    assert_eq!((refused.status, refused.header("retry-after").as_deref()), (503, Some("1")));
    assert_eq!(refused.json()["message"], "AgentService error");
    gate.open();
    assert_eq!(Answer::read(waiting).json(), result("late"));
    assert_eq!(site.ask(&json!({ "prompt": "go" })).json(), result("after"));
}

#[test]
fn the_document_describes_it_with_examples() {
    let (work, server) = (Scratch::new(), Server::play(Vec::<Reply>::new()));
    let site = Site::start(&cinque(&work, &server));
    let document = site.get("/openapi.json").json();
    assert!(document["paths"]["/api/agent"]["post"].is_object());
    for (name, field) in [("AgentRequest", "prompt"), ("AgentResponse", "success")] {
        let schema = &document["components"]["schemas"][name];
        assert!(schema["properties"][field].is_object(), "{schema}");
        assert!(schema["examples"][0][field] != Value::Null, "{schema}");
    }
}
