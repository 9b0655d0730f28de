//! Clients that say too much, too little or nonsense.

use super::client::Client;
use super::world::World;
use crate::Limits;
use agent::Delta;
use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::time::Duration;
use tokio_tungstenite::tungstenite::Message;

const ID: &str = "0190c0de-0000-4000-8000-000000000001";

#[tokio::test]
async fn nonsense_closes_the_connection_with_a_reason() {
    let server = World::new().serve().await;
    for (nonsense, reason) in [
        ("nonsense", "a hub message must be JSON"),
        ("[]", "a hub message must be a JSON object"),
        ("{}", "a hub message needs the property 'type'"),
        (r#"{"type":1,"target":"x"}"#, "a hub message needs the property 'arguments'"),
    ] {
        let mut client = Client::connect(server.port).await;
        client.send(nonsense).await;
        let close = client.receive().await.unwrap();
        assert_eq!(close["type"], 7);
        assert!(close["error"].as_str().unwrap().starts_with(reason), "{close}");
        assert_eq!(client.receive().await, None);
    }
}

#[tokio::test]
async fn what_is_unknown_or_wants_no_answer_disturbs_nobody() {
    let server = World::new().serve().await;
    let mut client = Client::connect(server.port).await;
    for text in [
        r#"{"type":99,"x":1}"#,
        r#"{"type":6}"#,
        r#"{"type":5,"invocationId":"9"}"#,
        r#"{"type":3,"invocationId":"9"}"#,
        r#"{"type":1,"target":"Nope","arguments":[]}"#,
    ] {
        client.send(text).await;
    }
    let streamed = json!({ "type": 4, "invocationId": "s", "target": "SubmitPrompt", "arguments": [] });
    client.send(&streamed.to_string()).await;
    assert!(client.completion("s").await.unwrap_err().contains("no streaming method"));
    // Two messages in one frame, and one in two.
    let one = r#"{"type":1,"invocationId":"a","target":"Nope","arguments":[]}"#;
    client.send(&format!("{one}\u{1e}{{\"type\":6}}")).await;
    assert!(client.completion("a").await.is_err());
    let (head, tail) = one.split_at(20);
    client.socket.send(Message::Text(head.into())).await.unwrap();
    client.socket.send(Message::Binary(format!("{tail}\u{1e}").into_bytes().into())).await.unwrap();
    assert!(client.completion("a").await.is_err());
}

#[tokio::test]
async fn a_handshake_is_needed() {
    let limits = Limits { handshake: Duration::from_millis(200), ..Limits::default() };
    let server = World::new().serve_with(limits).await;
    let mut client = Client::connect_silently(server.port).await;
    client.send(r#"{"protocol":"messagepack","version":1}"#).await;
    assert_eq!(
        client.receive().await,
        Some(json!({ "error": "The protocol 'messagepack' is not supported." }))
    );
    assert!(matches!(client.socket.next().await, Some(Ok(Message::Close(_)))), "and is not just cut off");
    let mut silent = Client::connect_silently(server.port).await;
    assert_eq!(silent.receive().await.unwrap()["type"], 7);
    assert_eq!(silent.receive().await, None);
}

#[tokio::test]
async fn a_large_message_works_and_a_huge_one_closes_with_a_reason() {
    let world = World::new();
    world.reply("read", &[]);
    let server = world.serve().await;
    let mut client = Client::connect(server.port).await;
    let large = "x".repeat(256 << 10);
    client.invoke("SubmitPrompt", json!([ID, large])).await.unwrap();
    let huge = "x".repeat(64 << 20);
    let sent = client.socket.send(Message::Text(huge.into())).await;
    assert!(sent.is_ok(), "the server reads on, so that the client hears why");
    let close = loop {
        match client.receive().await {
            Some(message) if message["type"] == 7 => break message,
            Some(_) => {}
            None => panic!("closed without a reason"),
        }
    };
    assert!(close["error"].as_str().unwrap().contains("at most"), "{close}");
    let end = async { while let Some(Ok(_)) = client.socket.next().await {} };
    tokio::time::timeout(Duration::from_secs(5), end).await.expect("the end comes at once");
}

#[tokio::test]
async fn silence_ends_a_connection_and_pings_keep_it() {
    let limits =
        Limits { silence: Duration::from_millis(600), ping: Duration::from_millis(100), ..Limits::default() };
    let server = World::new().serve_with(limits).await;
    let (mut silent, mut alive) = (Client::connect(server.port).await, Client::connect(server.port).await);
    let ended = async {
        let close = silent.receive().await.unwrap();
        assert_eq!((&close["type"], &close["allowReconnect"]), (&json!(7), &json!(true)));
    };
    let pings = async {
        let mut tick = tokio::time::interval(Duration::from_millis(200));
        loop {
            tick.tick().await;
            alive.send(r#"{"type":6}"#).await;
        }
    };
    tokio::select! {
        () = ended => {}
        () = pings => unreachable!("it never ends"),
    }
    assert!(alive.invoke("Nope", json!([])).await.is_err(), "it is still there");
}

#[tokio::test]
async fn a_client_that_does_not_read_is_given_up_and_catches_up() {
    let world = World::new();
    let stream = world.stream();
    let server = world.serve().await;
    let (mut reader, mut lazy) = (Client::connect(server.port).await, Client::connect(server.port).await);
    let submitted = reader.begin("SubmitPrompt", json!([ID, "go"])).await;
    stream.send(Delta::Text("begin ".into())).unwrap();
    reader.wait_for("ReceiveTextDelta").await;
    lazy.invoke("JoinConversation", json!([ID, -1])).await.unwrap();
    let piece = "x".repeat(256 << 10);
    for _ in 0..120 {
        stream.send(Delta::Text(piece.clone())).unwrap();
        reader.wait_for("ReceiveTextDelta").await;
    }
    stream.send(super::world::finished("done", &[])).unwrap();
    reader.completion(&submitted).await.unwrap();
    let mut bytes = 0;
    let mut last = Value::Null;
    while let Some(message) = lazy.receive().await {
        bytes += message.to_string().len();
        last = message;
    }
    assert!(bytes < 120 * piece.len(), "it was not given everything");
    assert!(last["type"] == 7 || last["target"] == "ReceiveTextDelta", "{}", last["type"]);
    let mut back = Client::connect(server.port).await;
    back.invoke("JoinConversation", json!([ID, -1])).await.unwrap();
    assert_eq!(back.all("AgentCompleted").len(), 1);
}

/// The texts of one record may together be more than may wait for a client, which must not lock it out for good.
#[tokio::test]
async fn a_conversation_with_a_huge_reply_can_be_joined() {
    let world = World::new();
    world.reply(&"x".repeat(9 << 20), &[]);
    let server = world.serve().await;
    let mut first = Client::connect(server.port).await;
    first.begin("SubmitPrompt", json!([ID, "go"])).await;
    // It may be given up, because nobody reads as fast as the reply is told.
    while first.receive().await.is_some_and(|message| message["target"] != "AgentCompleted") {}
    let mut second = Client::connect(server.port).await;
    second.invoke("JoinConversation", json!([ID, -1])).await.unwrap();
    assert_eq!(second.all("AgentCompleted").len(), 1);
}
