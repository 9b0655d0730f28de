//! The order of a reply's parts, there and back.

use super::*;
use agent::CallId;

fn call(id: &str) -> Call {
    Call { id: CallId(id.into()), name: "read".into(), arguments: "{}".into() }
}

/// The parts as short words, for a reply with the text `héllo world` and the calls a and b.
fn shown(wire: &str, opaque: Option<&Value>) -> Vec<String> {
    let calls = [call("a"), call("b")];
    let signed =
        |signature: Option<&str>| signature.map_or(String::new(), |signature| format!("/{signature}"));
    arranged(wire, opaque, "héllo world", &calls)
        .into_iter()
        .map(|item| match item {
            Item::Thought(part) => format!("!{part}"),
            Item::Text { text, signature, .. } => format!("{text}{}", signed(signature)),
            Item::Call { call, signature } => format!("@{}{}", call.id, signed(signature)),
        })
        .collect()
}

#[test]
fn parts_come_back_in_their_order() {
    let mut layout = Layout::default();
    layout.thought(json!(1));
    layout.text("hél".len());
    layout.text("lo".len());
    layout.signed_call(0, "s");
    layout.thought(json!(2));
    layout.signed_text(" world".len(), "t");
    layout.signed_text(0, "u");
    layout.call(1);
    layout.call(1);
    let opaque = layout.opaque("w");
    assert_eq!(shown("w", opaque.as_ref()), ["!1", "héllo", "@a/s", "!2", " world/t", "/u", "@b"]);
    assert_eq!(shown("other", opaque.as_ref()), ["héllo world", "@a", "@b"]);
}

#[test]
fn what_does_not_fit_is_put_in_plain_order() {
    let plain = ["héllo world", "@a", "@b"];
    assert_eq!(shown("w", None), plain);
    for layout in [
        json!([{ "text": 2 }, { "text": 10 }, { "call": 0 }, { "call": 1 }]),
        json!([{ "text": 99 }, { "call": 0 }, { "call": 1 }]),
        json!([{ "text": 12 }, { "call": 0 }]),
        json!([{ "text": 12 }, { "call": 0 }, { "call": 7 }]),
        json!([{ "call": 0 }, { "call": 1 }]),
        json!("odd"),
    ] {
        let opaque = json!({ "wire": "w", "layout": layout });
        assert_eq!(shown("w", Some(&opaque)), plain, "{layout}");
    }
}

#[test]
fn a_plain_reply_needs_no_layout() {
    let mut layout = Layout::default();
    layout.text(3);
    layout.call(0);
    assert_eq!(layout.opaque("w"), None);
}
