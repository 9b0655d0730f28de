//! The routes and the page, from outside.

use super::client::{Client, ask, raw};
use super::world::{TOKEN, World};
use agent::Delta;
use agent::event::{Call, CallId, Reply, Usage};
use serde_json::{Value, json};

const ID: &str = "0190c0de-0000-4000-8000-000000000001";
const OTHER: &str = "0190c0de-0000-4000-8000-000000000002";

#[tokio::test]
async fn a_conversation_is_listed_shown_renamed_paged_and_removed() {
    let world = World::new();
    let shell = ("1", "shell", json!({ "command": "make" }));
    world.reply("Look", &[shell, ("2", "look", json!({}))]);
    world.reply("", &[]);
    let server = world.serve().await;
    let port = server.port;
    let mut client = Client::connect(port).await;
    client.invoke("SubmitPrompt", json!([ID, "  make it\nnow"])).await.unwrap();
    let list = ask(port, "GET", "/api/conversations", None).await.json();
    let expected =
        json!({ "id": ID, "topic": "make it", "status": "waiting", "messages": 4, "calls": 2, "pending": 1 });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&list[0][name], value, "{name}: {list}");
    }
    client.invoke("ApproveToolCall", json!([ID, "1"])).await.unwrap();
    let shown = ask(port, "GET", &format!("/api/conversations/{ID}"), None).await.json();
    let messages = json!([
        { "messageType": "UserPrompt", "content": "  make it\nnow" },
        { "messageType": "AgentResponse", "content": "Look" },
        { "messageType": "ToolCall", "toolName": "shell", "arguments": "{\"command\":\"make\"}", "response": "ran make" },
        { "messageType": "ToolCall", "toolName": "look", "arguments": "{}", "response": "ran " },
        { "messageType": "AgentResponse", "content": "" },
    ]);
    assert_eq!(shown, json!({ "id": ID, "topic": "make it", "status": "finished", "messages": messages }));
    let renamed = ask(
        port,
        "PATCH",
        &format!("/api/conversations/{ID}"),
        Some(&json!({ "topic": "\u{202e}N\new \u{1b}[1m" })),
    )
    .await;
    assert_eq!((renamed.status, &renamed.json()["topic"]), (200, &json!("N ew [1m")));
    let found = ask(port, "GET", "/api/conversations?search=n%20E", None).await.json();
    let missed = ask(port, "GET", "/api/conversations?search=old", None).await.json();
    assert_eq!((found.as_array().unwrap().len(), missed), (1, json!([])));
    let rule = ask(port, "GET", &format!("/api/conversations/{ID}/calls/1/rule"), None).await;
    assert_eq!(rule.json(), json!({ "rule": "allow it" }));
    assert_eq!(ask(port, "GET", &format!("/api/conversations/{ID}/calls/2/rule"), None).await.status, 409);
    assert_eq!(ask(port, "DELETE", &format!("/api/conversations/{ID}"), None).await.status, 204);
    assert_eq!(ask(port, "GET", "/api/conversations", None).await.json(), json!([]));
}

#[tokio::test]
async fn events_and_changes_page_by_seq() {
    let world = World::new();
    world.reply("Hi", &[]);
    let server = world.serve().await;
    let mut client = Client::connect(server.port).await;
    client.invoke("SubmitPrompt", json!([ID, "hello"])).await.unwrap();
    let seqs = async |route: &str, query: &str| -> Vec<u64> {
        let path = format!("/api/conversations/{ID}/{route}{query}");
        let answer = ask(server.port, "GET", &path, None).await.json();
        let list = if route == "events" { &answer } else { &answer["changes"] };
        list.as_array().unwrap().iter().map(|one| one["seq"].as_u64().unwrap()).collect()
    };
    for route in ["events", "changes"] {
        let all = seqs(route, "").await;
        assert_eq!(all, (0..all.len() as u64).collect::<Vec<_>>());
        assert_eq!(seqs(route, "?after=-1").await, all);
        assert_eq!(seqs(route, "?after=1&limit=2").await, [2, 3]);
        assert_eq!(seqs(route, "?after=99").await, [0_u64; 0]);
        for wrong in ["?after=x", "?after=-2", "?after=9223372036854775807", "?limit=x"] {
            let path = format!("/api/conversations/{ID}/{route}{wrong}");
            let answer = ask(server.port, "GET", &path, None).await;
            assert_eq!(answer.status, 400, "{wrong}");
            assert!(answer.json()["message"].is_string(), "{wrong}");
        }
    }
}

/// What a reply costs depends on a record before it, wherever the page begins.
#[tokio::test]
async fn a_change_is_the_same_on_every_page() {
    let world = World::new();
    let usage = Usage { input: 1_000_000, ..Usage::default() };
    let mut calls = Vec::new();
    for n in 0..8 {
        calls.push(Call { id: CallId(format!("{n}")), name: "look".into(), arguments: "{}".into() });
    }
    for calls in [calls, Vec::new()] {
        let reply = Reply { text: "Hi".into(), calls, usage, ..Reply::default() };
        world.stream().send(Delta::Finished(Box::new(reply))).unwrap();
    }
    let server = world.serve().await;
    let mut client = Client::connect(server.port).await;
    client.invoke("SubmitPromptWith", json!([ID, "hello", { "model": "a/long-name" }])).await.unwrap();
    let one = format!("/api/conversations/{ID}");
    ask(server.port, "PATCH", &one, Some(&json!({ "model": "b/c" }))).await;
    let page =
        async |query: String| ask(server.port, "GET", &format!("{one}/changes{query}"), None).await.json();
    let all = page(String::new()).await;
    let all = all["changes"].as_array().unwrap();
    let costs: Vec<f64> = all.iter().filter_map(|change| change["body"]["cost"].as_f64()).collect();
    assert_eq!((costs.len(), costs[0] > 0.0, costs[0]), (2, true, costs[1]), "{all:?}");
    assert!(all.len() > 30, "the page begins far behind the first record: {}", all.len());
    for seq in 0..all.len() {
        let found = page(format!("?after={}&limit=1", seq as i64 - 1)).await;
        assert_eq!(found, json!({ "changes": [all[seq]], "last": all.len() - 1 }));
    }
}

#[tokio::test]
async fn what_is_not_there_or_makes_no_sense_is_answered_in_json() {
    let server = World::new().serve().await;
    let one = format!("/api/conversations/{OTHER}");
    let unknown = format!("Conversation with id {OTHER} not found");
    let undo = format!("{one}/undo");
    let cases: [(&str, &str, Option<Value>, u16, &str); 17] = [
        ("POST", &undo, Some(json!({ "mode": "look", "to": 5.0 })), 404, &unknown),
        ("POST", &undo, Some(json!({ "mode": "look", "to": 5.5 })), 400, "The body cannot be read"),
        ("POST", &undo, Some(json!({ "mode": "look", "to": 1_u64 << 53 })), 400, "The body cannot be read"),
        ("GET", &one, None, 404, &unknown),
        ("DELETE", &one, None, 404, &unknown),
        ("PATCH", &one, Some(json!({ "topic": "x" })), 404, &unknown),
        ("PATCH", &one, Some(json!({ "topic": " " })), 400, "A topic has between"),
        ("PATCH", &one, Some(json!({ "topic": "\u{200b}\u{1b}\n" })), 400, "A topic has between"),
        ("PATCH", &one, Some(json!({ "topic": "x".repeat(1 << 20) })), 400, "A topic has between"),
        ("PATCH", &one, Some(json!({})), 400, "There is nothing to change"),
        ("PATCH", &one, Some(json!({ "other": 1 })), 400, "The body cannot be read"),
        ("PATCH", &one, None, 415, "The body must be application/json."),
        ("GET", "/api/conversations/me", None, 404, "Conversation with id me not found"),
        ("GET", "/api/nothing", None, 404, "There is no such route."),
        ("PUT", "/api/conversations", None, 405, "This cannot be done here."),
        ("GET", "/hubs/coding", None, 426, "Connect to the hub with a WebSocket."),
        ("POST", "/c/1", None, 405, "This cannot be done here."),
    ];
    for (method, path, body, status, message) in cases {
        let answer = ask(server.port, method, path, body.as_ref()).await;
        assert_eq!(answer.status, status, "{method} {path}: {answer:?}");
        assert!(answer.json()["message"].as_str().unwrap().starts_with(message), "{answer:?}");
        assert!(answer.head.contains("cache-control: no-store"), "{answer:?}");
    }
}

#[tokio::test]
async fn strangers_are_kept_out_before_anything_else() {
    let server = World::new().serve().await;
    let port = server.port;
    let own = format!("Host: localhost:{port}\r\nAuthorization: Bearer {TOKEN}");
    let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==";
    let cases = [
        ("GET /api/setup", own.clone(), 200),
        ("GET /", format!("Host: localhost:{port}"), 401),
        ("GET /api/setup", format!("Host: localhost:{port}"), 401),
        ("GET /assets/x.js", format!("Host: localhost:{port}"), 401),
        ("POST /hubs/coding/negotiate?negotiateVersion=1", format!("Host: localhost:{port}"), 401),
        ("GET /api/setup", format!("Host: evil.example\r\nAuthorization: Bearer {TOKEN}"), 421),
        ("GET /api/setup", format!("{own}\r\nOrigin: http://evil.example"), 403),
        ("GET /api/setup", format!("{own}\r\nHost: localhost:{port}"), 400),
        ("GET /hubs/coding", format!("Host: localhost:{port}\r\n{upgrade}"), 401),
        ("GET /hubs/coding", format!("{own}\r\nOrigin: http://evil.example\r\n{upgrade}"), 403),
        (
            "GET /hubs/coding",
            format!("Host: evil.example:{port}\r\nAuthorization: Bearer {TOKEN}\r\n{upgrade}"),
            421,
        ),
        ("GET /api/setup", format!("{own}\r\nX: {}", "x".repeat(200_000)), 431),
    ];
    for (line, headers, status) in cases {
        let headers = headers.replace("Connection: Upgrade", "Connection: Upgrade, close");
        let close = if headers.contains("Upgrade") { "" } else { "Connection: close\r\n" };
        let request = format!("{line} HTTP/1.1\r\n{headers}\r\n{close}\r\n");
        let answer = raw(port, request.as_bytes()).await;
        assert_eq!(answer.status, status, "{line} {headers:.80}: {:.200}", answer.head);
        assert!(!answer.body.contains("/work") || status == 200, "nothing is revealed");
    }
}

#[tokio::test]
async fn every_answer_tells_browsers_what_they_must_know() {
    let server = World::new().serve().await;
    let locked = format!("GET / HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n\r\n", server.port);
    for answer in [
        ask(server.port, "GET", "/", None).await,
        ask(server.port, "GET", "/c/1", None).await,
        ask(server.port, "GET", "/api/setup", None).await,
        ask(server.port, "GET", "/openapi.json", None).await,
        raw(server.port, locked.as_bytes()).await,
    ] {
        for line in [
            "content-security-policy: default-src 'none'; script-src 'self';",
            "x-frame-options: deny",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cache-control: no-store",
        ] {
            assert!(answer.head.contains(line), "{line}: {}", answer.head);
        }
        assert!(!answer.head.contains("unsafe"), "{}", answer.head);
    }
}

#[tokio::test]
async fn a_large_body_works_and_a_huge_one_is_refused() {
    let server = World::new().serve().await;
    let path = format!("/api/conversations/{OTHER}/inbox");
    let answer = ask(server.port, "POST", &path, Some(&json!({ "text": "x".repeat(8 << 20) }))).await;
    assert_eq!(answer.status, 409, "{:.200}", answer.body);
    let answer = ask(server.port, "POST", &path, Some(&json!({ "text": "x".repeat(64 << 20) }))).await;
    assert_eq!(answer.status, 413, "{:.200}", answer.body);
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost:{}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nExpect: 100-continue\r\n\r\n",
        server.port,
        64 << 20
    );
    let answer = raw(server.port, head.as_bytes()).await;
    assert_eq!(answer.status, 413, "who asks first hears it before sending: {:.200}", answer.head);
}

#[tokio::test]
async fn negotiation_offers_what_the_hub_speaks() {
    let server = World::new().serve().await;
    let answer = ask(server.port, "POST", "/hubs/coding/negotiate?negotiateVersion=1", None).await.json();
    assert_eq!(answer["negotiateVersion"], 1);
    let transports = json!([{ "transport": "WebSockets", "transferFormats": ["Text"] }]);
    assert_eq!(answer["availableTransports"], transports);
    assert!(answer["connectionToken"].is_string() && answer["connectionId"].is_string());
}

#[tokio::test]
async fn the_machine_says_what_is_missing_and_shows_its_demo() {
    let world = World::new();
    world.reply("Watch", &[]);
    let server = world.serve().await;
    let setup = ask(server.port, "GET", "/api/setup", None).await.json();
    assert_eq!(setup["missing"], json!({ "message": "no key", "hint": "set a key" }));
    let models = ask(server.port, "GET", "/api/models", None).await.json();
    assert_eq!(models, json!({ "models": ["test/puppet"] }));
    let demo = ask(server.port, "POST", "/api/demo", None).await.json();
    let id = demo["id"].as_str().unwrap();
    let mut client = Client::connect(server.port).await;
    client.invoke("JoinConversation", json!([id, -1])).await.unwrap();
    client.wait_for("AgentCompleted").await;
    let outbox = ask(server.port, "GET", &format!("/api/conversations/{id}/outbox"), None).await;
    assert_eq!(outbox.status, 404);
    let look = json!({ "mode": "look" });
    let undo = ask(server.port, "POST", &format!("/api/conversations/{id}/undo"), Some(&look)).await;
    assert_eq!(undo.json(), json!({ "files": [], "commands": [], "done": false }));
}

#[tokio::test]
async fn the_document_describes_every_route() {
    let server = World::new().serve().await;
    let document = ask(server.port, "GET", "/openapi.json", None).await.json();
    let routes = crate::rest::routes();
    for route in &routes {
        let operation = &document["paths"][route.path][route.method];
        assert_eq!(operation["summary"], route.summary);
    }
    let agent = &document["paths"]["/api/agent"]["post"]["responses"];
    for status in ["400", "413", "503"] {
        assert_eq!(agent[status]["content"], agent["200"]["content"], "one shape for every outcome");
    }
    let paged = &document["paths"]["/api/conversations/{id}/events"]["get"]["parameters"];
    let kinds = paged.as_array().unwrap().iter().map(|parameter| &parameter["schema"]["type"]);
    assert_eq!(kinds.collect::<Vec<_>>(), ["string", "integer", "integer"], "{paged}");
    let text = document.to_string();
    let references = text.matches("\"$ref\":\"#/components/schemas/").count();
    assert!(references > 5);
    for reference in text.split("\"$ref\":\"#").skip(1) {
        let pointer = reference.split('"').next().unwrap();
        assert!(document.pointer(pointer).is_some(), "{pointer} leads nowhere");
    }
    let mut ids: Vec<&str> =
        text.split("\"operationId\":\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), routes.len(), "{ids:?}");
}
