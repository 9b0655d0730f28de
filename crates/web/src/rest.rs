//! The routes for programs and for the page. Start at [`routes`]: one table makes both the router and `/openapi.json`.

mod asked;
mod body;
mod conversations;
mod machine;

pub use asked::Asked;
pub use body::{Body, bytes};

use crate::Door;
use axum::routing::{MethodRouter, delete, get, patch, post};
use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema};

/// One route with what the document says of it.
pub struct Route {
    pub method: &'static str,
    pub path: &'static str,
    pub summary: &'static str,
    /// What stands in the query: the properties of an object.
    pub query: Option<Describe>,
    pub takes: Option<Describe>,
    /// The status of an answer that is no error.
    pub status: u16,
    pub gives: Option<Describe>,
    /// Statuses of errors whose body has that shape too.
    pub likewise: &'static [u16],
    pub serve: MethodRouter<Door>,
}

pub type Describe = fn(&mut SchemaGenerator) -> Schema;

impl Route {
    pub fn new(
        method: &'static str,
        path: &'static str,
        summary: &'static str,
        serve: MethodRouter<Door>,
    ) -> Route {
        let (query, takes, gives, likewise): (_, _, _, &[_]) = (None, None, None, &[]);
        Route { method, path, summary, query, takes, status: 200, gives, likewise, serve }
    }

    pub fn asks<T: JsonSchema>(self) -> Route {
        Route { query: Some(describe::<T>), ..self }
    }

    pub fn takes<T: JsonSchema>(self) -> Route {
        Route { takes: Some(describe::<T>), ..self }
    }

    pub fn gives<T: JsonSchema>(self) -> Route {
        Route { gives: Some(describe::<T>), ..self }
    }

    pub fn likewise(self, likewise: &'static [u16]) -> Route {
        Route { likewise, ..self }
    }

    pub fn status(self, status: u16) -> Route {
        Route { status, ..self }
    }
}

fn describe<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// Every route below `/api`.
pub fn routes() -> Vec<Route> {
    use crate::api;
    use crate::shape::*;
    use conversations as c;
    use machine as m;
    const ONE: &str = "/api/conversations/{id}";
    vec![
        Route::new("get", "/api/conversations", "The conversations, newest first", get(c::list))
            .asks::<c::Search>()
            .gives::<Vec<ConversationShape>>(),
        Route::new("get", ONE, "One conversation as its messages", get(c::show))
            .gives::<ConversationMessages>(),
        Route::new("patch", ONE, "Renames a conversation or gives it another model", patch(c::edit))
            .takes::<c::Edit>()
            .gives::<ConversationShape>(),
        Route::new("delete", ONE, "Throws a conversation away", delete(c::remove)).status(204),
        Route::new(
            "get",
            "/api/conversations/{id}/events",
            "The records behind a conversation",
            get(c::events),
        )
        .asks::<c::Paged>()
        .gives::<Vec<serde_json::Value>>(),
        Route::new(
            "get",
            "/api/conversations/{id}/changes",
            "What the records mean to a reader",
            get(c::changes),
        )
        .asks::<c::Paged>()
        .gives::<c::Changes>(),
        Route::new(
            "get",
            "/api/conversations/{id}/calls/{call}/rule",
            "The rule that would let a call run without asking from now on",
            get(c::rule),
        )
        .gives::<c::RuleShape>(),
        Route::new(
            "post",
            "/api/conversations/{id}/undo",
            "Puts files back, or says what that would do",
            post(c::undo),
        )
        .takes::<c::Undo>()
        .gives::<c::Undone>(),
        Route::new("get", "/api/conversations/{id}/outbox", "What to carry to a chat", get(m::outbox))
            .gives::<m::Letter>(),
        Route::new("post", "/api/conversations/{id}/inbox", "What the chat answered", post(m::inbox))
            .takes::<m::Letter>()
            .status(204),
        Route::new("get", "/api/setup", "What is configured and what is missing", get(m::setup))
            .gives::<m::Setup>(),
        Route::new("get", "/api/models", "The models that can be used now", get(m::models))
            .gives::<m::ModelList>(),
        Route::new(
            "post",
            "/api/agent",
            "Answers one prompt with at most one tool call; keeps nothing",
            post(api::agent),
        )
        .takes::<api::AgentRequest>()
        .gives::<api::AgentResponse>()
        .likewise(&[400, 413, 503]),
        Route::new("post", "/api/demo", "Begins a conversation with a recorded model", post(m::demo))
            .gives::<m::Begun>(),
    ]
}

/// What the routes answer, for the page's own types.
#[cfg(test)]
pub mod shapes {
    pub use super::conversations::{Changes, RuleShape, Undone, UndoneFile};
    pub use super::machine::{Begun, Letter, Missing, ModelList, Setup};
}
