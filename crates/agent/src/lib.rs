//! The core of Cinque. A conversation is an append-only log of [`Event`]s; everything else is a function of it, and
//! every door is a view of it.
//!
//! Read in this order: [`event`] (the facts), [`log`] (the chain), [`view`] (the fold), [`turn`] (the loop as a state
//! machine), [`drive`](self) (the only place that waits), [`session`] (all that a door may touch).
//!
//! This crate opens no file, socket or process, and reads no clock and no environment: time, ids, models, tools and
//! the store are handed in.

pub mod desk;
mod drive;
pub mod event;
mod feed;
pub mod log;
pub mod memory;
pub mod model;
mod outfit;
pub mod policy;
pub mod profile;
pub mod session;
pub mod store;
pub mod tool;
pub mod transcript;
pub mod turn;
pub mod view;

pub use desk::Desk;
pub use drive::SendError;
pub use event::*;
pub use feed::{Update, Updates};
pub use log::{Hash, Line, Record};
pub use model::{Delta, Info, Message, Model, Prefix, Request};
pub use outfit::{Outfit, Parts};
pub use policy::{Access, Approve, Policy, Reach, Ruling, Stance};
pub use profile::{Profile, Recall};
pub use session::{Hub, Session};
pub use store::{Claim, Id, Page, Store, StoreError, Summary};
pub use tool::{Cancel, Job, Progress, Tool, Toolbox};
pub use view::{Command, OpenCall, Phase, Refusal, View};
