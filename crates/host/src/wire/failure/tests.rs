//! What a person is told when a provider refuses, by status and headers.

use super::*;
use crate::wire::Secret;

fn provider() -> Provider {
    Provider { key: Some(Secret::new("sk-topsecret")), ..Provider::openai() }
}

fn answered(code: u16, headers: &[(&'static str, &str)], body: &str) -> Failure {
    let headers =
        headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
    status(&provider(), "gpt", StatusCode::from_u16(code).unwrap(), &headers, body.as_bytes())
}

/// Status and body; kind, part of the message, part of the hint.
#[test]
fn each_status_says_what_to_do() {
    use FailureKind::*;
    for (code, body, kind, message, hint) in [
        (
            400,
            r#"{"error":{"message":"bad"}}"#,
            Refused,
            "openai answered 400 Bad Request: \"bad\"",
            "does not accept",
        ),
        (
            400,
            r#"{"error":{"code":"context_length_exceeded","message":"m"}}"#,
            ContextTooLong,
            "400",
            "compact",
        ),
        (401, r#"{"error":{"message":"no"}}"#, Auth, "401 Unauthorized: \"no\"", "the key in OPENAI_API_KEY"),
        (403, "", Auth, "403 Forbidden", "may use the model gpt"),
        (404, r#"{"error":{"message":"The model `gpt` does not exist"}}"#, NotFound, "404", "-m openai/NAME"),
        (404, "404 page not found", NotFound, "\"404 page not found\"", "OPENAI_BASE_URL"),
        (
            400,
            r#"{"error":{"message":"Tools with reasoning are not supported here. Please use /v1/responses."}}"#,
            Refused,
            "400",
            "-m responses/gpt",
        ),
        (
            400,
            r#"{"error":{"code":"previous_response_not_found","message":"Previous response x not found."}}"#,
            Refused,
            "400",
            "providers.openai.memory",
        ),
        (413, "", ContextTooLong, "413", "compact"),
        (429, r#"{"error":{"code":"insufficient_quota","message":"m"}}"#, Quota, "429", "billing"),
        (500, "oops", Overloaded, "\"oops\"", "later"),
        (
            502,
            "<html><head><title>Bad\nGateway</title>",
            Overloaded,
            "502 Bad Gateway with a web page: \"Bad Gateway\"",
            "later",
        ),
        (529, "", Overloaded, "529", "later"),
    ] {
        let failure = answered(code, &[], body);
        assert_eq!(failure.kind, kind, "{code} {body}");
        assert!(failure.message.contains(message), "{code}: {}", failure.message);
        assert!(failure.hint.contains(hint), "{code}: {}", failure.hint);
        let never = !matches!(kind, Overloaded);
        assert_eq!(failure.retry == Retry::Never, never, "{code} {body}: {:?}", failure.retry);
    }
    let moved = answered(308, &[("location", "https://new.example/v1")], "");
    assert!(moved.message.contains("points to \"https://new.example/v1\""), "{}", moved.message);
}

#[test]
fn waiting() {
    let now = UNIX_EPOCH + Duration::from_secs(784_111_777);
    let check = |headers: &[(&'static str, &str)], retry, words: &str| {
        let headers =
            headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        let failure = wait(Failure::new(FailureKind::Overloaded, "busy"), &headers, now);
        assert_eq!((failure.retry, failure.message.as_str()), (retry, words), "{headers:?}");
    };
    check(&[], Retry::Later, "busy");
    check(&[("retry-after", "7")], Retry::After(7000), "busy");
    check(&[("retry-after", "0.5")], Retry::After(500), "busy");
    check(&[("retry-after", "60")], Retry::After(60_000), "busy");
    check(&[("retry-after", "61")], Retry::Never, "busy; it wants us to wait 61 seconds");
    check(&[("retry-after", "3600")], Retry::Never, "busy; it wants us to wait 60 minutes");
    check(&[("retry-after", "86400")], Retry::Never, "busy; it wants us to wait 24 hours");
    check(&[("retry-after-ms", "250"), ("retry-after", "7")], Retry::After(250), "busy");
    check(&[("retry-after", "Sun, 06 Nov 1994 08:49:57 GMT")], Retry::After(20_000), "busy");
    check(&[("retry-after", "Sun, 06 Nov 1994 08:40:00 GMT")], Retry::After(0), "busy");
    check(
        &[("retry-after", "Mon, 07 Nov 1994 08:49:37 GMT")],
        Retry::Never,
        "busy; it wants us to wait 24 hours",
    );
    for odd in ["soon", "-1", "Sun, 99 Nov 1994 08:49:37 GMT", "Sun, 06 Nov", "1e400"] {
        check(&[("retry-after", odd)], Retry::Later, "busy");
    }
    let quota = wait(
        Failure::new(FailureKind::Quota, "m"),
        &[(RETRY_AFTER, "7".parse().unwrap())].into_iter().collect(),
        now,
    );
    assert_eq!(quota.retry, Retry::Never, "waiting does not bring credit");
}

#[test]
fn dates() {
    for (text, seconds) in [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
        ("Fri, 31 Dec 2100 23:59:59 GMT", 4_133_980_799),
    ] {
        assert_eq!(date(text), Some(UNIX_EPOCH + Duration::from_secs(seconds)), "{text}");
    }
}

#[test]
fn quoted_words_are_harmless() {
    let quoted = |text: &str| quote(&provider(), text);
    assert_eq!(quoted("a\x1b[31m\r\nb\tc\u{202e}d"), "\"a [31m b c d\"");
    assert_eq!(quoted("Incorrect key: sk-topsecret."), "\"Incorrect key: [key].\"");
    let long = quoted(&"ж".repeat(1000));
    assert_eq!(long.chars().count(), QUOTE + 3, "the words, an ellipsis and two quotation marks");
    assert!(long.ends_with("…\""));
    let many = quoted(&"word ".repeat(1000));
    assert!(many.chars().count() <= QUOTE + 4, "{}", many.chars().count());
}

#[test]
fn no_failure_shows_a_key() {
    let body = r#"{"error":{"message":"the key sk-topsecret is wrong"}}"#;
    let failures = [
        answered(401, &[], body),
        answered(302, &[("location", "https://x/?key=sk-topsecret")], ""),
        reported(&provider(), "gpt", &Reported::plain("sk-topsecret")),
        protocol(&provider(), "said", "sk-topsecret"),
        protocol(&provider(), "said", "<html><title>sk-topsecret</title>"),
        transport(&provider(), &Error::Cut { why: "sk-topsecret".to_owned() }, Begun::Yes),
    ];
    for failure in failures {
        assert!(!format!("{failure:?}").contains("topsecret"), "{failure:?}");
    }
    assert!(!format!("{:?}", provider()).contains("topsecret"));
}
