//! A small HTTP/1.1 client for talking to one server: keep-alive, proxies, TLS, and a limit on silence. Start at
//! [`Client`].
//!
//! It follows no redirect, keeps no cookie, and asks again only where a kept connection turned out dead before the
//! server said anything. Nothing of TLS is touched for a plain address. The environment is never read here.

mod address;
mod connect;
mod error;
mod link;
mod payload;
mod pool;
mod proxy;
mod silence;
mod tls;

pub use address::{Address, BadAddress, Scheme};
pub use error::{Error, Handshake};
pub use payload::Payload;
pub use proxy::Proxies;
pub use tls::Tls;

use bytes::Bytes;
use futures::FutureExt;
use hyper::header::{HOST, HeaderMap, HeaderValue, PROXY_AUTHORIZATION};
use hyper::{Request, StatusCode, Uri};
use link::{Link, Route};
use pool::Pool;
use silence::Silence;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

/// How to reach a server; resolved once at the start.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How long finding the host, connecting and shaking hands may take together.
    pub connect_limit: Duration,
    /// How long the server may be silent: before the first byte and between two.
    pub idle_limit: Duration,
    pub proxies: Proxies,
    pub tls: Tls,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            connect_limit: Duration::from_secs(15),
            idle_limit: Duration::from_secs(300),
            proxies: Proxies::default(),
            tls: Tls::default(),
        }
    }
}

/// So many times the limit of silence a server may send bytes that say nothing. Gateways do it every few seconds while a
/// model thinks; one that does nothing else for so long will not begin.
const CHATTER: u32 = 10;

/// Talks to one server and keeps a few idle connections to it.
#[derive(Debug, Clone)]
pub struct Client {
    address: Address,
    settings: Settings,
    pool: Arc<Pool>,
}

/// The head of an answer, and its body as it arrives. Dropping it gives up the rest.
#[derive(Debug)]
pub struct Response {
    pub status: StatusCode,
    pub headers: HeaderMap,
    link: Option<Link>,
    silence: Silence,
    /// The same for what says something: a server may keep the connection alive, but not for ever.
    chatter: Silence,
    pool: Arc<Pool>,
}

impl Client {
    pub fn new(address: Address, settings: Settings) -> Client {
        Client { address, settings, pool: Arc::default() }
    }

    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Sends `request`, whose address is only a path, and waits for the head of the answer.
    pub async fn send(&self, request: Request<Payload>) -> Result<Response, Error> {
        if let Some(link) = self.pool.take() {
            match self.exchange(link, request.clone()).await {
                // The server had closed it, and we learn it only now.
                Err(Error::Cut { .. }) => {}
                answer => return answer,
            }
        }
        self.exchange(connect::dial(&self.address, &self.settings).await?, request).await
    }

    async fn exchange(&self, mut link: Link, mut request: Request<Payload>) -> Result<Response, Error> {
        self.aim(&mut request, &link.route)?;
        let mut silence = Silence::new(self.settings.idle_limit);
        let head = {
            let mut sending = std::pin::pin!(link.send(request));
            poll_fn(|cx| match sending.as_mut().poll(cx) {
                Poll::Ready(answer) => Poll::Ready(answer),
                Poll::Pending => silence.poll(cx).map(Err),
            })
            .await?
        };
        silence.broken();
        let pool = Arc::clone(&self.pool);
        let chatter = Silence::new(self.settings.idle_limit.saturating_mul(CHATTER));
        let (status, headers) = (head.status, head.headers);
        Ok(Response { status, headers, link: Some(link), silence, chatter, pool })
    }

    /// Names the host, and the whole address where a proxy must know it.
    fn aim(&self, request: &mut Request<Payload>, route: &Route) -> Result<(), Error> {
        let host = self.address.authority();
        if let Route::Forward { authorization } = route {
            let whole = format!("http://{host}{}", request.uri());
            *request.uri_mut() = whole.parse::<Uri>().map_err(|_| Error::Address(whole))?;
            if let Some(value) = authorization {
                request.headers_mut().insert(PROXY_AUTHORIZATION, value.clone());
            }
        }
        let value = HeaderValue::from_str(&host).map_err(|_| Error::Address(host))?;
        request.headers_mut().insert(HOST, value);
        Ok(())
    }
}

impl Response {
    /// The next piece of the body; `None` at its end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Error> {
        poll_fn(|cx| self.poll_chunk(cx)).await
    }

    /// The next piece if it is here already; `None` when one would have to wait, or at the end.
    pub fn ready_chunk(&mut self) -> Result<Option<Bytes>, Error> {
        match self.chunk().now_or_never() {
            Some(chunk) => chunk,
            None => Ok(None),
        }
    }

    /// Whether the body was read to its end, or has failed.
    pub fn is_over(&self) -> bool {
        self.link.is_none()
    }

    /// Shortens the silence that is borne from here on.
    pub fn hurry(&mut self, limit: Duration) {
        self.silence.shorten(limit);
        self.chatter.shorten(limit);
    }

    /// What came last said something. Bytes that only keep the connection alive (comments, pings) count as life too, but
    /// only for [`CHATTER`] times the limit of silence.
    pub fn said_something(&mut self) {
        self.chatter.broken();
    }

    /// The body up to `limit` bytes; what lies beyond is not read.
    pub async fn text(&mut self, limit: usize) -> Result<Vec<u8>, Error> {
        let mut whole = Vec::new();
        while whole.len() < limit {
            let Some(chunk) = self.chunk().await? else { break };
            self.said_something();
            whole.extend_from_slice(&chunk[..chunk.len().min(limit - whole.len())]);
        }
        Ok(whole)
    }

    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Bytes>, Error>> {
        let Some(link) = &mut self.link else { return Poll::Ready(Ok(None)) };
        match link.poll_chunk(cx) {
            Poll::Ready(Ok(Some(_))) if self.chatter.is_over() => {
                self.link = None;
                Poll::Ready(Err(self.chatter.error()))
            }
            Poll::Ready(Ok(Some(chunk))) => {
                self.silence.broken();
                Poll::Ready(Ok(Some(chunk)))
            }
            Poll::Ready(Ok(None)) => {
                if let Some(link) = self.link.take() {
                    self.pool.put(link);
                }
                Poll::Ready(Ok(None))
            }
            Poll::Ready(Err(error)) => {
                self.link = None;
                Poll::Ready(Err(error))
            }
            Poll::Pending => match self.silence.poll(cx) {
                Poll::Pending => self.chatter.poll(cx).map(Err),
                ready => ready.map(Err),
            },
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
