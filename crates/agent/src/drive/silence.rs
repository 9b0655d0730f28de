//! How long nothing is heard of a run that somebody else drives before it is worth a look. Start at [`silence`].

use crate::session::SETTLED;
use std::pin::Pin;
use std::time::Duration;
use tokio::time::Sleep;

/// Ends when nothing was recorded for a while; whoever acts may then be gone.
pub(super) type Silence = Pin<Box<Sleep>>;

/// A silence that begins now.
pub(super) fn silence() -> Silence {
    Box::pin(tokio::time::sleep(Duration::from_millis(SETTLED)))
}
