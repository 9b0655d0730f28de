//! The door over real sockets, in front of a model and tools that the test holds in its hand.

mod client;
mod hub;
mod limits;
mod routes;
pub mod world;
