//! The methods that clients call on the hub. Start at [`begin`].
//!
//! What a method wants is recorded before the next message of its connection is looked at, so prompts keep their order;
//! waiting for what comes of it does not hold anything up.

use crate::frame::{Close, ComeBack, bind};
use crate::id::conversation_id;
use crate::lobby::Lobby;
use crate::outbox::Outbox;
use crate::room::{Guest, Seat};
use crate::seats::Seats;
use crate::shape::{Choice, Joined};
use agent::event::{Call, CallId, Said};
use agent::{Command, Id, StoreError};
use futures::future::{BoxFuture, FutureExt};
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::task::JoinHandle;

/// The profile of conversations that begin here.
const PROFILE: &str = "web";

/// What a method answers; an error is told to the client.
pub type Answer = Result<Value, String>;

/// How far a method has come when the next message may be looked at.
pub enum Step {
    Done(Answer),
    Waits(BoxFuture<'static, Answer>),
}

/// One client of the hub with the conversations that it follows.
#[derive(Clone)]
pub struct Client {
    pub lobby: Lobby,
    pub outbox: Arc<Outbox>,
    pub guest: Guest,
    seats: Arc<Mutex<Seats>>,
}

/// Carries a method out up to where it waits.
pub async fn begin(client: &Client, target: &str, arguments: Vec<Value>) -> Step {
    match dispatch(client, target, arguments).await {
        Ok(step) => step,
        Err(error) => Step::Done(Err(error)),
    }
}

async fn dispatch(client: &Client, target: &str, arguments: Vec<Value>) -> Result<Step, String> {
    let takes = |what: &str| format!("{target} takes {what}");
    let wrong = |what: &'static str| move |error: String| format!("{}: {error}", takes(what));
    match target {
        "SubmitPrompt" => {
            let (id, prompt) = bind(arguments).map_err(wrong("(conversation id, prompt)"))?;
            client.submit(id, prompt, Choice::default()).await
        }
        "SubmitPromptWith" => {
            let (id, prompt, choice) =
                bind(arguments).map_err(wrong("(conversation id, prompt, {model, profile})"))?;
            client.submit(id, prompt, choice).await
        }
        "ApproveToolCall" => {
            let (id, call, digest) = padded(arguments).map_err(wrong("(conversation id, tool call id)"))?;
            client.command(id, Command::Approve { call: CallId(call), digest }).await
        }
        "DeclineToolCall" => {
            let (id, call) = bind(arguments).map_err(wrong("(conversation id, tool call id)"))?;
            client.command(id, Command::Decline { call: CallId(call), words: String::new() }).await
        }
        "DeclineToolCallWithReason" => {
            let (id, call, words) =
                bind(arguments).map_err(wrong("(conversation id, tool call id, words)"))?;
            client.command(id, Command::Decline { call: CallId(call), words }).await
        }
        "AlwaysAllow" => {
            let (id, call) = bind(arguments).map_err(wrong("(conversation id, tool call id)"))?;
            client.always(id, CallId(call)).await
        }
        "CancelRequest" => {
            let (id,) = bind(arguments).map_err(wrong("(conversation id)"))?;
            client.command(id, Command::Cancel).await
        }
        "ContinueRun" => {
            let (id,) = bind(arguments).map_err(wrong("(conversation id)"))?;
            client.command(id, Command::Continue).await
        }
        "Compact" => {
            let (id,) = bind(arguments).map_err(wrong("(conversation id)"))?;
            client.command(id, Command::Shorten).await
        }
        "JoinConversation" => {
            let (id, last) =
                bind(arguments).map_err(wrong("(conversation id, last seq, -1 for nothing seen)"))?;
            client.join(id, last).await
        }
        "LeaveConversation" => {
            let (id,) = bind(arguments).map_err(wrong("(conversation id)"))?;
            client.leave(id)
        }
        _ => Err(format!("There is no method {:?}.", target.chars().take(80).collect::<String>())),
    }
}

/// Binds two arguments and a third that may be left out.
fn padded(mut arguments: Vec<Value>) -> Result<(String, String, Option<String>), String> {
    if arguments.len() == 2 {
        arguments.push(Value::Null);
    }
    bind(arguments)
}

impl Client {
    pub fn new(lobby: Lobby, outbox: Arc<Outbox>) -> Client {
        let guest = lobby.connect(&outbox);
        Client { lobby, outbox, guest, seats: Arc::default() }
    }

    /// Takes the client out of every room.
    pub fn part(&self) {
        self.lobby.disconnect(self.guest);
        // Whoever still tells it of old records must see that nobody listens.
        self.outbox.end(Close { error: None, come_back: ComeBack::No });
        self.seats().leave_all(self.guest);
    }

    async fn submit(&self, given: String, prompt: String, choice: Choice) -> Result<Step, String> {
        let id = conversation_id(&given)?;
        if prompt.trim().is_empty() {
            return Err("The prompt is blank; say what should be done.".to_owned());
        }
        let say = Command::Say(Said { text: prompt, context: None });
        match self.lobby.enter(&id).await {
            Ok(seat) => {
                self.follow_from_now(&id, &seat);
                self.send(&seat, say).await
            }
            Err(StoreError::Unknown(_)) => {
                let seat = self.found(&id, &choice).await?;
                let joins = self.join_from(seat.clone(), 0);
                Ok(joins.then(self.send(&seat, say).await?))
            }
            Err(error) => Err(error.to_string()),
        }
    }

    async fn found(&self, id: &Id, choice: &Choice) -> Result<Arc<Seat>, String> {
        let desk = &self.lobby.desk;
        let usual = desk.profiles().into_iter().find(|name| name == PROFILE);
        let profile = choice.profile.clone().or(usual).unwrap_or_else(|| "standard".to_owned());
        let opened = desk.opened(&profile, choice.model.as_deref().filter(|model| !model.is_empty()))?;
        let seat = Arc::new(self.lobby.begin(id, opened).await.map_err(|error| error.to_string())?);
        self.seats().follow(id, seat.clone(), self.guest);
        Ok(seat)
    }

    /// Tells this client of a conversation from a seq on, without holding up what else it wants.
    fn join_from(&self, seat: Arc<Seat>, from: u64) -> Joining {
        let client = self.clone();
        Joining(tokio::spawn(async move { seat.catch_up(client.guest, &client.outbox, from).await }))
    }

    async fn command(&self, given: String, command: Command) -> Result<Step, String> {
        let (id, seat) = self.find(&given).await?;
        self.follow_from_now(&id, &seat);
        self.send(&seat, command).await
    }

    async fn always(&self, given: String, call: CallId) -> Result<Step, String> {
        let (id, seat) = self.find(&given).await?;
        self.follow_from_now(&id, &seat);
        let command = Command::Approve { call: call.clone(), digest: None };
        let pending: Call = seat.look(|view| {
            view.admit(&command).map_err(|refusal| refusal.to_string())?;
            let open = view.pending().find(|open| open.call.id == call);
            open.map(|open| open.call.clone())
                .ok_or_else(|| format!("call {call} does not wait for a decision"))
        })?;
        self.lobby.desk.save_rule(&pending)?;
        self.send(&seat, command).await
    }

    async fn join(&self, given: String, last: Option<i64>) -> Result<Step, String> {
        let (id, seat) = self.find(&given).await?;
        let seat = Arc::new(seat);
        self.seats().join(&id, seat.clone());
        let from = u64::try_from(last.unwrap_or(-1).saturating_add(1)).unwrap_or(0);
        let joining = self.join_from(seat, from);
        let wait = async move {
            let next = joining.0.await.map_err(|error| error.to_string())?;
            let next = next.map_err(|error| error.to_string())?;
            Ok(serde_json::json!(Joined { seq: next as i64 - 1 }))
        };
        Ok(Step::Waits(wait.boxed()))
    }

    fn leave(&self, given: String) -> Result<Step, String> {
        let id = conversation_id(&given)?;
        self.seats().leave(&id, self.guest);
        Ok(Step::Done(Ok(Value::Null)))
    }

    /// Sends a command; the method ends when the agent pauses for permission or ends.
    async fn send(&self, seat: &Seat, command: Command) -> Result<Step, String> {
        let waits = command != Command::Shorten;
        let seq = seat.session.send(command).await.map_err(|error| error.to_string())?;
        if !waits {
            return Ok(Step::Done(Ok(Value::Null)));
        }
        let (rest, seat) = (seat.rests_after(seq), seat.seat());
        let wait = async move {
            let rested = rest.await;
            drop(seat);
            rested.map(|()| Value::Null)
        };
        Ok(Step::Waits(wait.boxed()))
    }

    async fn find(&self, given: &str) -> Result<(Id, Seat), String> {
        let id = conversation_id(given)?;
        match self.lobby.enter(&id).await {
            Ok(seat) => Ok((id, seat)),
            Err(StoreError::Unknown(_)) => Err(format!("No conversation found for id {given}")),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Whoever sends a command hears what comes of it, also without having joined.
    fn follow_from_now(&self, id: &Id, seat: &Seat) {
        let mut seats = self.seats();
        if seats.has(id) {
            return;
        }
        seats.follow(id, Arc::new(seat.seat()), self.guest);
        seat.enter(self.guest, &self.outbox);
    }

    fn seats(&self) -> MutexGuard<'_, Seats> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A client on its way into a room.
struct Joining(JoinHandle<Result<u64, StoreError>>);

impl Joining {
    /// Lets a step end only once the client is in, so that it has heard what came of it.
    fn then(self, step: Step) -> Step {
        let wait = async move {
            let _ = self.0.await;
            match step {
                Step::Done(answer) => answer,
                Step::Waits(wait) => wait.await,
            }
        };
        Step::Waits(wait.boxed())
    }
}
