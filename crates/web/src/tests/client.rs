//! A client of the hub, as small as one can be, and one of the routes. Start at [`Client::connect`].

use super::world::TOKEN;
use crate::frame::END;
use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

const PATIENCE: Duration = Duration::from_secs(20);

pub struct Client {
    pub socket: WebSocketStream<TcpStream>,
    pub heard: Vec<Value>,
    next: u64,
}

impl Client {
    /// Connects without negotiating, which is legal.
    pub async fn connect(port: u16) -> Client {
        let mut client = Client::connect_silently(port).await;
        client.send(r#"{"protocol":"json","version":1}"#).await;
        assert_eq!(client.receive().await, Some(json!({})));
        client
    }

    pub async fn connect_silently(port: u16) -> Client {
        let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        let url = format!("ws://localhost:{port}/hubs/coding?access_token={TOKEN}");
        let (socket, _) = tokio_tungstenite::client_async(url, stream).await.unwrap();
        Client { socket, heard: Vec::new(), next: 0 }
    }

    pub async fn send(&mut self, text: &str) {
        self.socket.send(Message::Text(format!("{text}{END}").into())).await.unwrap();
    }

    /// The next message that is no ping; `None` when the connection is closed.
    pub async fn receive(&mut self) -> Option<Value> {
        loop {
            let message = timeout(PATIENCE, self.socket.next()).await.expect("the server says something");
            let text = match message {
                Some(Ok(Message::Text(text))) => text,
                Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                Some(Ok(_)) => continue,
            };
            let mut texts = text.split_terminator(END);
            let value: Value = serde_json::from_str(texts.next().unwrap()).unwrap();
            assert_eq!(texts.next(), None, "one message in one frame");
            if value["type"] != 6 {
                return Some(value);
            }
        }
    }

    /// Calls a method and does not wait for what comes of it.
    pub async fn begin(&mut self, target: &str, arguments: Value) -> String {
        self.next += 1;
        let id = self.next.to_string();
        let message = json!({ "type": 1, "invocationId": id, "target": target, "arguments": arguments });
        self.send(&message.to_string()).await;
        id
    }

    /// Waits for the completion of a method; callbacks on the way are kept.
    pub async fn completion(&mut self, id: &str) -> Result<Value, String> {
        let fits = |message: &Value| message["type"] == 3 && message["invocationId"] == id;
        let message = loop {
            if let Some(at) = self.heard.iter().position(fits) {
                break self.heard.remove(at);
            }
            let message = self.receive().await.expect("a completion before the connection ends");
            self.heard.push(message);
        };
        match &message["error"] {
            Value::String(error) => Err(error.clone()),
            _ => Ok(message["result"].clone()),
        }
    }

    pub async fn invoke(&mut self, target: &str, arguments: Value) -> Result<Value, String> {
        let id = self.begin(target, arguments).await;
        self.completion(&id).await
    }

    /// Waits for a callback and gives its arguments.
    pub async fn wait_for(&mut self, target: &str) -> Value {
        loop {
            if let Some(at) = self.heard.iter().position(|message| message["target"] == target) {
                return self.heard.remove(at)["arguments"].clone();
            }
            let message = self.receive().await.expect("a callback before the connection ends");
            self.heard.push(message);
        }
    }

    /// The arguments of the callbacks of a name that were heard.
    pub fn all(&self, target: &str) -> Vec<Value> {
        let told = self.heard.iter().filter(|message| message["target"] == target);
        told.map(|message| message["arguments"].clone()).collect()
    }

    /// The names of the callbacks that were heard, without those of a list.
    pub fn names(&self, without: &[&str]) -> Vec<&str> {
        let names = self.heard.iter().filter_map(|message| message["target"].as_str());
        names.filter(|name| !without.contains(name)).collect()
    }

    pub fn seqs(&self) -> Vec<u64> {
        self.all("ReceiveChange").iter().map(|arguments| arguments[0]["seq"].as_u64().unwrap()).collect()
    }
}

/// What a route answered.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Asks with the token.
pub async fn ask(port: u16, method: &str, path: &str, body: Option<&Value>) -> Answer {
    let (kind, body) = match body {
        Some(body) => ("Content-Type: application/json\r\n", body.to_string()),
        None => ("", String::new()),
    };
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost:{port}\r\nAuthorization: Bearer {TOKEN}\r\n{kind}Content-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    raw(port, &[head.as_bytes(), body.as_bytes()].concat()).await
}

/// Sends bytes and reads an answer.
pub async fn raw(port: u16, bytes: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut text = Vec::new();
    timeout(PATIENCE, stream.read_to_end(&mut text)).await.expect("an answer").unwrap();
    let text = String::from_utf8_lossy(&text).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    Answer { status, head: head.to_lowercase(), body: body.to_owned() }
}
