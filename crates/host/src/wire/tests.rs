//! A wire from end to end, against a server of a few lines.

use super::*;
use crate::http::tests::{Server, Then, Turn, answer, run};
use agent::{Call, CallId, Finish, Message, Reply, Retry, Spec};
use std::time::Duration;

const STREAM: &str = "\u{feff}: hello\n\n\
    data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n\
    data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\"}}]}\n\n\
    data: {\"choices\":[{\"delta\":{\"content\":\"grüß \"}}]}\r\n\r\n\
    data: {\"choices\":[{\"delta\":{\"content\":\"dich\"}}]}\n\n\
    data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"read\",\"arguments\":\"{\"}}]}}]}\n\n\
    data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"}\"}}]}}]}\n\n\
    data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n\
    data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4}}\n\n\
    data: [DONE]\n\n";

/// Where the finish mark is complete: its event and the blank line behind it.
fn mark(stream: &str) -> usize {
    let start = stream.find("\"tool_calls\"}]}\n\n").unwrap();
    start + "\"tool_calls\"}]}\n\n".len()
}

fn reply() -> Reply {
    Reply {
        text: "grüß dich".into(),
        reasoning: "hm".into(),
        calls: vec![Call { id: CallId("a".into()), name: "read".into(), arguments: "{}".into() }],
        finish: Finish::Calls,
        usage: agent::Usage { input: 9, output: 4, ..Default::default() },
        opaque: None,
    }
}

fn chunked(pieces: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Vec<Vec<u8>> {
    let head =
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    let pieces = pieces.into_iter().map(|piece| {
        let piece = piece.as_ref();
        [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat()
    });
    std::iter::once(head).chain(pieces).chain([b"0\r\n\r\n".to_vec()]).collect()
}

fn remote(server: &Server) -> Remote {
    let provider = Provider {
        base_url: server.address(),
        key: Some(Secret::new(" sk-topsecret\n")),
        ..Provider::openai()
    };
    let settings = Settings { idle_limit: Duration::from_secs(5), ..Settings::default() };
    Remote::new(provider, "gpt", settings)
}

fn request(words: &[&str]) -> Request {
    let spec = Spec { name: "read".into(), description: "reads".into(), parameters: serde_json::json!({}) };
    Request {
        conversation: "c".into(),
        instructions: "be good".into(),
        tools: Arc::new([spec]),
        messages: words.iter().map(|word| Arc::new(Message::User { parts: vec![(*word).into()] })).collect(),
        generation: 0,
        schema: None,
    }
}

/// The text and reasoning that were heard, and the last delta, which must be the only one of its kind.
async fn ask(remote: &Remote, words: &[&str]) -> (String, String, Delta) {
    let mut deltas: Vec<Delta> = remote.stream(request(words)).collect().await;
    let last = deltas.pop().expect("a last delta");
    assert!(matches!(last, Delta::Finished(_) | Delta::Failed(_)), "{last:?}");
    let (mut text, mut reasoning) = (String::new(), String::new());
    for delta in deltas {
        match delta {
            Delta::Text(piece) => text += &piece,
            Delta::Reasoning(piece) => reasoning += &piece,
            other => panic!("{other:?} is not the last"),
        }
    }
    (text, reasoning, last)
}

fn failure(delta: Delta) -> Failure {
    match delta {
        Delta::Failed(failure) => failure,
        other => panic!("{other:?} is no failure"),
    }
}

#[test]
fn a_reply_is_heard_whatever_its_chunks_and_connections_are_kept() {
    let sizes = [1, 2, 3, 7, 64, 5000];
    let turns =
        sizes.iter().map(|size| Turn { write: chunked(STREAM.as_bytes().chunks(*size)), then: Then::Keep });
    let server = Server::play(turns.collect());
    let remote = remote(&server);
    run(async {
        for size in sizes {
            let (text, reasoning, last) = ask(&remote, &["hi"]).await;
            assert_eq!((text.as_str(), reasoning.as_str()), ("grüß dich", "hm"), "chunks of {size}");
            assert_eq!(last, Delta::Finished(Box::new(reply())), "chunks of {size}");
            // The last bytes of a stream are read by a task beside us.
            tokio::task::yield_now().await;
        }
    });
    let heard: Vec<_> = sizes.iter().map(|_| server.heard()).collect();
    assert!(heard.iter().filter(|heard| heard.connection == 1).count() >= 2, "{heard:?}");
    let head = &heard[0].head;
    assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("authorization: Bearer sk-topsecret\r\n"), "{head}");
    assert!(head.contains("content-type: application/json\r\n"), "{head}");
    assert!(!format!("{remote:?}").contains("topsecret"));
}

#[test]
fn a_request_is_a_prefix_of_the_next() {
    let turns = (0..4).map(|_| Turn { write: chunked([STREAM]), then: Then::Keep });
    let server = Server::play(turns.collect());
    let remote = remote(&server);
    run(async {
        for count in 1..=4 {
            ask(&remote, &["one", "two", "three", "four"][..count]).await;
        }
    });
    let bodies: Vec<String> = (0..4).map(|_| server.heard().body).collect();
    for pair in bodies.windows(2) {
        let open = pair[0].strip_suffix("]}").unwrap();
        assert!(pair[1].starts_with(open), "{pair:?}");
    }
    let last: serde_json::Value = serde_json::from_str(&bodies[3]).unwrap();
    assert_eq!(last["messages"][4]["content"], "four");
}

#[test]
fn a_cut_stream_is_never_accepted() {
    let framed = chunked([STREAM]).concat();
    let plain = [b"HTTP/1.1 200 OK\r\n\r\n".as_slice(), STREAM.as_bytes()].concat();
    for whole in [framed, plain] {
        let start = whole.windows(3).position(|bytes| bytes == b"\xef\xbb\xbf").unwrap();
        let marked = start + mark(STREAM);
        let turns = (0..=whole.len()).map(|cut| Turn::new(&whole[..cut], Then::Close));
        let server = Server::play(turns.collect());
        let remote = remote(&server);
        run(async {
            for cut in 0..=whole.len() {
                let (text, _, last) = ask(&remote, &["hi"]).await;
                assert!("grüß dich".starts_with(&text), "cut at {cut}: {text:?}");
                match last {
                    Delta::Finished(heard) => {
                        assert!(cut >= marked, "cut at {cut} before {marked}: {heard:?}");
                        assert_eq!(heard.calls, reply().calls);
                    }
                    Delta::Failed(failure) => {
                        assert!(cut < marked, "cut at {cut} after {marked}: {failure:?}");
                        assert_eq!(failure.retry, Retry::Later, "{failure:?}");
                        assert!(!failure.hint.is_empty());
                    }
                    _ => unreachable!(),
                }
            }
        });
    }
}

#[test]
fn silence() {
    let framed = chunked([STREAM]).concat();
    let marked = framed.windows(3).position(|bytes| bytes == b"\xef\xbb\xbf").unwrap() + mark(STREAM);
    for (cut, finished) in [(0, false), (10, false), (marked - 1, false), (marked, true)] {
        let server = Server::play(vec![Turn::new(&framed[..cut], Then::Hold)]);
        let provider = remote(&server).provider;
        // What is to be heard must be, however busy the machine is.
        let limit = Duration::from_millis(if finished { 1000 } else { 40 });
        let settings = Settings { idle_limit: limit, ..Settings::default() };
        let remote = Remote::new(Provider::clone(&provider), "gpt", settings);
        let (_, _, last) = run(ask(&remote, &["hi"]));
        match last {
            Delta::Finished(_) => assert!(finished, "{cut}"),
            last => {
                assert!(!finished, "{cut}");
                let failure = failure(last);
                assert_eq!((failure.kind, failure.retry), (FailureKind::Network, Retry::Later));
                assert!(failure.hint.contains("CINQUE_IDLE_TIMEOUT"), "{failure:?}");
            }
        }
    }
}

#[test]
fn signs_of_life_are_life_but_not_for_ever() {
    let head = chunked([""; 0]).swap_remove(0);
    for pause in [Duration::ZERO, Duration::from_millis(5)] {
        let server = Server::play(vec![Turn::new(&head, Then::Chatter(pause))]);
        let provider = remote(&server).provider;
        let settings = Settings { idle_limit: Duration::from_millis(150), ..Settings::default() };
        let (_, _, last) = run(ask(&Remote::new(Provider::clone(&provider), "gpt", settings), &["hi"]));
        let failure = failure(last);
        assert_eq!((failure.kind, failure.retry), (FailureKind::Network, Retry::Later), "{failure:?}");
        assert!(failure.message.contains("1.5 s"), "ten times the limit: {failure:?}");
    }
    let comments = ": alive\n\n".repeat(1000);
    let server = Server::play(vec![Turn { write: chunked([comments.as_str(), STREAM]), then: Then::Keep }]);
    let (_, _, last) = run(ask(&remote(&server), &["hi"]));
    assert!(matches!(last, Delta::Finished(_)), "{last:?}");
}

#[test]
fn answers_that_are_no_stream() {
    use FailureKind::*;
    let whole = r#"{"choices":[{"message":{"content":"hello"},"finish_reason":"stop"}]}"#;
    let gzip = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x08\x00";
    let limited = "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 3\r\nContent-Length: 2\r\n\r\n{}";
    let late = "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 300\r\nContent-Length: 2\r\n\r\n{}";
    for (turn, expected) in [
        (answer(whole), Ok("hello")),
        (answer(&whole[..40]), Err((Protocol, Retry::Later, "not its protocol"))),
        (
            answer(r#"{"error":{"message":"m","code":"context_length_exceeded"}}"#),
            Err((ContextTooLong, Retry::Never, "\"m\"")),
        ),
        (
            answer("<!DOCTYPE html><title>Log in</title>"),
            Err((Protocol, Retry::Never, "web page, not with JSON: \"Log in\"")),
        ),
        (answer(""), Err((Protocol, Retry::Later, "answered with nothing"))),
        (answer("data: {oops}\n\n"), Err((Protocol, Retry::Later, "\"{oops}\""))),
        (answer("hello\n"), Err((Protocol, Retry::Later, "broke off"))),
        (gzip.to_owned(), Err((Protocol, Retry::Later, "compressed"))),
        (limited.to_owned(), Err((Overloaded, Retry::After(3000), "429"))),
        (late.to_owned(), Err((Overloaded, Retry::Never, "wait 5 minutes"))),
        ("SSH-2.0-OpenSSH\r\n".to_owned(), Err((Protocol, Retry::Never, "not HTTP"))),
    ] {
        let server = Server::play(vec![Turn::new(&turn, Then::Close)]);
        let (text, _, last) = run(ask(&remote(&server), &["hi"]));
        match expected {
            Ok(words) => {
                assert_eq!(text, words, "{turn}");
                assert!(matches!(last, Delta::Finished(_)), "{last:?}");
            }
            Err((kind, retry, words)) => {
                let failure = failure(last);
                assert_eq!((failure.kind, failure.retry), (kind, retry), "{turn}: {failure:?}");
                assert!(failure.message.contains(words), "{turn}: {failure:?}");
            }
        }
    }
}

#[test]
fn what_cannot_be_asked_is_not_asked() {
    let unused = Provider { base_url: "http://127.0.0.1:9".into(), ..Provider::openai() };
    let with = |change: fn(&mut Provider)| {
        let mut provider = Provider { key: Some(Secret::new("sk")), ..unused.clone() };
        change(&mut provider);
        provider
    };
    for (provider, words, hint) in [
        (unused.clone(), "no key for openai", "OPENAI_API_KEY"),
        (with(|p| p.base_url = "localhost:9".into()), "no scheme", "OPENAI_BASE_URL"),
        (with(|p| p.key = Some(Secret::new("a\nb"))), "characters that no key has", "OPENAI_API_KEY"),
        (with(|p| p.headers = vec![("a b".into(), Secret::new("c"))]), "header \"a b\"", "configuration"),
    ] {
        let (_, _, last) = run(ask(&Remote::new(provider, "gpt", Settings::default()), &["hi"]));
        let failure = failure(last);
        assert_eq!((failure.kind, failure.retry), (FailureKind::Setup, Retry::Never), "{failure:?}");
        assert!(failure.message.contains(words), "{failure:?}");
        assert!(failure.hint.contains(hint), "{failure:?}");
    }
}

#[test]
fn a_provider_without_key_variables_needs_no_key() {
    let server = Server::play(vec![Turn { write: chunked([STREAM]), then: Then::Close }]);
    let headers = vec![("X-Team".to_owned(), Secret::new("blue"))];
    let provider =
        Provider { base_url: server.address(), key_variables: vec![], headers, ..Provider::openai() };
    let remote = Remote::new(provider, "gpt", Settings::default()).window(4096);
    assert_eq!(remote.info(), Info { name: "openai/gpt".into(), window: Some(4096) });
    let (_, _, last) = run(ask(&remote, &["hi"]));
    assert!(matches!(last, Delta::Finished(_)), "{last:?}");
    let head = server.heard().head;
    assert!(!head.contains("authorization"), "{head}");
    assert!(head.contains("x-team: blue\r\n"), "{head}");
}

#[test]
fn each_wire_shows_its_key_its_own_way() {
    for (name, path, header) in [
        ("openai", "/v1/chat/completions", "authorization: Bearer sk-topsecret"),
        ("responses", "/v1/responses", "authorization: Bearer sk-topsecret"),
        ("anthropic", "/v1/messages", "x-api-key: sk-topsecret"),
        ("gemini", "/v1/models/m:streamGenerateContent?alt=sse", "x-goog-api-key: sk-topsecret"),
        ("azure", "/v1/openai/v1/chat/completions", "api-key: sk-topsecret"),
    ] {
        let server = Server::play(vec![Turn::new(
            "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n",
            Then::Close,
        )]);
        let known = Known::find(name).unwrap();
        let provider = Provider {
            key: Some(Secret::new("sk-topsecret")),
            base_url: server.address(),
            ..known.provider()
        };
        let failure = failure(run(ask(&Remote::new(provider, "m", Settings::default()), &["hi"])).2);
        assert_eq!(failure.kind, FailureKind::Auth, "{failure:?}");
        let head = server.heard().head;
        assert!(head.starts_with(&format!("POST {path} HTTP/1.1\r\n")), "{head}");
        assert!(head.contains(&format!("\r\n{header}\r\n")), "{head}");
        assert_eq!(head.contains("anthropic-version: 2023-06-01\r\n"), name == "anthropic", "{head}");
    }
}
