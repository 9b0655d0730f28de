//! Which pairs of requests pass the check of growth.

use super::*;

fn check(bodies: &[&str]) -> Result<(), String> {
    let requests = bodies.iter().enumerate();
    let requests: Vec<_> = requests.map(|(number, body)| Arc::new(Request::sample(number, body))).collect();
    prefix_growth(&requests)
}

#[test]
fn growth_is_accepted() {
    let cases: [&[&str]; 6] = [
        &[],
        &[r#"{"messages":[]}"#, r#"{"messages":[{"a":1}]}"#],
        &[
            r#"{"model":"m","messages":[{"a":1}],"stream":true}"#,
            r#"{"model":"m","messages":[{"a":1},{"b":2}],"stream":true}"#,
            r#"{"model":"m","messages":[{"a":1},{"b":2},{"c":"]"}]}"#,
        ],
        // A retry repeats the request.
        &[r#"{"messages":[{"a":1}]}"#, r#"{"messages":[{"a":1}]}"#],
        // Brackets in strings and nested arrays do not end the messages.
        &[r#"{"messages":[{"a":"],["},[1]]}"#, r#"{"messages":[{"a":"],["},[1],2]}"#],
        &[r#"{"messages": [ {"a":1} ]}"#, r#"{"messages": [ {"a":1} , {"b":2} ]}"#],
    ];
    for bodies in cases {
        assert_eq!(check(bodies), Ok(()), "{bodies:?}");
    }
}

#[test]
fn anything_else_is_found() {
    let cases: [(&[&str], &str); 9] = [
        (&[r#"{"messages":[{"a":1}]}"#, r#"{"messages":[{"a":2}]}"#], "from byte 18"),
        // The same value in other bytes.
        (&[r#"{"messages":[{"a":1}]}"#, r#"{"messages":[{"a": 1}]}"#], "from byte 18"),
        // A message fewer, and none at all.
        (&[r#"{"messages":[1,2]}"#, r#"{"messages":[1]}"#], "from byte 14"),
        (&[r#"{"messages":[1]}"#, r#"{"messages":[]}"#], "from byte 13"),
        // What stands before the messages counts too.
        (&[r#"{"model":"m","messages":[1]}"#, r#"{"model":"n","messages":[1,2]}"#], "from byte 10"),
        (&[r#"{"messages":[1]}"#, r#"{"messages":[12]}"#], "changes the last message"),
        (&[r#"{"model":"m"}"#], "no `messages`"),
        (&[r#"{"messages":{}}"#], "not an array"),
        (&["["], "not a JSON object"),
    ];
    for (bodies, expected) in cases {
        let error = check(bodies).unwrap_err();
        assert!(error.contains(expected), "{bodies:?}: {error}");
    }
}

#[test]
fn other_paths_are_passed_over() {
    let mut models = Request::sample(1, "");
    models.path = "/v1/models".to_owned();
    let requests = [
        Arc::new(Request::sample(0, r#"{"messages":[1]}"#)),
        Arc::new(models),
        Arc::new(Request::sample(2, r#"{"messages":[2]}"#)),
    ];
    let error = prefix_growth(&requests).unwrap_err();
    assert!(error.contains("request 2 does not repeat request 0"), "{error}");
}
