//! What is wrong, where, and what was probably meant.

use super::*;

/// What is wrong with a person's file, one line a problem without the path.
#[track_caller]
fn check_file(text: &str, expected: &[&str]) {
    let problems = Machine::default().person(text).problems();
    let prefix = format!("{PERSON}:");
    let found: Vec<&str> =
        problems.iter().map(|problem| problem.strip_prefix(&prefix).unwrap_or(problem)).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn unknown_keys_are_errors_with_a_suggestion() {
    check_file("modle = \"a/b\"", &["1: there is no setting `modle`; did you mean `model`?"]);
    check_file(
        "\n\n[shell]\ntimeuot = 3",
        &["4: there is no setting `shell.timeuot`; did you mean `shell.timeout`?"],
    );
    check_file("[mailbx]\ninbox = \"x\"", &["1: there is no setting `mailbx`; did you mean `mailbox`?"]);
    check_file(
        "max_iterations = 3",
        &["1: there is no setting `max_iterations`; did you mean `solve.max_iterations`?"],
    );
    check_file(
        "mailbox_inbox = 'x'",
        &["1: there is no setting `mailbox_inbox`; did you mean `mailbox.inbox`?"],
    );
    check_file(
        "[providers.acme]\nbase_url = 'http://x'\napi_key = 'sk-123456789'",
        &["3: there is no setting `providers.acme.api_key`; did you mean `providers.acme.key`?"],
    );
    check_file("[wbe]", &["1: there is no setting `wbe`; did you mean `web`?"]);
    check_file("zzzzzzzzz = 1", &["1: there is no setting `zzzzzzzzz`"]);
    check_file("\"\" = 1", &["1: there is no setting `\"\"`"]);
    check_file(
        "zzz = 1\nmax_turn = 2\n[web]\nport = 'x'",
        &[
            "1: there is no setting `zzz`",
            "2: there is no setting `max_turn`; did you mean `max_turns`?",
            "4: `web.port` must be a whole number from 0 to 65535, not \"x\"",
        ],
    );
}

#[test]
fn wrong_values_say_what_is_expected() {
    check_file(
        "max_turns = \"many\"",
        &["1: `max_turns` must be a whole number from 1 to 10000, not \"many\""],
    );
    check_file("max_turns = 0", &["1: `max_turns` must be a whole number from 1 to 10000, not 0"]);
    check_file("max_turns = 1.5", &["1: `max_turns` must be a whole number from 1 to 10000, not 1.5"]);
    check_file("idle_timeout = -1", &["1: `idle_timeout` must be a number of seconds above 0, not -1"]);
    check_file("idle_timeout = nan", &["1: `idle_timeout` must be a number of seconds above 0, not nan"]);
    check_file("max_cost = inf", &["1: `max_cost` must be a number from 0 on, not inf"]);
    check_file("model = 'gpt'", &["1: `model` must be a model as PROVIDER/MODEL, not \"gpt\""]);
    check_file("model = 1979-05-27", &["1: `model` must be a model as PROVIDER/MODEL, not a date"]);
    check_file("approve = \"yes\"", &["1: `approve` must be ask, auto or never, not \"yes\""]);
    check_file(
        "[providers.openai]\nbody = '[1]'",
        &["2: `providers.openai.body` must be a JSON object as text, not \"[1]\""],
    );
    check_file("shell = 3", &["1: `shell` is a section of settings, not one value"]);
    check_file("[model]\nx = 1", &["1: `model` must be a model as PROVIDER/MODEL, not a table"]);
    check_file("[web]\nopen = 1", &["2: `web.open` must be true or false, not 1"]);
    check_file(
        "[mailbox]\ninbox = '~/in'",
        &["2: `mailbox.inbox` must be a folder, absolute or relative to the workspace, not \"~/in\""],
    );
    check_file(
        "max_turns = 99999999999999999999",
        &["1: `max_turns` must be a whole number from 1 to 10000, not \"99999999999999999999\""],
    );
    check_file(
        "policy.allow = 3",
        &["1: `policy.allow` must be a list of rules such as { prefix = [\"cargo\", \"test\"] }, not 3"],
    );
    check_file(
        "[policy]\nallow = [\n  { prefix = ['just', 'x'] },\n  { prefx = [] },\n]",
        &[
            "4: `policy.allow` has a rule that cannot be read: unknown field `prefx`, expected one of `prefix`, `exact`, \
         `match`, `not_match`",
        ],
    );
    check_file(
        "policy.allow = [{ prefix = ['bash'] }]",
        &[
            "1: `policy.allow` has a rule that is refused: the rule `bash` would allow any code at all: give a longer prefix",
        ],
    );
    check_file("policy.forbid = [{ prefix = ['bash'] }]", &[]);
    check_file(
        "[[policy.allow]]\nprefix = ['just', 'x']\n\n[[policy.allow]]\nprefix = []",
        &[
            "4: `policy.allow` has a rule that is refused: a rule has an empty prefix: give at least the program's name",
        ],
    );
}

#[test]
fn files_that_are_no_configuration_are_errors() {
    check_file("model = \n", &["1: this is not TOML: string values must be quoted, expected literal string"]);
    check_file("\nmodel = 'a/b'\nmodel = 'c/d'", &["3: this is not TOML: duplicate key"]);
    let broken = Machine::default().person(b"model = 'a/b'\n# \xff\n".as_slice()).problems();
    assert_eq!(broken, [format!("{PERSON}:2: the file cannot be read: it is not UTF-8")]);
    assert!(Machine::default().person("\u{feff}model = 'a/b'").problems().is_empty());
    assert!(Machine::default().person("").problems().is_empty());
}

#[test]
fn a_message_never_shows_what_may_be_a_key() {
    let files = [
        "[providers.acme]\nbase_url = 'sk-very-secret'",
        "[providers.acme]\nkey_variables = 'sk-very-secret'",
        "[providers.acme]\nkey_variables = ['sk-very-secret']",
        "[providers.acme]\nbase_url = 'http://x'\nkey = ['sk-very-secret']",
        "[providers.acme]\nbase_url = 'http://x'\nkey = \"sk-very-secret\\u0007\"",
        "[providers.acme.headers]\nx = \"sk-very-secret\\n\"",
    ];
    for file in files {
        let problems = Machine::default().person(file).problems().join("\n");
        assert!(!problems.is_empty() && !problems.contains("very-secret"), "{file}: {problems}");
    }
    let variable = Machine::default().variables(&[("CINQUE_PROVIDERS__ACME__BASE_URL", "sk-very-secret")]);
    assert!(!variable.problems().concat().contains("very-secret"), "{:?}", variable.problems());
}

#[test]
fn entries_of_ones_own_must_be_complete() {
    check_file("\n[providers.acme]\nwire = 'openai'", &["3: `providers.acme` needs `base_url`"]);
    check_file("[providers.openai]\nwire = 'responses'", &[]);
    check_file("[prices.\"acme/big\"]\ninput = 3", &["2: `prices.\"acme/big\"` needs `output`"]);
    check_file(
        "[providers.\"a/b\"]\nbase_url = 'http://x'",
        &["2: `providers.\"a/b\"` must have a name of letters, digits, `-` and `_`"],
    );
}

#[test]
fn bad_variables_are_named() {
    let cases = [
        ("CINQUE_MAX_TURNS", "x", "`max_turns` must be a whole number from 1 to 10000, not \"x\""),
        ("CINQUE_WEB__OPEN", "maybe", "`web.open` must be true or false, not \"maybe\""),
        ("CINQUE_APPROVE", "yes", "`approve` must be ask, auto or never, not \"yes\""),
    ];
    for (name, value, message) in cases {
        let problems = Machine::default().variables(&[(name, value)]).problems();
        assert_eq!(problems, [format!("{name}: {message}")]);
    }
}

#[test]
fn unknown_variables_are_warnings() {
    let cases = [
        ("CINQUE_MODLE", "; did you mean `CINQUE_MODEL`?"),
        ("CINQUE_MAILBOX_INBOX", "; did you mean `CINQUE_MAILBOX__INBOX`?"),
        ("CINQUE_SHELL__TIMEOUTS", "; did you mean `CINQUE_SHELL__TIMEOUT`?"),
        ("CINQUE_SHELL", ""),
        ("CINQUE_QQQQQQQQ", ""),
        ("CINQUE_", ""),
    ];
    for (name, suggestion) in cases {
        let warnings = Machine::default().variables(&[(name, "x"), ("OTHER_MODLE", "x")]).warnings();
        assert_eq!(warnings, [format!("{name}: there is no setting `{name}`{suggestion}")]);
    }
}
