//! Errors in the bodies of answers, in all the shapes that servers give them.

use super::*;

fn check(body: &str, status: Option<u16>, message: &str, kind: FailureKind) {
    let reported = Reported::read(body).unwrap_or_else(|| panic!("no error: {body}"));
    assert_eq!((reported.message.as_str(), reported.kind(status)), (message, kind), "{body}");
}

#[test]
fn shapes() {
    use FailureKind::*;
    check(r#"{"error":{"message":"m","type":"server_error","code":null}}"#, None, "m", Overloaded);
    check(r#"{"error":"model \"x\" not found"}"#, Some(404), "model \"x\" not found", NotFound);
    check(r#"{"object":"error","message":"m","type":"BadRequestError","code":400}"#, None, "m", Refused);
    check(r#"{"code":"invalid","message":"m"}"#, None, "m", Refused);
    check(r#"{"detail":"Not Found"}"#, Some(404), "Not Found", NotFound);
    check(r#"{"detail":[{"msg":"x"}]}"#, Some(422), r#"[{"msg":"x"}]"#, Refused);
    check(r#"[{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}]"#, None, "m", Overloaded);
    check(r#"{"type":"error","error":{"type":"overloaded_error","message":"m"}}"#, None, "m", Overloaded);
    check(r#"{"error":{"message":"m","code":502,"metadata":{"raw":"deep"}}}"#, None, "m: deep", Overloaded);
    check(r#"{"error":{"type":"authentication_error"},"message":"m"}"#, None, "m", Auth);
    check(r#"{"error":{"message":"m","code":"429"}}"#, None, "m", Overloaded);
    check(r#"{"type":"error","error":{"type":"billing_error","message":"m"}}"#, None, "m", Quota);
    check(r#"{"error":{"code":"misalignment_policy_violation","message":"m"}}"#, None, "m", Refused);
    check(r#"{"error":{"message":"m"}}"#, None, "m", Protocol);
    for body in [r#"{"error":null}"#, r#"{"choices":[]}"#, "{}", "7", "\"error\"", "not JSON", "[]"] {
        assert_eq!(Reported::read(body), None, "{body}");
    }
}

#[test]
fn words_tell_more_than_a_status() {
    use FailureKind::*;
    let check = |status, code: &str, message: &str, kind| {
        let body = serde_json::json!({ "error": { "code": code, "message": message } }).to_string();
        check(&body, Some(status), message, kind);
    };
    check(400, "context_length_exceeded", "m", ContextTooLong);
    check(400, "", "This model's maximum context length is 8192 tokens.", ContextTooLong);
    check(400, "", "the request exceeds the available context size", ContextTooLong);
    check(400, "", "prompt is too long: 210000 tokens > 200000 maximum", ContextTooLong);
    check(500, "", "input is larger than the context window", ContextTooLong);
    check(429, "insufficient_quota", "m", Quota);
    check(429, "", "You exceeded your current quota, please check your plan.", Quota);
    check(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota", Overloaded);
    check(429, "rate_limit_exceeded", "Rate limit reached", Overloaded);
    check(400, "", "API key not valid. Please pass a valid API key.", Auth);
    check(400, "content_policy_violation", "m", Refused);
    check(400, "model_not_found", "m", NotFound);
    check(400, "", "m", Refused);
    check(418, "", "m", Refused);
    for (status, kind) in [
        (301, NotFound),
        (401, Auth),
        (402, Quota),
        (403, Auth),
        (404, NotFound),
        (405, NotFound),
        (408, Overloaded),
        (413, ContextTooLong),
        (422, Refused),
        (429, Overloaded),
        (500, Overloaded),
        (529, Overloaded),
    ] {
        check(status, "", "m", kind);
    }
}
