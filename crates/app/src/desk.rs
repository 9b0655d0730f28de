//! The machine as doors may use it: [`Machine`] is the one [`Desk`].

mod restore;

pub use restore::{acted_here, restore};

use crate::logs::export::{Format, render};
use crate::sample::{self, Project};
use crate::start::Start;
use crate::wiring::Wiring;
use agent::desk::{Changed, Desk, Output, PutBack, Restored, Since};
use agent::event::{Call, Failure, Opened, Outcome, Status};
use agent::profile::Price;
use agent::{Id, Line, Session, Store};
use futures::future::{BoxFuture, FutureExt};
use host::config;
use host::history::History;
use host::judge::{Rule, Rules};
use host::models::Models;
use host::profiles::{self, MAILBOX_MODEL};
use host::run::{Outcome as End, Program};
use host::tools::is_edit;
use host::workspace::{EntryKind, Ignored};
use restore::changes;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Paths that are offered for completion at most.
const PATHS: usize = 100_000;
/// A person's own command may take this long; whoever waits can end it.
const OWN_COMMAND: Duration = Duration::from_secs(24 * 3600);

pub struct Machine {
    start: Start,
    wiring: Arc<Wiring>,
    models: Models,
    directory: String,
}

impl Machine {
    pub fn new(start: Start, wiring: Arc<Wiring>) -> Machine {
        let directory = wiring.directory.to_string_lossy().into_owned();
        Machine { models: start.models(), start, wiring, directory }
    }

    async fn lines(&self, session: &Session) -> Result<Vec<Line>, String> {
        self.wiring.store.load(session.id(), 0).await.map_err(|error| error.to_string())
    }

    fn history(&self) -> Option<History> {
        self.start.places.typed.clone().map(History::new)
    }

    /// What covers a call, and no more than it has to.
    fn always(&self, call: &Call) -> Result<Always, String> {
        if is_edit(&call.name) {
            return Ok(Always::Edits);
        }
        let sources = commands(call).ok_or("only commands and edits can be allowed by a rule")?;
        if wants_more(call) {
            return Err("what it wants beside the command must be decided each time".into());
        }
        let judge = self.wiring.world.judge();
        // Rules for all of it serve in every profile; where there are none, a profile that asks about less may go by less.
        let cover = |source: &String| judge.agree(source).or_else(|| judge.always(source));
        let rules: Option<Vec<Vec<Rule>>> = sources.iter().map(cover).collect();
        let rules = rules.ok_or("there is no rule for this: it must be decided each time")?;
        Ok(Always::Commands(rules.into_iter().flatten().collect()))
    }
}

/// What a person may agree to for good.
enum Always {
    Commands(Vec<Rule>),
    /// All edits by file tools in this folder. What is protected is not among them.
    Edits,
}

impl Desk for Machine {
    fn directory(&self) -> &str {
        &self.directory
    }

    fn profiles(&self) -> Vec<String> {
        profiles::NAMES.map(String::from).to_vec()
    }

    fn opened(&self, profile: &str, model: Option<&str>) -> Result<Opened, String> {
        if profiles::find(profile).is_none() {
            return Err(format!(
                "there is no profile {profile:?}; the profiles are {}",
                profiles::NAMES.join(", ")
            ));
        }
        Ok(self.wiring.opened(profile, model.unwrap_or(&self.wiring.model)))
    }

    fn model(&self) -> String {
        self.wiring.model.clone()
    }

    fn missing(&self, model: &str) -> Option<Failure> {
        self.models.missing(model)
    }

    fn models(&self) -> BoxFuture<'_, Vec<String>> {
        async {
            let offers = self.models.offers().await;
            let named = |offer: host::models::Offer| {
                let provider = offer.provider;
                offer.models.unwrap_or_default().into_iter().map(move |model| format!("{provider}/{model}"))
            };
            offers.into_iter().flat_map(named).chain([MAILBOX_MODEL.to_owned()]).collect()
        }
        .boxed()
    }

    fn price(&self, model: &str) -> Option<Price> {
        self.start.config.price(model)
    }

    fn rule(&self, call: &Call) -> Result<String, String> {
        Ok(match self.always(call)? {
            Always::Commands(rules) => rules.iter().map(Rule::in_words).collect::<Vec<_>>().join("\n"),
            Always::Edits => format!("edits by file tools in {} run without asking", self.directory),
        })
    }

    fn save_rule(&self, call: &Call) -> Result<(), String> {
        let always = self.always(call)?;
        let config = self.start.places.config.as_ref().ok_or("there is no home folder to save rules in")?;
        let (path, world) = (config::saved_rules(config), &self.wiring.world);
        match always {
            Always::Commands(rules) => {
                config::save(&path, rules.clone()).map_err(|error| error.to_string())?;
                world.learn(rules).map_err(|error| error.to_string())
            }
            Always::Edits => {
                config::save_edits(&path, &self.wiring.directory).map_err(|error| error.to_string())?;
                world.agree_to_edits();
                Ok(())
            }
        }
    }

    fn undo<'a>(
        &'a self,
        session: &'a Session,
        since: Since,
        how: PutBack,
    ) -> BoxFuture<'a, Result<Restored, String>> {
        async move {
            let lines = self.lines(session).await?;
            let restored = restore(&self.wiring.world, session, &lines, &since, how).await;
            restored.map_err(|fault| fault.message)
        }
        .boxed()
    }

    fn changes<'a>(&'a self, session: &'a Session) -> BoxFuture<'a, Result<Vec<Changed>, String>> {
        async move {
            let lines = self.lines(session).await?;
            changes(&self.wiring.world, &lines).map_err(|fault| fault.message)
        }
        .boxed()
    }

    fn demo(&self) -> Result<(Opened, String), String> {
        let mut project = Project::lay_out().map_err(|fault| fault.message)?;
        project.keep = true;
        let opened = self.wiring.opened_in(&project.folder, "standard", sample::MODEL);
        Ok((opened, sample::PROMPT.to_owned()))
    }

    fn paths(&self) -> BoxFuture<'_, Vec<String>> {
        let workspace = self.wiring.world.workspace.clone();
        let list = move || {
            let listing = workspace.list(Path::new("**"), Ignored::Skip, PATHS).ok()?;
            let files = listing.entries.into_iter().filter(|entry| entry.kind == EntryKind::File);
            Some(files.map(|entry| entry.path.as_path().to_string_lossy().into_owned()).collect())
        };
        async { tokio::task::spawn_blocking(list).await.ok().flatten().unwrap_or_default() }.boxed()
    }

    fn export<'a>(
        &'a self,
        session: &'a Session,
        file: Option<&'a str>,
    ) -> BoxFuture<'a, Result<String, String>> {
        async move {
            let lines = self.wiring.store.load(session.id(), 0).await.map_err(|error| error.to_string())?;
            let text = render(Format::Markdown, session.id().as_str(), &lines, &|model| self.price(model));
            let name = file.map_or_else(|| format!("conversation-{}.md", session.id()), str::to_owned);
            let path = self.wiring.directory.join(&name);
            // A person who names a file that is there did not mean to lose it.
            let written =
                std::fs::File::create_new(&path).and_then(|mut file| file.write_all(text.as_bytes()));
            written.map_err(|error| format!("cannot write {}: {error}", path.display()))?;
            Ok(name)
        }
        .boxed()
    }

    fn rules(&self) -> Vec<String> {
        let Some(config) = &self.start.places.config else { return Vec::new() };
        let Rules { allow, edits, .. } = config::read_rules(&config::saved_rules(config));
        let edits = edits.iter().map(|folder| format!("edit files in {}", folder.display()));
        allow.iter().map(Rule::to_string).chain(edits).collect()
    }

    fn typed(&self) -> Option<Vec<String>> {
        self.history()?.read().ok()
    }

    fn keep_typed(&self, message: &str) -> Option<Vec<String>> {
        self.history()?.add(message).ok()
    }

    fn run(&self, command: String, mut output: Output) -> BoxFuture<'_, Outcome> {
        async move {
            let world = &self.wiring.world;
            let shell = match world.shell() {
                Ok(shell) => shell,
                Err(why) => return Outcome::failed(why),
            };
            let command = world.command(Program::Source(command), OWN_COMMAND);
            let mut show = move |_, bytes: &[u8]| output(&String::from_utf8_lossy(bytes));
            let finished = shell.run(&command, &mut show, std::future::pending()).await;
            match finished.outcome {
                End::Exit(0) => Outcome::done("exit code 0"),
                End::Exit(code) => Outcome::failed(format!("exit code {code}")),
                End::Timeout => Outcome::of(Status::TimedOut, "it took too long"),
                End::Cancelled => Outcome::of(Status::Cancelled, "cancelled"),
                End::Failed(why) => Outcome::failed(why),
            }
        }
        .boxed()
    }

    fn outbox(&self, conversation: &Id) -> Option<String> {
        let files = self.start.post().waiting(conversation.as_str());
        let parts: Result<Vec<String>, _> = files.iter().map(std::fs::read_to_string).collect();
        parts.ok().filter(|parts| !parts.is_empty()).map(|parts| parts.concat())
    }

    fn inbox(&self, conversation: &Id, text: String) -> Result<(), String> {
        let post = self.start.post();
        if post.waiting(conversation.as_str()).is_empty() {
            return Err(format!(
                "conversation {conversation} does not wait for an answer that somebody brings"
            ));
        }
        post.deliver(conversation.as_str(), &text).map(drop).map_err(|error| error.to_string())
    }
}

/// The shell source that a call would run, whatever its profile calls the arguments.
fn commands(call: &Call) -> Option<Vec<String>> {
    let arguments: serde_json::Value = serde_json::from_str(&call.arguments).ok()?;
    let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    match (arguments.get("command"), arguments.get("commands")) {
        (Some(command), _) => Some(vec![text(command)?]),
        (_, Some(serde_json::Value::Array(commands))) if !commands.is_empty() => {
            commands.iter().map(text).collect()
        }
        _ => None,
    }
}

/// Whether a call asks for something that no rule grants: the network, or paths outside the workspace.
fn wants_more(call: &Call) -> bool {
    let arguments: serde_json::Value = serde_json::from_str(&call.arguments).unwrap_or_default();
    let given = |name: &str| arguments.get(name).is_some_and(|value| !value.is_null() && value != false);
    given("network") || given("writable")
}
