//! What each fault does to the bytes, without a socket.

use serde_json::json;

use super::*;
use crate::message::Message;

const STREAMED: &str = r#"{"model":"m","stream":true}"#;

/// A plan, read back as a client would see it.
#[derive(Debug, Default)]
struct Seen {
    head: String,
    body: Vec<u8>,
    /// The sizes of the chunks.
    chunks: Vec<usize>,
    terminated: bool,
    writes: usize,
    pauses: usize,
    stop: Option<Stop>,
}

fn seen(reply: &Reply) -> Seen {
    let steps = plan(reply, &Request::sample(0, STREAMED));
    let mut seen = Seen::default();
    let mut bytes = Vec::new();
    for step in &steps {
        assert_eq!(seen.stop, None, "nothing follows a stop");
        match step {
            Step::Write(part) => {
                seen.writes += 1;
                bytes.extend_from_slice(part);
            }
            Step::Pause(_) => seen.pauses += 1,
            Step::Hold(_) => {}
            Step::Stop(stop) => seen.stop = Some(*stop),
        }
    }
    let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        assert!(bytes.is_empty(), "a head is sent whole");
        return seen;
    };
    let rest = bytes.split_off(end + 4);
    seen.head = String::from_utf8(bytes).unwrap();
    if seen.head.contains("chunked") {
        seen.dechunk(&rest);
    } else {
        seen.body = rest;
    }
    seen
}

impl Seen {
    fn dechunk(&mut self, mut rest: &[u8]) {
        while let Some(line) = rest.windows(2).position(|two| two == b"\r\n") {
            let size = std::str::from_utf8(&rest[..line]).unwrap();
            let size = usize::from_str_radix(size, 16).unwrap();
            let from = line + 2;
            if size == 0 {
                assert_eq!(rest, b"0\r\n\r\n");
                self.terminated = true;
                return;
            }
            self.body.extend_from_slice(&rest[from..from + size]);
            self.chunks.push(size);
            assert_eq!(&rest[from + size..from + size + 2], b"\r\n");
            rest = &rest[from + size + 2..];
        }
        assert!(rest.is_empty());
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

fn sample() -> Reply {
    Message::text("Grüße, 世界 🦀").text_every(3).reply()
}

#[test]
fn a_reply_without_faults_is_one_write() {
    let many = Message::tokens(vec!["a"; 1000]).reply();
    let replies = [
        (sample(), 4 + 3),
        (many, 1000 + 3),
        (Reply::call("shell", json!({"command": "true"})), 5),
        (Reply::status(500), 0),
        (Reply::html(502), 0),
        (Reply::garbage(), 0),
        (Reply::events(["a", "b"]), 2),
    ];
    for (reply, chunks) in replies {
        let seen = seen(&reply);
        let found = (seen.writes, seen.stop, seen.chunks.len());
        assert_eq!(found, (1, None, chunks), "{reply:?}");
        assert_eq!(seen.terminated, chunks > 0);
        assert_eq!(seen.head.contains("content-length"), chunks == 0);
    }
}

#[test]
fn a_cut_at_every_offset_keeps_exactly_the_bytes_before_it() {
    let whole = seen(&sample());
    assert_eq!(sample().body(&Request::sample(0, STREAMED)), whole.body);
    for offset in 0..whole.body.len() + 2 {
        for stop in [Stop::Close, Stop::Reset, Stop::Stall] {
            let cut = seen(&sample().stop(Point::Body(offset), stop));
            let kept = offset.min(whole.body.len());
            assert_eq!(cut.body, whole.body[..kept], "at {offset}");
            assert_eq!((cut.stop, cut.terminated), (Some(stop), false));
            assert!(cut.head.starts_with("HTTP/1.1 200 OK"));
        }
    }
}

#[test]
fn named_points_stop_where_they_say() {
    let whole = seen(&sample());
    let finish = whole.text().find(r#""finish_reason":"stop""#).unwrap();
    let finish = whole.text()[..finish].rfind("data: ").unwrap();
    // The reply, the bytes of the body that arrive, whether it is complete, whether a head came.
    let cases = [
        (sample().hang_up(), 0, false, false),
        (sample().silent(), 0, false, false),
        (sample().stall_after(0), 0, false, true),
        (sample().cut_before_finish(), finish, false, true),
        (sample().without_terminator(), whole.body.len(), false, true),
        (sample().close_quietly(), whole.body.len(), true, true),
    ];
    for (reply, size, complete, head) in cases {
        let seen = seen(&reply);
        assert_eq!(seen.body.len(), size, "{reply:?}");
        assert_eq!((seen.terminated, !seen.head.is_empty()), (complete, head));
        assert!(seen.stop.is_some());
    }
    let failure = seen(&Reply::status(500));
    let cut = seen(&Reply::status(500).cut_before_finish());
    assert_eq!(cut.body.len() + 1, failure.body.len());
}

#[test]
fn splits_change_the_chunks_and_not_the_body() {
    let whole = seen(&sample());
    let size = whole.body.len();
    let inside = whole.text().chars().filter(|c| c.len_utf8() > 1).count();
    let cases = [
        (Split::Events, whole.chunks.len(), 1),
        (Split::Writes, whole.chunks.len(), whole.chunks.len() + 1),
        (Split::Every(1), size, size + 1),
        (Split::Every(100), size.div_ceil(100), size.div_ceil(100) + 1),
        (Split::InsideCharacters, whole.chunks.len() + inside, whole.chunks.len() + inside + 1),
    ];
    for (split, chunks, writes) in cases {
        let seen = seen(&sample().split(split));
        assert_eq!(seen.body, whole.body, "{split:?}");
        assert_eq!((seen.chunks.len(), seen.writes), (chunks, writes), "{split:?}");
    }
}

#[test]
fn slow_pauses_before_each_chunk() {
    let slow = seen(&sample().slow(Duration::from_millis(1)));
    assert_eq!(slow.pauses, slow.chunks.len());
    assert_eq!(slow.writes, slow.chunks.len() + 1);
    assert_eq!(slow.body, seen(&sample()).body);
}

#[test]
fn a_hold_divides_the_writes_at_its_point() {
    let gate = Gate::new();
    let steps = plan(&sample().hold(Point::Body(10), &gate), &Request::sample(0, STREAMED));
    let [Step::Write(before), Step::Hold(_), Step::Write(after)] = &steps[..] else {
        panic!("{steps:?}");
    };
    assert!(before.ends_with(b"\r\na\r\ndata: {\"id\r\n"));
    assert!(after.ends_with(b"[DONE]\n\n\r\n0\r\n\r\n"));
}

#[test]
fn styles_change_only_the_lines() {
    let plain = seen(&sample());
    let plain = plain.text();
    let events = plain.matches("data: ").count();
    let cases = [
        (sample().crlf(), plain.replace('\n', "\r\n")),
        (sample().tight(), plain.replace("data: ", "data:")),
        (sample().bom(), format!("\u{feff}{plain}")),
        (sample().pings(), plain.replace("data: ", ": ping\n\ndata: ")),
        (sample().without_done(), plain.replace("data: [DONE]\n\n", "")),
    ];
    assert!(events > 5);
    for (reply, expected) in cases {
        let seen = seen(&reply);
        assert_eq!(seen.text(), expected);
        assert!(seen.terminated);
    }
}

#[test]
fn the_head_says_what_the_script_says() {
    let cases = [
        (Reply::status(429).retry_after(7), "429 Too Many Requests", "retry-after: 7"),
        (Reply::status(529), "529 Overloaded", "application/json"),
        (Reply::error(200, "a", "b", "c"), "200 OK", "application/json"),
        (Reply::html(502), "502 Bad Gateway", "text/html"),
        (sample().header("x-a", "b"), "200 OK", "x-a: b"),
        (sample().until_close(), "200 OK", "connection: close"),
        (sample().header("content-type", "text/plain"), "200 OK", "text/plain"),
        (sample().with_status(500), "500 Internal", "text/event-stream"),
    ];
    for (reply, status, header) in cases {
        let seen = seen(&reply);
        assert!(seen.head.starts_with(&format!("HTTP/1.1 {status}")), "{}", seen.head);
        assert!(seen.head.contains(header), "{}", seen.head);
        assert_eq!(seen.head.matches("content-type").count(), 1);
    }
    assert_eq!(seen(&sample().until_close()).stop, Some(Stop::Close));
}

#[test]
fn a_message_to_a_path_of_no_wire_is_refused() {
    let mut request = Request::sample(0, STREAMED);
    request.path = "/v1/models".to_owned();
    let steps = plan(&sample(), &request);
    let [Step::Write(bytes)] = &steps[..] else {
        panic!("{steps:?}");
    };
    assert!(bytes.starts_with(b"HTTP/1.1 404 "));
}
