//! Streams as text and the events that they must give, whatever chunks they come in.

use super::*;
use proptest::prelude::*;

/// Name, data and id of every event in the chunks.
fn parse(chunks: &[&[u8]]) -> Vec<(String, String, String)> {
    let mut parser = Parser::new();
    let mut events = Vec::new();
    for chunk in chunks {
        let mut rest = *chunk;
        while let Some(event) = parser.next(&mut rest).expect("within the limit") {
            events.push((event.name.into_owned(), event.data.into_owned(), event.id.into_owned()));
        }
        assert!(rest.is_empty(), "a chunk is always used up");
    }
    events
}

/// Parses `stream` whole, byte by byte and cut in two at every place; `expected` is `name|data|id` an event.
fn check(stream: &str, expected: &[&str]) {
    let bytes = stream.as_bytes();
    let shown = |events: Vec<(String, String, String)>| -> Vec<String> {
        events.into_iter().map(|(name, data, id)| format!("{name}|{data}|{id}")).collect()
    };
    assert_eq!(shown(parse(&[bytes])), expected, "whole: {stream:?}");
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(shown(parse(&single)), expected, "byte by byte: {stream:?}");
    for cut in 0..=bytes.len() {
        assert_eq!(shown(parse(&[&bytes[..cut], &bytes[cut..]])), expected, "cut at {cut}: {stream:?}");
    }
}

#[test]
fn lines_end_in_lf_cr_or_both() {
    check("data: a\n\ndata: b\n\n", &["message|a|", "message|b|"]);
    check("data: a\r\rdata: b\r\r", &["message|a|", "message|b|"]);
    check("data: a\r\n\r\ndata: b\r\n\r\n", &["message|a|", "message|b|"]);
    check("data: a\n\r\ndata: b\r\n\r", &["message|a|", "message|b|"]);
    check("data: a\r\n\n\n\rdata: b\n\n", &["message|a|", "message|b|"]);
}

#[test]
fn fields() {
    check("data:a\n\n", &["message|a|"]);
    check("data:  a \n\n", &["message| a |"]);
    check("data\n\ndata\ndata\n\n", &["message||", "message|\n|"]);
    check("data: a\ndata: b\ndata:\ndata: d\n\n", &["message|a\nb\n\nd|"]);
    check("event: ping\ndata: {}\n\ndata: x\n\n", &["ping|{}|", "message|x|"]);
    check("data: x\nevent: late\nid: 7\n\n", &["late|x|7"]);
    check("id: 7\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", &["message|a|7", "message|b|7", "message|c|"]);
    check("id: a\0b\ndata: a\n\n", &["message|a|"]);
    check(": comment\n\n:\ndata: a\n: between\ndata: b\n\n", &["message|a\nb|"]);
    check("colour: red\ndatas: x\n data: y\ndata: a\n\n", &["message|a|"]);
    check("event: empty\n\nid: 3\n\n\n\n", &["empty||"]);
    check("data: {\"a\":\"x: y\"}\n\n", &["message|{\"a\":\"x: y\"}|"]);
}

#[test]
fn byte_order_mark_and_odd_characters() {
    check("\u{feff}data: a\n\ndata: \u{feff}b\n\n", &["message|a|", "message|\u{feff}b|"]);
    check("\u{feff}\u{feff}data: a\n\ndata: b\n\n", &["message|b|"]);
    check("\u{feff}: hi\ndata: a\n\n", &["message|a|"]);
    check("data: \u{2028}\u{85}ж\u{1f600}\n\n", &["message|\u{2028}\u{85}ж\u{1f600}|"]);
    assert_eq!(parse(&[b"data: \xff\xd0\n\n"])[0].1, "\u{fffd}\u{fffd}");
}

#[test]
fn an_event_without_its_blank_line_is_dropped() {
    check("data: a\n\ndata: b\n", &["message|a|"]);
    check("data: a\n\ndata: b", &["message|a|"]);
    check("event: x\ndata: a", &[]);
}

#[test]
fn the_waiting_time_is_read() {
    for (stream, expected) in
        [("retry: 1500\n\n", Some(1500)), ("retry: 1.5\n\n", None), ("retry:\n\n", None)]
    {
        let mut parser = Parser::new();
        assert_eq!(parser.next(&mut stream.as_bytes()), Ok(None));
        assert_eq!(parser.retry(), expected, "{stream:?}");
    }
}

#[test]
fn an_endless_event_is_refused() {
    for piece in [
        &b"data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n"[..],
        b"xxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    ] {
        let megabyte = piece.repeat(1024 * 1024 / piece.len());
        let mut parser = Parser::new();
        let refused = (0..20).find(|_| parser.next(&mut megabyte.as_slice()) == Err(TooLong));
        assert!(matches!(refused, Some(15..=18)), "{refused:?}");
    }
}

proptest! {
    #[test]
    fn chunks_never_change_the_events(
        pieces in prop::collection::vec(
            prop::sample::select(vec!["data: a", "data", "event: e", "id: 1", ":", "\n", "\r", "\r\n", "\n\n", "é", " "]),
            0..40,
        ),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let stream = pieces.concat().into_bytes();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.extend([0, stream.len()]);
        cuts.sort_unstable();
        let chunks: Vec<&[u8]> = cuts.windows(2).map(|cut| &stream[cut[0]..cut[1]]).collect();
        prop_assert_eq!(parse(&chunks), parse(&[&stream]));
    }
}
