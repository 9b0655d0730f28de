//! A machine that does nothing, for the chat to ask. Start at [`Machine`].

use agent::Session;
use agent::desk::{Changed, Desk, Output, PutBack, Restored, Since};
use agent::event::*;
use agent::profile::Price;
use futures::future::{BoxFuture, FutureExt, ready};
use serde_json::Value;
use std::sync::Mutex;

#[derive(Default)]
pub struct Machine {
    saved: Mutex<Vec<String>>,
}

fn command(call: &Call) -> String {
    let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
    arguments["command"].as_str().unwrap_or_default().to_owned()
}

impl Desk for Machine {
    fn directory(&self) -> &str {
        "/"
    }
    fn profiles(&self) -> Vec<String> {
        vec!["standard".into()]
    }
    fn opened(&self, profile: &str, model: Option<&str>) -> Result<Opened, String> {
        Ok(Opened {
            profile: profile.into(),
            model: model.unwrap_or("script/1").into(),
            directory: "/".into(),
            instructions: String::new(),
            tools: vec![],
            forked_from: None,
        })
    }
    fn model(&self) -> String {
        "script/1".into()
    }
    fn missing(&self, _model: &str) -> Option<Failure> {
        None
    }
    fn models(&self) -> BoxFuture<'_, Vec<String>> {
        ready(vec!["script/1".into(), "script/2".into()]).boxed()
    }
    fn price(&self, _model: &str) -> Option<Price> {
        None
    }
    fn rule(&self, call: &Call) -> Result<String, String> {
        Ok(format!("rule for {}", command(call)))
    }
    fn save_rule(&self, call: &Call) -> Result<(), String> {
        self.saved.lock().unwrap().push(command(call));
        Ok(())
    }
    fn changes<'a>(&'a self, _: &'a Session) -> BoxFuture<'a, Result<Vec<Changed>, String>> {
        ready(Ok(Vec::new())).boxed()
    }
    fn undo<'a>(&'a self, _: &'a Session, _: Since, _: PutBack) -> BoxFuture<'a, Result<Restored, String>> {
        ready(Ok(Restored::default())).boxed()
    }
    fn paths(&self) -> BoxFuture<'_, Vec<String>> {
        ready(vec!["src/main.rs".into()]).boxed()
    }
    fn export<'a>(&'a self, _: &'a Session, _: Option<&'a str>) -> BoxFuture<'a, Result<String, String>> {
        ready(Ok("talk.md".into())).boxed()
    }
    fn rules(&self) -> Vec<String> {
        self.saved()
    }
    fn run(&self, command: String, mut output: Output) -> BoxFuture<'_, Outcome> {
        output(&format!("own output of {command}\n"));
        ready(Outcome::done("exit code 0")).boxed()
    }
}

impl Machine {
    pub fn saved(&self) -> Vec<String> {
        self.saved.lock().unwrap().clone()
    }
}
