//! Lists of models, as each wire gives them.

use super::*;
use crate::http::tests::{Server, Then, Turn, answer, run};
use agent::FailureKind;

#[test]
fn each_wire_lists_its_models() {
    for (wire, body, path, expected) in [
        (Wire::Openai, r#"{"data":[{"id":"a"},{"id":"b"}]}"#, "/v1/models", vec!["a", "b"]),
        (Wire::Anthropic, r#"{"data":[{"id":"c","type":"model"}]}"#, "/v1/models?limit=1000", vec!["c"]),
        (Wire::Gemini, r#"{"models":[{"name":"models/g"}]}"#, "/v1/models?pageSize=1000", vec!["g"]),
        (Wire::Openai, r#"{"data":[]}"#, "/v1/models", vec![]),
        (
            Wire::Openai,
            r#"{"models":[{"name":"q","model":"q"}],"data":[{"id":"q"}]}"#,
            "/v1/models",
            vec!["q"],
        ),
    ] {
        let server = Server::play(vec![Turn::new(answer(body), Then::Close)]);
        let provider = Provider::new("someone", wire, server.address());
        assert_eq!(run(models(&provider, Settings::default())).unwrap(), expected);
        let head = server.heard().head;
        assert!(head.starts_with(&format!("GET {path} HTTP/1.1\r\n")), "{head}");
    }
}

#[test]
fn what_is_no_list_is_a_failure() {
    let denied = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n".to_owned();
    for (turn, kind) in [(denied, FailureKind::Auth), (answer("<html>"), FailureKind::Protocol)] {
        let server = Server::play(vec![Turn::new(turn, Then::Close)]);
        let provider = Provider::new("someone", Wire::Openai, server.address());
        assert_eq!(run(models(&provider, Settings::default())).unwrap_err().kind, kind);
    }
}
