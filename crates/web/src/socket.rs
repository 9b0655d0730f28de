//! A WebSocket as the hub needs one: texts in, texts out. Start at [`upgrade`].
//!
//! The request has passed the guard before it comes here.

use crate::connection::LARGEST;
use crate::frame::Text;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use futures::{SinkExt, StreamExt};
use hyper_util::rt::TokioIo;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};

/// What a socket reads at once. Small, because there may be thousands.
const BUFFER: usize = 4 << 10;
/// What is still read of a message that was too large, so that the client gets to hear why: many write first.
const DRAINED: u64 = 256 << 20;
const DRAINING: Duration = Duration::from_secs(15);
const CLOSING: Duration = Duration::from_secs(2);
/// A close frame holds this much of a reason.
const REASON: usize = 120;

pub struct Socket {
    stream: WebSocketStream<TokioIo<hyper::upgrade::Upgraded>>,
    flooded: bool,
}

pub enum Received {
    Text(Text),
    /// A piece of the protocol that is nothing to the hub.
    Nothing,
    TooLarge,
    Gone,
}

/// Answers a request for a WebSocket, and hands the socket over once the client has the answer.
pub fn upgrade<F>(request: Request, serve: impl FnOnce(Socket) -> F + Send + 'static) -> Response
where
    F: Future<Output = ()> + Send + 'static,
{
    let key = match key(request.method(), request.headers()) {
        Some(key) => key,
        None => return answer(StatusCode::UPGRADE_REQUIRED, "Connect to the hub with a WebSocket."),
    };
    if request.headers().get(header::SEC_WEBSOCKET_VERSION).is_none_or(|version| version != "13") {
        return answer(StatusCode::BAD_REQUEST, "Only version 13 of the WebSocket protocol is spoken.");
    }
    let Ok(accept) = HeaderValue::from_str(&derive_accept_key(&key)) else {
        return answer(StatusCode::BAD_REQUEST, "The key of the WebSocket cannot be used.");
    };
    let upgrade = hyper::upgrade::on(request);
    tokio::spawn(async move {
        if let Ok(upgraded) = upgrade.await {
            serve(Socket::new(upgraded).await).await;
        }
    });
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(header::SEC_WEBSOCKET_ACCEPT, accept);
    response
}

fn key(method: &Method, headers: &HeaderMap) -> Option<Vec<u8>> {
    let has = |name, wanted: &str| {
        let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(',')).any(|part| part.trim().eq_ignore_ascii_case(wanted))
    };
    let asks =
        method == Method::GET && has(header::CONNECTION, "upgrade") && has(header::UPGRADE, "websocket");
    let key = headers.get(header::SEC_WEBSOCKET_KEY).filter(|_| asks)?;
    Some(key.as_bytes().to_vec())
}

fn answer(status: StatusCode, text: &'static str) -> Response {
    let body = serde_json::json!({ "message": text }).to_string();
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

impl Socket {
    async fn new(upgraded: hyper::upgrade::Upgraded) -> Socket {
        let config = WebSocketConfig::default()
            .read_buffer_size(BUFFER)
            .write_buffer_size(BUFFER)
            .max_message_size(Some(LARGEST))
            .max_frame_size(Some(LARGEST));
        let io = TokioIo::new(upgraded);
        Socket {
            stream: WebSocketStream::from_raw_socket(io, Role::Server, Some(config)).await,
            flooded: false,
        }
    }

    /// What comes next. Safe to drop while waiting.
    pub async fn receive(&mut self) -> Received {
        match self.stream.next().await {
            Some(Ok(Message::Text(text))) => Received::Text(text),
            Some(Ok(Message::Binary(bytes))) => Text::try_from(bytes).map_or(Received::Gone, Received::Text),
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => Received::Nothing,
            Some(Err(Error::Capacity(_))) => {
                self.flooded = true;
                Received::TooLarge
            }
            Some(Ok(Message::Close(_)) | Err(_)) | None => Received::Gone,
        }
    }

    pub async fn send(&mut self, texts: Vec<Text>) -> Result<(), Error> {
        for text in texts {
            self.stream.feed(Message::Text(text)).await?;
        }
        self.stream.flush().await
    }

    /// Closes with a reason and waits a moment for the client to do the same.
    pub async fn close(&mut self, reason: &str) {
        let code = if self.flooded { CloseCode::Size } else { CloseCode::Normal };
        let reason: String = reason
            .chars()
            .scan(0, |length, c| {
                *length += c.len_utf8();
                (*length <= REASON).then_some(c)
            })
            .collect();
        let frame = CloseFrame { code, reason: reason.into() };
        if timeout(CLOSING, self.stream.close(Some(frame))).await.is_err() {
            return;
        }
        if self.flooded {
            return self.drain().await;
        }
        let _ = timeout(CLOSING, async { while let Some(Ok(_)) = self.stream.next().await {} }).await;
    }

    /// Reads on without keeping anything: closing a socket that still receives would take the reason from the client.
    async fn drain(&mut self) {
        let mut scrap = vec![0; 64 << 10];
        let mut left = DRAINED;
        let socket = self.stream.get_mut();
        let read = async {
            // The client sees the end at once, and need not wait for one of its own frames to be answered.
            let _ = socket.shutdown().await;
            while left > 0 {
                match socket.read(&mut scrap).await {
                    Ok(0) | Err(_) => return,
                    Ok(read) => left = left.saturating_sub(read as u64),
                }
            }
        };
        let _ = timeout(DRAINING, read).await;
    }
}
