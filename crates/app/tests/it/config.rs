//! The configuration from outside: layers, trust, rules, redaction.

use super::*;

const LIMITED: &str = "max_turns = 2\n[shell]\noutput_lines = 5\n";

#[test]
fn layers_count_in_their_order_and_say_where_a_value_came_from() {
    let work = Scratch::new();
    let cinque = alone(&work);
    cinque.home().write(".config/cinque/config.toml", "max_turns = 7\n");
    let value = |command: kit::Command| {
        let rows = command.run().assert_code(0).json_lines();
        let row = rows.iter().find(|row| row["key"] == "max_turns").unwrap().clone();
        row["value"].as_u64().unwrap()
    };
    assert_eq!(value(cinque.command(["config", "show", "--json"])), 7);
    assert_eq!(value(cinque.command(["config", "show", "--json"]).env("CINQUE_MAX_TURNS", "9")), 9);
    let wrong = cinque.command(["config", "show"]).env("CINQUE_MAX_TURNS", "many").run();
    assert!(wrong.assert_code(2).stderr.contains("CINQUE_MAX_TURNS"), "{}", wrong.stderr);
    cinque.home().write(".config/cinque/config.toml", "max_turn = 7\n");
    let unknown = cinque.command(["config", "show"]).run();
    assert!(unknown.assert_code(2).stderr.contains("max_turns"), "a suggestion: {}", unknown.stderr);
}

#[test]
fn whoever_reads_only_the_first_line_hears_no_complaint() {
    let (work, server) = (Scratch::new(), Server::answer(|_| Reply::status(404)));
    let script = "set -o pipefail; \"$@\" | true";
    for arguments in [&["config", "show"][..], &["config", "sample"], &["doctor"]] {
        let outcome = cinque(&work, &server).command(arguments).through("bash", ["-c", script, "bash"]).run();
        assert!(!outcome.assert_code(0).stderr.contains("panicked"), "{arguments:?}: {}", outcome.stderr);
    }
}

#[test]
fn a_folder_acts_only_when_it_is_trusted_and_only_as_it_was_then() {
    let (work, server) = (Scratch::new(), Server::answer(|_| shell("true")));
    work.write(".cinque/config.toml", LIMITED);
    let cinque = cinque(&work, &server);
    let turns = |expected: usize| {
        let before = server.requests().len();
        let outcome = cinque.command(["exec", "go"]).run();
        outcome.assert_code(5);
        assert_eq!(server.requests().len() - before, expected, "{}", outcome.stderr);
        outcome.stderr
    };
    assert!(turns(20).contains("cinque trust"));
    cinque.command(["trust"]).run().assert_code(0);
    turns(2);
    work.write(".cinque/config.toml", "max_turns = 3\n");
    assert!(turns(20).contains("changed since it was trusted"));
    cinque.command(["trust"]).run().assert_code(0);
    turns(3);
    cinque.command(["trust", "--remove"]).run().assert_code(0);
    turns(20);
}

#[test]
fn rules_of_the_policy_count() {
    let (work, server) = (Scratch::new(), Server::play([shell("touch made"), Reply::text("ok")]));
    let cinque = cinque(&work, &server);
    let rules = "[policy]\nallow = [{ prefix = [\"touch\", \"made\"] }]\nforbid = [{ prefix = [\"ls\"] }]\n";
    cinque.home().write(".config/cinque/config.toml", rules);
    cinque.command(["exec", "go"]).run().assert_code(0);
    assert!(work.exists("made"));
    let judged = cinque.command(["policy", "check", "--json", "--", "ls"]).run();
    assert_eq!(judged.assert_code(0).json_lines()[0]["verdict"], "forbid");
}

#[test]
fn a_rule_that_is_saved_covers_what_was_shown_and_no_more() {
    let work = Scratch::new();
    let cinque = alone(&work);
    let verdict = |source: &str| {
        let judged = cinque.command(["policy", "check", "--json", "--", source]).run();
        judged.assert_code(0).json_lines()[0]["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!(verdict("cargo test"), "ask");
    cinque.command(["policy", "always", "--", "cargo test"]).run().assert_code(0);
    assert_eq!(verdict("cargo test"), "ask", "showing saves nothing");
    cinque.command(["policy", "always", "--save", "--", "cargo test"]).run().assert_code(0);
    assert_eq!(verdict("cargo test"), "allow");
    for (source, words) in [("cargo test -q", "`cargo test`, whatever follows"), ("ls", "it only reads")] {
        let told = cinque.command(["policy", "check", "--", source]).run();
        assert!(told.assert_code(0).stdout.contains(words), "{}", told.stdout);
        assert_eq!(told.stdout.contains("it only reads"), source == "ls", "{}", told.stdout);
    }
    assert_eq!(verdict("cargo install x"), "ask");
    assert_eq!(verdict("cargo test; touch x"), "ask");
    for never in ["bash x.sh", "python3 x.py", "sudo ls", "rm -rf /"] {
        cinque.command(["policy", "always", "--save", "--", never]).run().assert_code(6);
    }
}

#[test]
fn a_provider_can_be_added_without_code() {
    let (work, server) = (Scratch::new(), Server::play([Reply::text("from acme")]));
    let cinque = alone(&work);
    let provider =
        format!("[providers.acme]\nbase_url = \"{}\"\nkey_variables = [\"ACME_KEY\"]\n", server.base_url());
    cinque.home().write(".config/cinque/config.toml", provider);
    let outcome = cinque.command(["exec", "-m", "acme/large", "go"]).env("ACME_KEY", "acme-secret-1").run();
    assert_eq!(outcome.assert_code(0).stdout, "from acme\n");
    assert_eq!(server.requests()[0].header("authorization"), Some("Bearer acme-secret-1"));
}

#[test]
fn keys_are_blotted_out_of_what_the_model_and_the_log_see() {
    let (work, server) = (Scratch::new(), Server::play([shell("cat leak.txt"), Reply::text("ok")]));
    work.write("leak.txt", "the key is sk-live-0123456789abcdef here");
    let cinque = cinque(&work, &server).env("OPENAI_API_KEY", "sk-live-0123456789abcdef");
    let outcome = cinque.command(["exec", "--json", "go"]).run();
    outcome.assert_code(0);
    let told = server.last_messages()[3]["content"].to_string();
    assert!(told.contains("[redacted") && !told.contains("0123456789abcdef"), "{told}");
    let database = work.read_bytes(".cinque/app.db");
    let wal = std::fs::read(work.join(".cinque/app.db-wal")).unwrap_or_default();
    let holds = |bytes: &[u8]| bytes.windows(16).any(|window| window == b"0123456789abcdef");
    assert!(!holds(&database) && !holds(&wal));
}

#[test]
fn a_provider_that_tells_the_key_back_is_not_written_down() {
    let work = Scratch::new();
    let server = Server::answer(|_| Reply::text("your key is sk-0123456789abcdef"));
    let cinque = cinque(&work, &server).env("OPENAI_API_KEY", "sk-0123456789abcdef");
    let outcome = cinque.command(["exec", "--json", "go"]).run();
    let lines = outcome.assert_code(0).json_lines();
    let records: Vec<String> =
        lines.iter().filter(|line| line.get("seq").is_some()).map(ToString::to_string).collect();
    assert!(records.concat().contains("your key is [redacted OPENAI_API_KEY]"), "{}", outcome.stdout);
    assert!(!records.concat().contains("0123456789abcdef"), "{}", outcome.stdout);
}

#[test]
fn what_a_run_cost_goes_by_the_configured_price() {
    let work = Scratch::new();
    let usage = kit::Usage { input: 1_000_000, output: 500_000, cached: 0, reasoning: 0 };
    let server = Server::play([kit::Message::text("hi").usage(usage).reply()]);
    let cinque = cinque(&work, &server);
    let prices = "[prices.\"openai/scripted\"]\ninput = 2.0\noutput = 8.0\n";
    cinque.home().write(".config/cinque/config.toml", prices);
    let outcome = cinque.command(["exec", "go"]).run();
    assert!(outcome.assert_code(0).stderr.contains("$6.0000"), "{}", outcome.stderr);
    let listed = cinque.command(["log", "list", "--json"]).run();
    let id = listed.assert_code(0).json_lines()[0]["conversation"].as_str().unwrap().to_owned();
    let exported = cinque.command(["log", "export", &id, "--format", "atif"]).run();
    let exported: Value = kit::serde_json::from_str(&exported.assert_code(0).stdout).unwrap();
    assert_eq!(exported["final_metrics"]["total_cost_usd"], 6.0);
}
