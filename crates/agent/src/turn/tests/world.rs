//! A process that drives a log, with nothing real in it: it may crash, be overtaken by another writer, or be told to stop
//! at any step.

use super::super::*;
use crate::policy::{Access, Policy, Reach, Stance};
use crate::tool::{Job, Tool};
use crate::transcript::Transcript;
use crate::view::Command;
use futures::future::{BoxFuture, FutureExt, ready};
use std::collections::HashMap;
use std::sync::Arc;

struct Fake(Spec, Access, bool);

impl Tool for Fake {
    fn spec(&self) -> &Spec {
        &self.0
    }
    fn access(&self, arguments: &serde_json::Value) -> Result<Access, String> {
        if arguments.get("bad").is_some() { Err("bad".into()) } else { Ok(self.1.clone()) }
    }
    fn run(&self, _job: Job) -> BoxFuture<'static, Outcome> {
        ready(Outcome::done("never called here")).boxed()
    }
    fn shares(&self) -> bool {
        self.2
    }
    fn outright(&self, _arguments: &serde_json::Value) -> Option<Outcome> {
        (self.0.name == "words").then(|| Outcome::done("said"))
    }
}

fn fake(name: &str, finding: Ruling, shares: bool) -> Arc<dyn Tool> {
    let spec = Spec { name: name.into(), description: String::new(), parameters: serde_json::json!({}) };
    Arc::new(Fake(spec, Access { finding, ..Access::new(Reach::Run) }, shares))
}

pub(super) fn toolbox(approve: Approve) -> Toolbox {
    let tools = vec![
        fake("free", Ruling::Allow, true),
        fake("lone", Ruling::Allow, false),
        fake("gated", Ruling::Ask("it acts".into()), false),
        fake("banned", Ruling::Forbid("never".into()), false),
        fake("finish", Ruling::Allow, false),
        fake("words", Ruling::Allow, false),
    ];
    let policy = Policy { read: Stance::Finding, write: Stance::Finding, run: Stance::Finding, approve };
    Toolbox::new(tools, policy)
}

pub(super) fn opened() -> Event {
    Event::Opened(Opened {
        profile: "standard".into(),
        model: "fake/model".into(),
        directory: "/".into(),
        instructions: "Be good.".into(),
        tools: vec![],
        forked_from: None,
    })
}

/// A process that drives a log, with nothing real in it.
pub(super) struct World {
    pub(super) log: Vec<Event>,
    pub(super) turn: Turn,
    pub(super) profile: Profile,
    pub(super) approve: Approve,
    pub(super) asking: bool,
    pub(super) running: Vec<CallId>,
    pub(super) runs: HashMap<CallId, usize>,
    pub(super) requests: Vec<Vec<String>>,
}

impl World {
    pub(super) fn new(profile: Profile, approve: Approve) -> World {
        let mut world = World {
            log: vec![],
            turn: Turn::new(View::default(), profile.clone(), toolbox(approve)),
            profile,
            approve,
            asking: false,
            running: vec![],
            runs: HashMap::new(),
            requests: vec![],
        };
        world.foreign(opened());
        world.turn = world.reloaded();
        world
    }

    pub(super) fn fold(&self) -> View {
        let mut view = View::default();
        self.log.iter().for_each(|event| view.apply(event));
        view
    }

    pub(super) fn reloaded(&self) -> Turn {
        Turn::new(self.fold(), self.profile.clone(), toolbox(self.approve))
    }

    pub(super) fn foreign(&mut self, event: Event) {
        self.log.push(event);
    }

    pub(super) fn command(&mut self, command: Command) -> bool {
        let Ok(event) = self.turn.view().admit(&command) else { return false };
        self.log.push(event.clone());
        self.turn.hear(&event);
        self.input(Input::Go);
        true
    }

    pub(super) fn say(&mut self, text: &str) {
        self.command(Command::Say(Said { text: text.into(), context: None }));
    }

    pub(super) fn input(&mut self, input: Input) {
        let effects = self.turn.on(input);
        self.carry(effects, None);
    }

    /// Carries effects out. `crash_after` stops after that many of them, as kill -9 would.
    pub(super) fn carry(&mut self, effects: Vec<Effect>, mut crash_after: Option<usize>) {
        let mut queue = std::collections::VecDeque::from(effects);
        while let Some(effect) = queue.pop_front() {
            if let Some(left) = crash_after.as_mut() {
                if *left == 0 {
                    return;
                }
                *left -= 1;
            }
            match effect {
                Effect::Record(events) => self.log.extend(events),
                Effect::Ask { summary_of, .. } => self.ask(summary_of),
                Effect::Run { call, .. } => self.run(call.id),
                Effect::Halt if self.asking => {
                    self.asking = false;
                    let failure = Failure::new(FailureKind::Cancelled, "stopped");
                    queue.extend(self.turn.on(Input::Failed { failure, partial: "half said ".into() }));
                }
                Effect::Halt => {}
            }
        }
    }

    pub(super) fn ask(&mut self, summary_of: Option<u64>) {
        self.asking = true;
        if summary_of.is_some() {
            return;
        }
        let mut transcript = Transcript::new("c", None).recalling(self.profile.recall);
        self.log.iter().for_each(|event| transcript.apply(event));
        self.requests
            .push(transcript.request().messages.iter().map(|message| format!("{message:?}")).collect());
    }

    pub(super) fn run(&mut self, id: CallId) {
        let started =
            self.log.iter().filter(|event| matches!(event, Event::Started { call } if *call == id)).count();
        assert_eq!(started, 1, "a call runs only after it was recorded as started, once");
        *self.runs.entry(id.clone()).or_default() += 1;
        self.running.push(id);
    }

    pub(super) fn reply(&mut self, reply: Reply) {
        self.asking = false;
        self.input(Input::Replied(reply));
    }

    pub(super) fn finish(&mut self, index: usize) {
        let call = self.running.remove(index % self.running.len());
        self.input(Input::Ran { call, outcome: Outcome::done("ok") });
    }

    pub(super) fn crash(&mut self) {
        self.asking = false;
        self.running.clear();
        self.turn = self.reloaded();
        self.input(Input::Recover);
    }

    /// Another process writes first, so that what this one planned is refused.
    pub(super) fn overtaken(&mut self, input: Input, by: Command) {
        let effects = self.turn.on(input);
        let Some(Effect::Record(offered)) = effects.first() else { return self.carry(effects, None) };
        let Ok(event) = self.fold().admit(&by) else { return self.carry(effects, None) };
        let offered = offered.clone();
        self.log.push(event.clone());
        self.turn.hear(&event);
        let view = Box::new(self.fold());
        self.input(Input::Refused { offered, view });
    }

    pub(super) fn pending(&self) -> Vec<CallId> {
        self.turn.view().pending().map(|open| open.call.id.clone()).collect()
    }

    /// Brings everything to an end: every stream fails, every call ends, every question is declined.
    pub(super) fn drain(&mut self) {
        for _ in 0..200 {
            if !self.running.is_empty() {
                self.finish(0);
            } else if let Some(call) = self.pending().first().cloned() {
                self.command(Command::Decline { call, words: String::new() });
            } else if self.asking {
                self.reply(Reply { text: "done".into(), ..Reply::default() });
            } else if self.turn.view().active {
                self.input(Input::Go);
            } else {
                return;
            }
        }
        panic!("the run does not come to an end: {:?}", self.log);
    }

    pub(super) fn check_laws(&self) {
        assert_eq!(self.turn.view(), &self.fold(), "the view is the fold of the log");
        let mut open: HashMap<&CallId, usize> = HashMap::new();
        for event in &self.log {
            match event {
                Event::Replied(reply) => {
                    for call in &reply.calls {
                        assert!(open.insert(&call.id, 0).is_none(), "call ids are unique");
                    }
                }
                Event::Called(call) => assert!(open.insert(&call.id, 0).is_none(), "call ids are unique"),
                Event::Ran { call, .. } => *open.get_mut(call).expect("an outcome belongs to a call") += 1,
                _ => {}
            }
        }
        assert!(
            open.values().all(|outcomes| *outcomes == 1),
            "every call has exactly one outcome: {:?}",
            self.log
        );
        assert!(self.runs.values().all(|runs| *runs == 1), "nothing runs twice");
        for pair in self.requests.windows(2) {
            assert!(pair[1].starts_with(&pair[0]), "request n is a prefix of request n+1");
        }
    }
}

pub(super) fn call(id: &str, name: &str, arguments: &str) -> Call {
    Call { id: CallId(id.into()), name: name.into(), arguments: arguments.into() }
}

pub(super) fn calls(calls: Vec<Call>) -> Reply {
    Reply { calls, finish: Finish::Calls, ..Reply::default() }
}

pub(super) fn kinds(log: &[Event]) -> Vec<String> {
    let kind = |event: &Event| match event {
        Event::Judged(judged) => format!("{:?}", judged.verdict).to_lowercase(),
        Event::Ran { outcome, .. } => format!("ran:{:?}", outcome.status).to_lowercase(),
        Event::Stopped { reason } => format!("stopped:{reason:?}").to_lowercase(),
        other => serde_json::to_value(other).unwrap()["type"].as_str().unwrap().to_owned(),
    };
    log.iter().map(kind).collect()
}

pub(super) fn check(world: &World, expected: &str) {
    assert_eq!(kinds(&world.log).join(" "), expected);
}
