//! The mailbox wire: a request becomes a file that a person carries to any chat, and a file with the chat's reply becomes
//! the model's. Start at [`Mailbox`]; [`Post`] says where the files lie.
//!
//! The chat remembers the conversation, so an outbox file carries only what is new: what came of the last commands, and
//! the files that were asked for. One is written once and never again; a reply is taken once, whatever happens between.
//! Nothing here runs a command, changes a file of the workspace or prints.

mod edits;
mod files;
mod inbox;
mod outbox;
mod part;
mod reply;
#[cfg(test)]
mod tests;
mod told;

pub(crate) use edits::{BadRange, file_of, replace, told as edits_told};
pub use told::{Told, told};

use crate::config::{self, Redactor};
use crate::profiles::MAILBOX_MODEL;
use crate::state::{State, make_lasting};
use crate::whole::{Kind, make_folders};
use crate::workspace::Workspace;
use agent::{Delta, Failure, FailureKind, Info, Message, Model, Request};
use futures::future::FutureExt;
use futures::stream::{self, BoxStream, StreamExt};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const RULE: &str = "========================================";

/// Where letters lie, and how long one may be.
#[derive(Clone)]
pub struct Post {
    /// The folder that conversations are about.
    pub workspace: PathBuf,
    pub inbox: PathBuf,
    pub outbox: PathBuf,
    pub sessions: PathBuf,
    /// Bytes of one outbox file.
    pub limit: usize,
    pub secrets: Redactor,
}

impl Post {
    pub fn new(config: &config::Mailbox, workspace: &Path, secrets: Redactor) -> Post {
        Post {
            inbox: workspace.join(&config.inbox),
            outbox: workspace.join(&config.outbox),
            sessions: workspace.join(&config.sessions),
            limit: config.outbox_limit,
            workspace: workspace.to_owned(),
            secrets,
        }
    }

    /// Makes a folder of ours. In the workspace's state each step must be a real folder: a repository may bring links.
    pub fn prepare(&self, folder: &Path) -> io::Result<()> {
        let state = State::prepare(&self.workspace).map_err(io::Error::other)?;
        let Ok(inner) = folder.strip_prefix(state.folder()) else {
            return make_folders(folder, Kind::Letters);
        };
        let mut path = state.folder().to_owned();
        for part in inner {
            path.push(part);
            make_lasting(&path)?;
        }
        Ok(())
    }

    /// The outbox file that a conversation waits with now, with its further parts; empty if it does not wait.
    pub fn waiting(&self, conversation: &str) -> Vec<PathBuf> {
        match outbox::newest(self, conversation) {
            Some(sequence) if inbox::taken(self, conversation) < Some(sequence) => {
                outbox::parts(self, conversation, sequence)
            }
            _ => Vec::new(),
        }
    }

    /// The number of the last letter of a conversation.
    pub fn last_sequence(&self, conversation: &str) -> Option<u64> {
        outbox::newest(self, conversation)
    }

    /// Puts a reply into the inbox for one conversation and no other.
    pub fn deliver(&self, conversation: &str, text: &str) -> io::Result<PathBuf> {
        inbox::deliver(self, conversation, outbox::newest(self, conversation).unwrap_or(1), text)
    }
}

/// What a person is told when a letter is ready for them.
pub fn notice(files: &[PathBuf]) -> String {
    let count = files.len();
    let ready = |(number, file): (usize, &PathBuf)| match count {
        1 => format!("Outbox file ready: {}\n", file.display()),
        _ => format!("Outbox file ready: {} (part {} of {count})\n", file.display(), number + 1),
    };
    let ready: String = files.iter().enumerate().map(ready).collect();
    format!(
        "{RULE}\n{ready}\n\
         1. Copy the contents of the outbox file\n\
         2. Paste into your LLM chat\n\
         3. Save the LLM response as a .txt file in the inbox/ folder\n\
         {RULE}\n\
         Waiting for inbox response... (Ctrl+C to exit)\n"
    )
}

pub struct Mailbox {
    post: Arc<Post>,
}

impl Mailbox {
    pub fn new(post: Post) -> Mailbox {
        Mailbox { post: Arc::new(post) }
    }
}

impl Model for Mailbox {
    fn info(&self) -> Info {
        Info { name: MAILBOX_MODEL.to_owned(), window: None }
    }

    fn stream(&self, request: Request) -> BoxStream<'static, Delta> {
        if request.generation > u64::MAX / 2 {
            let why = "a conversation by mailbox is not summed up: the chat itself remembers it";
            return stream::iter([Delta::Failed(Failure::new(FailureKind::Refused, why))]).boxed();
        }
        let post = self.post.clone();
        exchange(post, request).flatten_stream().boxed()
    }
}

/// Writes the letter, says that it is ready, and waits for the answer.
async fn exchange(post: Arc<Post>, request: Request) -> BoxStream<'static, Delta> {
    let sequence = sequence(&request.messages);
    let request = Arc::new(request);
    let write = {
        let (post, request) = (post.clone(), request.clone());
        move || outbox::write(&post, &request, sequence)
    };
    let files = match aside(write).await {
        Ok(files) => files,
        Err(error) => return stream::iter([failed("write the outbox file", &post.outbox, &error)]).boxed(),
    };
    let ready = Delta::Reasoning(notice(&files));
    let answer = async move {
        match inbox::take(&post, &request.conversation, sequence).await {
            Ok(letter) => {
                let (workspace, first) = (post.workspace.clone(), files.into_iter().next());
                let read = move || {
                    let workspace = Workspace::open(&workspace).map_err(io::Error::other)?;
                    Ok(reply::read(&letter, first.as_deref(), &request.tools, &workspace))
                };
                match aside(read).await {
                    Ok(reply) => Delta::Finished(Box::new(reply)),
                    Err(error) => failed("read the reply", &post.inbox, &error),
                }
            }
            Err(error) => failed("take a reply from the inbox", &post.inbox, &error),
        }
    };
    stream::iter([ready]).chain(answer.into_stream()).boxed()
}

/// The number of the letter: each reply, and each word that came after a letter had been written, makes a new one.
fn sequence(messages: &[Arc<Message>]) -> u64 {
    let (mut sequence, mut fresh) = (1, true);
    for message in messages {
        match **message {
            Message::Assistant { .. } => (sequence, fresh) = (sequence + 1, true),
            Message::User { .. } if !fresh => sequence += 1,
            _ => fresh = false,
        }
    }
    sequence
}

/// Runs file work where it may take its time.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}

fn failed(what: &str, folder: &Path, error: &io::Error) -> Delta {
    let message = format!("cannot {what} ({}): {error}", folder.display());
    Delta::Failed(
        Failure::new(FailureKind::Setup, message)
            .hint("nothing is lost: put it right and go on with the conversation"),
    )
}
