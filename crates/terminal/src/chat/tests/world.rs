//! A person at a terminal that is none, with a model that plays a script. Start at [`Person`].

use super::machine::Machine;
use crate::chat::Chat;
use crate::history::History;
use crate::screen::{Reflow, Screen, Size, tests as window};
use crate::source::{Event as Happened, Source};
use crate::{Begin, Door, Mode, Settings, Theme};
use agent::event::*;
use agent::log::Chain;
use agent::memory::Memory;
use agent::session::Open;
use agent::*;
use futures::future::{BoxFuture, FutureExt, ready};
use futures::stream::{self, BoxStream, StreamExt};
use serde_json::Value;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;

const PATIENCE: Duration = Duration::from_secs(10);

pub struct Person {
    keys: mpsc::Sender<Happened>,
    out: Shared,
    chat: JoinHandle<Result<(), crate::Error>>,
    store: Memory,
    desk: Arc<Machine>,
    asked: Arc<Mutex<Vec<Request>>>,
}

impl Person {
    pub async fn new(script: Vec<Vec<Delta>>) -> Person {
        Person::sized(100, 40, script).await
    }

    pub async fn sized(columns: usize, rows: usize, script: Vec<Vec<Delta>>) -> Person {
        Person::sit_down((columns, rows), script, Memory::default(), Begin::New, Mode::Live)
    }

    /// Where lines are typed and nothing is drawn.
    pub fn plain(script: Vec<Vec<Delta>>) -> Person {
        Person::sit_down((100, 60), script, Memory::default(), Begin::New, Mode::Plain)
    }

    fn sit_down(
        (columns, rows): (usize, usize),
        script: Vec<Vec<Delta>>,
        store: Memory,
        begin: Begin,
        mode: Mode,
    ) -> Person {
        let asked = Arc::default();
        let hub = hub(&store, script, &asked);
        let desk = Arc::new(Machine::default());
        let settings = Settings {
            profile: "standard".into(),
            effort: Some("high".into()),
            begin,
            model: None,
            prompt: None,
            theme: Theme::read(|_| None),
            editor: None,
        };
        let (keys, source) = Source::fed();
        let out = Shared::new(columns, rows, keys.clone());
        let screen = Screen::new(out.clone(), Size { columns, rows }, Reflow::Cuts);
        let door = Door { hub, desk: desk.clone(), names: Arc::new(id), settings };
        let chat = tokio::spawn(Chat::new(door, screen, source, History::new(None), None, mode).run());
        Person { keys, out, chat, store, desk, asked }
    }

    /// The same conversation in another process, after more was recorded by one that died.
    pub async fn again(self, more: impl FnOnce(&mut Vec<Event>)) -> Person {
        self.chat.abort();
        let mut events = Vec::new();
        more(&mut events);
        let lines = self.store.load(&id(), 0).await.unwrap();
        let last = lines.last().unwrap();
        let mut chain = Chain { next: last.record.seq + 1, head: last.hash() };
        let lines: Vec<Line> = events.into_iter().map(|event| chain.seal(0, event)).collect();
        let summary = self.store.list().await.unwrap().remove(0);
        self.store.append(&id(), lines, summary).await.unwrap();
        Person::sit_down((100, 40), vec![], self.store, Begin::Resume(id()), Mode::Live)
    }

    /// Another terminal on the same folder.
    pub fn another(&self, begin: Begin) -> Person {
        Person::sit_down((100, 40), vec![], self.store.clone(), begin, Mode::Live)
    }

    pub async fn keys(&mut self, keys: &str) {
        self.keys.send(Happened::Bytes(keys.as_bytes().to_vec())).await.unwrap();
    }

    pub async fn line(&mut self, line: &str) {
        self.keys.send(Happened::Line(line.to_owned())).await.unwrap();
    }

    pub async fn resize(&mut self, columns: usize, rows: usize) {
        window::resize(&mut self.out.0.lock().unwrap().terminal, columns, rows);
        self.keys.send(Happened::Resized(Size { columns, rows })).await.unwrap();
    }

    /// Long enough for a key to be an answer.
    pub async fn pause(&mut self) {
        tokio::time::sleep(Duration::from_millis(380)).await;
    }

    /// Until nothing more is written.
    pub async fn rest(&mut self) {
        while tokio::time::timeout(Duration::from_millis(120), self.out.1.notified()).await.is_ok() {}
    }

    pub async fn see(&mut self, text: &str) {
        self.until(text, |screen| screen.contains(text)).await;
    }

    pub async fn see_not(&mut self, text: &str) {
        self.until(text, |screen| !screen.contains(text)).await;
    }

    pub async fn until(&mut self, what: &str, fits: impl Fn(&str) -> bool) {
        let seen = tokio::time::timeout(PATIENCE, async {
            while !fits(&self.screen()) {
                let _ = tokio::time::timeout(Duration::from_millis(50), self.out.1.notified()).await;
            }
        });
        if seen.await.is_err() {
            panic!("{what:?} was waited for in vain:\n{}", self.screen());
        }
    }

    /// Until nobody is taken to be typing any more.
    pub async fn see_cursor_rest(&mut self) {
        let resting = |shared: &Shared| shared.0.lock().unwrap().terminal.screen().hide_cursor();
        tokio::time::timeout(PATIENCE, async {
            while !resting(&self.out) {
                let _ = tokio::time::timeout(Duration::from_millis(50), self.out.1.notified()).await;
            }
        })
        .await
        .expect("the cursor comes to rest");
    }

    pub async fn gone(&mut self) {
        tokio::time::timeout(PATIENCE, &mut self.chat).await.expect("it ends").unwrap().unwrap();
    }

    pub fn screen(&self) -> String {
        self.out.0.lock().unwrap().terminal.screen().contents()
    }

    /// Everything, with what has scrolled away.
    pub fn all(&self) -> String {
        window::all(&mut self.out.0.lock().unwrap().terminal).join("\n")
    }

    /// What is on the screen, without blank lines and blanks at the end; of the footer only the model.
    pub fn lines(&self) -> Vec<String> {
        let line = |line: &str| line.trim_end().split("   /").next().unwrap_or_default().to_owned();
        self.screen().lines().map(line).filter(|line| !line.is_empty()).collect()
    }

    pub fn raw(&self) -> String {
        String::from_utf8(self.out.0.lock().unwrap().raw.clone()).unwrap()
    }

    /// What the model was asked, as the person said it.
    pub fn asked(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        let last = asked.last().map(|request| request.messages.clone()).unwrap_or_default();
        last.iter()
            .filter_map(|message| match &**message {
                Message::User { parts } => Some(parts.join("|")),
                _ => None,
            })
            .collect()
    }

    /// What the model was told of its calls.
    pub fn results(&self) -> String {
        let asked = self.asked.lock().unwrap();
        let last = asked.last().map(|request| request.messages.clone()).unwrap_or_default();
        last.iter()
            .filter_map(|message| match &**message {
                Message::Result { text, .. } => Some(text.clone()),
                _ => None,
            })
            .collect()
    }

    pub fn saved(&self) -> Vec<String> {
        self.desk.saved()
    }

    /// Somebody else removes the conversation.
    pub async fn remove(&self) {
        self.store.remove(&id()).await.unwrap();
    }

    /// The same conversation as another process has it.
    pub async fn elsewhere(&self) -> Session {
        hub(&self.store, vec![], &Arc::default()).open(Open::Resume(id())).await.unwrap()
    }
}

fn id() -> Id {
    Id::try_from("talk".to_owned()).unwrap()
}

pub fn text(words: &str) -> Vec<Delta> {
    vec![Delta::Text(words.into()), finished(Reply { text: words.into(), ..Reply::default() })]
}

pub fn think(words: &str) -> Vec<Delta> {
    vec![Delta::Reasoning(words.into()), finished(Reply { reasoning: words.into(), ..Reply::default() })]
}

pub fn call(id: &str, name: &str, arguments: &str) -> Vec<Delta> {
    let call = Call { id: CallId(id.into()), name: name.into(), arguments: arguments.into() };
    vec![finished(Reply { calls: vec![call], finish: Finish::Calls, ..Reply::default() })]
}

fn finished(reply: Reply) -> Delta {
    Delta::Finished(Box::new(reply))
}

/// Several parts of one reply, each with an end of its own, as one.
fn joined(deltas: Vec<Delta>) -> Vec<Delta> {
    let mut whole = Reply::default();
    let mut ended = false;
    let mut all = Vec::new();
    for delta in deltas {
        match delta {
            Delta::Finished(reply) => {
                whole.text.push_str(&reply.text);
                whole.reasoning.push_str(&reply.reasoning);
                whole.calls.extend(reply.calls);
                ended = true;
            }
            other => all.push(other),
        }
    }
    all.extend(ended.then(|| finished(whole)));
    all
}

struct Script {
    replies: Mutex<Vec<Vec<Delta>>>,
    asked: Arc<Mutex<Vec<Request>>>,
}

impl Model for Script {
    fn info(&self) -> Info {
        Info { name: "script/1".into(), window: None }
    }

    fn stream(&self, request: Request) -> BoxStream<'static, Delta> {
        self.asked.lock().unwrap().push(request);
        let mut replies = self.replies.lock().unwrap();
        let deltas = if replies.is_empty() { text("(end of script)") } else { joined(replies.remove(0)) };
        let ends = matches!(deltas.last(), Some(Delta::Finished(_) | Delta::Failed(_)));
        let played = stream::iter(deltas);
        if ends { played.boxed() } else { played.chain(stream::pending()).boxed() }
    }
}

struct Act(Spec, Ruling);

impl Tool for Act {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn access(&self, _arguments: &Value) -> Result<Access, String> {
        Ok(Access { finding: self.1.clone(), ..Access::new(Reach::Run) })
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let command = job.arguments["command"].as_str().unwrap_or_default().to_owned();
        ready(Outcome::done(format!("exit code 0\noutput of {command}"))).boxed()
    }
}

fn hub(store: &Memory, script: Vec<Vec<Delta>>, asked: &Arc<Mutex<Vec<Request>>>) -> Hub {
    let model: Arc<dyn Model> = Arc::new(Script { replies: Mutex::new(script), asked: asked.clone() });
    let tool = |name: &str, finding| -> Arc<dyn Tool> {
        let spec = Spec { name: name.into(), description: String::new(), parameters: serde_json::json!({}) };
        Arc::new(Act(spec, finding))
    };
    let tools = vec![tool("free", Ruling::Allow), tool("gated", Ruling::Ask("it acts".into()))];
    let stance = Stance::Finding;
    let policy = Policy { read: stance, write: stance, run: stance, approve: Approve::Ask };
    let toolbox = Toolbox::new(tools, policy);
    let outfit: Outfit = Arc::new(move |_, _| Parts {
        model: model.clone(),
        toolbox: toolbox.clone(),
        profile: Profile::standard(),
        schema: None,
    });
    Hub::new(Arc::new(store.clone()), Arc::new(|| 0), outfit)
}

/// Where the chat writes, and a model of a terminal that shows it.
#[derive(Clone)]
struct Shared(Arc<Mutex<Shown>>, Arc<Notify>);

struct Shown {
    terminal: vt100::Parser,
    /// Where its answers go.
    keys: mpsc::Sender<Happened>,
    raw: Vec<u8>,
}

impl Shared {
    fn new(columns: usize, rows: usize, keys: mpsc::Sender<Happened>) -> Shared {
        let terminal = vt100::Parser::new(rows as u16, columns as u16, 10_000);
        Shared(Arc::new(Mutex::new(Shown { terminal, keys, raw: Vec::new() })), Arc::default())
    }
}

impl Shown {
    /// What is asked at the end of some bytes is answered.
    fn answer(&mut self, bytes: &[u8]) {
        let ((rows, columns), (row, column)) =
            (self.terminal.screen().size(), self.terminal.screen().cursor_position());
        let mut answer = String::new();
        if bytes.ends_with(b"\x1b[18t") || bytes.ends_with(b"\x1b[18t\x1b[6n") {
            answer.push_str(&format!("\x1b[8;{rows};{columns}t"));
        }
        if bytes.ends_with(b"\x1b[6n") {
            answer.push_str(&format!("\x1b[{};{}R", row + 1, column + 1));
        }
        if !answer.is_empty() {
            let _ = self.keys.try_send(Happened::Bytes(answer.into_bytes()));
        }
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut shown = self.0.lock().unwrap();
        // As the terminal driver does, which is left to do so.
        shown.terminal.process(&String::from_utf8_lossy(bytes).replace('\n', "\r\n").into_bytes());
        shown.raw.extend_from_slice(bytes);
        shown.answer(bytes);
        self.1.notify_one();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
