//! What every wire has in common, on streams that say the same: cuts, ends and bytes of any kind.

use super::*;
use crate::wire::Wire;
use agent::FailureKind;
use proptest::prelude::*;

/// A stream of each wire that says the same, and the words that mark its end.
const STREAMS: [(Wire, &str, &str); 4] = [
    (
        Wire::Openai,
        concat!(
            ": hi\n\n",
            "data: {\"choices\":[{\"delta\":{\"reasoning\":\"hm\"}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{\"content\":\"grüß\"}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"read\",\"arguments\":\"{}\"}}]}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n",
            "data: [DONE]\n\n",
        ),
        "finish_reason",
    ),
    (
        Wire::Anthropic,
        concat!(
            "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"hm\"}}\n\n",
            "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
            "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"grüß\"}}\n\n",
            "data: {\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"read\",\"input\":{}}}\n\n",
            "data: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{}\"}}\n\n",
            "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\n",
            "data: {\"type\":\"message_stop\"}\n\n",
        ),
        "stop_reason",
    ),
    (
        Wire::Responses,
        concat!(
            "data: {\"type\":\"response.reasoning_summary_text.delta\",\"output_index\":0,\"delta\":\"hm\"}\r\n\r\n",
            "data: {\"type\":\"response.output_text.delta\",\"output_index\":1,\"delta\":\"grüß\"}\r\n\r\n",
            "data: {\"type\":\"response.output_item.done\",\"output_index\":2,\"item\":{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"read\",\"arguments\":\"{}\"}}\r\n\r\n",
            "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[]}}\r\n\r\n",
        ),
        "response.completed",
    ),
    (
        Wire::Gemini,
        concat!(
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hm\",\"thought\":true},{\"text\":\"grüß\"}]}}]}\n\n",
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"id\":\"a\",\"name\":\"read\",\"args\":{}}}]},\"finishReason\":\"STOP\"}]}\n\n",
        ),
        "finishReason",
    ),
];

/// All text, all reasoning, and the last delta, which must be the only one of its kind.
fn hear<'a>(wire: Wire, chunks: impl IntoIterator<Item = &'a [u8]>) -> (String, String, Delta) {
    let mut answer = Answer::new(Arc::new(Provider::new("someone", wire, "http://x")), "m");
    let mut deltas = VecDeque::new();
    for chunk in chunks {
        let step = answer.take(chunk);
        deltas.extend(std::iter::from_fn(|| answer.delta()));
        if step == Step::Done {
            break;
        }
    }
    deltas.append(&mut answer.end(End::Closed));
    let last = deltas.pop_back().expect("a last delta");
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

#[test]
fn every_wire_hears_the_same_however_the_bytes_are_cut() {
    for (wire, stream, _) in STREAMS {
        let bytes = stream.as_bytes();
        let whole = hear(wire, [bytes]);
        let Delta::Finished(reply) = &whole.2 else { panic!("{wire:?}: {whole:?}") };
        assert_eq!((whole.0.as_str(), whole.1.as_str()), ("grüß", "hm"), "{wire:?}");
        assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), ("grüß", "hm"), "{wire:?}");
        assert_eq!((reply.calls[0].id.0.as_str(), reply.calls[0].name.as_str()), ("a", "read"), "{wire:?}");
        assert_eq!(reply.calls[0].arguments, "{}", "{wire:?}");
        assert_eq!(hear(wire, bytes.chunks(1)), whole, "{wire:?} byte by byte");
        for cut in 0..bytes.len() {
            assert_eq!(hear(wire, [&bytes[..cut], &bytes[cut..]]), whole, "{wire:?} at {cut}");
        }
    }
}

#[test]
fn no_wire_accepts_a_reply_without_its_end() {
    for (wire, stream, mark) in STREAMS {
        let start = stream.find(mark).unwrap();
        let blank =
            ["\n\n", "\r\n\r"].iter().find_map(|end| Some(stream[start..].find(end)? + end.len())).unwrap();
        let marked = start + blank;
        for cut in 0..stream.len() {
            let (text, _, last) = hear(wire, [&stream.as_bytes()[..cut]]);
            assert!("grüß".starts_with(&text), "{wire:?} cut at {cut}: {text:?}");
            assert_eq!(matches!(last, Delta::Finished(_)), cut >= marked, "{wire:?} cut at {cut}: {last:?}");
        }
    }
}

#[test]
fn a_byte_order_mark_that_is_cut_is_no_other_answer() {
    let body = r#"{"choices":[{"message":{"content":"a"}}]}"#;
    for before in [&b"\xef\xbb\xbf"[..], b"\n\xef\xbb\xbf", b"\xef", b" \xbf\n", b"\r\n"] {
        let bytes = [before, body.as_bytes()].concat();
        let whole = hear(Wire::Openai, [bytes.as_slice()]);
        for cut in 0..=before.len() {
            assert_eq!(hear(Wire::Openai, [&bytes[..cut], &bytes[cut..]]), whole, "{before:?} at {cut}");
        }
    }
}

#[test]
fn a_reply_that_was_filtered_before_its_first_word_is_a_refusal() {
    let openai = |text: &str| {
        format!(r#"{{"choices":[{{"message":{{"content":"{text}"}},"finish_reason":"content_filter"}}]}}"#)
    };
    let claude = r#"{"type":"message","content":[],"stop_reason":"refusal"}"#.to_owned();
    for (wire, body, refused) in [
        (Wire::Openai, openai(""), true),
        (Wire::Openai, openai("half"), false),
        (Wire::Anthropic, claude, true),
    ] {
        let (_, _, last) = hear(wire, [body.as_bytes()]);
        let kind = match &last {
            Delta::Failed(failure) => Some(failure.kind),
            _ => None,
        };
        assert_eq!(kind, refused.then_some(FailureKind::Refused), "{body}: {last:?}");
    }
}

#[test]
fn counts_beyond_all_measure_are_as_large_as_can_be() {
    let most = u64::MAX;
    for (wire, body) in [
        (
            Wire::Anthropic,
            format!(
                r#"{{"type":"message","content":[],"stop_reason":"end_turn","usage":{{"input_tokens":{most},"cache_read_input_tokens":9,"cache_creation_input_tokens":9,"output_tokens":{most}}}}}"#
            ),
        ),
        (
            Wire::Gemini,
            format!(
                r#"{{"candidates":[{{"content":{{"parts":[{{"text":"a"}}]}},"finishReason":"STOP"}}],"usageMetadata":{{"promptTokenCount":{most},"candidatesTokenCount":{most},"thoughtsTokenCount":9}}}}"#
            ),
        ),
    ] {
        let (_, _, last) = hear(wire, [body.as_bytes()]);
        let Delta::Finished(reply) = last else { panic!("{wire:?}: {last:?}") };
        assert_eq!((reply.usage.input, reply.usage.output), (most, most), "{wire:?}");
    }
}

proptest! {
    #[test]
    fn whatever_the_bytes_there_is_one_end(
        which in 0..STREAMS.len(),
        at in any::<prop::sample::Index>(),
        removed in 0usize..40,
        added in prop::collection::vec(any::<u8>(), 0..20),
        chunk in 1usize..50,
    ) {
        let (wire, stream, _) = STREAMS[which];
        let mut bytes = stream.as_bytes().to_vec();
        let at = at.index(bytes.len());
        let end = (at + removed).min(bytes.len());
        bytes.splice(at..end, added);
        prop_assert_eq!(hear(wire, bytes.chunks(chunk)), hear(wire, [bytes.as_slice()]));
    }
}
