//! Whatever is written is read back, wherever its kind stands among its fields; what is no event is refused.

use super::*;
use serde_json::json;

/// One event of every kind. A new kind does not compile until it stands here.
fn every_kind() -> Vec<Event> {
    let call = || CallId("c".into());
    let text = || "t\n\u{1f600}\"".to_owned();
    let mut kind = Some(Event::Cancelled {});
    let mut all = Vec::new();
    while let Some(event) = kind {
        kind = match &event {
            Event::Cancelled {} => Some(Event::Continued {}),
            Event::Continued {} => Some(Event::Shortened {}),
            Event::Shortened {} => Some(Event::Stopped { reason: Stop::Bound }),
            Event::Stopped { .. } => Some(Event::Started { call: call() }),
            Event::Started { .. } => Some(Event::Ran { call: call(), outcome: Outcome::interrupted() }),
            Event::Ran { .. } => Some(Event::Noted { note: json!({"type": "inner", "n": [1.5, null]}) }),
            Event::Noted { .. } => Some(Event::Asked { model: text(), summary_of: Some(u64::MAX) }),
            Event::Asked { .. } => Some(Event::Said(Said { text: text(), context: Some(text()) })),
            Event::Said(_) => {
                Some(Event::Called(Call { id: call(), name: text(), arguments: r#"{"a":1}"#.into() }))
            }
            Event::Called(call) => Some(Event::Replied(Reply {
                text: text(),
                calls: vec![call.clone()],
                opaque: Some(json!({"signed": "x"})),
                ..Reply::default()
            })),
            Event::Replied(_) => Some(Event::Judged(Judged {
                call: call(),
                verdict: Verdict::Ask,
                by: By::Policy,
                reason: text(),
                digest: "d".into(),
            })),
            Event::Judged(_) => {
                Some(Event::Compacted(Compacted { before: 3, summary: None, usage: Usage::default() }))
            }
            Event::Compacted(_) => Some(Event::Configured(Configured { model: Some(text()), topic: None })),
            Event::Configured(_) => Some(Event::Failed {
                failure: Failure::new(FailureKind::Overloaded, text()).retry(Retry::After(7)),
                partial: text(),
            }),
            Event::Failed { .. } => Some(Event::Undone { receipt: json!([1]), paths: vec![text()] }),
            Event::Undone { .. } => Some(Event::Opened(Opened {
                profile: text(),
                model: text(),
                directory: text(),
                instructions: text(),
                tools: vec![Spec {
                    name: text(),
                    description: text(),
                    parameters: json!({"type": "object"}),
                }],
                forked_from: Some(Fork { conversation: text(), seq: 1 }),
            })),
            Event::Opened(_) => None,
        };
        all.push(event);
    }
    all
}

#[test]
fn every_kind_is_read_as_it_was_written() {
    for event in every_kind() {
        let text = serde_json::to_string(&event).unwrap();
        assert!(text.starts_with(r#"{"type":""#), "the kind stands in front: {text}");
        assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event);
        // A map sorts its fields, which puts the kind behind most others.
        assert_eq!(serde_json::from_value::<Event>(serde_json::to_value(&event).unwrap()).unwrap(), event);
    }
}

#[test]
fn what_is_no_event_is_refused() {
    for (text, why) in [
        ("{}", "missing field `type`"),
        (r#"{"text":"hi"}"#, "missing field `type`"),
        (r#"{"text":"hi","type":7}"#, "invalid type: integer `7`"),
        (r#"{"type":7,"text":"hi"}"#, "invalid type: integer `7`"),
        (r#"{"type":"sung","text":"hi"}"#, "unknown variant `sung`"),
        (r#"{"type":"said"}"#, "missing field `text`"),
        (r#"{"text":7,"type":"said"}"#, "invalid type: integer `7`"),
        (r#"["said"]"#, "expected an event"),
        (r#""said""#, "expected an event"),
    ] {
        let error = serde_json::from_str::<Event>(text).unwrap_err().to_string();
        assert!(error.contains(why), "{text}: {error}");
    }
}
