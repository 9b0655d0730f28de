//! The clipboard of a real display, where one can be had: Xvfb and xclip.

use super::*;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

/// A display that nobody sees; it ends with this value.
struct Display {
    server: Child,
    name: String,
}

impl Display {
    /// `None` where what it takes is not installed.
    fn open() -> Option<Display> {
        let is_there = |program: &str| Command::new(program).arg("-version").output().is_ok();
        if !is_there("Xvfb") || !is_there("xclip") {
            println!("SKIPPED: Xvfb or xclip is missing, so the clipboard is not seen from outside");
            return None;
        }
        let mut command = Command::new("Xvfb");
        command.args(["-displayfd", "1", "-screen", "0", "64x64x8", "-nolisten", "tcp"]);
        let mut server = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut number = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut number).unwrap();
        Some(Display { server, name: format!(":{}", number.trim()) })
    }

    fn xclip(&self) -> Command {
        let mut command = Command::new("xclip");
        command.args(["-selection", "clipboard"]).env("DISPLAY", &self.name).stderr(Stdio::null());
        command
    }

    fn copied(&self) -> String {
        let mut child = self.xclip().arg("-out").stdout(Stdio::piped()).spawn().unwrap();
        let mut text = String::new();
        child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        child.wait().unwrap();
        text
    }

    fn copy(&self, text: &str) {
        let mut child = self.xclip().stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[test]
fn letters_travel_over_the_clipboard() {
    let Some(display) = Display::open() else { return };
    let work = Scratch::new();
    display.copy("[DONE]\nwas there before the letter\n[/DONE]\n");
    let running = alone(&work)
        .env("DISPLAY", display.name.as_str())
        .command(["mailbox", "new", "--copy", "--paste", "mend 'it' – now"])
        .spawn();
    running.wait_for_stdout("The outbox is on the clipboard.\n");
    let letter = display.copied();
    assert!(letter.starts_with("=== HEADER ===\n") && letter.contains("Task: mend 'it' – now\n"), "{letter}");
    display.copy("Just some words that somebody copied.");
    display.copy(&(create("made.txt", "früh 🙂") + &read("made.txt")));
    running.wait_for_stdout("seq0002.txt\n");
    running.wait_for_stdout("  [OK] READ_FILE: ");
    while !display.copied().contains("Sequence: 2\n") {
        std::thread::yield_now();
    }
    display.copy("```\n[DONE]\nall good\n[/DONE]\n```\n");
    let outcome = running.wait();
    assert!(outcome.assert_code(0).stdout.contains("Task complete!\nall good\n"), "{outcome:?}");
    assert_eq!(work.read("made.txt"), "früh 🙂\n");
}
