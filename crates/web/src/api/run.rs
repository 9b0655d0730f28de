//! One request from its words to its answer, over a conversation of its own. Start at [`run`].

use super::AgentResponse;
use super::request::Wish;
use crate::id::new_guid;
use agent::event::{CallId, Failure, Outcome, Said, Stop};
use agent::session::Open;
use agent::{Command, Desk, Event, Hub, Id, Session, Update};

/// Asks the model once and carries out the first call of its reply. Dropping the future cancels the run.
pub(super) async fn run(hub: &Hub, desk: &dyn Desk, wish: Wish) -> AgentResponse {
    match begin(hub, desk, wish).await {
        Ok(under_way) => follow(under_way).await,
        Err(why) => AgentResponse::error(why),
    }
}

/// A run that is cancelled unless it is let go.
struct UnderWay(Option<Session>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        if let Some(session) = self.0.take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            // A run that is over refuses this, and then there is nothing to cancel.
            runtime.spawn(async move { session.send(Command::Cancel).await });
        }
    }
}

async fn begin(hub: &Hub, desk: &dyn Desk, wish: Wish) -> Result<UnderWay, String> {
    let id = Id::try_from(new_guid()?).map_err(|error| error.to_string())?;
    let opened = desk.opened("api", None)?;
    let session = hub.open(Open::New { id, opened }).await.map_err(|error| error.to_string())?;
    let said = Said { text: wish.prompt, context: Some(wish.context) };
    let under_way = UnderWay(Some(session.clone()));
    session.send(Command::Say(said)).await.map_err(|error| error.to_string())?;
    Ok(under_way)
}

/// What has been heard of a run so far.
#[derive(Default)]
struct Heard {
    text: String,
    /// The call whose result is the answer.
    call: Option<CallId>,
    outcome: Option<Outcome>,
    failure: Option<Failure>,
}

async fn follow(mut under_way: UnderWay) -> AgentResponse {
    let Some(session) = &under_way.0 else { return AgentResponse::error("there is no run") };
    let mut updates = session.follow(0);
    let mut heard = Heard::default();
    while let Some(update) = updates.next().await {
        let event = match update {
            Ok(Update::Record(record)) => record.event.clone(),
            Ok(Update::Broken(why)) => return AgentResponse::error(why),
            Ok(_) => continue,
            Err(error) => return AgentResponse::error(error.to_string()),
        };
        if let Some(stop) = heard.take(event) {
            under_way.0 = None;
            return heard.answer(stop);
        }
    }
    AgentResponse::error("The run ended without an answer.")
}

impl Heard {
    /// Takes the next record; the run's end is given back.
    fn take(&mut self, event: Event) -> Option<Stop> {
        match event {
            Event::Replied(reply) => {
                self.call = reply.calls.first().map(|call| call.id.clone());
                self.text = reply.text;
            }
            Event::Ran { call, outcome } if self.call.as_ref() == Some(&call) => self.outcome = Some(outcome),
            Event::Failed { failure, .. } => self.failure = Some(failure),
            Event::Stopped { reason } => return Some(reason),
            _ => {}
        }
        None
    }

    fn answer(self, stop: Stop) -> AgentResponse {
        match (stop, self.outcome, self.failure) {
            (Stop::Done, Some(outcome), _) => AgentResponse::of_tool(outcome.text),
            (Stop::Done, None, _) if !self.text.is_empty() => AgentResponse::done(self.text),
            (Stop::Done, None, _) => AgentResponse::error("The model gave an empty answer."),
            (_, _, Some(failure)) => AgentResponse::error(told(&failure)),
            (Stop::Cancelled, ..) => AgentResponse::error("The request was cancelled."),
            (Stop::Bound, ..) => AgentResponse::error("The budget is used up."),
            (Stop::Failed, ..) => AgentResponse::error("The model could not be asked."),
        }
    }
}

fn told(failure: &Failure) -> String {
    let Failure { message, hint, .. } = failure;
    if hint.is_empty() { message.clone() } else { format!("{message} ({hint})") }
}
