//! The test kit: everything a test needs to run the agent without a provider.
//!
//! Start from [`Server`], a model server that plays scripted replies over real HTTP/1.1 and keeps
//! every request for assertions. A [`Message`] says what the model answers, a [`Reply`] adds how
//! the answer travels, faults included. [`Scratch`] is a directory that removes itself, and
//! [`Cinque`] runs the built binary in a clean environment with a deadline.
//!
//! The kit is for tests and benchmarks only: no shipped crate may depend on it. It panics on
//! misuse, because a test that is set up wrongly should fail at once, and it never waits without
//! a deadline, because a test that hangs says nothing.
//!
//! ```
//! use kit::{Call, Message, Reply, Server, serde_json::json};
//!
//! let server = Server::play([
//!     Reply::status(429).retry_after(0),
//!     Reply::call("shell", json!({"command": "true"})).cut_before_finish(),
//!     Message::text("Running it.").and_call(Call::new("shell", json!({"command": "true"}))).reply(),
//!     Reply::text("Done.").pings().split_inside_characters(),
//! ]);
//! assert!(server.base_url().starts_with("http://127.0.0.1:"));
//! ```

mod address;
pub mod check;
mod cinque;
mod delivery;
mod http;
mod hub;
mod message;
mod plan;
mod random;
mod reply;
mod request;
mod scratch;
mod script;
mod server;
mod shape;

pub use address::Address;
pub use cinque::{Cinque, Command, End, Outcome, Running};
pub use delivery::{Gate, Point, Split, Stop};
pub use hub::Follower;
pub use message::{Call, Message, Usage};
pub use random::Random;
pub use reply::Reply;
pub use request::Request;
pub use rustix::process::Signal;
pub use scratch::Scratch;
pub use script::{Script, ScriptError};
pub use serde_json;
pub use server::{Recording, Server, refused_url};
pub use shape::Wire;
