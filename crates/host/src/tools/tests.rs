//! The faces as a model sees them: a call in, a text out, the files afterwards.

mod api;
mod terminal;
mod web;

use super::*;
use crate::judge::Rules;
use crate::trim::Limit;
use agent::event::{Call, CallId};
use agent::{Approve, Job, Policy, Toolbox};
use kit::Scratch;
use std::sync::LazyLock;
use std::time::Duration;

fn world(scratch: &Scratch) -> World {
    let settings = WorldSettings {
        variables: Vec::new(),
        rules: Rules::default(),
        timeout: Duration::from_secs(10),
        shown: Limit::default(),
        secrets: Arc::new(LazyLock::new(Box::new(crate::config::Secrets::default))),
        api: ApiLimits::default(),
    };
    World::open(scratch.path(), settings).expect("a folder")
}

fn tools(profile: &str, world: &World) -> (Profile, Vec<Arc<dyn Tool>>) {
    let profile = crate::profiles::find(profile).expect("a profile");
    let tools = of(&profile, world);
    assert_eq!(tools.len(), profile.tools.len(), "every name is a tool");
    (profile, tools)
}

/// What a call comes to once everybody has agreed to it, or why it never runs.
fn call(profile: &str, world: &World, name: &str, arguments: Value) -> Outcome {
    let (profile, tools) = tools(profile, world);
    let tool = tools.iter().find(|tool| tool.spec().name == name).expect("a tool").clone();
    let policy = Policy { read: profile.read, write: profile.write, run: profile.run, approve: Approve::Ask };
    let call = Call { id: CallId("a".into()), name: name.into(), arguments: arguments.to_string() };
    match Toolbox::new(tools, policy).assess(&call) {
        Err(text) => Outcome::failed(text),
        Ok(assessment) if matches!(assessment.ruling, Ruling::Forbid(_)) => {
            Outcome::failed(format!("{:?}", assessment.ruling))
        }
        Ok(_) => tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("a runtime")
            .block_on(tool.run(Job::unwatched(arguments))),
    }
}

/// How the policy rules on a call: `allow`, `ask: why` or `forbid: why`.
fn ruled(profile: &str, world: &World, name: &str, arguments: Value) -> String {
    let (profile, tools) = tools(profile, world);
    let policy = Policy { read: profile.read, write: profile.write, run: profile.run, approve: Approve::Ask };
    let call = Call { id: CallId("a".into()), name: name.into(), arguments: arguments.to_string() };
    match Toolbox::new(tools, policy).assess(&call).map(|assessment| assessment.ruling) {
        Err(why) => format!("misused: {why}"),
        Ok(Ruling::Allow) => "allow".into(),
        Ok(Ruling::Ask(why)) => format!("ask: {why}"),
        Ok(Ruling::Forbid(why)) => format!("forbid: {why}"),
    }
}

#[test]
fn words_are_all_that_some_commands_come_to() {
    let scratch = Scratch::new();
    let (_, tools) = tools("mailbox", &world(&scratch));
    let arguments = serde_json::json!({ "text": "fine", "path": "a", "content": "x", "command": "ls" });
    let outright: Vec<(&str, String)> = tools
        .iter()
        .filter_map(|tool| Some((tool.spec().name.as_str(), tool.outright(&arguments)?.text)))
        .collect();
    let told = |kind: &str, mark: &str| format!("[{mark}] {kind}: fine");
    let expected = [
        ("message", told("MESSAGE", "OK")),
        ("done", told("DONE", "OK")),
        ("parse_error", told("PARSE_ERROR", "FAILED")),
    ];
    assert_eq!(outright, expected);
}
