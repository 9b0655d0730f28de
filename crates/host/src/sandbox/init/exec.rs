//! The last steps of the process that becomes the command. Start from [`become_command`].
//! It shares its parent's memory and descriptors until then, so it closes none and drops nothing that would; its parent
//! waits meanwhile, so it must ask the warden nothing.

use std::ffi::{CStr, CString, OsStr};
use std::io;
use std::os::fd::{IntoRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::super::confine::{Refused, Step};
use super::super::{Order, sys};
use super::Confinement;

/// What the child writes into the pipe when there is no filter; at 0 and above is a descriptor, below are the numbers of
/// errors, each subtracted from this.
pub const NO_LISTENER: i32 = -1;
/// From this are subtracted those of entering the directory. No error has a number as large.
pub const NO_DIRECTORY: i32 = -0x1_0000;

/// The codes of a shell for a program that it cannot run and one that it cannot find.
const NOT_EXECUTABLE: i32 = 126;
const NOT_FOUND: i32 = 127;

/// A command in the form in which the kernel wants it.
pub struct Prepared {
    candidates: Vec<CString>,
    argv: Words,
    environment: Words,
    directory: CString,
}

/// Words and the list of their addresses that ends with none. It is made beforehand: the child shares the memory of its
/// parent, and nobody would free what it takes.
struct Words {
    words: Vec<CString>,
    addresses: Vec<*const libc::c_char>,
}

impl From<Vec<CString>> for Words {
    fn from(words: Vec<CString>) -> Self {
        let addresses = words.iter().map(|word| word.as_ptr()).chain([std::ptr::null()]).collect();
        Self { words, addresses }
    }
}

impl Prepared {
    pub fn new(order: &Order) -> Result<Self, Refused> {
        let c = |bytes: &[u8]| sys::cstring(bytes).step("the command contains a zero byte");
        let program = order.argv.first().map_or(OsStr::new(""), |first| first.as_os_str());
        let candidates = candidates(program, order);
        Ok(Self {
            candidates: candidates.iter().map(|path| c(path)).collect::<Result<_, _>>()?,
            argv: order.argv.iter().map(|word| c(word.as_bytes())).collect::<Result<Vec<_>, _>>()?.into(),
            environment: order
                .environment
                .iter()
                .map(|(name, value)| c(&[name.as_bytes(), b"=", value.as_bytes()].concat()))
                .collect::<Result<Vec<_>, _>>()?
                .into(),
            directory: c(order.directory.as_os_str().as_bytes())?,
        })
    }
}

fn candidates(program: &OsStr, order: &Order) -> Vec<Vec<u8>> {
    if program.as_bytes().contains(&b'/') || program.is_empty() {
        return vec![program.as_bytes().to_vec()];
    }
    let path = order.environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_os_str());
    std::env::split_paths(path.unwrap_or(OsStr::new("/usr/bin:/bin")))
        .map(|directory| Path::new(&directory).join(program).into_os_string().as_bytes().to_vec())
        .collect()
}

/// Puts the confinement on, says so, and becomes the command or ends with a shell's code for why not.
pub fn become_command(command: &Prepared, confinement: Option<&Confinement>, told: RawFd) -> ! {
    // SAFETY: no memory is involved; a new process is no group leader, so it gets a session without a terminal.
    unsafe { libc::setsid() };
    sys::reset_signals();
    // SAFETY: the path outlives the call.
    let entered = unsafe { libc::chdir(command.directory.as_ptr()) };
    let number =
        if entered < 0 { NO_DIRECTORY - number(&io::Error::last_os_error()) } else { confine(confinement) };
    say(told, number);
    let code = if number < NO_LISTENER { 1 } else { exec(command) };
    // SAFETY: ends the process without running anything that belongs to its parent.
    unsafe { libc::_exit(code) }
}

fn confine(confinement: Option<&Confinement>) -> i32 {
    let Some(Confinement { rules, filter, .. }) = confinement else {
        return NO_LISTENER;
    };
    match rules.enforce().and_then(|()| filter.enforce()) {
        Ok(listener) => listener.into_raw_fd(),
        Err(cause) => NO_LISTENER - number(&cause),
    }
}

fn number(cause: &io::Error) -> i32 {
    cause.raw_os_error().unwrap_or(libc::EIO)
}

fn say(told: RawFd, number: i32) {
    let bytes = number.to_ne_bytes();
    // SAFETY: the buffer is valid. If nobody hears it, the parent is gone and so are we.
    unsafe { libc::write(told, bytes.as_ptr().cast(), bytes.len()) };
}

fn exec(command: &Prepared) -> i32 {
    let (argv, environment) = (command.argv.addresses.as_ptr(), command.environment.addresses.as_ptr());
    let mut cause = io::Error::from_raw_os_error(libc::ENOENT);
    for candidate in &command.candidates {
        // SAFETY: both lists end with a null pointer and point to strings that are alive.
        unsafe { libc::execve(candidate.as_ptr(), argv, environment) };
        let error = io::Error::last_os_error();
        // As in a shell, a file that cannot be executed hides none that comes later, but is what is reported.
        if !matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR)) {
            cause = error;
        }
    }
    let name = command.argv.words.first().map_or(c"", CString::as_c_str);
    complain(name, &cause);
    if cause.raw_os_error() == Some(libc::ENOENT) { NOT_FOUND } else { NOT_EXECUTABLE }
}

fn complain(program: &CStr, cause: &io::Error) {
    let text = format!("{}: {cause}\n", program.to_string_lossy());
    // SAFETY: the buffer is valid; there is nobody else to tell.
    unsafe { libc::write(2, text.as_ptr().cast(), text.len()) };
}
