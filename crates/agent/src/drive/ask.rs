//! The call of the model that is under way. Start at [`Ask::next`].

use crate::event::{Failure, FailureKind};
use crate::model::Delta;
use futures::stream::{BoxStream, StreamExt};
use std::pin::Pin;

/// The call of the model that is under way.
pub(super) enum Ask {
    No,
    Later(Pin<Box<tokio::time::Sleep>>, Option<u64>),
    Streaming(BoxStream<'static, Delta>),
}

impl Ask {
    /// The next piece of the reply; `None` when it is time to begin the stream. Safe to drop while waiting.
    pub(super) async fn next(&mut self) -> Option<Delta> {
        match self {
            Ask::No => std::future::pending().await,
            Ask::Later(pause, _) => {
                pause.await;
                None
            }
            Ask::Streaming(stream) => Some(stream.next().await.unwrap_or_else(|| {
                Delta::Failed(Failure::new(FailureKind::Protocol, "the reply ended without a finish mark"))
            })),
        }
    }
}
