//! Which reply a script gives, and what its file format accepts.

use std::time::Duration;

use super::*;
use crate::delivery::{Point, Split, Stop};
use crate::message::{Call, Message};
use crate::plan::{Step, plan};

const BODY: &str = r#"{"model":"m","stream":true}"#;

/// The next reply as text.
fn play(script: &mut Script) -> Option<String> {
    let request = Request::sample(0, BODY);
    let reply = script.next(&request)?;
    let steps = plan(&reply, &request);
    let text = steps.iter().map(|step| match step {
        Step::Write(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        other => format!("<{other:?}>"),
    });
    Some(text.collect())
}

#[test]
fn a_list_ends_and_a_circle_does_not() {
    let replies = || [Reply::events(["one"]), Reply::events(["two"])];
    let cases = [
        (Script::list(replies()), vec!["one", "two", "-", "-"]),
        (Script::circle(replies()), vec!["one", "two", "one", "two"]),
        (Script::circle([] as [Reply; 0]), vec!["-"]),
        (Script::rule(|r| Reply::events([r.method.as_str()])), vec!["POST", "POST"]),
    ];
    for (mut script, expected) in cases {
        for word in expected {
            match play(&mut script) {
                Some(text) => assert!(text.contains(&format!("data: {word}\n")), "{text}"),
                None => assert_eq!(word, "-"),
            }
        }
    }
}

#[test]
fn other_paths_leave_a_list_alone() {
    let mut script = Script::list([Reply::events(["one"])]);
    let mut models = Request::sample(0, "");
    models.path = "/v1/models".to_owned();
    assert_eq!(script.next(&models).map(|reply| reply.status), Some(404));
    assert_eq!(script.left(), 1);
}

#[test]
fn the_example_of_the_format_can_be_played() {
    let from = Script::FORMAT.find('{').unwrap();
    let to = Script::FORMAT.find("\n  }\n").unwrap() + 4;
    let mut script = file::parse(&Script::FORMAT.as_bytes()[from..to]).unwrap();
    for expected in [
        &["HTTP/1.1 429", "retry-after: 1\r\n", "rate_limit_exceeded"][..],
        &["Look first.", r#""name":"shell""#, r#"{\"command\":\"ls\"}"#],
        &["<Pause(20ms)>", ": ping\n\n", "Done.", r#""prompt_tokens":12"#],
    ] {
        let text = play(&mut script).unwrap();
        for part in expected {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
    assert_eq!(play(&mut script), None);
}

/// Checks that an entry of a file plays the same bytes as a reply that was built.
fn check(entry: &str, built: Reply) {
    let mut read = file::parse(format!(r#"{{"replies":[{entry}]}}"#).as_bytes()).unwrap();
    assert_eq!(play(&mut read), play(&mut Script::list([built])), "{entry}");
}

#[test]
fn words_mean_what_the_builders_mean() {
    let call = || Call::raw("a", "{");
    check(r#"{"text":"a","error":"b"}"#, Message::text("a").error("b").reply());
    check(r#"{}"#, Message::nothing().reply());
    check(r#"{"text":"a","status":500}"#, Reply::text("a").with_status(500));
    check(r#"{"calls":[{"name":"a","arguments":"{"}]}"#, Message::calls([call()]).reply());
    check(
        r#"{"calls":[{"name":"a","arguments":"{","id":null}]}"#,
        Message::calls([call().without_id()]).reply(),
    );
    check(
        r#"{"calls":[{"name":"a","arguments":"{","id":"x"}],"finish":null}"#,
        Message::calls([call().id("x")]).without_finish().reply(),
    );
    check(
        r#"{"text":"abc","text_every":1,"finish":"length","empty_choices":true}"#,
        Message::text("abc").text_every(1).finish("length").empty_choices().reply(),
    );
}

#[test]
fn faults_mean_what_the_builders_mean() {
    check(r#"{"events":["a"],"split":"bytes"}"#, Reply::events(["a"]).split(Split::Every(1)));
    check(
        r#"{"body":"<a>","status":502,"headers":{"content-type":"text/html"}}"#,
        Reply::raw(502, [("content-type", "text/html")], "<a>"),
    );
    check(r#"{"text":"é","split":"characters"}"#, Reply::text("é").split_inside_characters());
    check(r#"{"text":"a","slow_ms":3}"#, Reply::text("a").slow(Duration::from_millis(3)));
    check(
        r#"{"text":"a","crlf":true,"bom":true,"tight":true,"without_done":true,"until_close":true}"#,
        Reply::text("a").crlf().bom().tight().without_done().until_close(),
    );
    for (at, point) in [
        ("\"start\"", Point::Start),
        ("\"finish\"", Point::Finish),
        ("\"terminator\"", Point::Terminator),
        ("\"end\"", Point::End),
        ("7", Point::Body(7)),
    ] {
        for (by, stop) in [("close", Stop::Close), ("reset", Stop::Reset), ("stall", Stop::Stall)] {
            check(
                &format!(r#"{{"text":"a","stop":{{"at":{at},"by":"{by}"}}}}"#),
                Reply::text("a").stop(point, stop),
            );
        }
    }
}

#[test]
fn what_is_no_script_is_refused() {
    let cases = [
        ("", "EOF"),
        ("[]", "expected"),
        (r#"{"replies":[{"txt":"a"}]}"#, "unknown field `txt`"),
        (r#"{"replies":[{},{"body":"a","events":[]}]}"#, "reply 2: has both"),
        (r#"{"replies":[{"text":"a","body":"a"}]}"#, "reply 1: has both"),
        (r#"{"replies":[{"stop":{"at":"never","by":"close"}}]}"#, "At"),
    ];
    for (text, expected) in cases {
        let error = file::parse(text.as_bytes()).unwrap_err();
        assert!(error.contains(expected), "{text}: {error}");
    }
    let error = Script::file(Path::new("/nowhere/script.json")).unwrap_err();
    assert!(error.to_string().starts_with("cannot use the script /nowhere/script.json: "));
}
