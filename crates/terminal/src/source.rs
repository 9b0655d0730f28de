//! What happens at the terminal, as events: bytes typed, another size, a wish to stop for a while. Start at [`Source`].
//!
//! A terminal can only be waited for by a thread of its own. The thread can be sent away and fetched back, so that an
//! editor gets every key that is meant for it.

use crate::Mode;
use crate::guard;
use crate::screen::Size;
use rustix::event::{PollFd, PollFlags, poll};
use std::io::{self, BufRead};
use std::os::fd::OwnedFd;
use std::thread::JoinHandle;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    Bytes(Vec<u8>),
    /// A line that was typed, in plain lines.
    Line(String),
    /// Ctrl+C, in plain lines; else it is a key.
    Interrupt,
    /// The window has another size.
    Resized(Size),
    /// Somebody wants the program to stop for a while.
    Suspend,
    /// The program was stopped and goes on.
    Resumed,
    /// The terminal is gone.
    Closed,
}

/// Pieces of typed text that may wait; whoever types faster is made to wait by the terminal.
const WAITING: usize = 64;
const PIECE: usize = 64 * 1024;

pub struct Source {
    sender: mpsc::Sender<Event>,
    events: mpsc::Receiver<Event>,
    reader: Option<Reader>,
    signals: Option<Signals>,
}

struct Signals {
    resized: Signal,
    resumed: Signal,
    /// What else may come from outside: on a screen a wish to stop for a while, in plain lines to stop what runs.
    other: (Signal, Event),
}

struct Reader {
    /// Closing it sends the thread away.
    stop: OwnedFd,
    thread: JoinHandle<()>,
}

impl Source {
    /// `ahead` bytes were typed where Enter is a line feed.
    pub fn open(mode: Mode, ahead: usize) -> io::Result<Source> {
        let (sender, events) = mpsc::channel(WAITING);
        let other = match mode {
            Mode::Live => (signal(SignalKind::from_raw(libc::SIGTSTP))?, Event::Suspend),
            Mode::Plain => (signal(SignalKind::interrupt())?, Event::Interrupt),
        };
        let resumed = signal(SignalKind::from_raw(libc::SIGCONT))?;
        let signals = Signals { resized: signal(SignalKind::window_change())?, resumed, other };
        let mut source = Source { sender, events, reader: None, signals: Some(signals) };
        match mode {
            Mode::Live => source.listen(ahead)?,
            Mode::Plain => {
                let sender = source.sender.clone();
                // A read of a line cannot be given up, so nobody waits for this thread.
                std::thread::Builder::new().name("lines".into()).spawn(move || read_lines(&sender))?;
            }
        }
        Ok(source)
    }

    /// Events from somewhere else than a terminal.
    #[cfg(test)]
    pub fn fed() -> (mpsc::Sender<Event>, Source) {
        let (sender, events) = mpsc::channel(WAITING);
        (sender.clone(), Source { sender, events, reader: None, signals: None })
    }

    pub async fn next(&mut self) -> Event {
        let Some(signals) = &mut self.signals else {
            return self.events.recv().await.unwrap_or(Event::Closed);
        };
        tokio::select! {
            biased;
            Some(()) = signals.resized.recv() => match guard::window() {
                Some(size) => Event::Resized(size),
                None => Event::Closed,
            },
            Some(()) = signals.resumed.recv() => Event::Resumed,
            Some(()) = signals.other.0.recv() => signals.other.1.clone(),
            event = self.events.recv() => event.unwrap_or(Event::Closed),
        }
    }

    /// More that has already happened.
    pub fn more(&mut self) -> Option<Event> {
        self.events.try_recv().ok()
    }

    /// Reads nothing any more.
    pub fn pause(&mut self) {
        if let Some(Reader { stop, thread }) = self.reader.take() {
            drop(stop);
            let _ = thread.join();
        }
    }

    /// Reads again; `ahead` bytes were typed where Enter is a line feed.
    pub fn listen(&mut self, ahead: usize) -> io::Result<()> {
        if self.reader.is_none() && self.signals.is_some() {
            let (stopped, stop) = rustix::pipe::pipe()?;
            let sender = self.sender.clone();
            let thread = std::thread::Builder::new()
                .name("keys".into())
                .spawn(move || read(&stopped, &sender, ahead))?;
            self.reader = Some(Reader { stop, thread });
        }
        Ok(())
    }
}

fn read(stopped: &OwnedFd, sender: &mpsc::Sender<Event>, mut ahead: usize) {
    let stdin = rustix::stdio::stdin();
    let mut buffer = vec![0; PIECE];
    loop {
        let mut ready = [PollFd::new(&stdin, PollFlags::IN), PollFd::new(stopped, PollFlags::IN)];
        match poll(&mut ready, None) {
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => break,
            Ok(_) => {}
        }
        if !ready[1].revents().is_empty() {
            return;
        }
        match rustix::io::read(stdin, &mut buffer[..]) {
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
            Ok(0) | Err(_) => break,
            Ok(count) => {
                let typed = &mut buffer[..count.min(ahead)];
                ahead -= typed.len();
                typed.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b'\r');
                if sender.blocking_send(Event::Bytes(buffer[..count].to_vec())).is_err() {
                    return;
                }
            }
        }
    }
    let _ = sender.blocking_send(Event::Closed);
}

fn read_lines(sender: &mpsc::Sender<Event>) {
    let mut line = Vec::new();
    while std::io::stdin().lock().read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
        let text = String::from_utf8_lossy(&line);
        if sender.blocking_send(Event::Line(text.trim_end_matches(['\n', '\r']).to_owned())).is_err() {
            return;
        }
        line.clear();
    }
    let _ = sender.blocking_send(Event::Closed);
}
