//! J1: a model that writes bad JSON. Start from [`malformed`].

use kit::serde_json::json;
use kit::{Call, Message, Reply, Server};

use crate::fault::Seen;
use crate::trial::{Trial, check_history, results};

/// The most requests of a planner that never answers well: the first, and the repair.
const PLANS: usize = 2;

/// Arguments that no tool can take.
const BAD: [&str; 39] = [
    "{",
    "}",
    "{\"path\"",
    "{\"path\":",
    "{\"path\":\"a",
    "{\"path\":\"a\"",
    "{\"path\":\"a\",}",
    "{\"path\":\"a\"}}",
    "{\"path\":\"a\"} and more",
    "{'path':'a'}",
    "{path:\"a\"}",
    "{\"path\":a}",
    "{\"path\":\"a\" \"b\"}",
    "{\"path\":\"\\x\"}",
    "{\"path\":\"\\u12\"}",
    "{\"path\":\"\\ud800\"}",
    "{\"path\":\"a\tb\"}",
    "{\"path\":\"a\nb\"}",
    "{\"path\":NaN}",
    "{\"path\":Infinity}",
    "{\"path\":-}",
    "{\"path\":01}",
    "{\"path\":1.}",
    "{\"path\":+1}",
    "{\"path\":0x10}",
    "{\"path\":1e}",
    "{\"path\":tru}",
    "{\"path\":nulll}",
    "\u{feff}{\"path\":\"a\"}",
    "/* a */ {\"path\":\"a\"}",
    "[\"a\"]",
    "\"a\"",
    "7",
    "null",
    "{\"path\":7}",
    "{\"path\":[\"a\"]}",
    "{\"path\":{\"path\":\"a\"}}",
    "{\"path\":null}",
    "{}",
];

/// Tools that there are not.
const TOOLS: [&str; 9] =
    ["", " ", "Shell", "shell ", "shell\n", "\u{202e}llehs", "../shell", "shell;read", "\0"];

/// What a planner may answer that is no plan.
const NO_PLANS: [&str; 15] = [
    "",
    "I would first look at the files.",
    "{",
    "{}",
    "[]",
    "null",
    "{\"thought\":\"t\",\"plan\":[\"p\"],\"actions\":[",
    "{\"thought\":1,\"plan\":[],\"actions\":[]}",
    "{\"thought\":\"t\",\"plan\":\"p\",\"actions\":[]}",
    "{\"thought\":\"t\",\"plan\":[],\"actions\":{}}",
    "{\"thought\":\"t\",\"plan\":[],\"actions\":[{}]}",
    "{\"thought\":\"t\",\"plan\":[],\"actions\":[{\"tool\":\"format_disk\"}]}",
    "{\"thought\":\"t\",\"plan\":[],\"actions\":[{\"tool\":\"run\"}]}",
    "{\"thought\":\"t\",\"plan\":[],\"actions\":[{\"tool\":\"run\",\"command\":7}]}",
    "{\"thought\":\"t\",\"plan\":[],\"actions\":[7]}",
];

/// So deep that nobody should follow, so long that nobody should keep it; and the most that the model is told of it.
const DEPTH: usize = 100_000;
const LENGTH: usize = 4 << 20;
const TOLD: usize = 64 << 10;
/// A command that leaves a mark.
const MARK: &str = "echo ran > marks";

/// As many runs as this have every case once.
const ROUND: usize = 20;

/// A few cases a run: bad arguments, unknown tools, doubled keys, and planners without a plan.
pub fn malformed(trial: &Trial) -> Seen {
    let deep = "[".repeat(DEPTH);
    let very_much = [
        deep.clone(),
        format!("{}{}", "{\"path\":".repeat(DEPTH), "}".repeat(DEPTH)),
        format!("\"{}\"", "x".repeat(LENGTH)),
        format!("[{}7]", "7,".repeat(LENGTH / 2)),
    ];
    let huge =
        very_much.iter().flat_map(|much| [format!("{{\"path\":{much}"), format!("{{\"path\":{much}}}")]);
    let mut cases: Vec<Case> =
        BAD.iter().map(|bad| (*bad).to_owned()).chain(huge).map(Case::Arguments).collect();
    cases.extend(TOOLS.iter().map(|name| (*name).to_owned()).chain(["x".repeat(LENGTH)]).map(Case::Tool));
    cases.extend([("true", MARK), (MARK, "true")].map(|(first, second)| Case::Doubled(first, second)));
    let plans = [format!("{{\"thought\":{deep}"), "x".repeat(LENGTH)].into_iter();
    cases.extend(NO_PLANS.iter().map(|text| (*text).to_owned()).chain(plans).map(Case::Plan));
    for case in cases.iter().skip(trial.seed as usize % ROUND).step_by(ROUND) {
        case.check(trial);
    }
    Seen::Held
}

enum Case {
    Arguments(String),
    Tool(String),
    Doubled(&'static str, &'static str),
    Plan(String),
}

impl Case {
    fn check(&self, trial: &Trial) {
        match self {
            Self::Arguments(bad) => {
                let told = answer_to(trial, Call::raw("read", bad.clone()));
                let shown: String = bad.chars().take(80).collect();
                assert!(told.to_lowercase().contains("error"), "{shown}: {told}");
                assert!(told.len() < TOLD, "{shown}: the model is told {} bytes", told.len());
            }
            Self::Tool(name) => {
                let told = answer_to(trial, Call::raw(name.clone(), "{}"));
                let shown: String = name.chars().take(80).collect();
                assert!(told.contains("no tool named"), "{shown:?}: {told}");
                assert!(told.len() < TOLD, "{shown:?}: the model is told {} bytes", told.len());
            }
            Self::Doubled(first, second) => doubled(trial, first, second),
            Self::Plan(text) => no_plan(trial, text),
        }
    }
}

/// What is judged is what would run, whichever of two values that is.
fn doubled(trial: &Trial, first: &str, second: &str) {
    let server = model(Call::raw("shell", format!(r#"{{"command":"{first}","command":"{second}"}}"#)));
    let bench = trial.bench(&server);
    let outcome = bench.cinque.command(["exec", "go"]).run();
    assert!(matches!(outcome.code(), Some(0 | 4)), "{outcome:?}");
    assert!(!bench.work.exists("marks"), "it ran and nobody approved it: {outcome:?}");
}

/// A planner that never answers well is asked once more, and then it is over.
fn no_plan(trial: &Trial, text: &str) {
    let (answer, shown) = (text.to_owned(), text.chars().take(80).collect::<String>());
    let server = Server::answer(move |_| Reply::text(answer.clone()));
    let bench = trial.bench(&server);
    let outcome = bench.cinque.command(["solve", "--json", "do something"]).run();
    assert_eq!(outcome.code(), Some(3), "{shown}: {outcome:?}");
    assert!(!outcome.stderr.contains("panicked"), "{shown}: {outcome:?}");
    // A reply without a word is a failure of the wire, which has tries of its own.
    let most = if text.is_empty() { 10 } else { PLANS };
    let asked = server.requests().len();
    assert!(asked <= most, "{shown}: the planner was asked {asked} times");
    let last = server.last_messages();
    let told: usize = last.iter().map(|message| message["content"].to_string().len()).sum();
    assert!(told < 2 * TOLD, "{shown}: the planner is told {told} bytes");
}

/// What the model is told about a call.
fn answer_to(trial: &Trial, call: Call) -> String {
    let server = model(call);
    let bench = trial.bench(&server);
    let outcome = bench.cinque.command(["exec", "go"]).run();
    assert!(!outcome.stderr.contains("panicked"), "{outcome:?}");
    outcome.assert_code(0);
    let last = server.last_messages().last().cloned().unwrap_or_else(|| json!({}));
    last["content"].as_str().unwrap_or_default().to_owned()
}

fn model(call: Call) -> Server {
    Server::answer(move |request| {
        check_history(request);
        match results(request) {
            0 => Message::calls([call.clone()]).reply(),
            _ => Reply::text("done"),
        }
    })
}
