//! A server on a port of its own, with a scripted model, two tools and a store in memory. Start at [`World::new`].

use crate::{Address, Door, Limits, serve};
use agent::desk::{Changed, Output, PutBack, Restored, Since};
use agent::event::{Call, CallId, Failure, Finish, Opened, Outcome, Reply, Said, Spec, Status};
use agent::log::Chain;
use agent::memory::Memory;
use agent::profile::Price;
use agent::*;
use futures::future::{BoxFuture, FutureExt};
use futures::stream::{self, BoxStream, StreamExt};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};

pub const TOKEN: &str = "a-token-for-tests-only";

/// Everything that survives a restart of the server.
#[derive(Clone, Default)]
pub struct World {
    store: Memory,
    replies: Arc<Mutex<VecDeque<mpsc::UnboundedReceiver<Delta>>>>,
    /// What the tool `shell` was told to do, in order.
    pub ran: Arc<Mutex<Vec<String>>>,
}

pub struct Server {
    pub port: u16,
    stop: Option<oneshot::Sender<()>>,
    task: tokio::task::JoinHandle<()>,
}

impl World {
    pub fn new() -> World {
        World::default()
    }

    pub async fn serve(&self) -> Server {
        self.serve_with(Limits::default()).await
    }

    pub async fn serve_with(&self, limits: Limits) -> Server {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let address = Address { host: "localhost", port, token: TOKEN.into() };
        let door = Door::new(self.hub(), Arc::new(Fake), address).limited(limits);
        let (stop, stopped) = oneshot::channel::<()>();
        let task = tokio::spawn(serve(vec![listener], door, async { drop(stopped.await) }));
        Server { port, stop: Some(stop), task }
    }

    pub fn hub(&self) -> Hub {
        let world = self.clone();
        let outfit: Outfit = Arc::new(move |_, _| Parts {
            model: Arc::new(Puppet(world.replies.clone())),
            toolbox: world.toolbox(),
            profile: Profile { final_tool: Some("final_output".into()), ..Profile::standard() },
            schema: None,
        });
        let clock = std::sync::atomic::AtomicU64::new(1_700_000_000_000);
        let clock = Arc::new(move || clock.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
        Hub::new(Arc::new(self.store.clone()), clock, outfit)
    }

    /// The next reply, in pieces that the test sends when it likes.
    pub fn stream(&self) -> mpsc::UnboundedSender<Delta> {
        let (sender, receiver) = mpsc::unbounded_channel();
        self.replies.lock().unwrap().push_back(receiver);
        sender
    }

    /// The next reply, at once.
    pub fn reply(&self, text: &str, calls: &[(&str, &str, Value)]) {
        self.stream().send(finished(text, calls)).unwrap();
    }

    /// A conversation whose process died while it asked the model.
    pub async fn leave_behind(&self, id: &str) {
        let (id, mut chain, mut view) = (Id::try_from(id.to_owned()).unwrap(), Chain::START, View::default());
        let events = [
            Event::Opened(Fake.opened("web", None).unwrap()),
            Event::Said(Said { text: "go".into(), context: None }),
            Event::Asked { model: "test/puppet".into(), summary_of: None },
        ];
        events.iter().for_each(|event| view.apply(event));
        let lines = events.map(|event| chain.seal(1, event)).to_vec();
        let summary = Summary {
            conversation: id.clone(),
            topic: view.topic.clone(),
            model: view.model.clone(),
            profile: "web".into(),
            status: view.phase(),
            created: 1,
            updated: 1,
            records: chain.next,
            calls: 0,
            prompts: 1,
            messages: 1,
            pending: 0,
            head: chain.head,
        };
        self.store.append(&id, lines, summary).await.unwrap();
    }

    fn toolbox(&self) -> Toolbox {
        let tool = |name: &str, gated: bool| -> Arc<dyn Tool> {
            let spec = Spec { name: name.into(), description: String::new(), parameters: json!({}) };
            Arc::new(Hand { spec, gated, ran: self.ran.clone() })
        };
        let policy =
            Policy { read: Stance::Finding, write: Stance::Ask, run: Stance::Ask, approve: Approve::Ask };
        Toolbox::new(vec![tool("shell", true), tool("look", false), tool("final_output", false)], policy)
    }
}

impl Server {
    pub async fn stop(mut self) {
        drop(self.stop.take());
        (&mut self.task).await.unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

pub fn finished(text: &str, calls: &[(&str, &str, Value)]) -> Delta {
    let call = |(id, name, arguments): &(&str, &str, Value)| Call {
        id: CallId((*id).into()),
        name: (*name).into(),
        arguments: arguments.to_string(),
    };
    let finish = if calls.is_empty() { Finish::Stop } else { Finish::Calls };
    let calls = calls.iter().map(call).collect();
    Delta::Finished(Box::new(Reply { text: text.into(), calls, finish, ..Reply::default() }))
}

struct Puppet(Arc<Mutex<VecDeque<mpsc::UnboundedReceiver<Delta>>>>);

impl Model for Puppet {
    fn info(&self) -> Info {
        Info { name: "test/puppet".into(), window: None }
    }

    fn stream(&self, _request: Request) -> BoxStream<'static, Delta> {
        let Some(receiver) = self.0.lock().unwrap().pop_front() else {
            let failure =
                Failure::new(FailureKind::Refused, "nothing is left to say").hint("write a longer script");
            return stream::iter([Delta::Failed(failure)]).boxed();
        };
        stream::unfold(receiver, |mut receiver| async {
            receiver.recv().await.map(|delta| (delta, receiver))
        })
        .boxed()
    }
}

struct Hand {
    spec: Spec,
    gated: bool,
    ran: Arc<Mutex<Vec<String>>>,
}

impl Tool for Hand {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn access(&self, _arguments: &Value) -> Result<Access, String> {
        Ok(Access::new(if self.gated { Reach::Run } else { Reach::Nothing }))
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let ran = self.ran.clone();
        async move {
            let command = job.arguments["command"].as_str().unwrap_or_default().to_owned();
            job.progress.write("output as it comes\n");
            ran.lock().unwrap().push(command.clone());
            if command == "wait" {
                job.cancel.cancelled().await;
                return Outcome::of(Status::Cancelled, "Error: cancelled");
            }
            Outcome::done(format!("ran {command}"))
        }
        .boxed()
    }
}

/// A desk with little on it.
pub struct Fake;

impl Desk for Fake {
    fn directory(&self) -> &str {
        "/work"
    }

    fn profiles(&self) -> Vec<String> {
        vec!["standard".into(), "web".into()]
    }

    fn opened(&self, profile: &str, model: Option<&str>) -> Result<Opened, String> {
        if profile != "web" && profile != "standard" {
            return Err(format!("there is no profile {profile:?}"));
        }
        let (profile, model) = (profile.to_owned(), model.unwrap_or("test/puppet").to_owned());
        let (directory, instructions) = ("/work".to_owned(), "be good".to_owned());
        Ok(Opened { profile, model, directory, instructions, tools: Vec::new(), forked_from: None })
    }

    fn model(&self) -> String {
        "test/puppet".into()
    }

    fn missing(&self, _model: &str) -> Option<Failure> {
        Some(Failure::new(FailureKind::Setup, "no key").hint("set a key"))
    }

    fn models(&self) -> BoxFuture<'_, Vec<String>> {
        async { vec!["test/puppet".to_owned()] }.boxed()
    }

    /// Every name has its own.
    fn price(&self, model: &str) -> Option<Price> {
        Some(Price { input: model.len() as f64, output: 0.0, cached: None })
    }

    fn rule(&self, call: &Call) -> Result<String, String> {
        if call.name == "shell" { Ok("allow it".into()) } else { Err("there is no rule for this".into()) }
    }

    fn save_rule(&self, call: &Call) -> Result<(), String> {
        self.rule(call).map(drop)
    }

    fn undo<'a>(
        &'a self,
        _session: &'a Session,
        _since: Since,
        _how: PutBack,
    ) -> BoxFuture<'a, Result<Restored, String>> {
        async { Ok(Restored::default()) }.boxed()
    }

    fn changes<'a>(&'a self, _session: &'a Session) -> BoxFuture<'a, Result<Vec<Changed>, String>> {
        async { Ok(Vec::new()) }.boxed()
    }

    fn paths(&self) -> BoxFuture<'_, Vec<String>> {
        async { Vec::new() }.boxed()
    }

    fn run(&self, _command: String, _output: Output) -> BoxFuture<'_, Outcome> {
        async { Outcome::done("") }.boxed()
    }

    fn demo(&self) -> Result<(Opened, String), String> {
        Ok((self.opened("standard", None)?, "show me".into()))
    }
}
