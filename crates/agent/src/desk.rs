//! What a door may ask of the machine beside its conversations: models, rules, undo, files, a command of the person's
//! own. Start at [`Desk`].
//!
//! Doors never see the world itself; they are handed a desk. So what two doors both offer is written once.

use crate::event::{Call, CallId, Failure, Opened, Outcome};
use crate::profile::Price;
use crate::session::Session;
use crate::store::Id;
use futures::future::{BoxFuture, FutureExt};
use serde::Serialize;

/// The machine as a door may use it. Errors are words for a person.
pub trait Desk: Send + Sync {
    fn directory(&self) -> &str;
    /// The profiles that a new conversation may have.
    fn profiles(&self) -> Vec<String>;
    /// How a conversation of a profile opens; where no model is named, with the configured one.
    fn opened(&self, profile: &str, model: Option<&str>) -> Result<Opened, String>;
    /// The model of conversations that name none.
    fn model(&self) -> String;
    /// What keeps a model from being asked, as far as can be known without asking.
    fn missing(&self, model: &str) -> Option<Failure>;
    /// The models that can be used now, as `provider/model`. Asks providers, so it may take its time.
    fn models(&self) -> BoxFuture<'_, Vec<String>>;
    fn price(&self, model: &str) -> Option<Price>;
    /// The rule that would let this call run without asking from now on, as it would be saved.
    fn rule(&self, call: &Call) -> Result<String, String>;
    /// Saves that rule; it holds from now on, here and in later processes.
    fn save_rule(&self, call: &Call) -> Result<(), String>;
    /// Puts files back to what they were before the conversation changed them.
    fn undo<'a>(
        &'a self,
        session: &'a Session,
        since: Since,
        how: PutBack,
    ) -> BoxFuture<'a, Result<Restored, String>>;
    /// What a conversation has changed in files by now, all its edits and undos taken together.
    fn changes<'a>(&'a self, session: &'a Session) -> BoxFuture<'a, Result<Vec<Changed>, String>>;
    /// The files of the workspace that are not ignored, relative to it.
    fn paths(&self) -> BoxFuture<'_, Vec<String>>;
    /// Writes a conversation as Markdown into a file of the workspace, under a name of its own where none is given; says
    /// where.
    fn export<'a>(
        &'a self,
        session: &'a Session,
        _file: Option<&'a str>,
    ) -> BoxFuture<'a, Result<String, String>> {
        std::future::ready(Err(format!("conversation {} cannot be written to a file here", session.id())))
            .boxed()
    }
    /// The rules that were saved, as they were shown then.
    fn rules(&self) -> Vec<String> {
        Vec::new()
    }
    /// What was typed before, here and at other terminals, oldest first; none where nothing is kept.
    fn typed(&self) -> Option<Vec<String>> {
        None
    }
    /// Keeps what was typed for later; gives all that is kept.
    fn keep_typed(&self, _message: &str) -> Option<Vec<String>> {
        None
    }
    /// Runs a person's own command in the workspace, behind the wall. Nobody is asked: the person is who would be.
    /// Dropping the future ends the command.
    fn run(&self, command: String, output: Output) -> BoxFuture<'_, Outcome>;
    /// Lays a copy of the sample project out and says how a conversation with the recorded model in it opens, and what
    /// to say to it.
    fn demo(&self) -> Result<(Opened, String), String> {
        Err("there is no demo here".into())
    }
    /// What a person should carry to a chat, where the model of a conversation is such a person.
    fn outbox(&self, _conversation: &Id) -> Option<String> {
        None
    }
    /// Takes what a person brought back from that chat.
    fn inbox(&self, conversation: &Id, _text: String) -> Result<(), String> {
        Err(format!("conversation {conversation} does not wait for an answer that somebody brings"))
    }
}

/// Hears what a command prints, as it is printed.
pub type Output = Box<dyn FnMut(&str) + Send>;

/// How far back an undo reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Since {
    /// What the last run changed; after an undo, that undo.
    LastRun,
    /// Everything after a record.
    Seq(u64),
    /// What one call changed, and nothing else.
    Call(CallId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PutBack {
    /// Only say what would happen.
    Look,
    /// Unless somebody else changed a file since.
    Unchanged,
    /// Whoever changed a file since.
    Whatever,
}

/// What an undo did, or would do.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Restored {
    pub files: Vec<RestoredFile>,
    /// Commands that ran since, whose changes no undo knows of.
    pub commands: Vec<String>,
    /// Whether the files were put back.
    pub done: bool,
}

/// One file that is not what it was when the conversation began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// A unified diff from how it was to how it is.
    pub diff: String,
    /// Who else has a part in that.
    pub contested: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RestoredFile {
    pub path: String,
    /// A unified diff from how it is to how it was.
    pub diff: String,
    /// Why it is not safe to put it back: somebody else changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contested: Option<String>,
}
