//! The figures of the terminal door: how fast it shows itself and a key, how much it writes, how much it keeps.
//! Start from [`first_frame`].

use std::time::Duration;

use kit::{Message, Reply, Script, Split};

use crate::process::Memory;
use crate::program::{Fault, Program};
use crate::rows;
use crate::samples::{median, milliseconds};

/// What stands before the input once the door is open.
const MARKER: &str = "❯";
const TOKENS: usize = 20_000;
/// Calls after which a conversation holds ten thousand messages: each is a text, a call and a result.
const CALLS: usize = 3_334;

pub fn first_frame(program: &Program) -> Result<f64, Fault> {
    let (window, _server) = program.window(Script::list([Reply::text("")]), &[])?;
    let shown = window.wait_for(MARKER, 0)?;
    Ok(milliseconds(shown - window.started))
}

/// A key pressed while twenty thousand tokens stream in.
pub fn key(program: &Program) -> Result<f64, Fault> {
    let reply = streamed().split(Split::Writes).slow(Duration::from_micros(50));
    let (mut window, _server) = program.window(Script::list([reply]), &[])?;
    window.wait_for(MARKER, 0)?;
    window.keys("go\r")?;
    window.wait_for("token", 0)?;
    let mut times = Vec::new();
    // Capitals: the reply has none, so one that is written is the key's.
    for key in "QXZJKVWBQXZJKVWBQXZJKVWB".chars() {
        let (from, pressed) = (window.written(), std::time::Instant::now());
        window.keys(&key.to_string())?;
        times.push(milliseconds(window.wait_for(&key.to_string(), from)? - pressed));
        settle(Duration::from_millis(20));
    }
    median(&times).ok_or(Fault::Senseless("no key was shown"))
}

/// Bytes written for each byte of a reply.
pub fn written(program: &Program) -> Result<f64, Fault> {
    let (mut window, _server) = program.window(Script::list([streamed()]), &[])?;
    window.wait_for(MARKER, 0)?;
    let before = window.written();
    window.keys("go\r")?;
    window.wait_for("the end of it", before)?;
    settle(Duration::from_millis(200));
    Ok((window.written() - before) as f64 / text().len() as f64)
}

/// Opening a conversation of ten thousand messages.
pub fn long_open(program: &Program) -> Result<f64, Fault> {
    let (shown, _) = long(program)?;
    Ok(shown)
}

pub fn long_memory(program: &Program) -> Result<f64, Fault> {
    let (_, memory) = long(program)?;
    Ok(memory)
}

fn long(program: &Program) -> Result<(f64, f64), Fault> {
    program.once(|| program.run(rows::calls(CALLS, Memory::Ignored)).map(drop))?;
    let (window, _server) = program.window(Script::list([Reply::text("")]), &["--continue"])?;
    let shown = window.wait_for(MARKER, 0)?;
    settle(Duration::from_millis(300));
    Ok((milliseconds(shown - window.started), window.memory()? as f64 / 1e6))
}

/// Lets what is under way come to rest: nothing tells when a screen is done.
#[expect(clippy::disallowed_methods, reason = "the absence of further bytes can only be waited for")]
fn settle(pause: Duration) {
    std::thread::sleep(pause);
}

/// Twenty thousand tokens in paragraphs, as models write.
fn streamed() -> Reply {
    Message::tokens(tokens()).reply()
}

fn tokens() -> Vec<String> {
    let token = |n: usize| if n % 80 == 79 { "last.\n\n".to_owned() } else { format!("token{} ", n % 10) };
    (0..TOKENS).map(token).chain(["the end of it".to_owned()]).collect()
}

fn text() -> String {
    tokens().concat()
}
