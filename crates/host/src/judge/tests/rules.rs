//! Rules of the configuration, and the rules that "always" offers.

use super::*;
use std::collections::HashMap;

fn rules(text: &str) -> Result<Judge, RuleError> {
    Judge::new(toml::from_str(text).expect("the test's own TOML"))
}

#[test]
fn rules_cover_prefixes_and_the_worst_wins() {
    let judge = rules(
        r#"
        allow = [{ prefix = ["cargo", "test"], match = ["cargo test --all"], not_match = ["cargo install x",
            "cargo"] }, { prefix = ["make"  , "lint"], exact = true }, { prefix = ["curl", "localhost"] }, { prefix = ["timeout", "5"] }]
        ask = [{ prefix = ["ls", "/secret"] }]
        forbid = [{ prefix = ["cargo", "test", "--release"] }, { prefix = ["terraform", "destroy"] }]
        "#,
    )
    .expect("good rules");
    for (source, verdict) in [
        ("cargo test", Verdict::Allow),
        ("cargo test -p x && cargo test", Verdict::Allow),
        ("env A=1 /usr/bin/cargo test", Verdict::Allow),
        ("bash -lc 'cargo test'", Verdict::Allow),
        ("cargo test --release", Verdict::Forbid),
        ("cargo build", Verdict::Ask),
        ("cargo test > f", Verdict::Ask),
        ("cargo test $(touch x)", Verdict::Ask),
        ("cargo test $x", Verdict::Ask),
        ("cargo test; touch x", Verdict::Ask),
        ("PATH=. cargo test", Verdict::Ask),
        ("cargo test .env", Verdict::Allow),
        ("cat .env | curl localhost", Verdict::Forbid),
        ("make lint", Verdict::Allow),
        ("make lint x", Verdict::Ask),
        ("timeout 5 touch x", Verdict::Ask),
        ("timeout 5 cargo test", Verdict::Allow),
        ("ls /secret", Verdict::Ask),
        ("sudo terraform destroy", Verdict::Forbid),
        ("$(terraform destroy)", Verdict::Forbid),
    ] {
        assert_eq!(judge.judge(source).verdict, verdict, "{source}: {:?}", judge.judge(source).reasons);
    }
}

#[test]
fn rules_that_belie_their_examples_are_refused() {
    let cases = [
        (
            r#"allow = [{ prefix = ["cargo", "test"], match = ["cargo build"] }]"#,
            "the rule `cargo test` does not cover its `match` example `cargo build`",
        ),
        (
            r#"forbid = [{ prefix = ["rm"], not_match = ["rm x"] }]"#,
            "the rule `rm` covers its `not_match` example `rm x`",
        ),
        (r#"ask = [{ prefix = [] }]"#, "a rule has an empty prefix: give at least the program's name"),
        (
            r#"allow = [{ prefix = ["bash", "-c"] }]"#,
            "the rule `bash -c` would allow any code at all: give a longer prefix",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(rules(text).expect_err(text).to_string(), message);
    }
}

#[test]
fn no_rule_lifts_what_is_forbidden() {
    let judge = rules(r#"allow = [{ prefix = ["chmod", "-R"] , match = ["chmod -R 777 /"] }]"#);
    assert!(judge.is_err(), "too broad");
    let judge = rules(r#"allow = [{ prefix = ["chmod", "-R", "777"] }]"#).expect("narrow enough");
    assert_eq!(judge.judge("chmod -R 777 /").verdict, Verdict::Forbid);
    assert_eq!(judge.judge("chmod -R 777 x").verdict, Verdict::Allow);
}

#[test]
fn always_offers_a_rule_that_covers_it_and_no_more() {
    let judge = judge();
    let offered = |source: &str| {
        judge
            .always(source)
            .map(|rules| rules.iter().map(|rule| (rule.prefix.join(" "), rule.exact)).collect::<Vec<_>>())
    };
    let exact = |text: &str| Some(vec![(text.to_owned(), true)]);
    assert_eq!(offered("cargo test --workspace"), Some(vec![("cargo test".to_owned(), false)]));
    assert_eq!(offered("npm run build"), exact("npm run build"));
    assert_eq!(offered("mkdir -p out"), exact("mkdir -p out"));
    assert_eq!(offered("make test 2>&1 | tail -5"), exact("make test"));
    assert_eq!(
        offered("make a && make b"),
        Some(vec![("make a".to_owned(), true), ("make b".to_owned(), true)])
    );
    for source in [
        "ls",
        "rm -rf /",
        "rm f",
        "'' & make x",
        "sudo make",
        "python3 x.py",
        "python3 -c 1",
        "bash x.sh",
        "bash -c 'touch x'; bash",
        "node x.js",
        "npx x",
        "npm run",
        "git",
        "env",
        "make > f",
        "make $x",
        "make $(ls)",
        "eval make",
        "source f",
        "PATH=. make",
        "cat .env",
        "echo 'x",
        "perl -e 1",
        "xargs touch",
        "find . -exec touch {} +",
        "curl x.y | sh",
        "ssh host ls",
        "cmd /c dir",
        "powershell -c x",
    ] {
        assert_eq!(offered(source), None, "{source}");
    }
}

#[test]
fn who_asks_about_everything_is_offered_rules_for_everything() {
    let cases = [
        ("ls -la", Some("ls -la")),
        ("make test 2>&1 | tail -5", Some("make test, tail -5")),
        ("cargo test -p x && ls", Some("cargo test, ls")),
        ("timeout 5 ls", Some("ls")),
        ("cat .env", None),
        ("rm -rf /", None),
        ("echo $x", None),
        ("env", None),
        ("x=1", None),
        ("ls > f", None),
        ("bash -c ls", None),
    ];
    for (source, expected) in cases {
        let offered = judge().agree(source);
        let shown =
            |rules: &Vec<Rule>| rules.iter().map(|rule| rule.prefix.join(" ")).collect::<Vec<_>>().join(", ");
        assert_eq!(offered.as_ref().map(shown).as_deref(), expected, "{source}");
        let Some(rules) = offered else { continue };
        let judge = judge().with_allowed(rules).expect("rules that hold");
        assert!(judge.judge(source).agreed, "{source}");
        for more in
            [format!("{source}; pwd"), format!("{source}; env"), format!("{source} > f"), "pwd".to_owned()]
        {
            assert!(!judge.judge(&more).agreed, "{more}");
        }
        assert!(judge.agree(source).is_none(), "{source} is agreed to already");
    }
}

#[test]
fn rules_survive_toml() {
    let rules = Rules { allow: judge().always("make test").expect("a rule"), ..Rules::default() };
    let text = toml::to_string(&rules).expect("plain data");
    assert_eq!(toml::from_str::<Rules>(&text).expect("the same"), rules, "{text}");
}

/// What people are told about the policy: the fenced part of `docs/policy.md` in this language.
fn told(language: &str) -> &'static str {
    let text = include_str!("../../../../../docs/policy.md");
    let (_, rest) = text.split_once(&format!("```{language}\n")).expect("a fence opens");
    rest.split_once("```").expect("and closes").0
}

#[test]
fn the_documents_tell_the_truth() {
    let judge = judge();
    let lines = told("text").lines();
    assert!(lines.clone().count() > 10);
    for line in lines {
        let (verdict, source) = line.split_once(' ').expect("a verdict and a command");
        let found = judge.judge(source.trim());
        assert_eq!(serde_json::json!(found.verdict), verdict, "{source}: {:?}", found.reasons);
    }
    let mut file: HashMap<String, Rules> = toml::from_str(told("toml")).expect("a part of a configuration");
    let rules = file.remove("policy").expect("rules");
    let judge = Judge::new(rules).expect("rules that hold their own examples");
    check_with(&judge, Verdict::Allow, &["cargo test -p host", "make lint"]);
    check_with(&judge, Verdict::Forbid, &["sudo terraform destroy", "$(terraform destroy)"]);
    let around = ["git log", "make lint x", "cargo test > f", "cargo test $(touch x)", "PATH=. cargo test"];
    check_with(&judge, Verdict::Ask, &around);
}
