//! A3: the policy or the mode changes while a call waits for a person. Start from [`outdated`].
//!
//! A process keeps the rules that it began with; another one may have others. Whoever acts on an approval does so by
//! its own rules, and what another process has decided is decided. A person's word counts more than a mode, which decides
//! what nobody has decided when the process acts.

use std::time::Duration;

use kit::serde_json::{Value, json};
use kit::{Outcome, Reply, Server};

use crate::fault::Seen;
use crate::kills::waiting;
use crate::site::{Client, ID, Site};
use crate::trial::{Bench, Trial, check_history, results, shell, wait_until};

/// A rule that forbids what waits.
const FORBID: (&str, &str) = ("CINQUE_POLICY__FORBID", r#"[{ prefix = ["echo"] }]"#);

const CHANGES: [fn(&Trial); 6] = [
    forbidden_at_resume,
    never_at_resume,
    forbidden_elsewhere,
    never_elsewhere,
    forbidden_server,
    never_server,
];

/// Something changes between the question and the answer, which then does not count.
pub fn outdated(trial: &Trial) -> Seen {
    CHANGES[trial.seed as usize % CHANGES.len()](trial);
    Seen::Held
}

/// The process that asked is gone, and the next one has a rule against the call.
fn forbidden_at_resume(trial: &Trial) {
    let (bench, _server, id, call) = waiting(trial);
    let approve = ["exec", "--resume", &id, "--approve-call", &call];
    let outcome = bench.cinque.command(approve).env(FORBID.0, FORBID.1).run();
    check(&bench, &id, &outcome, "forbid");
    // Without the rule the old question is not open again.
    check(&bench, &id, &bench.cinque.command(approve).run(), "forbid");
}

/// The process that asked is gone, and the next one declines whatever is asked.
fn never_at_resume(trial: &Trial) {
    let (bench, _server, id, call) = waiting(trial);
    let outcome = bench.cinque.command(["exec", "--resume", &id, "--approve", "never"]).run();
    check(&bench, &id, &outcome, "decline");
    let outcome = bench.cinque.command(["exec", "--resume", &id, "--approve-call", &call]).run();
    check(&bench, &id, &outcome, "decline");
}

/// The question is open on a page; a process with a rule against the call goes on with the conversation.
fn forbidden_elsewhere(trial: &Trial) {
    elsewhere(trial, &["exec", "--resume", ID, "go on"], Some(FORBID), "forbid");
}

/// The same with a process that declines.
fn never_elsewhere(trial: &Trial) {
    elsewhere(trial, &["exec", "--resume", ID, "--approve", "never"], None, "decline");
}

fn elsewhere(trial: &Trial, arguments: &[&str], setting: Option<(&str, &str)>, verdict: &str) {
    let server = model();
    let bench = trial.bench(&server);
    let (_site, mut person, call) = asked_on_a_page(&bench);
    person.ended().expect("what was said is taken");
    let command = bench.cinque.command(arguments);
    let command = setting.into_iter().fold(command, |command, (name, value)| command.env(name, value));
    let outcome = command.run();
    assert!(is_refused(&mut person, &call), "the old question was answered: {outcome:?}");
    check(&bench, ID, &outcome, verdict);
}

/// A question that a person has before them, with the server and the call that it is about.
fn asked_on_a_page(bench: &Bench) -> (Site, Client, String) {
    let site = Site::start(&bench.cinque);
    let mut person = site.follow();
    person.begin("SubmitPrompt", &[json!("go")]);
    let call = person.asked();
    (site, person, call)
}

/// The server is replaced by one with a rule against the call, and the old question is answered there.
fn forbidden_server(trial: &Trial) {
    replaced(trial, FORBID, "forbid");
}

/// The server is replaced by one that declines; what is said next decides the old question, too.
fn never_server(trial: &Trial) {
    replaced(trial, ("CINQUE_APPROVE", "never"), "decline");
}

fn replaced(trial: &Trial, (name, value): (&str, &str), verdict: &str) {
    let server = model();
    let bench = trial.bench(&server);
    let (site, person, call) = asked_on_a_page(&bench);
    drop(person);
    site.running.kill();
    let Bench { work, cinque } = bench;
    let bench = Bench { work, cinque: cinque.env(name, value) };
    let site = Site::start(&bench.cinque);
    let mut person = site.follow();
    if verdict == "decline" {
        person.begin("SubmitPrompt", &[json!("go on")]);
        person.ended().expect("what was said is taken");
        assert!(is_refused(&mut person, &call), "the old question was answered");
    } else {
        person.begin("JoinConversation", &[json!(-1)]);
        person.begin("ApproveToolCall", &[json!(call)]);
    }
    let decided = || verdicts(&bench, ID).iter().any(|found| found == verdict);
    assert!(wait_until(Duration::from_secs(10), decided), "{:?}", verdicts(&bench, ID));
    assert!(!bench.work.exists("marks"), "it ran: {:?}", verdicts(&bench, ID));
}

/// Answers an old question with yes; says whether that is refused.
fn is_refused(person: &mut Client, call: &str) -> bool {
    person.begin("ApproveToolCall", &[json!(call)]);
    person.ended().is_err()
}

/// The call did not run, and what stands in the log about it ends with this verdict.
fn check(bench: &Bench, id: &str, outcome: &Outcome, verdict: &str) {
    let found = verdicts(bench, id);
    assert!(!bench.work.exists("marks"), "it ran: {found:?}, {outcome:?}");
    assert_eq!(found.last().map(String::as_str), Some(verdict), "{found:?}, {outcome:?}");
    bench.verify();
}

/// What was decided about the first call, in order.
fn verdicts(bench: &Bench, id: &str) -> Vec<String> {
    let events = bench.records(id).into_iter().map(|mut record| record["event"].take());
    let judged: Vec<Value> = events.filter(|event| event["type"] == "judged").collect();
    let first = judged.iter().filter(|event| event["call"] == judged[0]["call"]);
    first.filter_map(|event| event["verdict"].as_str().map(str::to_owned)).collect()
}

fn model() -> Server {
    Server::answer(|request| {
        check_history(request);
        match results(request) {
            0 => shell("echo ran >> marks"),
            _ if request.json()["tools"].to_string().contains("final_output") => {
                Reply::call("final_output", json!({ "output": "done" }))
            }
            _ => Reply::text("done"),
        }
    })
}
