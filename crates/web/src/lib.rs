//! The web door: a page, a live hub and routes for programs, over conversations that live in the core. Start at
//! [`Door::new`] and [`serve`].
//!
//! It is a thin view: what clients want becomes a command of a session, what they hear comes from following it. It sees
//! no world, no wire and no disk, and trusts nobody who does not carry its token.

mod api;
mod connection;
mod fault;
pub mod frame;
mod guard;
mod id;
mod lobby;
mod messages;
mod methods;
mod openapi;
mod outbox;
mod page;
mod rest;
mod room;
mod router;
mod seats;
mod server;
mod shape;
mod socket;
mod teller;
mod time;

pub use api::{Api, Bounds, MakeHub};
pub use connection::Limits;
pub use server::serve;

use agent::{Desk, Hub};
use guard::Guard;
use lobby::Lobby;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Clients of the hub at one time.
const CLIENTS: usize = 4096;

/// All that a request may need. Cheap to clone.
#[derive(Clone)]
pub struct Door {
    lobby: Lobby,
    guard: Arc<Guard>,
    limits: Limits,
    /// Places for clients of the hub.
    places: Arc<Semaphore>,
    api: Arc<Api>,
}

/// Where the server listens and who may come in.
pub struct Address<'a> {
    /// As the person wrote it.
    pub host: &'a str,
    pub port: u16,
    pub token: String,
}

impl Door {
    pub fn new(hub: Hub, desk: Arc<dyn Desk>, address: Address<'_>) -> Door {
        let guard = Guard::new(address.token, address.host, address.port);
        let places = Arc::new(Semaphore::new(CLIENTS));
        let kept = hub.clone();
        let api = Api::new(Box::new(move || kept.clone()), desk.clone(), Bounds::default());
        let (lobby, limits) = (Lobby::new(hub, desk), Limits::default());
        Door { lobby, guard: Arc::new(guard), limits, places, api: Arc::new(api) }
    }

    /// With another way to answer requests that have no conversation than to keep each as one.
    pub fn answering(self, api: Api) -> Door {
        Door { api: Arc::new(api), ..self }
    }

    /// With other limits than the usual ones.
    pub fn limited(self, limits: Limits) -> Door {
        Door { limits, ..self }
    }
}

#[cfg(test)]
mod tests;
