//! One client of the hub, from its handshake to its end. Start at [`serve`].
//!
//! One task reads and writes: what a client gets waits in its [`Outbox`], never in whoever tells it.

use crate::frame::{self, Close, ComeBack, Message, Messages, Text};
use crate::lobby::Lobby;
use crate::methods::{self, Client, Step};
use crate::outbox::{Next, Outbox};
use crate::socket::{Received, Socket};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

/// Times and sizes of a connection. Tests have shorter ones.
#[derive(Debug, Clone)]
pub struct Limits {
    /// How long a client may take to say who it is.
    pub handshake: Duration,
    /// How long a client may be silent.
    pub silence: Duration,
    /// How often the server says that it is still there.
    pub ping: Duration,
    /// How long a client may take to read what it is sent.
    pub reading: Duration,
    /// Methods that one client may have under way.
    pub methods: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            handshake: Duration::from_secs(15),
            silence: Duration::from_secs(30),
            ping: Duration::from_secs(10),
            reading: Duration::from_secs(20),
            methods: 256,
        }
    }
}

/// A message of the hub may be this large.
pub const LARGEST: usize = 1 << 20;
/// How long a client that is given up may take to read why.
const PARTING: Duration = Duration::from_secs(1);

struct Connection {
    socket: Socket,
    client: Client,
    limits: Limits,
    calls: JoinSet<()>,
    received: Messages,
    shaken: bool,
    heard: Instant,
}

/// Talks to one client until it or the server has enough.
pub async fn serve(socket: Socket, lobby: Lobby, limits: Limits) {
    let client = Client::new(lobby, Arc::new(Outbox::default()));
    let (received, heard) = (Messages::default(), Instant::now());
    let mut connection =
        Connection { socket, client, limits, calls: JoinSet::new(), received, shaken: false, heard };
    let end = connection.talk().await;
    connection.client.part();
    connection.calls.abort_all();
    match end {
        Some(why) => connection.part(&why).await,
        None => connection.socket.close("").await,
    }
}

impl Connection {
    /// Reads and writes until there is a reason to end; `None` when the client is gone.
    async fn talk(&mut self) -> Option<Close> {
        let outbox = self.client.outbox.clone();
        let mut pings = tokio::time::interval(self.limits.ping);
        pings.tick().await;
        loop {
            let patience = if self.shaken { self.limits.silence } else { self.limits.handshake };
            tokio::select! {
                received = self.socket.receive() => match received {
                    Received::Text(text) => {
                        if let Err(why) = self.hear(&text).await {
                            return why;
                        }
                    }
                    Received::Nothing => {}
                    Received::TooLarge => return Some(refused(too_large())),
                    Received::Gone => return None,
                },
                next = outbox.next() => match next {
                    Next::Texts(texts) => self.send(texts, &outbox).await?,
                    Next::End(why) => return Some(why),
                },
                _ = pings.tick(), if self.shaken => self.send(vec![frame::ping()], &outbox).await?,
                () = tokio::time::sleep_until(self.heard + patience) => return Some(self.silent()),
                Some(_) = self.calls.join_next() => {}
            }
        }
    }

    /// Sends texts; gives up on a client that does not read. `None` when it is gone.
    async fn send(&mut self, texts: Vec<Text>, outbox: &Outbox) -> Option<()> {
        let sent = self.socket.send(texts);
        let lagging = async {
            outbox.given_up().await;
            tokio::time::sleep(PARTING).await;
        };
        tokio::select! {
            sent = sent => sent.ok(),
            () = lagging => None,
            () = tokio::time::sleep(self.limits.reading) => None,
        }
    }

    /// Takes what a client sent.
    async fn hear(&mut self, text: &str) -> Result<(), Option<Close>> {
        self.received.push(text);
        while let Some(message) = self.received.take() {
            self.heard = Instant::now();
            if self.shaken { self.take(&message).await? } else { self.shake(&message).await? }
        }
        if self.received.waiting() > LARGEST {
            return Err(Some(refused(too_large())));
        }
        Ok(())
    }

    async fn shake(&mut self, message: &str) -> Result<(), Option<Close>> {
        let result = frame::parse_handshake(message);
        self.shaken = result.is_ok();
        let outbox = self.client.outbox.clone();
        self.send(vec![frame::shake(result)], &outbox).await.ok_or(None)?;
        if self.shaken { Ok(()) } else { Err(None) }
    }

    async fn take(&mut self, message: &str) -> Result<(), Option<Close>> {
        match frame::parse(message).map_err(|error| Some(refused(error.to_string())))? {
            Message::Invocation { id, target, arguments } => self.invoke(id, target, arguments).await,
            Message::StreamInvocation { id: Some(id), target, .. } => {
                let answer = Err(format!("There is no streaming method {target:?}."));
                self.client.outbox.push(frame::complete(&id, &answer));
            }
            Message::Close => return Err(None),
            _ => {}
        }
        Ok(())
    }

    async fn invoke(&mut self, id: Option<String>, target: String, arguments: Vec<serde_json::Value>) {
        let busy = self.calls.len() >= self.limits.methods;
        let step = match busy {
            true => Step::Done(Err("Too many methods are under way on this connection.".to_owned())),
            false => methods::begin(&self.client, &target, arguments).await,
        };
        let outbox = self.client.outbox.clone();
        let complete = move |answer| {
            if let Some(id) = &id {
                outbox.push(frame::complete(id, &answer));
            }
        };
        match step {
            Step::Done(answer) => complete(answer),
            Step::Waits(wait) => {
                self.calls.spawn(async move { complete(wait.await) });
            }
        }
    }

    fn silent(&self) -> Close {
        let error = format!("Nothing was heard for {} seconds.", self.limits.silence.as_secs());
        Close { error: Some(error), come_back: ComeBack::Yes }
    }

    /// Says why, then closes.
    async fn part(&mut self, why: &Close) {
        let _ = timeout(PARTING, self.socket.send(vec![frame::close(why)])).await;
        self.socket.close(why.error.as_deref().unwrap_or_default()).await;
    }
}

fn refused(error: String) -> Close {
    Close { error: Some(error), come_back: ComeBack::No }
}

fn too_large() -> String {
    format!("A message may be {LARGEST} bytes long at most.")
}
