//! From an address to an open connection: lookup, TCP, the proxy's tunnel, TLS.

use super::link::{Link, Route};
use super::proxy::Proxy;
use super::{Address, Error, Scheme, Settings};
use futures::stream::{FuturesUnordered, StreamExt};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::client::TlsStream;

/// How long one of a host's addresses is tried alone before the next one is tried beside it.
const HEAD_START: Duration = Duration::from_millis(250);

/// The most addresses of one host that are tried.
const ADDRESSES: usize = 8;

/// The most bytes of a proxy's answer to `CONNECT`.
const TUNNEL_HEAD: usize = 16 * 1024;

pub(super) enum Io {
    Plain(TcpStream),
    Secure(Box<TlsStream<TcpStream>>),
}

/// A new connection to `address`, through a proxy where one is set.
pub(super) async fn dial(address: &Address, settings: &Settings) -> Result<Link, Error> {
    let limit = settings.connect_limit;
    match timeout(limit, open(address, settings)).await {
        Ok(opened) => opened,
        Err(_) => Err(Error::ConnectLimit { at: address.host_and_port(), limit }),
    }
}

async fn open(address: &Address, settings: &Settings) -> Result<Link, Error> {
    let proxy = settings.proxies.choose(address)?;
    let stream = match &proxy {
        Some(proxy) => reach(&proxy.address).await?,
        None => reach(address).await?,
    };
    match (address.scheme, proxy) {
        (Scheme::Http, None) => Link::new(Io::Plain(stream), Route::Direct).await,
        (Scheme::Http, Some(proxy)) => {
            Link::new(Io::Plain(stream), Route::Forward { authorization: proxy.authorization }).await
        }
        (Scheme::Https, proxy) => {
            let stream = match proxy {
                Some(proxy) => tunnel(stream, &proxy, address).await?,
                None => stream,
            };
            let stream = settings.tls.handshake(&address.host, stream).await?;
            Link::new(Io::Secure(Box::new(stream)), Route::Direct).await
        }
    }
}

/// The first of the host's addresses that answers. A dead one delays the others only a little.
async fn reach(address: &Address) -> Result<TcpStream, Error> {
    let mut waiting = lookup(address).await?.into_iter();
    let mut trying = FuturesUnordered::new();
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    loop {
        let next = waiting.next();
        if next.is_none() && trying.is_empty() {
            return Err(unreached(address, last));
        }
        trying.extend(next.map(TcpStream::connect));
        let tried = match waiting.as_slice().is_empty() {
            true => trying.next().await,
            false => timeout(HEAD_START, trying.next()).await.ok().flatten(),
        };
        match tried {
            Some(Ok(stream)) => {
                // A request is written in few pieces, each of them meant to go at once.
                stream.set_nodelay(true).map_err(|error| unreached(address, error))?;
                return Ok(stream);
            }
            Some(Err(error)) => last = error,
            None => {}
        }
    }
}

async fn lookup(address: &Address) -> Result<Vec<SocketAddr>, Error> {
    if let Ok(ip) = address.host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(ip, address.port)]);
    }
    if address.is_loopback() {
        // The name always means this machine; asking the resolver would only cost time.
        let both = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
        return Ok(both.map(|ip| SocketAddr::new(ip, address.port)).to_vec());
    }
    let found = tokio::net::lookup_host((address.host.as_str(), address.port)).await;
    let found = found.map_err(|why| Error::Lookup { host: address.host.clone(), why })?;
    Ok(found.take(ADDRESSES).collect())
}

fn unreached(address: &Address, why: io::Error) -> Error {
    let at = address.host_and_port();
    match why.kind() {
        io::ErrorKind::ConnectionRefused => Error::Refused { at },
        _ => Error::Unreachable { at, why },
    }
}

/// Asks the proxy to pass bytes on to `target`.
async fn tunnel(mut stream: TcpStream, proxy: &Proxy, target: &Address) -> Result<TcpStream, Error> {
    let failed = |why: String| Error::Proxy { proxy: proxy.address.host_and_port(), why };
    let broken = |error: io::Error| failed(format!("broke off: {error}"));
    let host = target.host_and_port();
    let mut head = format!("CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n").into_bytes();
    if let Some(value) = &proxy.authorization {
        head.extend_from_slice(b"Proxy-Authorization: ");
        head.extend_from_slice(value.as_bytes());
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    stream.write_all(&head).await.map_err(broken)?;
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        // The server speaks only after we did, so nothing beyond the blank line can be lost by reading on.
        if stream.read_buf(&mut answer).await.map_err(broken)? == 0 || answer.len() > TUNNEL_HEAD {
            return Err(failed("did not answer as a proxy does".to_owned()));
        }
    }
    let line = String::from_utf8_lossy(answer.split(|byte| *byte == b'\r').next().unwrap_or_default());
    match line.split(' ').nth(1) {
        Some(status) if status.starts_with('2') => Ok(stream),
        Some("407") => Err(failed("wants a user name and a password".to_owned())),
        _ => {
            Err(failed(format!("does not connect to {host}: {}", line.chars().take(100).collect::<String>())))
        }
    }
}

impl AsyncRead for Io {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Io::Plain(stream) => Pin::new(stream).poll_read(cx, into),
            Io::Secure(stream) => Pin::new(stream).poll_read(cx, into),
        }
    }
}

impl AsyncWrite for Io {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Io::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            Io::Secure(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Io::Plain(stream) => Pin::new(stream).poll_write_vectored(cx, slices),
            Io::Secure(stream) => Pin::new(stream).poll_write_vectored(cx, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Io::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Io::Secure(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Io::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Io::Secure(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
