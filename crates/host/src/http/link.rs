//! One connection. It is driven by whoever waits for it, not by a task of its own: nothing is left behind when the
//! waiting is given up, and a piece of the body costs no switch between tasks.

use super::connect::Io;
use super::{Error, Payload};
use bytes::Bytes;
use http_body::Body;
use hyper::Request;
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, Connection, SendRequest};
use hyper::header::HeaderValue;
use hyper::http::response::Parts;
use hyper_util::rt::TokioIo;
use std::fmt;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

/// The head of an answer must fit into this, and so must one read of its body.
const BUFFER: usize = 128 * 1024;

/// How requests on a connection name their target.
#[derive(Debug)]
pub(super) enum Route {
    /// By path: to the server itself, or through a tunnel.
    Direct,
    /// By the whole address, to a proxy that passes requests on.
    Forward { authorization: Option<HeaderValue> },
}

pub(super) struct Link {
    pub(super) route: Route,
    sender: SendRequest<Payload>,
    /// Gone once the connection has ended.
    driver: Option<Connection<TokioIo<Io>, Payload>>,
    body: Option<Incoming>,
}

impl Link {
    pub(super) async fn new(io: Io, route: Route) -> Result<Link, Error> {
        let (sender, driver) = http1::Builder::new()
            .max_buf_size(BUFFER)
            .handshake(TokioIo::new(io))
            .await
            .map_err(Error::from_hyper)?;
        Ok(Link { route, sender, driver: Some(driver), body: None })
    }

    /// Whether the other side still keeps the connection, as far as can be known without asking.
    pub(super) fn is_alive(&mut self) -> bool {
        self.body = None;
        self.drive(&mut Context::from_waker(Waker::noop()));
        self.driver.is_some() && !self.sender.is_closed()
    }

    pub(super) async fn send(&mut self, request: Request<Payload>) -> Result<Parts, Error> {
        poll_fn(|cx| {
            self.drive(cx);
            self.sender.poll_ready(cx)
        })
        .await
        .map_err(Error::from_hyper)?;
        let mut answer = pin!(self.sender.send_request(request));
        let driver = &mut self.driver;
        let response = poll_fn(|cx| {
            drive(driver, cx);
            answer.as_mut().poll(cx)
        })
        .await
        .map_err(Error::from_hyper)?;
        let (head, body) = response.into_parts();
        self.body = Some(body);
        Ok(head)
    }

    /// The next piece of the body; `None` at its end, when the connection is free again.
    pub(super) fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Bytes>, Error>> {
        let Some(body) = &mut self.body else { return Poll::Ready(Ok(None)) };
        loop {
            let frame = match Pin::new(&mut *body).poll_frame(cx) {
                Poll::Ready(frame) => frame,
                Poll::Pending => {
                    drive(&mut self.driver, cx);
                    std::task::ready!(Pin::new(&mut *body).poll_frame(cx))
                }
            };
            match frame {
                None => {
                    self.body = None;
                    return Poll::Ready(Ok(None));
                }
                Some(Err(error)) => return Poll::Ready(Err(Error::from_hyper(error))),
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        return Poll::Ready(Ok(Some(data)));
                    }
                }
            }
        }
    }

    fn drive(&mut self, cx: &mut Context<'_>) {
        drive(&mut self.driver, cx);
    }
}

/// Lets the connection read and write what it can. Its errors reach whoever waits for the answer.
fn drive(driver: &mut Option<Connection<TokioIo<Io>, Payload>>, cx: &mut Context<'_>) {
    if let Some(connection) = driver
        && Pin::new(connection).poll(cx).is_ready()
    {
        *driver = None;
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").field("open", &self.driver.is_some()).finish()
    }
}
