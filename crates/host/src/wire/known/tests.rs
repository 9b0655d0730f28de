//! The table of known providers, and what the environment changes in it.

use super::*;
use crate::http::Address;
use crate::wire::Carried;
use crate::wire::format::{Asked, Share};

fn resolve(name: &str, variables: &[(&str, &str)]) -> Provider {
    Known::find(name).unwrap().resolve(|name| {
        variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    })
}

#[test]
fn the_table_is_sound() {
    for (place, known) in KNOWN.iter().enumerate() {
        assert!(KNOWN[..place].iter().all(|other| other.name != known.name), "{} twice", known.name);
        assert!(known.wire == Wire::Azure || Address::parse(known.base_url).is_ok(), "{}", known.base_url);
        let local = known.base_url.starts_with("http://localhost");
        assert_eq!(known.key_variables.is_empty(), local, "{}", known.name);
    }
    assert_eq!(Known::find("nobody"), None);
}

#[test]
fn keys_and_addresses_from_the_environment() {
    let key = |text| Some(Secret::new(text));
    let openai = resolve("openai", &[("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", " http://x/v1 ")]);
    assert_eq!((openai.key, openai.base_url.as_str()), (key("k"), "http://x/v1"));
    let bare = resolve("openai", &[("OPENAI_API_KEY", " "), ("OPENAI_BASE_URL", "")]);
    assert_eq!((bare.key, bare.base_url.as_str()), (None, "https://api.openai.com/v1"));
    let both = resolve("gemini", &[("GOOGLE_API_KEY", "b"), ("GEMINI_API_KEY", "a")]);
    assert_eq!(both.key, key("a"));
    let token = resolve("anthropic", &[("ANTHROPIC_AUTH_TOKEN", "t")]);
    assert_eq!((token.key, token.carried), (key("t"), Carried::Bearer));
    let plain = resolve("anthropic", &[("ANTHROPIC_API_KEY", "k"), ("ANTHROPIC_AUTH_TOKEN", "t")]);
    assert_eq!((plain.key, plain.carried), (key("k"), Carried::Header("x-api-key".into())));
    let azure = [("AZURE_OPENAI_API_KEY", "k"), ("AZURE_OPENAI_ENDPOINT", "https://me.openai.azure.com/")];
    assert_eq!(resolve("azure", &azure).quirks.api_version, AZURE_VERSION);
}

#[test]
fn where_each_wire_asks() {
    let check = |name: &str, variables: &[(&str, &str)], expected: &str| {
        let provider = resolve(name, variables);
        let address = Address::parse(&provider.base_url).unwrap();
        let path = Asked { provider: &provider, model: "m", share: Share::New }.path(&address);
        assert_eq!(format!("{}{path}", address.authority()), expected);
    };
    check("openai", &[], "api.openai.com/v1/chat/completions");
    check("responses", &[], "api.openai.com/v1/responses");
    check("anthropic", &[], "api.anthropic.com/v1/messages");
    check("anthropic", &[("ANTHROPIC_BASE_URL", "http://x/v1/")], "x/v1/messages");
    check("anthropic", &[("ANTHROPIC_BASE_URL", "http://x/gate")], "x/gate/v1/messages");
    check("google", &[], "generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse");
    check(
        "gemini",
        &[("GOOGLE_GEMINI_BASE_URL", "http://x/v1")],
        "x/v1/models/m:streamGenerateContent?alt=sse",
    );
    let azure =
        |version| [("AZURE_OPENAI_ENDPOINT", "https://me.example/"), ("AZURE_OPENAI_API_VERSION", version)];
    check(
        "azure",
        &azure("2025-01-01"),
        "me.example/openai/deployments/m/chat/completions?api-version=2025-01-01",
    );
    check("azure", &azure("v1"), "me.example/openai/v1/chat/completions");
    check(
        "azure",
        &[("AZURE_OPENAI_ENDPOINT", "https://me.example/openai/v1/")],
        "me.example/openai/v1/chat/completions",
    );
    check("ollama", &[], "localhost:11434/v1/chat/completions");
}

#[test]
fn openai_is_asked_on_the_wire_that_its_model_wants() {
    for (variables, model, wire) in [
        (&[][..], "gpt-5.1", Wire::Openai),
        (&[], "gpt-5.6-sol", Wire::Responses),
        (&[("OPENAI_BASE_URL", "http://localhost:1/v1")], "gpt-5.6-sol", Wire::Openai),
    ] {
        let provider = resolve("openai", variables).serving(model);
        assert_eq!((provider.wire, provider.quirks.memory), (wire, Memory::Ours), "{model}");
    }
}
