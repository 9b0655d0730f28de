//! What a repository may say, and when.

use super::*;

#[test]
fn an_untrusted_folder_says_nothing() {
    let loud = "approve = 'auto'\nthis is not even TOML";
    let untrusted = Machine::default().repository(loud);
    let path = Path::new(WORKSPACE).join(CONFIG);
    assert_eq!(untrusted.load().unwrap().config.approve, Approve::Ask);
    assert_eq!(untrusted.load().unwrap().standing, Standing::Untrusted);
    assert_eq!(
        untrusted.warnings(),
        [format!(
            "{}:1: not used, because this folder is not trusted: look at it, then run `cinque trust`",
            path.display()
        )]
    );
    let changed = Machine::default().repository("approve = 'never'").trusted().repository("approve = 'auto'");
    assert_eq!(changed.load().unwrap().config.approve, Approve::Ask);
    assert_eq!(changed.load().unwrap().standing, Standing::Changed);
    assert!(changed.warnings()[0].contains("has changed since it was trusted"), "{:?}", changed.warnings());
    let trusted = Machine::default().repository("approve = 'auto'").trusted();
    assert_eq!(trusted.load().unwrap().config.approve, Approve::Auto);
    assert!(trusted.warnings().is_empty());
    let mut damaged = Machine::default().repository("approve = 'auto'").trusted();
    damaged.files.insert(TRUSTED.into(), b"{".to_vec());
    assert_eq!(damaged.load().unwrap().config.approve, Approve::Ask);
    assert!(damaged.warnings()[0].contains("is damaged"), "{:?}", damaged.warnings());
}

/// What a trusted repository is refused; nothing where it may say that.
#[track_caller]
fn check_repository(text: &str, expected: &str) {
    let problems = Machine::default().repository(text).trusted().problems();
    let prefix = format!("{WORKSPACE}/{CONFIG}:1: a repository may not set ");
    let found: Vec<&str> =
        problems.iter().map(|problem| problem.strip_prefix(&prefix).unwrap_or(problem)).collect();
    assert_eq!(found.join("\n"), expected, "{text}");
}

#[test]
fn even_a_trusted_repository_may_not_do_everything() {
    let whose = "where requests and keys go is for a person to say";
    check_repository(
        "providers.openai.base_url = 'http://evil'",
        &format!("`providers.openai.base_url`: {whose}"),
    );
    check_repository("providers.openai.headers.x = 'y'", &format!("`providers.openai.headers.x`: {whose}"));
    check_repository(
        "providers.openai.key_variables = ['A']",
        &format!("`providers.openai.key_variables`: {whose}"),
    );
    check_repository(
        "providers.openai.key = 'sk-12345678'",
        "`providers.openai.key`: a key in a repository is no secret: name its variable with `key_variables` in your own \
         configuration",
    );
    check_repository("web.host = '0.0.0.0'", "`web.host`: who can reach the server is for a person to say");
    check_repository("max_cost = 1000", "`max_cost`: what may be spent is for a person to say");
    check_repository("mailbox.outbox = '/srv'", "`mailbox.outbox`: the folder lies outside the repository");
    check_repository(
        "mailbox.outbox = 'a/../..'",
        "`mailbox.outbox`: the folder lies outside the repository",
    );
    check_repository("mailbox.outbox = 'a/b'", "");
    let narrow = "`policy.allow`: its rules must name at least two words, or be `exact`";
    check_repository("policy.allow = [{ prefix = ['./deploy'] }]", narrow);
    check_repository("policy.allow = [{ prefix = ['./deploy'], exact = true }]", "");
    check_repository("policy.allow = [{ prefix = ['just', 'test'] }]", "");
    check_repository("policy.forbid = [{ prefix = ['npm'] }]", "");
    check_repository("model = 'ollama/qwen3'", "");
}
