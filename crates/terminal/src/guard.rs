//! Holds the terminal in raw mode and gives it back, however the program ends. Start at [`Guard::enter`].
//!
//! What runs in a signal handler allocates nothing and takes no lock: it writes fixed bytes and sets the terminal's
//! attributes, both of which may be done there. This is the only place that knows of signals that end the program.

use crate::screen::Size;
use rustix::termios::{
    LocalModes, OptionalActions, OutputModes, SpecialCodeIndex, Termios, tcgetattr, tcgetwinsize, tcsetattr,
};
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::thread::ThreadId;

/// Bracketed paste, focus, keys told apart by number where the terminal can, its title put aside.
const ENTER: &str = "\x1b[?2004h\x1b[?1004h\x1b[>1u\x1b[22;2t";
const LEAVE: &str = "\x1b[?2026l\x1b[<u\x1b[?1004l\x1b[?2004l\x1b[?25h\x1b[m\x1b[23;2t";

/// What the terminal was like before; set once and never freed, because a signal may come at any time.
static BEFORE: AtomicPtr<Termios> = AtomicPtr::new(std::ptr::null_mut());
static RAW: AtomicBool = AtomicBool::new(false);
static PANICKED: AtomicBool = AtomicBool::new(false);
/// Rows from the cursor down to the first one that is free, so that whatever is printed last stands below the live area.
static BELOW: AtomicUsize = AtomicUsize::new(0);

const ENDING: [libc::c_int; 7] =
    [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT, libc::SIGABRT, libc::SIGSEGV, libc::SIGBUS];

/// The terminal in raw mode; dropping it gives the terminal back.
pub struct Guard {
    /// Bytes that were typed before the terminal was in raw mode and are not read yet.
    ahead: AtomicUsize,
}

impl Guard {
    /// # Errors
    /// If stdin is no terminal.
    pub fn enter() -> io::Result<Guard> {
        let before = tcgetattr(io::stdin())?;
        if BEFORE.load(Ordering::SeqCst).is_null() {
            BEFORE.store(Box::into_raw(Box::new(before)), Ordering::SeqCst);
            watch_signals();
            watch_panics();
        }
        let guard = Guard { ahead: AtomicUsize::new(0) };
        guard.back()?;
        Ok(guard)
    }

    /// Gives the terminal to somebody else for a while.
    pub fn lend(&self) {
        restore();
    }

    /// Takes it back.
    pub fn back(&self) -> io::Result<()> {
        let mut raw = tcgetattr(io::stdin())?;
        raw.make_raw();
        // A warning that somebody prints meanwhile still begins its lines at the left.
        raw.output_modes |= OutputModes::OPOST | OutputModes::ONLCR;
        raw.special_codes[SpecialCodeIndex::VMIN] = 1;
        raw.special_codes[SpecialCodeIndex::VTIME] = 0;
        // Not flushed: what was typed while the program started is kept.
        tcsetattr(io::stdin(), OptionalActions::Now, &raw)?;
        let ahead = rustix::io::ioctl_fionread(rustix::stdio::stdin()).unwrap_or(0);
        self.ahead.store(ahead as usize, Ordering::SeqCst);
        RAW.store(true, Ordering::SeqCst);
        let mut out = io::stdout().lock();
        out.write_all(ENTER.as_bytes())?;
        out.flush()
    }

    /// How many bytes at the front of what is to be read were typed before the terminal was in raw mode. In them Enter is
    /// a line feed, as whoever reads lines wants it.
    pub fn typed_ahead(&self) -> usize {
        self.ahead.swap(0, Ordering::SeqCst)
    }

    /// Stops the program until it is told to go on.
    pub fn suspend(&self) -> io::Result<()> {
        self.lend();
        // SAFETY: raising a signal in this process touches no memory.
        unsafe { libc::raise(libc::SIGSTOP) };
        self.back()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        restore();
    }
}

/// What a person says to a question of yes and no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Yes,
    No,
}

/// Asks before anything else is there; one key answers. What else was typed is left for whoever reads next.
pub fn ask(question: &str) -> io::Result<Answer> {
    let before = tcgetattr(io::stdin())?;
    let mut raw = before.clone();
    raw.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
    tcsetattr(io::stdin(), OptionalActions::Now, &raw)?;
    let answered = read_answer(question);
    tcsetattr(io::stdin(), OptionalActions::Now, &before)?;
    answered
}

fn read_answer(question: &str) -> io::Result<Answer> {
    let mut out = io::stdout().lock();
    out.write_all(question.as_bytes())?;
    out.flush()?;
    loop {
        let mut key = [0; 1];
        let answer = match rustix::io::read(rustix::stdio::stdin(), &mut key)? {
            0 => Answer::No,
            _ => match key[0] {
                b'y' | b'Y' => Answer::Yes,
                b'n' | b'N' | 0x1b => Answer::No,
                _ => continue,
            },
        };
        out.write_all(if answer == Answer::Yes { b"y\n" } else { b"n\n" })?;
        out.flush()?;
        return Ok(answer);
    }
}

/// Notes how many rows below the cursor the next free one is.
pub fn set_below(rows: usize) {
    BELOW.store(rows, Ordering::Relaxed);
}

/// Whether the program went wrong in a way that only a bug explains.
pub fn panicked() -> bool {
    PANICKED.load(Ordering::SeqCst)
}

/// The size of the window; a terminal that does not know it is taken for one of the usual size.
pub fn window() -> Option<Size> {
    let size = tcgetwinsize(io::stdout()).ok()?;
    let or = |count: u16, usual: usize| if count == 0 { usual } else { count as usize };
    Some(Size { columns: or(size.ws_col, 80), rows: or(size.ws_row, 24) })
}

/// Gives the terminal back as it was. Safe in a signal handler.
fn restore() {
    if !RAW.swap(false, Ordering::SeqCst) {
        return;
    }
    let out = rustix::stdio::stdout();
    // That the terminal is gone is no reason to stop here.
    for _ in 0..BELOW.swap(0, Ordering::Relaxed).min(1000) {
        let _ = rustix::io::write(out, b"\n");
    }
    let _ = rustix::io::write(out, b"\r");
    let _ = rustix::io::write(out, LEAVE.as_bytes());
    let before = BEFORE.load(Ordering::SeqCst);
    // SAFETY: it points to a value that was leaked before it was stored and is never changed.
    if let Some(before) = unsafe { before.as_ref() } {
        let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, before);
    }
}

extern "C" fn end(signal: libc::c_int) {
    restore();
    // SAFETY: both may be called in a signal handler. The signal arrives again once this handler has returned, and then
    // does what it does to every program.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

fn watch_signals() {
    for signal in ENDING {
        // SAFETY: `end` does only what a signal handler may do.
        unsafe { libc::signal(signal, end as extern "C" fn(libc::c_int) as libc::sighandler_t) };
    }
}

fn watch_panics() {
    let main: ThreadId = std::thread::current().id();
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // A thread of a tool tells the conversation by itself; its words would only tear the screen.
        if std::thread::current().id() == main || !RAW.load(Ordering::SeqCst) {
            PANICKED.store(true, Ordering::SeqCst);
            restore();
            before(panic);
        }
    }));
}

#[cfg(test)]
mod tests;
