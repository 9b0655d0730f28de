//! Conversations over the hub.

use super::client::{Client, ask};
use super::world::{World, finished};
use agent::Delta;
use serde_json::{Value, json};

const ID: &str = "0190c0de-0000-4000-8000-000000000001";
const OTHER: &str = "0190c0de-0000-4000-8000-000000000002";
/// Callbacks that say in other words what the contract's say.
const OWN: [&str; 5] =
    ["ReceiveChange", "ConversationChanged", "ReceiveTextDelta", "UsageUpdated", "ReceiveToolOutput"];

fn shell(id: &'static str, command: &str) -> (&'static str, &'static str, Value) {
    (id, "shell", json!({ "command": command }))
}

#[tokio::test]
async fn a_prompt_runs_until_it_rests_and_everything_is_told_in_order() {
    let world = World::new();
    let look = ("2", "look", json!({ "path": "a", "from": 1 }));
    world.reply("Let me see", &[shell("1", "make"), look]);
    world.reply("", &[("3", "final_output", json!({ "output": "All is well" }))]);
    let server = world.serve().await;
    let mut client = Client::connect(server.port).await;
    assert_eq!(client.invoke("SubmitPrompt", json!([ID, "do it"])).await, Ok(Value::Null));
    assert_eq!(client.names(&OWN), ["ReceiveAgentResponse", "RequestPermission", "ReceiveToolCall"]);
    assert_eq!(client.all("RequestPermission"), [json!(["1", "shell", { "command": "make" }])]);
    assert_eq!(client.all("ReceiveToolCall"), [json!(["look", { "path": "a", "from": "1" }])]);
    assert!(world.ran.lock().unwrap().iter().all(|command| command != "make"), "it waits");
    client.heard.clear();
    assert_eq!(client.invoke("ApproveToolCall", json!([ID, "1"])).await, Ok(Value::Null));
    let expected = ["ToolCallDecided", "ReceiveToolCall", "ReceiveAgentResponse", "AgentCompleted"];
    assert_eq!(client.names(&OWN), expected);
    assert_eq!(client.all("ReceiveAgentResponse"), [json!(["All is well"])]);
    assert_eq!(client.all("AgentCompleted"), [json!([])]);
}

#[tokio::test]
async fn a_decline_is_told_and_the_run_goes_on() {
    let world = World::new();
    world.reply("", &[shell("1", "make"), shell("2", "test")]);
    world.reply("Fine.", &[]);
    let server = world.serve().await;
    let mut client = Client::connect(server.port).await;
    client.invoke("SubmitPrompt", json!([ID, "do it"])).await.unwrap();
    client.invoke("DeclineToolCallWithReason", json!([ID, "2", "not now"])).await.unwrap();
    assert!(client.all("AgentCompleted").is_empty(), "the other one still waits");
    client.invoke("DeclineToolCall", json!([ID, "1"])).await.unwrap();
    assert_eq!(client.all("AgentCompleted").len(), 1);
    assert!(client.all("ReceiveToolCall").is_empty(), "nothing ran");
    assert!(world.ran.lock().unwrap().is_empty());
}

#[tokio::test]
async fn the_first_decision_wins_and_everybody_hears_of_it() {
    let world = World::new();
    world.reply("", &[shell("1", "make")]);
    world.reply("Done.", &[]);
    let server = world.serve().await;
    let (mut one, mut two) = (Client::connect(server.port).await, Client::connect(server.port).await);
    one.invoke("SubmitPrompt", json!([ID, "do it"])).await.unwrap();
    let joined = two.invoke("JoinConversation", json!([ID, -1])).await.unwrap();
    assert_eq!(joined["seq"].as_u64(), two.seqs().last().copied());
    assert_eq!(two.all("RequestPermission").len(), 1, "who comes late learns what waits");
    let (first, second) = tokio::join!(
        one.invoke("ApproveToolCall", json!([ID, "1"])),
        two.invoke("DeclineToolCall", json!([ID, "1"])),
    );
    assert!(first.is_ok() != second.is_ok(), "{first:?} {second:?}");
    let lost = first.err().or(second.err()).unwrap();
    assert_eq!(lost, "call 1 is already decided");
    for client in [&mut one, &mut two] {
        let decided = client.wait_for("ToolCallDecided").await;
        assert_eq!(decided[0]["callId"], "1");
        client.wait_for("AgentCompleted").await;
    }
    assert!(world.ran.lock().unwrap().len() <= 1, "never twice");
}

#[tokio::test]
async fn reconnecting_from_a_seq_misses_and_repeats_nothing() {
    let world = World::new();
    world.reply("One", &[]);
    let server = world.serve().await;
    let mut client = Client::connect(server.port).await;
    client.invoke("SubmitPrompt", json!([ID, "first"])).await.unwrap();
    let before = client.seqs();
    assert_eq!(before, (0..before.len() as u64).collect::<Vec<_>>());
    drop(client);
    world.reply("Two", &[shell("1", "make")]);
    let mut other = Client::connect(server.port).await;
    other.invoke("SubmitPrompt", json!([ID, "second"])).await.unwrap();
    let mut client = Client::connect(server.port).await;
    client.invoke("JoinConversation", json!([ID, before.last()])).await.unwrap();
    assert_eq!(client.seqs(), other.seqs());
    assert_eq!(client.all("ReceiveAgentResponse"), [json!(["Two"])]);
    world.reply("Three", &[]);
    other.invoke("ApproveToolCall", json!([ID, "1"])).await.unwrap();
    client.wait_for("AgentCompleted").await;
    let all: Vec<u64> = before.into_iter().chain(client.seqs()).collect();
    assert_eq!(all, (0..all.len() as u64).collect::<Vec<_>>());
}

#[tokio::test]
async fn who_comes_in_the_middle_of_a_reply_gets_all_of_it() {
    let world = World::new();
    let stream = world.stream();
    let server = world.serve().await;
    let (mut one, mut two) = (Client::connect(server.port).await, Client::connect(server.port).await);
    let submitted = one.begin("SubmitPrompt", json!([ID, "go"])).await;
    stream.send(Delta::Reasoning("hm".into())).unwrap();
    stream.send(Delta::Text("Grüße 🙂, ".into())).unwrap();
    one.wait_for("ReceiveTextDelta").await;
    two.invoke("JoinConversation", json!([ID, -1])).await.unwrap();
    assert_eq!(two.wait_for("ReceiveReasoningDelta").await[0]["text"], "hm");
    let first = two.wait_for("ReceiveTextDelta").await;
    assert_eq!((&first[0]["offset"], &first[0]["text"]), (&json!(0), &json!("Grüße 🙂, ")));
    stream.send(Delta::Text("Welt".into())).unwrap();
    let second = two.wait_for("ReceiveTextDelta").await;
    assert_eq!((&second[0]["offset"], &second[0]["text"]), (&json!(10), &json!("Welt")));
    stream.send(finished("Grüße 🙂, Welt", &[])).unwrap();
    one.completion(&submitted).await.unwrap();
    assert_eq!(two.wait_for("ReceiveAgentResponse").await, json!(["Grüße 🙂, Welt"]));
}

#[tokio::test]
async fn a_run_is_stopped_on_the_connection_that_waits_for_it() {
    let world = World::new();
    let stream = world.stream();
    let server = world.serve().await;
    let mut client = Client::connect(server.port).await;
    let submitted = client.begin("SubmitPrompt", json!([ID, "go"])).await;
    stream.send(Delta::Text("and so on".into())).unwrap();
    client.wait_for("ReceiveTextDelta").await;
    client.invoke("CancelRequest", json!([ID])).await.unwrap();
    client.wait_for("RequestCancelled").await;
    assert!(client.all("RunFailed").is_empty());
    world.reply("", &[shell("1", "wait")]);
    client.completion(&submitted).await.unwrap_or_default();
    client.invoke("SubmitPrompt", json!([ID, "again"])).await.unwrap();
    let approved = client.begin("ApproveToolCall", json!([ID, "1"])).await;
    client.wait_for("ReceiveToolOutput").await;
    client.invoke("CancelRequest", json!([ID])).await.unwrap();
    client.completion(&approved).await.unwrap_or_default();
    assert_eq!(client.all("RequestCancelled").len(), 1);
    let nothing = client.invoke("CancelRequest", json!([ID])).await;
    assert_eq!(nothing, Err("there is no run to stop".to_owned()));
}

#[tokio::test]
async fn prompts_are_heard_in_order_also_while_calls_wait_or_the_model_speaks() {
    let world = World::new();
    world.reply("", &[shell("1", "make")]);
    let server = world.serve().await;
    let mut client = Client::connect(server.port).await;
    client.invoke("SubmitPrompt", json!([ID, "one"])).await.unwrap();
    client.invoke("SubmitPrompt", json!([ID, "two"])).await.unwrap();
    let stream = world.stream();
    let approved = client.begin("ApproveToolCall", json!([ID, "1"])).await;
    stream.send(Delta::Text("…".into())).unwrap();
    client.wait_for("ReceiveTextDelta").await;
    client.heard.clear();
    let three = client.begin("SubmitPrompt", json!([ID, "three"])).await;
    let four = client.begin("SubmitPrompt", json!([ID, "four"])).await;
    for _ in 0..2 {
        while client.wait_for("ReceiveChange").await[0]["body"]["kind"] != "prompt" {}
    }
    world.reply("done", &[]);
    stream.send(finished("…", &[])).unwrap();
    for id in [approved, three, four] {
        client.completion(&id).await.unwrap();
    }
    client.invoke("JoinConversation", json!([ID, -1])).await.unwrap();
    let said = client.all("ReceiveChange");
    let said: Vec<&str> = said.iter().filter_map(|change| change[0]["body"]["text"].as_str()).collect();
    let prompts: Vec<&&str> = said.iter().filter(|text| !["", "…", "done"].contains(text)).collect();
    assert_eq!(prompts[prompts.len() - 4..], [&"one", &"two", &"three", &"four"]);
}

#[tokio::test]
async fn what_waits_survives_the_server() {
    let world = World::new();
    world.reply("", &[shell("1", "make"), shell("2", "test")]);
    let server = world.serve().await;
    let mut client = Client::connect(server.port).await;
    client.invoke("SubmitPrompt", json!([ID, "do it"])).await.unwrap();
    server.stop().await;
    let goodbye = client.receive().await.unwrap();
    assert_eq!((&goodbye["type"], &goodbye["allowReconnect"]), (&json!(7), &json!(true)));
    assert_eq!(client.receive().await, None);
    let server = world.serve().await;
    let mut client = Client::connect(server.port).await;
    world.reply("Done.", &[]);
    client.invoke("ApproveToolCall", json!([ID, "2"])).await.unwrap();
    assert_eq!(*world.ran.lock().unwrap(), ["test"]);
    client.invoke("DeclineToolCall", json!([ID, "1"])).await.unwrap();
    client.wait_for("AgentCompleted").await;
}

#[tokio::test]
async fn a_stopping_server_stops_what_runs() {
    let world = World::new();
    let _stream = world.stream();
    let server = world.serve().await;
    let mut client = Client::connect(server.port).await;
    client.begin("SubmitPrompt", json!([ID, "go"])).await;
    while client.wait_for("ReceiveChange").await[0]["body"]["kind"] != "asked" {}
    server.stop().await;
    let server = world.serve().await;
    let mut client = Client::connect(server.port).await;
    client.invoke("JoinConversation", json!([ID, -1])).await.unwrap();
    assert_eq!(client.all("RequestCancelled").len(), 1);
}

#[tokio::test]
async fn what_makes_no_sense_is_answered_with_a_clear_error() {
    let world = World::new();
    world.reply("", &[shell("1", "make")]);
    let server = world.serve().await;
    let mut client = Client::connect(server.port).await;
    client.invoke("SubmitPrompt", json!([ID, "do it"])).await.unwrap();
    let cases = [
        ("SubmitPrompt", json!([ID, " \n"]), "The prompt is blank; say what should be done."),
        ("SubmitPrompt", json!(["me", "x"]), "\"me\" is not a conversation id: it must be a GUID."),
        ("SubmitPrompt", json!([ID]), "SubmitPrompt takes (conversation id, prompt): "),
        ("SubmitPrompt", json!([ID, 1]), "SubmitPrompt takes (conversation id, prompt): "),
        ("submitprompt", json!([ID, "x"]), "There is no method \"submitprompt\"."),
        ("SubmitPromptWith", json!([OTHER, "x", { "profile": "none" }]), "there is no profile \"none\""),
        ("ApproveToolCall", json!([OTHER, "1"]), &format!("No conversation found for id {OTHER}")),
        ("ApproveToolCall", json!([ID, "9"]), "there is no call 9 in this conversation that waits"),
        ("ApproveToolCall", json!([ID, "1", "another digest"]), "call 1 is no longer what was shown"),
        ("DeclineToolCall", json!([OTHER, "1"]), &format!("No conversation found for id {OTHER}")),
        ("CancelRequest", json!([OTHER]), &format!("No conversation found for id {OTHER}")),
        ("JoinConversation", json!([OTHER, -1]), &format!("No conversation found for id {OTHER}")),
        ("ContinueRun", json!([OTHER]), &format!("No conversation found for id {OTHER}")),
    ];
    for (target, arguments, expected) in cases {
        let error = client.invoke(target, arguments.clone()).await.unwrap_err();
        assert!(error.starts_with(expected), "{target} {arguments}: {error}");
    }
    assert!(world.ran.lock().unwrap().is_empty(), "nothing ran");
    client.invoke("AlwaysAllow", json!([ID, "1"])).await.unwrap_or_default();
    assert_eq!(*world.ran.lock().unwrap(), ["make"]);
}

#[tokio::test]
async fn a_model_that_fails_is_told_with_what_to_do() {
    let world = World::new();
    let server = world.serve().await;
    let mut client = Client::connect(server.port).await;
    let failed = client.invoke("SubmitPrompt", json!([ID, "go"])).await;
    assert_eq!(failed, Err("nothing is left to say (write a longer script)".to_owned()));
    let told = client.wait_for("RunFailed").await;
    assert_eq!(
        (&told[0]["message"], &told[0]["hint"]),
        (&json!("nothing is left to say"), &json!("write a longer script"))
    );
    world.reply("Now it works.", &[]);
    client.invoke("ContinueRun", json!([ID])).await.unwrap();
    client.wait_for("AgentCompleted").await;
}

#[tokio::test]
async fn everybody_hears_of_the_list() {
    let world = World::new();
    world.reply("Hi", &[]);
    let server = world.serve().await;
    let (mut one, mut two) = (Client::connect(server.port).await, Client::connect(server.port).await);
    one.invoke("SubmitPrompt", json!([ID, "hello"])).await.unwrap();
    let changed = two.wait_for("ConversationChanged").await;
    assert_eq!((&changed[0]["id"], &changed[0]["topic"]), (&json!(ID), &json!("hello")));
    assert_eq!(two.wait_for("ConversationChanged").await[0]["status"], "finished");
    assert!(two.all("ReceiveChange").is_empty(), "who has not joined hears no more");
    super::client::ask(server.port, "DELETE", &format!("/api/conversations/{ID}"), None).await;
    assert_eq!(two.wait_for("ConversationRemoved").await, json!([{ "id": ID }]));
    let gone = one.invoke("SubmitPrompt", json!([ID, "hello again"])).await;
    assert!(gone.is_err() || gone == Ok(Value::Null));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_that_begin_the_same_conversation_are_both_heard_and_answered() {
    let world = World::new();
    let server = world.serve().await;
    let (mut one, mut two) = (Client::connect(server.port).await, Client::connect(server.port).await);
    for number in 0..100 {
        world.reply("A", &[]);
        world.reply("B", &[]);
        let id = format!("0190c0de-0000-4000-8000-{number:012}");
        let (first, second) = tokio::join!(
            one.invoke("SubmitPrompt", json!([id, "first"])),
            two.invoke("SubmitPrompt", json!([id, "second"])),
        );
        assert_eq!((first, second), (Ok(Value::Null), Ok(Value::Null)), "{number}");
    }
}

#[tokio::test]
async fn a_run_that_was_left_is_told_as_interrupted_everywhere() {
    let world = World::new();
    world.leave_behind(ID).await;
    world.reply("", &[("1", "final_output", json!({ "output": "At last" }))]);
    let server = world.serve().await;
    let one = format!("/api/conversations/{ID}");
    let status = async |path: &str| ask(server.port, "GET", path, None).await.json();
    assert_eq!(status("/api/conversations").await[0]["status"], "interrupted");
    let mut client = Client::connect(server.port).await;
    client.invoke("JoinConversation", json!([ID, -1])).await.unwrap();
    let told = client.wait_for("RunInterrupted").await;
    assert_eq!((&told[0]["conversationId"], &told[0]["seq"]), (&json!(ID), &json!(2)), "{told}");
    let renamed = ask(server.port, "PATCH", &one, Some(&json!({ "topic": "New" }))).await.json();
    assert_eq!(renamed["status"], "interrupted");
    assert_eq!(client.wait_for("ConversationChanged").await[0]["status"], "interrupted");
    assert!(client.all("RunInterrupted").is_empty(), "once is enough");
    assert_eq!(status("/api/conversations").await[0]["status"], "interrupted");
    assert_eq!(status(&one).await["status"], "interrupted");
    client.invoke("ContinueRun", json!([ID])).await.unwrap();
    assert_eq!(client.all("ReceiveAgentResponse"), [json!(["At last"])]);
    assert_eq!(status(&one).await["status"], "finished");
}
