//! A reply to one request, as the steps that a connection carries out.
//!
//! Start from [`plan`]. It is a pure function of reply and request: all faults are decided here,
//! in bytes, and the connection only writes, waits and closes.

#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::delivery::{Delivery, Gate, Length, Point, Split, Stop, Style};
use crate::reply::{Content, Reply};
use crate::request::Request;
use crate::shape::{Asked, Frame, Mark, Wire};

/// What a connection does next. After the last step it is kept for the next request, unless that
/// step is a stop.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Write(Vec<u8>),
    Pause(Duration),
    Hold(Gate),
    Stop(Stop),
}

/// The steps that answer `request` with `reply`.
pub(crate) fn plan(reply: &Reply, request: &Request) -> Vec<Step> {
    let body = match render(reply, request) {
        Ok(body) => body,
        Err(refusal) => return plan(&refusal, request),
    };
    let chunked = match reply.delivery.length {
        Length::Natural => body.stream,
        Length::Chunked => true,
        Length::UntilClose => false,
    };
    let mut steps = Steps::new(&reply.delivery, &body);
    steps.at(Point::Start);
    steps.write(&head(reply, &body, chunked));
    steps.body(&body, chunked);
    steps.at(Point::Terminator);
    if chunked {
        steps.write(b"0\r\n\r\n");
    }
    steps.at(Point::End);
    if reply.delivery.length == Length::UntilClose {
        steps.stop(Stop::Close);
    }
    steps.done
}

/// The bytes of the body that answers `request` with `reply`.
pub(crate) fn body(reply: &Reply, request: &Request) -> Vec<u8> {
    match render(reply, request) {
        Ok(body) => body.bytes,
        Err(refusal) => body(&refusal, request),
    }
}

/// A rendered body: one buffer, and where its events end in it.
struct Body {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// Where the event with the finish reason begins.
    finish: Option<usize>,
    media: Option<&'static str>,
    stream: bool,
}

/// Renders the content, or says with another reply why this request cannot have it.
fn render(reply: &Reply, request: &Request) -> Result<Body, Box<Reply>> {
    let style = reply.delivery.style;
    match &reply.content {
        Content::Raw(bytes) => Ok(Body::plain(bytes.clone(), None)),
        Content::Events(data) => {
            let frames = data.iter().cloned().map(Frame::content).collect::<Vec<_>>();
            Ok(Body::stream(&frames, style))
        }
        Content::Message(message) => {
            let Some(wire) = Wire::of(&request.path) else {
                return Err(Box::new(Reply::unknown_path(&request.path)));
            };
            let asked = Asked::read(&request.body, request.number);
            if asked.stream {
                Ok(Body::stream(&wire.frames(message, &asked), style))
            } else {
                let bytes = wire.whole(message, &asked).into_bytes();
                Ok(Body::plain(bytes, Some("application/json")))
            }
        }
    }
}

impl Body {
    fn plain(bytes: Vec<u8>, media: Option<&'static str>) -> Self {
        Self { ends: vec![bytes.len()], bytes, finish: None, media, stream: false }
    }

    fn stream(frames: &[Frame], style: Style) -> Self {
        let line = if style.crlf { "\r\n" } else { "\n" };
        let field = if style.tight { "data:" } else { "data: " };
        let mut body = Self::plain(Vec::new(), Some("text/event-stream"));
        body.stream = true;
        body.ends.clear();
        if style.bom {
            body.bytes.extend_from_slice("\u{feff}".as_bytes());
        }
        for frame in frames {
            if style.without_done && frame.mark == Mark::Done {
                continue;
            }
            if style.pings {
                body.event([": ping", line, line]);
            }
            if frame.mark == Mark::Finish {
                body.finish.get_or_insert(body.bytes.len());
            }
            body.event([field, &frame.data, line, line]);
        }
        body
    }

    fn event<const N: usize>(&mut self, parts: [&str; N]) {
        for part in parts {
            self.bytes.extend_from_slice(part.as_bytes());
        }
        self.ends.push(self.bytes.len());
    }

    /// Where the body is split, its end included, in order.
    fn edges(&self, split: Split) -> Vec<usize> {
        let size = self.bytes.len();
        match split {
            Split::Events | Split::Writes => self.ends.clone(),
            Split::Every(count) => (0..size).step_by(count.max(1)).skip(1).chain([size]).collect(),
            Split::InsideCharacters => {
                let inside = self.bytes.windows(2).enumerate();
                let inside = inside.filter(|(_, pair)| pair[0] >= 0xc0 && pair[1] & 0xc0 == 0x80);
                let mut edges: Vec<_> = inside.map(|(at, _)| at + 1).collect();
                edges.extend(&self.ends);
                edges.sort_unstable();
                edges
            }
        }
    }

    /// The offset that a point means in this body; `None` for the points outside it.
    fn offset(&self, point: Point) -> Option<usize> {
        match point {
            Point::Body(offset) => Some(offset).filter(|offset| *offset < self.bytes.len()),
            Point::Finish => Some(self.finish.unwrap_or(self.bytes.len().saturating_sub(1))),
            Point::Start | Point::Terminator | Point::End => None,
        }
    }
}

/// Steps in the making. Bytes gather until something has to happen between them, so that a reply
/// without faults is one write.
struct Steps<'a> {
    delivery: &'a Delivery,
    hold: Option<(Place, Gate)>,
    stop: Option<(Place, Stop)>,
    done: Vec<Step>,
    stopped: bool,
}

/// A point, resolved for one body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Offset(usize),
    Outside(Point),
}

impl Place {
    fn of(point: Point, body: &Body) -> Self {
        match (body.offset(point), point) {
            (Some(offset), _) => Self::Offset(offset),
            (None, Point::Body(_)) => Self::Outside(Point::Terminator),
            (None, point) => Self::Outside(point),
        }
    }

    fn offset(self) -> Option<usize> {
        match self {
            Self::Offset(offset) => Some(offset),
            Self::Outside(_) => None,
        }
    }
}

impl<'a> Steps<'a> {
    fn new(delivery: &'a Delivery, body: &Body) -> Self {
        let hold = delivery.hold.clone();
        Self {
            delivery,
            hold: hold.map(|(point, gate)| (Place::of(point, body), gate)),
            stop: delivery.stop.map(|(point, stop)| (Place::of(point, body), stop)),
            done: Vec::new(),
            stopped: false,
        }
    }

    fn body(&mut self, body: &Body, chunked: bool) {
        let mut edges = body.edges(self.delivery.split);
        let holds = self.hold.as_ref().and_then(|(place, _)| place.offset());
        let stops = self.stop.and_then(|(place, _)| place.offset());
        edges.extend(holds.into_iter().chain(stops));
        edges.sort_unstable();
        edges.dedup();
        let mut from = 0;
        self.reach(Place::Offset(0));
        for to in edges {
            let piece = body.bytes.get(from..to).unwrap_or_default();
            if piece.is_empty() {
                continue;
            }
            self.piece(piece, chunked);
            self.reach(Place::Offset(to));
            from = to;
        }
    }

    fn piece(&mut self, piece: &[u8], chunked: bool) {
        if let Some(pause) = self.delivery.pause {
            self.push(Step::Pause(pause));
        } else if self.delivery.split != Split::Events {
            self.push(Step::Write(Vec::new()));
        }
        if chunked {
            self.write(format!("{:x}\r\n", piece.len()).as_bytes());
        }
        self.write(piece);
        if chunked {
            self.write(b"\r\n");
        }
    }

    fn at(&mut self, point: Point) {
        self.reach(Place::Outside(point));
    }

    fn reach(&mut self, place: Place) {
        if let Some((_, gate)) = self.hold.take_if(|(at, _)| *at == place) {
            self.push(Step::Hold(gate));
        }
        if let Some((_, stop)) = self.stop.take_if(|(at, _)| *at == place) {
            self.stop(stop);
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        match self.done.last_mut() {
            Some(Step::Write(gathered)) if !self.stopped => gathered.extend_from_slice(bytes),
            _ => self.push(Step::Write(bytes.to_vec())),
        }
    }

    fn stop(&mut self, stop: Stop) {
        self.push(Step::Stop(stop));
        self.stopped = true;
    }

    /// Adds a step; after a stop there are no others.
    fn push(&mut self, step: Step) {
        if !self.stopped {
            self.done.push(step);
        }
    }
}

fn head(reply: &Reply, body: &Body, chunked: bool) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {} {}\r\n", reply.status, reason(reply.status));
    let named = |name: &str| {
        let mut headers = reply.headers.iter();
        headers.any(|(have, _)| have.eq_ignore_ascii_case(name))
    };
    let mut add = |name: &str, value: &str| {
        head.push_str(name);
        head.push_str(": ");
        head.push_str(value);
        head.push_str("\r\n");
    };
    if let Some(media) = body.media.filter(|_| !named("content-type")) {
        add("content-type", media);
    }
    if chunked {
        add("transfer-encoding", "chunked");
    } else if reply.delivery.length == Length::UntilClose {
        add("connection", "close");
    } else if !named("content-length") {
        add("content-length", &body.bytes.len().to_string());
    }
    for (name, value) in &reply.headers {
        add(name, value);
    }
    head.push_str("\r\n");
    head.into_bytes()
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        529 => "Overloaded",
        _ => "Scripted",
    }
}
