//! The body of a request: byte segments that are shared, not copied, and whose length is known beforehand.

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

#[derive(Debug, Clone, Default)]
pub struct Payload {
    segments: VecDeque<Bytes>,
    left: u64,
}

impl FromIterator<Bytes> for Payload {
    fn from_iter<I: IntoIterator<Item = Bytes>>(segments: I) -> Payload {
        let segments: VecDeque<Bytes> = segments.into_iter().filter(|segment| !segment.is_empty()).collect();
        let left = segments.iter().map(|segment| segment.len() as u64).sum();
        Payload { segments, left }
    }
}

impl Body for Payload {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let segment = self.segments.pop_front();
        self.left -= segment.as_ref().map_or(0, |segment| segment.len() as u64);
        Poll::Ready(segment.map(|segment| Ok(Frame::data(segment))))
    }

    fn is_end_stream(&self) -> bool {
        self.segments.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
