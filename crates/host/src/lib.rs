//! The world: everything that touches disk, network or processes, behind the traits of the core.
//!
//! Knows no door. Only `app` knows both this crate and the doors.

pub mod state;
pub mod store;
