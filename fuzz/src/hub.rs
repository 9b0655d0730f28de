//! Messages of the hub: the cuts between them are where the end marks are and nowhere else, and what the server prints
//! is one message.

use web::frame::{END, Message, Messages, bind, call, complete, parse, parse_handshake, shake};

pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let [whole, single, pieces] = super::text_cuttings(&text).map(|pieces| messages(&pieces));
    assert_eq!(single, whole, "one character at a time");
    assert_eq!(pieces, whole, "in pieces");
    for message in &whole {
        take(message);
    }
}

fn messages(pieces: &[&str]) -> Vec<String> {
    let (mut messages, mut found) = (Messages::default(), Vec::new());
    for piece in pieces {
        messages.push(piece);
        found.extend(std::iter::from_fn(|| messages.take()));
    }
    found
}

fn take(message: &str) {
    is_one(&shake(parse_handshake(message)));
    let parsed = match parse(message) {
        Ok(parsed) => parsed,
        Err(error) => return is_one(&complete("1", &Err(error.to_string()))),
    };
    if let Message::Invocation { target, arguments, .. } = parsed {
        let text = call(&target, &arguments);
        is_one(&text);
        match parse(text.trim_end_matches(END)) {
            Ok(Message::Invocation { target: again, arguments: same, .. }) => {
                assert_eq!((again, same.len()), (target, arguments.len()));
            }
            other => panic!("{other:?}"),
        }
        let _ = bind::<(String, i64)>(arguments.clone());
        if let Err(error) = bind::<(Option<String>, Vec<u8>, bool)>(arguments) {
            is_one(&complete("1", &Err(error)));
        }
    }
}

fn is_one(text: &str) {
    assert_eq!(text.find(END), Some(text.len() - 1), "{text:?}");
}
