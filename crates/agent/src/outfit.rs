//! What conversations work with. Start at [`Ground`], which all of them share, and [`Parts`], which each has for itself.

use crate::event::Opened;
use crate::model::Model;
use crate::profile::Profile;
use crate::store::Store;
use crate::tool::Toolbox;
use std::sync::Arc;

/// Where conversations are kept, what time it is, and how the parts of one are put together.
#[derive(Clone)]
pub(crate) struct Ground {
    pub store: Arc<dyn Store>,
    pub clock: Clock,
    pub outfit: Outfit,
}

/// Milliseconds since 1970. The core has no clock of its own.
pub type Clock = Arc<dyn Fn() -> u64 + Send + Sync>;

/// Puts a conversation's parts together from how it was opened and the model in force (`provider/model`).
pub type Outfit = Arc<dyn Fn(&Opened, &str) -> Parts + Send + Sync>;

/// What a conversation works with, put together when it is opened and again when its model changes.
#[derive(Clone)]
pub struct Parts {
    pub model: Arc<dyn Model>,
    pub toolbox: Toolbox,
    pub profile: Profile,
    /// A JSON Schema that answers should satisfy.
    pub schema: Option<Arc<serde_json::Value>>,
}
