//! Every wire from outside: the variables it is configured by, the request it makes, the answer it understands.

use super::*;

/// What one provider expects and how it answers "hello".
struct Case {
    model: &'static str,
    variables: &'static [(&'static str, &'static str)],
    base_variable: &'static str,
    path: &'static str,
    key_header: (&'static str, &'static str),
    stream: &'static str,
}

const CASES: [Case; 5] = [
    Case {
        model: "anthropic/claude-x",
        variables: &[("ANTHROPIC_API_KEY", "key-1")],
        base_variable: "ANTHROPIC_BASE_URL",
        path: "/v1/messages",
        key_header: ("x-api-key", "key-1"),
        stream: concat!(
            "data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":7,\"output_tokens\":1}}}\n\n",
            "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
            "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hello\"}}\n\n",
            "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
            "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":3}}\n\n",
            "data: {\"type\":\"message_stop\"}\n\n",
        ),
    },
    Case {
        model: "anthropic/claude-x",
        variables: &[("ANTHROPIC_AUTH_TOKEN", "token-1")],
        base_variable: "ANTHROPIC_BASE_URL",
        path: "/v1/messages",
        key_header: ("authorization", "Bearer token-1"),
        stream: concat!(
            "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hello\"}}\n\n",
            "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n",
        ),
    },
    Case {
        model: "gemini/gemini-x",
        variables: &[("GEMINI_API_KEY", "key-2")],
        base_variable: "GOOGLE_GEMINI_BASE_URL",
        path: "/v1beta/models/gemini-x:streamGenerateContent?alt=sse",
        key_header: ("x-goog-api-key", "key-2"),
        stream: "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"hello\"}]},\"finishReason\":\"STOP\"}]}\n\n",
    },
    Case {
        model: "azure/my-deployment",
        variables: &[("AZURE_OPENAI_KEY", "key-3")],
        base_variable: "AZURE_OPENAI_ENDPOINT",
        path: "/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21",
        key_header: ("api-key", "key-3"),
        stream: "data: {\"choices\":[{\"delta\":{\"content\":\"hello\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
    },
    Case {
        model: "responses/gpt-x",
        variables: &[("OPENAI_API_KEY", "key-4")],
        base_variable: "OPENAI_BASE_URL",
        path: "/responses",
        key_header: ("authorization", "Bearer key-4"),
        stream: concat!(
            "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"hello\"}\n\n",
            "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"hello\"}]}}\n\n",
            "data: {\"type\":\"response.completed\",\"response\":{\"id\":\"resp_1\",\"status\":\"completed\",\"usage\":{\"input_tokens\":5,\"output_tokens\":1}}}\n\n",
        ),
    },
];

#[test]
fn each_wire_is_configured_by_its_own_variables() {
    for case in CASES {
        let work = Scratch::new();
        let stream = case.stream;
        let server =
            Server::answer(move |_| Reply::raw(200, [("content-type", "text/event-stream")], stream));
        let base = server.base_url().trim_end_matches("/v1").to_owned();
        let mut cinque = alone(&work).env(case.base_variable, base);
        for (name, value) in case.variables {
            cinque = cinque.env(*name, *value);
        }
        let outcome = cinque.command(["exec", "-m", case.model, "say hello"]).run();
        assert_eq!(outcome.assert_code(0).stdout, "hello\n", "{}", case.model);
        let request = &server.requests()[0];
        assert_eq!(request.path, case.path, "{}", case.model);
        assert_eq!(request.header(case.key_header.0), Some(case.key_header.1), "{}", case.model);
        assert!(request.json().to_string().contains("say hello"));
    }
}

#[test]
fn responses_keeps_its_context_by_the_id_of_the_reply_before() {
    let work = Scratch::new();
    let stream = CASES[4].stream;
    let server = Server::answer(move |_| Reply::raw(200, [("content-type", "text/event-stream")], stream));
    let base = server.base_url().trim_end_matches("/v1").to_owned();
    let cinque = alone(&work).env("OPENAI_BASE_URL", base).env("OPENAI_API_KEY", "k");
    cinque.command(["exec", "-m", "responses/gpt-x", "first"]).run().assert_code(0);
    cinque.command(["exec", "--continue", "second"]).run().assert_code(0);
    let second = server.requests()[1].json().clone();
    assert_eq!(second["previous_response_id"], "resp_1");
    assert!(!second.to_string().contains("first"), "what the provider remembers is not sent again");
}

#[test]
fn a_provider_that_has_lost_a_conversation_is_told_all_of_it() {
    let work = Scratch::new();
    let json = [("content-type", "application/json")];
    let lost = r#"{"error":{"message":"Previous response with id 'resp_1' not found.","type":"invalid_request_error","param":"previous_response_id","code":"previous_response_not_found"}}"#;
    let server = Server::answer(move |request| match request.json()["previous_response_id"].as_str() {
        Some("resp_1") => Reply::raw(400, json, lost),
        _ => Reply::raw(200, [("content-type", "text/event-stream")], CASES[4].stream),
    });
    let base = server.base_url().trim_end_matches("/v1").to_owned();
    let cinque = alone(&work).env("OPENAI_BASE_URL", base).env("OPENAI_API_KEY", "k");
    cinque.command(["exec", "-m", "responses/gpt-x", "first"]).run().assert_code(0);
    let outcome = cinque.command(["exec", "--continue", "second"]).run();
    assert_eq!(outcome.assert_code(0).stdout, "hello\n", "{}", outcome.stderr);
    let [_, refused, whole] = &server.requests()[..] else { panic!("{} requests", server.requests().len()) };
    assert!(!refused.json().to_string().contains("first"));
    assert_eq!(whole.json().get("previous_response_id"), None);
    for words in ["first", "hello", "second"] {
        assert!(whole.json()["input"].to_string().contains(words), "{words}: {}", whole.json());
    }
}
