//! A model behind a dialect, without a wire.

use super::*;
use crate::dialect::{Enforcement, MISREAD, Misread};
use agent::{Failure, FailureKind, Job, Message, Reply, Spec, Status, Tool};
use futures::future::FutureExt;
use futures::stream;
use serde_json::json;
use std::sync::Mutex;

/// Says what it is told to, and remembers what it was asked.
struct Parrot {
    says: Vec<Delta>,
    asked: Mutex<Vec<Request>>,
}

impl Model for Parrot {
    fn info(&self) -> Info {
        Info { name: "parrot/grey".into(), window: Some(7) }
    }

    fn stream(&self, request: Request) -> BoxStream<'static, Delta> {
        self.asked.lock().unwrap().push(request);
        stream::iter(self.says.clone()).boxed()
    }
}

fn ask(dialect: Dialect, says: Vec<Delta>) -> (Vec<Delta>, Request) {
    let parrot = Arc::new(Parrot { says, asked: Mutex::default() });
    let spoken = Spoken::new(parrot.clone(), dialect, Enforcement::Schema);
    assert_eq!(spoken.info(), parrot.info());
    let tool =
        Spec { name: "shell".into(), description: "Runs.".into(), parameters: json!({ "type": "object" }) };
    let request = Request {
        conversation: "c".into(),
        instructions: "Be good.".into(),
        tools: Arc::from([tool]),
        messages: vec![Arc::new(Message::User { parts: vec!["Hi.".into()] })],
        generation: 0,
        schema: None,
    };
    let heard = spoken.stream(request).collect().now_or_never().expect("nothing to wait for");
    let asked = parrot.asked.lock().unwrap().pop().expect("asked once");
    (heard, asked)
}

fn finished(text: &str) -> Delta {
    Delta::Finished(Box::new(Reply { text: text.into(), ..Reply::default() }))
}

#[test]
fn pieces_pass_and_the_reply_is_read() {
    let cases = [
        (Dialect::Native, "<tool_call>{\"name\": \"shell\", \"arguments\": {}}</tool_call>", 1),
        (Dialect::Text, "[CALL tool=\"shell\"]\n{}\n[/CALL]", 0),
        (Dialect::Json, "{\"calls\": [{\"name\": \"shell\"}]}", 0),
    ];
    for (dialect, text, native_tools) in cases {
        let (heard, asked) =
            ask(dialect, vec![Delta::Reasoning("r".into()), Delta::Text(text.into()), finished(text)]);
        assert_eq!(heard[..2], [Delta::Reasoning("r".into()), Delta::Text(text.into())]);
        let Delta::Finished(reply) = &heard[2] else { panic!("{heard:?}") };
        assert_eq!((reply.calls.len(), reply.calls[0].name.as_str(), reply.text.as_str()), (1, "shell", ""));
        assert_eq!(asked.tools.len(), native_tools);
        assert_eq!(asked.schema.is_some(), dialect == Dialect::Json);
    }
}

#[test]
fn failures_pass() {
    let failure = Delta::Failed(Failure::new(FailureKind::Network, "cut"));
    let says = vec![Delta::Text("[CALL tool=\"shell\"]\n{}\n[/CALL]".into()), failure];
    assert_eq!(ask(Dialect::Text, says.clone()).0, says);
}

#[test]
fn what_was_misread_is_told_by_its_tool() {
    let tool = Misread::default();
    assert_eq!(tool.spec().name, MISREAD);
    let outcome = tool
        .run(Job::unwatched(json!({ "text": "DONE missing closing tag" })))
        .now_or_never()
        .expect("at once");
    assert_eq!(outcome.status, Status::Failed);
    assert!(outcome.text.ends_with("nothing of it was run: DONE missing closing tag"), "{}", outcome.text);
}

/// Refuses every request that has a schema.
struct Stubborn(Mutex<Vec<Request>>);

impl Model for Stubborn {
    fn info(&self) -> Info {
        Info { name: "mule/grey".into(), window: None }
    }

    fn stream(&self, request: Request) -> BoxStream<'static, Delta> {
        let refusal = Failure::new(FailureKind::Refused, "output_config.format: not supported by this model");
        let says = if request.schema.is_some() { Delta::Failed(refusal) } else { finished("{}") };
        self.0.lock().unwrap().push(request);
        stream::iter([says]).boxed()
    }
}

#[test]
fn a_schema_that_is_refused_is_said_in_words_from_then_on() {
    let model = Arc::new(Stubborn(Mutex::default()));
    let spoken = Spoken::new(model.clone(), Dialect::Native, Enforcement::Schema);
    let request = Request {
        conversation: "c".into(),
        instructions: "Be good.".into(),
        tools: Arc::default(),
        messages: Vec::new(),
        generation: 0,
        schema: Some(Arc::new(json!({ "type": "object" }))),
    };
    for _ in 0..2 {
        let heard: Vec<Delta> =
            spoken.stream(request.clone()).collect().now_or_never().expect("nothing to wait for");
        assert_eq!(heard, [finished("{}")]);
    }
    let asked = model.0.lock().unwrap();
    let schemas: Vec<bool> = asked.iter().map(|request| request.schema.is_some()).collect();
    assert_eq!(schemas, [true, false, false]);
    assert!(
        asked[1].instructions.ends_with(r#"JSON Schema: {"type":"object"}"#),
        "{}",
        asked[1].instructions
    );
    for message in ["no such model", "images are not supported"] {
        assert!(!refuses_schema(&Failure::new(FailureKind::Refused, message)));
    }
    assert!(!refuses_schema(&Failure::new(FailureKind::Overloaded, "schema")));
}
