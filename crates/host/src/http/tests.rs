//! The client against a server of a few lines: connections used again, given up, dead, slow.

use super::*;
use hyper::Method;
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

/// What the server does with one request.
pub(crate) struct Turn {
    pub(crate) write: Vec<Vec<u8>>,
    pub(crate) then: Then,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Then {
    Keep,
    Close,
    /// Leaves the connection open and says nothing more.
    Hold,
    /// Sends comments for as long as anybody listens, with a pause after each.
    Chatter(Duration),
    /// Sends these bytes again and again for as long as anybody listens.
    Flood(&'static str),
}

/// A request as the server read it.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) connection: usize,
    pub(crate) head: String,
    pub(crate) body: String,
}

/// A server that plays turns, one a request, on real sockets. A client may open a second connection before it can use the
/// first again, so each is served by a thread of its own.
pub(crate) struct Server {
    pub(crate) port: u16,
    heard: Receiver<Heard>,
    /// Held connections stay open as long as the server does.
    _held: Held,
}

type Held = Arc<Mutex<Vec<TcpStream>>>;

impl Turn {
    pub(crate) fn new(write: impl AsRef<[u8]>, then: Then) -> Turn {
        Turn { write: vec![write.as_ref().to_vec()], then }
    }
}

impl Server {
    pub(crate) fn play(turns: Vec<Turn>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, heard) = channel();
        let held = Held::default();
        let kept = held.clone();
        let turns = Arc::new(Mutex::new(VecDeque::from(turns)));
        std::thread::spawn(move || {
            for connection in 1.. {
                let Ok((stream, _)) = listener.accept() else { return };
                let (turns, sender, held) = (turns.clone(), sender.clone(), held.clone());
                std::thread::spawn(move || serve(connection, stream, &turns, &sender, &held));
            }
        });
        Server { port, heard, _held: kept }
    }

    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    pub(crate) fn heard(&self) -> Heard {
        self.heard.recv_timeout(Duration::from_secs(5)).unwrap()
    }
}

fn serve(
    connection: usize,
    mut stream: TcpStream,
    turns: &Mutex<VecDeque<Turn>>,
    heard: &Sender<Heard>,
    held: &Mutex<Vec<TcpStream>>,
) {
    while let Some((head, body)) = read(&mut stream) {
        let Some(turn) = turns.lock().unwrap().pop_front() else { return };
        let _ = heard.send(Heard { connection, head, body });
        for piece in &turn.write {
            let _ = stream.write_all(piece);
        }
        match turn.then {
            Then::Keep => {}
            Then::Close => return,
            Then::Chatter(pause) => {
                while stream.write_all(b"9\r\n: alive\n\n\r\n").is_ok() {
                    #[expect(clippy::disallowed_methods, reason = "a slow server is what is tested")]
                    std::thread::sleep(pause);
                }
                return;
            }
            Then::Flood(bytes) => {
                let bytes = bytes.repeat(1 << 16);
                while stream.write_all(bytes.as_bytes()).is_ok() {}
                return;
            }
            Then::Hold => return held.lock().unwrap().push(stream),
        }
    }
}

fn read(stream: &mut TcpStream) -> Option<(String, String)> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let length =
        head.lines().find_map(|line| line.strip_prefix("content-length: ")).map_or(0, |n| n.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some((head, String::from_utf8(body).unwrap()))
}

pub(crate) fn answer(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn post(path: &str, segments: &[&'static str]) -> Request<Payload> {
    let body = segments.iter().map(|segment| Bytes::from_static(segment.as_bytes())).collect();
    Request::builder().method(Method::POST).uri(path).body(body).unwrap()
}

async fn exchange(client: &Client, text: &'static str) -> String {
    let mut response = client.send(post(&client.address().join("/x"), &[text])).await.unwrap();
    String::from_utf8(response.text(1000).await.unwrap()).unwrap()
}

fn client(server: &Server, settings: Settings) -> Client {
    Client::new(Address::parse(&server.address()).unwrap(), settings)
}

#[test]
fn a_connection_is_used_again() {
    let turns = ["one", "two", "three"].map(|body| Turn::new(answer(body), Then::Keep));
    let server = Server::play(turns.into());
    run(async {
        let client = client(&server, Settings::default());
        assert_eq!(exchange(&client, "a").await, "one");
        assert_eq!(exchange(&client, "b").await, "two");
        assert_eq!(exchange(&client, "c").await, "three");
    });
    for body in ["a", "b", "c"] {
        let heard = server.heard();
        assert_eq!((heard.connection, heard.body.as_str()), (1, body));
        assert!(heard.head.starts_with("POST /v1/x HTTP/1.1\r\n"), "{}", heard.head);
        assert!(heard.head.contains(&format!("host: 127.0.0.1:{}\r\n", server.port)), "{}", heard.head);
        assert!(heard.head.contains("content-length: 1\r\n"), "{}", heard.head);
    }
}

#[test]
fn an_answer_that_is_given_up_is_not_waited_for() {
    let half = Turn::new("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", Then::Hold);
    let server = Server::play(vec![half, Turn::new(answer("two"), Then::Keep)]);
    run(async {
        let client = client(&server, Settings::default());
        let mut response = client.send(post("/x", &["a"])).await.unwrap();
        assert_eq!(response.chunk().await.unwrap().unwrap(), "half");
        drop(response);
        assert_eq!(exchange(&client, "b").await, "two");
    });
    assert_eq!((server.heard().connection, server.heard().connection), (1, 2));
}

#[test]
fn a_dead_connection_is_replaced_once() {
    // The second request is read and never answered: only then is it seen that the connection is dead.
    let turns = vec![
        Turn::new(answer("one"), Then::Keep),
        Turn { write: vec![], then: Then::Close },
        Turn::new(answer("two"), Then::Close),
        Turn { write: vec![], then: Then::Close },
    ];
    let server = Server::play(turns);
    run(async {
        let client = client(&server, Settings::default());
        assert_eq!(exchange(&client, "a").await, "one");
        assert_eq!(exchange(&client, "b").await, "two");
        let error = client.send(post("/x", &["c"])).await.unwrap_err();
        assert!(
            matches!(error, Error::Cut { .. }),
            "a fresh connection that dies is not replaced: {error:?}"
        );
    });
    let connections: Vec<usize> = (0..4).map(|_| server.heard().connection).collect();
    assert_eq!(connections, [1, 1, 2, 3]);
}

#[test]
fn segments_are_one_body() {
    let server = Server::play(vec![Turn::new(answer("ok"), Then::Close)]);
    run(async {
        let sent = client(&server, Settings::default()).send(post("/x", &["ab", "", "c", "def"])).await;
        assert_eq!(sent.unwrap().status, 200);
    });
    assert_eq!(server.heard().body, "abcdef");
}

#[test]
fn silence_ends_the_wait_before_and_within_an_answer() {
    for write in ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"] {
        let server = Server::play(vec![Turn::new(write, Then::Hold)]);
        let settings = Settings { idle_limit: Duration::from_millis(40), ..Settings::default() };
        let error = run(async {
            match client(&server, settings).send(post("/x", &["a"])).await {
                Ok(mut response) => response.text(100).await.unwrap_err(),
                Err(error) => error,
            }
        });
        assert!(matches!(error, Error::Silence { .. }), "{write:?}: {error:?}");
    }
}

#[test]
fn very_much_of_nothing_is_silence() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let server = Server::play(vec![Turn::new(head, Then::Flood("0"))]);
    let settings = Settings { idle_limit: Duration::from_millis(40), ..Settings::default() };
    let error = run(async {
        let mut response = client(&server, settings).send(post("/x", &["a"])).await.unwrap();
        response.text(100).await.unwrap_err()
    });
    assert!(matches!(error, Error::Silence { .. }), "{error:?}");
}

#[test]
fn endless_heads_are_refused() {
    let head = format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "x".repeat(1 << 20));
    let server = Server::play(vec![Turn::new(head, Then::Close)]);
    let error =
        run(async { client(&server, Settings::default()).send(post("/x", &["a"])).await.unwrap_err() });
    assert!(matches!(error, Error::NotHttp { .. }), "{error:?}");
}

#[test]
fn nobody_there() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    for host in ["127.0.0.1", "localhost"] {
        let address = Address::parse(&format!("http://{host}:{port}")).unwrap();
        let error = run(async {
            Client::new(address, Settings::default()).send(post("/x", &["a"])).await.unwrap_err()
        });
        assert!(matches!(error, Error::Refused { .. }), "{error:?}");
    }
}

#[test]
fn a_plain_server_is_told_from_a_secure_one() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let plain = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 1000]);
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
    });
    let address = Address::parse(&format!("https://127.0.0.1:{port}")).unwrap();
    let error =
        run(async { Client::new(address, Settings::default()).send(post("/x", &["a"])).await.unwrap_err() });
    assert!(matches!(error, Error::Handshake { cause: Handshake::NotTls, .. }), "{error:?}");
    plain.join().unwrap();
}

#[test]
fn certificates_that_are_named_must_be_there() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("https://127.0.0.1:{}", listener.local_addr().unwrap().port());
    let settings = Settings { tls: Tls::new(Some("/nowhere/roots.pem".into()), None), ..Settings::default() };
    let client = Client::new(Address::parse(&address).unwrap(), settings);
    let error = run(async { client.send(post("/x", &["a"])).await.unwrap_err() });
    assert!(matches!(error, Error::Roots(_)), "{error:?}");
}

fn proxied(server: &Server, target: &str, person: &str) -> Client {
    let proxy = format!("http://{person}127.0.0.1:{}", server.port);
    let proxies = Proxies::resolve(|name| (name == "ALL_PROXY").then(|| proxy.clone()));
    Client::new(Address::parse(target).unwrap(), Settings { proxies, ..Settings::default() })
}

#[test]
fn a_proxy_passes_plain_requests_on() {
    let server = Server::play(vec![Turn::new(answer("ok"), Then::Close)]);
    run(async {
        let client = proxied(&server, "http://models.example/v1", "me:p%40ss@");
        assert_eq!(exchange(&client, "a").await, "ok");
    });
    let heard = server.heard();
    assert!(heard.head.starts_with("POST http://models.example/v1/x HTTP/1.1\r\n"), "{}", heard.head);
    assert!(heard.head.contains("host: models.example\r\n"), "{}", heard.head);
    assert!(heard.head.contains("proxy-authorization: Basic bWU6cEBzcw==\r\n"), "{}", heard.head);
}

#[test]
fn a_proxy_is_asked_for_a_tunnel() {
    for (reply, expected) in [
        ("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "wants a user name"),
        ("HTTP/1.1 502 Bad Gateway\r\n\r\n", "does not connect to models.example:443: HTTP/1.1 502"),
        ("HTTP/1.1 200 OK\r\n\r\n", "no secure connection"),
    ] {
        let server = Server::play(vec![Turn::new(reply, Then::Close)]);
        let client = proxied(&server, "https://models.example/v1", "");
        let error = run(async { client.send(post("/x", &["a"])).await.unwrap_err() });
        assert!(error.to_string().contains(expected), "{error}");
        assert!(
            server
                .heard()
                .head
                .starts_with("CONNECT models.example:443 HTTP/1.1\r\nHost: models.example:443\r\n")
        );
    }
}

#[test]
fn which_proxy() {
    fn check(target: &str, variables: &[(&str, &str)], expected: Option<&str>) {
        let proxies = Proxies::resolve(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        });
        let chosen = match proxies.choose(&Address::parse(target).unwrap()) {
            Ok(proxy) => proxy.map(|proxy| proxy.address.host_and_port()),
            Err(error) => Some(error.to_string()),
        };
        assert_eq!(chosen.as_deref(), expected, "{target} {variables:?}");
    }
    let both = [("HTTPS_PROXY", "http://s:1"), ("http_proxy", "p:2"), ("ALL_PROXY", "http://a:3")];
    check("https://x.example", &both, Some("s:1"));
    check("http://x.example", &both, Some("p:2"));
    check("http://x.example", &[("all_proxy", "http://a/")], Some("a:80"));
    check("http://x.example", &[("HTTP_PROXY", " ")], None);
    for local in ["http://localhost:1", "http://127.0.0.2", "http://[::1]:8080", "http://a.localhost"] {
        check(local, &both, None);
    }
    let except = |rules| [("ALL_PROXY", "http://a:3"), ("NO_PROXY", rules)];
    for (target, rules, direct) in [
        ("https://x.example", "*", true),
        ("https://x.example", "example", true),
        ("https://x.example", "y.example, .example", true),
        ("https://x.example", "*.example", true),
        ("https://ax.example", "x.example", false),
        ("https://x.example", "x.example:443", true),
        ("https://x.example", "x.example:80", false),
        ("http://10.1.2.3", "10.0.0.0/8", true),
        ("http://11.1.2.3", "10.0.0.0/8", false),
        ("http://11.1.2.3", "0.0.0.0/0", true),
        ("http://10.1.2.3", "10.1.2.3", true),
        ("http://[fd00::1]", "fd00::/8", true),
    ] {
        check(target, &except(rules), if direct { None } else { Some("a:3") });
    }
    let socks = [("ALL_PROXY", "socks5://me:secret@s:1")];
    check(
        "http://x.example",
        &socks,
        Some("the proxy s:1 cannot be used: only proxies with an http:// address are supported"),
    );
}

#[test]
fn addresses() {
    fn check(text: &str, expected: Result<(&str, &str), BadAddress>) {
        let address = Address::parse(text);
        let shown = address.map(|address| (address.to_string(), address.join("/x")));
        let expected = expected.map(|(address, path)| (address.to_owned(), path.to_owned()));
        assert_eq!(shown, expected, "{text}");
    }
    check("https://Api.Example.com/v1/", Ok(("https://api.example.com/v1", "/v1/x")));
    check(" http://localhost:11434 ", Ok(("http://localhost:11434", "/x")));
    check("http://[::1]:8080/v1", Ok(("http://[::1]:8080/v1", "/v1/x")));
    check("https://a.example:443/p?api-version=1#top", Ok(("https://a.example/p", "/p/x?api-version=1")));
    check("localhost:11434", Err(BadAddress::NoScheme));
    check("ftp://a.example", Err(BadAddress::Scheme("ftp".to_owned())));
    check("https://me:secret@a.example", Err(BadAddress::Password));
    assert!(Address::parse("https://").is_err());
    assert!(Address::parse("https:///v1").is_err());
    assert!(Address::parse("https://a b/").is_err());
}
