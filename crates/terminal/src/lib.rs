//! The terminal door: a streaming chat with approvals, in the terminal's own scrollback. Start at [`run`].
//!
//! It knows the core and nothing of the world: what it needs of the machine it asks the [`Desk`] for. Nothing here reads
//! flags or the environment; [`Settings`] brings what they said.
//!
//! - `source` and `keys` say what a person does; `prompt`, `editor`, `history`, `menu` make it words and wishes.
//! - `talk` folds what happens into lines, with `deed` and `paper`; `screen` writes them, once.
//! - `chat` is where the two meet, on a screen or, for screen readers and dumb terminals, in plain lines.
//! - Rendering is pure: `safe` cleans what comes from models, files and commands, `style` holds lines and colours,
//!   `width` and `wrap` fit them to the window, `markdown`, `code`, `diff`, `block` and `stream` make lines.

pub mod block;
mod chat;
pub mod code;
mod commands;
mod complete;
mod deed;
pub mod diff;
pub mod editor;
mod guard;
mod history;
mod keys;
pub mod markdown;
mod menu;
mod notify;
mod paper;
mod paste;
mod prompt;
pub mod safe;
pub mod screen;
mod source;
mod status;
pub mod stream;
pub mod style;
mod talk;
mod theme;
pub mod width;
pub mod wrap;

pub use guard::{Answer, Guard, ask};
pub use theme::Theme;

use agent::{Desk, Hub, Id, StoreError};
use chat::Chat;
use history::History;
use screen::{Reflow, Screen, Size};
use source::Source;
use std::io;
use std::sync::Arc;

/// What the terminal door works with.
pub struct Door {
    pub hub: Hub,
    pub desk: Arc<dyn Desk>,
    pub names: Names,
    pub settings: Settings,
}

/// Gives each new conversation a name of its own.
pub type Names = Arc<dyn Fn() -> Id + Send + Sync>;

/// What the command line, the configuration and the environment said, resolved.
#[derive(Debug, Clone)]
pub struct Settings {
    pub profile: String,
    /// How hard the model should think, where a person said so.
    pub effort: Option<String>,
    pub begin: Begin,
    /// The model that a person named, also for a conversation that had another.
    pub model: Option<String>,
    /// What to say first.
    pub prompt: Option<String>,
    pub theme: Theme,
    /// A program that edits the file it is given.
    pub editor: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begin {
    New,
    Resume(Id),
    /// With a conversation that the person chooses.
    Choose,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the terminal cannot be used: {0}")]
    Terminal(#[from] io::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{0}")]
    Conversation(String),
    #[error("something went wrong inside the program; the conversation is kept")]
    Bug,
}

/// How the conversation is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Live,
    /// Line by line, with no cursor moved and nothing drawn twice.
    Plain,
}

/// Talks until the person leaves. The guard holds the terminal and gives it back; without one, in plain lines.
pub async fn run(door: Door, guard: Option<Guard>) -> Result<(), Error> {
    let mode = if guard.is_some() { Mode::Live } else { Mode::Plain };
    let size = guard::window().unwrap_or(Size { columns: 80, rows: 24 });
    let reflow = if door.settings.theme.reflows() { Reflow::Breaks } else { Reflow::Cuts };
    let mut screen = Screen::new(io::stdout(), size, reflow);
    let history = History::new(Some(door.desk.clone()));
    let ahead = guard.as_ref().map_or(0, Guard::typed_ahead);
    let source = Source::open(mode, ahead)?;
    if ahead > 0 {
        // It was shown as it was typed, and will be shown again where it belongs.
        screen.pass("\r\x1b[K")?;
    }
    Chat::new(door, screen, source, history, guard, mode).run().await
}
