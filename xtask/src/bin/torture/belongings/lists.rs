//! Lists and secrets that a command writes and then says so: trust, rules, the token; and the files of a patch. Three
//! functions each, in the order of their use.

use std::path::Path;

use kit::serde_json::{self, Value};
use kit::{Address, Reply, Server};

use super::{Earlier, Owner, Written};
use crate::errand;
use crate::trace::Plan;
use crate::trial::Trial;

/// Three files that change together.
const PATCH: &str = "--- a/one\n+++ b/one\n@@ -1 +1 @@\n-old\n+new\n--- a/two\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n\
                     --- /dev/null\n+++ b/made/three\n@@ -0,0 +1 @@\n+new\n";
/// One that fits nowhere.
const NO_PATCH: &str = "--- a/no\n+++ b/no\n@@ -1 +1 @@\n-a\n+b\n";

pub(super) fn patched(trial: &Trial, earlier: Earlier) -> Owner {
    let owner = Owner::new(trial, errand::model(), earlier);
    owner.bench.work.write("one", "old\n");
    owner.bench.work.write("two", "old\n");
    if owner.had_something() {
        owner.bench.work.write("made/before", "old\n");
    }
    owner
}

pub(super) fn apply(owner: &Owner, plan: Plan) -> Written {
    owner.write(plan, &["apply", "-"], PATCH)
}

pub(super) fn check_patch(owner: &Owner, written: &Written) {
    let Owner { bench, .. } = owner;
    // Whoever changes something next mends what was left, also if nothing comes of the change.
    let _ = bench.cinque.command(["apply", "-"]).stdin(NO_PATCH).run();
    let found =
        ["one", "two", "made/three"].map(|name| bench.work.exists(name).then(|| bench.work.read(name)));
    let found = found.each_ref().map(Option::as_deref);
    let is_new = found == [Some("new\n"), None, Some("new\n")];
    let is_old = found == [Some("old\n"), Some("old\n"), None];
    assert!(is_new || is_old && !written.told, "{found:?}");
}

pub(super) fn trusting(trial: &Trial, earlier: Earlier) -> Owner {
    let owner = Owner::alone(trial, earlier);
    owner.bench.work.write(".cinque/config.toml", "max_turns = 7\n");
    owner.bench.work.directory("other");
    if owner.had_something() {
        owner.bench.cinque.command(["trust", "other"]).run().assert_code(0);
    }
    owner
}

pub(super) fn trust(owner: &Owner, plan: Plan) -> Written {
    owner.write(plan, &["trust"], "")
}

pub(super) fn check_trust(owner: &Owner, written: &Written) {
    let Owner { bench, .. } = owner;
    let list = ".local/state/cinque/trusted.json";
    let text = bench.cinque.home().exists(list).then(|| bench.cinque.home().read(list));
    let list: Value = text.map_or(Value::Null, |text| serde_json::from_str(&text).expect("a whole list"));
    let has = |folder: &Path| list["folders"][folder.display().to_string()].is_object();
    assert!(has(bench.work.path()) || !written.told, "the folder was trusted and is not: {list}");
    assert!(has(&bench.work.join("other")) || !owner.had_something(), "another folder is lost: {list}");
    bench.cinque.command(["trust"]).run().assert_code(0);
}

pub(super) fn ruled(trial: &Trial, earlier: Earlier) -> Owner {
    let owner = Owner::alone(trial, earlier);
    if owner.had_something() {
        let saved = owner.bench.cinque.command(["policy", "always", "--save", "--", BEFORE]).run();
        saved.assert_code(0);
    }
    owner
}

const BEFORE: &str = "cargo build";
const NOW: &str = "cargo test";

pub(super) fn save_rule(owner: &Owner, plan: Plan) -> Written {
    owner.write(plan, &["policy", "always", "--save", "--", NOW], "")
}

pub(super) fn check_rules(owner: &Owner, written: &Written) {
    let allowed = |command: &str| {
        let judged = owner.bench.cinque.command(["policy", "check", "--json", "--", command]).run();
        judged.assert_code(0).json_lines()[0]["verdict"] == "allow"
    };
    assert!(allowed(NOW) || !written.told, "the rule was saved and does not hold");
    assert!(allowed(BEFORE) || !owner.had_something(), "an earlier rule is lost");
    owner.bench.cinque.command(["policy", "always", "--save", "--", "cargo doc"]).run().assert_code(0);
}

/// Others than its own are not believed; one that others could read is such a one.
pub(super) fn served(trial: &Trial, earlier: Earlier) -> Owner {
    let owner = Owner::new(trial, Server::play::<Reply>([]), earlier);
    if owner.had_something() {
        owner.bench.work.write(TOKEN, "a-token-that-everybody-can-read");
    }
    owner
}

const TOKEN: &str = ".cinque/token";
const SERVE: &[&str] = &["serve", "--port", "0"];

pub(super) fn serve(owner: &Owner, plan: Plan) -> Written {
    owner.write_until_told(plan, SERVE)
}

pub(super) fn check_token(owner: &Owner, written: &Written) {
    let token = |line: &str| Address::read(line).expect("an address with a token").token;
    let again = owner.write_until_told(Plan::Count, SERVE);
    let now = token(&again.outcome.stdout);
    assert_eq!(owner.bench.work.read(TOKEN).trim(), now);
    assert!(now.len() > 40, "the token is not one that was made: {now}");
    if written.told {
        assert_eq!(token(&written.outcome.stdout), now, "another token was told before");
    }
}
