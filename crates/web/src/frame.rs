//! Messages of the hub: SignalR's JSON protocol as pure text. Start at [`parse`]; [`call`] and its neighbours print.
//!
//! Nothing here reads a socket. A message is one JSON object; on the wire each is followed by [`END`].

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio_tungstenite::tungstenite::Utf8Bytes;

/// A printed message with its end mark. Cheap to clone, so that one text serves every client.
pub type Text = Utf8Bytes;

/// Follows every message.
pub const END: char = '\u{1e}';

/// What a client may say.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Invocation {
        /// Without one the client wants no completion.
        id: Option<String>,
        target: String,
        arguments: Vec<Value>,
    },
    StreamItem {
        id: String,
    },
    Completion {
        id: String,
    },
    StreamInvocation {
        id: Option<String>,
        target: String,
        arguments: Vec<Value>,
    },
    CancelInvocation {
        id: String,
    },
    Ping,
    Close,
    Ack,
    Sequence,
    /// Of a type that came after this program.
    Unknown,
}

/// Why a text is no message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    #[error("a hub message must be JSON: {0}")]
    Json(String),
    #[error("a hub message must be a JSON object")]
    NoObject,
    #[error("a hub message needs the property '{0}'")]
    Missing(&'static str),
    #[error("the property '{0}' of a hub message must be {1}")]
    Type(&'static str, &'static str),
    #[error("'error' and 'result' exclude each other")]
    Both,
}

/// Takes what a client sends apart; a message may begin in one piece and end in another.
///
/// The work is linear in the bytes: no byte is searched twice for an end mark, and what follows a message is moved once
/// for a piece, not once for each message in it.
#[derive(Debug, Default)]
pub struct Messages {
    text: String,
    /// How much of the text was handed out.
    taken: usize,
    /// How much of it is known to hold no further end mark.
    searched: usize,
}

impl Messages {
    pub fn push(&mut self, piece: &str) {
        self.text.drain(..self.taken);
        self.searched -= self.taken;
        self.taken = 0;
        self.text.push_str(piece);
    }

    /// The next whole message without its end mark.
    pub fn take(&mut self) -> Option<String> {
        let Some(end) = self.text[self.searched..].find(END) else {
            self.searched = self.text.len();
            return None;
        };
        let message = self.text[self.taken..self.searched + end].to_owned();
        self.searched += end + END.len_utf8();
        self.taken = self.searched;
        Some(message)
    }

    /// The bytes of a message that has not ended yet.
    pub fn waiting(&self) -> usize {
        self.text.len() - self.taken
    }
}

/// Whether a handshake can be accepted; an `Err` is what to tell the client.
pub fn parse_handshake(text: &str) -> Result<(), String> {
    let asked: Value =
        serde_json::from_str(text).map_err(|error| format!("The handshake must be JSON: {error}."))?;
    match (asked.get("protocol").and_then(Value::as_str), asked.get("version").and_then(Value::as_u64)) {
        (Some("json"), Some(1)) => Ok(()),
        (Some("json"), Some(version)) => {
            Err(format!("Version {version} of the protocol 'json' is not supported."))
        }
        (Some(other), _) => {
            Err(format!("The protocol '{}' is not supported.", other.chars().take(40).collect::<String>()))
        }
        _ => Err("The handshake must name a protocol and a version.".to_owned()),
    }
}

pub fn parse(text: &str) -> Result<Message, Malformed> {
    let fields = match serde_json::from_str(text).map_err(|error| Malformed::Json(error.to_string()))? {
        Value::Object(fields) => fields,
        _ => return Err(Malformed::NoObject),
    };
    let kind = fields.get("type").ok_or(Malformed::Missing("type"))?;
    let kind = kind.as_number().ok_or(Malformed::Type("type", "a number"))?;
    check_headers(&fields)?;
    Ok(match kind.as_u64().unwrap_or_default() {
        1 => {
            let (id, target, arguments) = invocation(fields)?;
            Message::Invocation { id, target, arguments }
        }
        2 => {
            let id = needed_id(&fields)?;
            fields.get("item").ok_or(Malformed::Missing("item"))?;
            Message::StreamItem { id }
        }
        3 => Message::Completion { id: completion(&fields)? },
        4 => {
            let (id, target, arguments) = invocation(fields)?;
            Message::StreamInvocation { id, target, arguments }
        }
        5 => Message::CancelInvocation { id: needed_id(&fields)? },
        6 => Message::Ping,
        7 => {
            text_field(&fields, "error")?;
            Message::Close
        }
        8 => sequence(&fields, Message::Ack)?,
        9 => sequence(&fields, Message::Sequence)?,
        _ => Message::Unknown,
    })
}

/// The arguments of an invocation as what a method takes: a tuple of its parameters.
pub fn bind<T: DeserializeOwned>(arguments: Vec<Value>) -> Result<T, String> {
    serde_json::from_value(Value::Array(arguments)).map_err(|error| error.to_string())
}

/// Calls a method of the client. `arguments` must print as an array.
pub fn call(target: &str, arguments: &impl Serialize) -> Text {
    #[derive(Serialize)]
    struct Printed<'a, A> {
        r#type: u8,
        target: &'a str,
        arguments: &'a A,
    }
    print(&Printed { r#type: 1, target, arguments })
}

/// Ends an invocation, well or not.
pub fn complete(id: &str, result: &Result<Value, String>) -> Text {
    let mut fields = serde_json::json!({ "type": 3, "invocationId": id });
    match result {
        Ok(Value::Null) => {}
        Ok(result) => fields["result"] = result.clone(),
        Err(error) => fields["error"] = Value::from(error.as_str()),
    }
    print(&fields)
}

pub fn ping() -> Text {
    print(&serde_json::json!({ "type": 6 }))
}

/// Ends the connection; the client may come back if that can help.
pub fn close(why: &Close) -> Text {
    let mut fields = serde_json::json!({ "type": 7 });
    if let Some(error) = &why.error {
        fields["error"] = Value::from(error.as_str());
    }
    if why.come_back == ComeBack::Yes {
        fields["allowReconnect"] = Value::from(true);
    }
    print(&fields)
}

/// Answers the handshake.
pub fn shake(result: Result<(), String>) -> Text {
    match result {
        Ok(()) => print(&serde_json::json!({})),
        Err(error) => print(&serde_json::json!({ "error": error })),
    }
}

/// Why the server ends a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Close {
    pub error: Option<String>,
    pub come_back: ComeBack,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComeBack {
    Yes,
    No,
}

fn print(fields: &impl Serialize) -> Text {
    let mut text = serde_json::to_string(fields).expect("messages have only string keys and finite numbers");
    text.push(END);
    text.into()
}

type Invocation = (Option<String>, String, Vec<Value>);

fn invocation(mut fields: Map<String, Value>) -> Result<Invocation, Malformed> {
    let id = text_field(&fields, "invocationId")?;
    let target = text_field(&fields, "target")?.ok_or(Malformed::Missing("target"))?;
    match fields.remove("arguments") {
        Some(Value::Array(arguments)) => Ok((id, target, arguments)),
        Some(_) => Err(Malformed::Type("arguments", "an array")),
        None => Err(Malformed::Missing("arguments")),
    }
}

fn completion(fields: &Map<String, Value>) -> Result<String, Malformed> {
    let id = needed_id(fields)?;
    if text_field(fields, "error")?.is_some() && fields.contains_key("result") {
        return Err(Malformed::Both);
    }
    Ok(id)
}

fn sequence(fields: &Map<String, Value>, message: Message) -> Result<Message, Malformed> {
    let number = fields.get("sequenceId").ok_or(Malformed::Missing("sequenceId"))?;
    if number.is_i64() || number.is_u64() {
        Ok(message)
    } else {
        Err(Malformed::Type("sequenceId", "a number"))
    }
}

fn needed_id(fields: &Map<String, Value>) -> Result<String, Malformed> {
    text_field(fields, "invocationId")?.ok_or(Malformed::Missing("invocationId"))
}

fn text_field(fields: &Map<String, Value>, name: &'static str) -> Result<Option<String>, Malformed> {
    match fields.get(name) {
        None => Ok(None),
        Some(Value::Null) if name != "target" => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(Malformed::Type(name, "a string")),
    }
}

fn check_headers(fields: &Map<String, Value>) -> Result<(), Malformed> {
    match fields.get("headers") {
        None | Some(Value::Null) => Ok(()),
        Some(Value::Object(headers)) if headers.values().all(Value::is_string) => Ok(()),
        Some(_) => Err(Malformed::Type("headers", "an object of strings")),
    }
}

#[cfg(test)]
mod tests;
