//! Tool calls that are not spoken as the provider does: as a JSON object, as tagged text, or written into the answer.

use super::*;

/// Runs one call in a dialect and gives back the requests that the model got.
fn acted(dialect: &str, replies: [&str; 2]) -> Vec<Value> {
    let (work, server) = (Scratch::new(), Server::play(replies.map(Reply::text)));
    let arguments = ["--dialect", dialect, "exec", "--approve", "auto", "go"];
    let outcome = cinque(&work, &server).command(arguments).run();
    outcome.assert_code(0);
    assert_eq!(work.read("made"), "here\n", "{}", outcome.stderr);
    server.assert_prefix_growth();
    server.requests().iter().map(|request| request.json().clone()).collect()
}

#[test]
fn json() {
    let call = r#"{"analysis":"make it","calls":[{"name":"shell","parameters":{"command":"echo here > made"}}],"final":null}"#;
    let done = r#"{"analysis":"","calls":[],"final":"All made."}"#;
    let requests = acted("json", [call, done]);
    assert!(requests.iter().all(|request| request["tools"].is_null()), "no native tools are offered");
    assert_eq!(requests[0]["response_format"]["type"], "json_schema");
}

#[test]
fn text() {
    let call = "I will make it.\n[CALL tool=\"shell\"]\n{\"command\": \"echo here > made\"}\n[/CALL]\n";
    let requests = acted("text", [call, "All made."]);
    assert!(requests.iter().all(|request| request["tools"].is_null()));
    let told = requests[1]["messages"].as_array().unwrap().last().unwrap().to_string();
    assert!(told.contains("exit code 0"), "{told}");
}

#[test]
fn a_call_written_into_a_native_answer_is_recognised() {
    let call = "<tool_call>\n{\"name\": \"shell\", \"arguments\": {\"command\": \"echo here > made\"}}\n</tool_call>";
    acted("auto", [call, "All made."]);
}

#[test]
fn an_answer_in_json_is_shown_as_its_words() {
    let (work, server) =
        (Scratch::new(), Server::play([Reply::text(r#"{"analysis":"a","calls":[],"final":"Hello."}"#)]));
    let outcome = cinque(&work, &server).command(["--dialect", "json", "exec", "go"]).run();
    assert_eq!(outcome.assert_code(0).stdout, "Hello.\n");
}

#[test]
fn a_model_without_tools_is_found_out_once_and_spoken_to_in_json() {
    let work = Scratch::new();
    let server = Server::answer(|request| {
        if request.json()["tools"].is_null() {
            Reply::text(r#"{"analysis":"a","calls":[],"final":"Hello."}"#)
        } else {
            Reply::error(400, "invalid_request_error", "", "tiny does not support tools")
        }
    });
    let cinque = cinque(&work, &server);
    for requests in [2, 3] {
        let outcome = cinque.command(["exec", "go"]).run();
        assert_eq!(outcome.assert_code(0).stdout, "Hello.\n");
        assert_eq!(server.requests().len(), requests, "the trial happens once");
    }
}
