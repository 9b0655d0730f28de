//! The web door of the built binary: how it starts, what it prints, how it ends. What it says to clients is tested in
//! its own crate.

use super::*;
use kit::{Address, Outcome, Running};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;

/// A running server with its address taken apart.
struct Served {
    running: Running,
    port: u16,
    token: String,
}

fn serve(cinque: &Cinque, arguments: &[&str]) -> Served {
    let running = cinque.command(arguments.iter().copied().chain(["--port", "0"])).spawn();
    running.wait_for_stdout("\n");
    let Address { port, token } = Address::read(&running.stdout()).expect("an address with a token");
    Served { running, port, token }
}

impl Served {
    fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let Served { port, token, .. } = self;
        let mut stream = TcpStream::connect(("127.0.0.1", *port)).unwrap();
        let length = body.len();
        let kind = if body.is_empty() { "" } else { "Content-Type: application/json\r\n" };
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: localhost:{port}\r\nAuthorization: Bearer {token}\r\n{kind}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let status = text.split(' ').nth(1).unwrap().parse().unwrap();
        (status, text.split_once("\r\n\r\n").unwrap().1.to_owned())
    }

    fn json(&self, path: &str) -> Value {
        let (status, body) = self.ask("GET", path, "");
        assert_eq!(status, 200, "{body}");
        kit::serde_json::from_str(&body).unwrap()
    }

    fn stop(self) -> Outcome {
        self.running.signal(kit::Signal::TERM);
        self.running.wait()
    }
}

#[test]
fn it_starts_without_a_provider_and_says_what_is_missing() {
    let work = Scratch::new();
    let served = serve(&alone(&work), &["serve"]);
    let setup = served.json("/api/setup");
    assert!(setup["missing"]["hint"].as_str().is_some_and(|hint| hint.contains("OPENAI_API_KEY")), "{setup}");
    assert_eq!(served.json("/api/conversations"), json!([]));
    assert!(work.exists(".cinque/app.db") && work.read(".cinque/.gitignore").contains('*'));
    served.stop().assert_code(0);
}

#[test]
fn the_token_stays_the_same_and_is_its_owners_alone() {
    let work = Scratch::new();
    let cinque = alone(&work);
    let first = serve(&cinque, &["web", "--no-open"]);
    let second = serve(&cinque, &["run", "--no-open"]);
    assert_eq!(first.token, second.token, "two servers of one folder");
    assert!(first.token.len() >= 20);
    assert_eq!(work.read(".cinque/token").trim(), first.token);
    let mode = std::fs::metadata(work.join(".cinque/token")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let token = first.token.clone();
    first.stop().assert_code(0);
    second.stop().assert_code(0);
    assert_eq!(serve(&cinque, &["serve"]).token, token);
}

#[test]
fn a_taken_port_and_a_missing_folder_are_told() {
    let work = Scratch::new();
    let cinque = alone(&work);
    let served = serve(&cinque, &["serve"]);
    let taken = cinque.command(["serve", "--port", &served.port.to_string()]).run();
    assert!(taken.assert_code(1).stderr.contains("is taken"), "{}", taken.stderr);
    assert!(taken.stderr.contains("--port"), "{}", taken.stderr);
    let missing = cinque.command(["serve", "--target-directory", "nowhere"]).run();
    missing.assert_code(2);
    let told = "The specified target directory 'nowhere' does not exist.";
    assert!(missing.stderr.contains(told), "{}", missing.stderr);
    let other = Scratch::new();
    let folder = other.path().display().to_string();
    let elsewhere = serve(&cinque, &["serve", "--target-directory", &folder]);
    assert!(
        elsewhere.json("/api/setup")["directory"]
            .as_str()
            .unwrap()
            .ends_with(other.path().file_name().unwrap().to_str().unwrap())
    );
}

#[test]
fn other_machines_are_let_in_only_with_a_warning() {
    let work = Scratch::new();
    let cinque = alone(&work);
    let open = serve(&cinque, &["serve", "--host", "0.0.0.0"]);
    let ended = open.stop();
    assert!(ended.stderr.contains("warning: other machines"), "{}", ended.stderr);
    let own = serve(&cinque, &["serve"]).stop();
    assert!(!own.stderr.contains("warning"), "{}", own.stderr);
}

#[test]
fn the_demo_mends_its_own_copy() {
    let work = Scratch::new();
    let cinque = alone(&work);
    cinque.home().directory(".tmp");
    let served = serve(&cinque, &["serve"]);
    let (status, body) = served.ask("POST", "/api/demo", "");
    assert_eq!(status, 200, "{body}");
    let begun: Value = kit::serde_json::from_str(&body).unwrap();
    let id = begun["id"].as_str().unwrap();
    let events = format!("/api/conversations/{id}/events");
    let opened = served.json(&events)[0]["event"]["directory"].as_str().unwrap().to_owned();
    assert!(opened.contains("cinque-demo-") && std::path::Path::new(&opened).join("roman.sh").exists());
    served.stop().assert_code(0);
    cinque.command(["exec", "--resume", id, "--approve", "auto"]).run().assert_code(0);
    let here = cinque.command(["undo", "--dry-run"]).run();
    assert!(here.assert_code(0).stderr.contains("there is nothing to put back"), "{}", here.stderr);
    let there = cinque.command(["undo", "--dry-run", id]).run();
    assert!(there.assert_code(0).stdout.contains("roman.sh"), "{}", there.stdout);
    std::fs::remove_dir_all(opened).unwrap();
}
