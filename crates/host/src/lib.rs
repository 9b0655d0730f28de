//! The world: everything that touches disk, network or processes, behind the traits of the core.
//!
//! Knows no door. Only `app` knows both this crate and the doors.

pub mod config;
pub mod copy;
pub mod dialect;
pub mod history;
pub mod http;
pub mod instructions;
pub mod judge;
pub mod listed;
pub mod mailbox;
pub mod models;
pub mod patch;
pub mod profiles;
pub mod replay;
pub mod run;
pub mod sandbox;
pub mod schema;
pub mod search;
pub mod solve;
pub mod sse;
pub mod state;
pub mod store;
pub mod token;
pub mod tools;
pub mod trim;
mod watch;
pub mod whole;
pub mod wire;
pub mod workspace;

/// For tests that look into the database from outside.
#[doc(hidden)]
pub use rusqlite;
