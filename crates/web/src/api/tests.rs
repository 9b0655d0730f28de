//! What clients may send and what the model is shown of it.

use super::context::block;
use super::request::{Exchange, Wish};
use super::time::is_date_time;
use serde_json::{Value, json};

fn exchange(at: usize, result: impl Into<String>) -> Exchange {
    let prompt = format!("question {at}");
    Exchange { timestamp: "2026-01-02T03:04:05Z".into(), prompt, result: result.into() }
}

#[test]
fn requests() {
    let entry = |value: Value| json!({"prompt": "x", "contextHistory": [value]});
    let good = json!({"timestamp": "2026-01-02T03:04:05", "prompt": "p", "result": "r"});
    let cases = [
        (json!({"prompt": "x"}), Ok("No previous context.")),
        (json!({"prompt": "x", "toolType": "read", "more": [1]}), Ok("No previous context.")),
        (json!({"prompt": "x", "contextHistory": null}), Ok("No previous context.")),
        (json!({"prompt": "x", "contextHistory": []}), Ok("No previous context.")),
        (
            entry(good),
            Ok("--- Recent Context ---\n[2026-01-02T03:04:05] User: p | Result: r\n--- End Context ---"),
        ),
        (json!({}), Err("Prompt cannot be null or empty")),
        (json!({"prompt": null}), Err("Prompt cannot be null or empty")),
        (json!({"prompt": " \n\t"}), Err("Prompt cannot be null or empty")),
        (json!({"prompt": 5}), Err("Prompt must be a string")),
        (json!({"prompt": "x", "toolType": null}), Err("ToolType cannot be null or empty")),
        (json!({"prompt": "x", "toolType": "  "}), Err("ToolType cannot be null or empty")),
        (json!({"prompt": "", "toolType": ""}), Err("Prompt cannot be null or empty")),
        (json!({"prompt": "x", "contextHistory": {}}), Err("ContextHistory must be an array or null")),
        (entry(json!("x")), Err("ContextHistory entry 0 must be an object")),
        (
            entry(json!({"prompt": "p", "timestamp": null})),
            Ok("--- Recent Context ---\n[unknown] User: p | Result: \n--- End Context ---"),
        ),
        (
            entry(json!({"prompt": "p", "timestamp": "yesterday"})),
            Err("ContextHistory entry 0 must have an ISO date-time as timestamp"),
        ),
        (
            entry(json!({"timestamp": "2026-01-02", "prompt": 1})),
            Err("ContextHistory entry 0 must have a string as prompt"),
        ),
        (json!([]), Err("The body must be a JSON object")),
    ];
    for (body, expected) in cases {
        let found = Wish::read(&body);
        assert_eq!(
            found.as_ref().map(|wish| wish.context.as_str()).map_err(String::as_str),
            expected,
            "{body}"
        );
    }
}

#[test]
fn date_times() {
    let good = "2026-01-02 2026-01-02T03:04 2026-01-02T03:04:05 2026-01-02T03:04:05.123456Z 2026-12-31t23:59:60z \
                2024-02-29T00:00:00+01:00 2026-01-02T03:04:05-0930 2026-01-02T03:04:05+02";
    for text in good.split_whitespace().chain(["2026-01-02 03:04:05"]) {
        assert!(is_date_time(text), "{text}");
    }
    let bad = "2026 2026-13-01 2026-02-29 2026-01-00 2026-1-2 2026-01-02T 2026-01-02T24:00 2026-01-02T03:60 \
               2026-01-02T03:04:05. 2026-01-02T03:04:05x 2026-01-02T03:04:05+1 yesterday 02.01.2026 20é6-01-02";
    for text in bad.split_whitespace().chain([""]) {
        assert!(!is_date_time(text), "{text}");
    }
}

#[test]
fn what_fits_is_whole() {
    let history: Vec<Exchange> = (0..3).map(|at| exchange(at, "answer\nof lines")).collect();
    let text = block(&history, "x");
    let line = |at: usize| format!("[2026-01-02T03:04:05Z] User: question {at} | Result: answer\nof lines\n");
    assert_eq!(text, format!("--- Recent Context ---\n{}{}{}--- End Context ---", line(0), line(1), line(2)));
}

/// Whatever the history, the request stays below a megabyte and the newest entry says most.
#[test]
fn an_endless_history_stays_within_its_budget() {
    let awkward = ["x", "\u{1}", "\"", "日"];
    for piece in awkward {
        for (entries, length) in [(10_000, 100), (100, 10_000), (2, 1_000_000), (20_000, 1)] {
            let history: Vec<Exchange> =
                (0..entries).map(|at| exchange(at, piece.repeat(length / piece.len()))).collect();
            let text = block(&history, "prompt");
            let size = json!(text).to_string().len();
            assert!(size < 300 << 10, "{entries} of {length} {piece:?}: {size}");
            assert!(text.starts_with("--- Recent Context ---\n") && text.ends_with("\n--- End Context ---"));
            assert!(text.contains(&format!("User: question {} | Result: ", entries - 1)));
            if length <= 10_000 {
                assert!(text.contains(&history[entries - 1].result), "the newest is whole");
            }
            if entries == 20_000 {
                assert!(text.contains(" earlier entries left out]"));
            }
        }
    }
    let long = "y".repeat(2_000_000);
    let huge = Exchange { prompt: long.clone(), ..exchange(0, long) };
    assert!(block(&[huge.clone(), huge], "prompt").len() < 300 << 10);
    let prompt = "p".repeat(700 << 10);
    assert!(block(&[exchange(0, "r".repeat(1 << 20))], &prompt).len() + prompt.len() < 800 << 10);
}
