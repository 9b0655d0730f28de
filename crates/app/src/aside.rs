//! What is said beside the answer, on stderr. Start at `aside!`, which is used as `eprintln!` is.
//!
//! A run goes on whether or not anybody hears of it: behind `2>&1 | head`, or where the disk of a log file is full,
//! `eprintln!` would end the program in the middle of its work.

use std::io::Write as _;

/// Prints a line on stderr, if that can be done.
macro_rules! aside {
    ($($said:tt)*) => { $crate::aside::write(&format!("{}\n", format_args!($($said)*))) };
}

/// The same for what is no whole line.
pub fn write(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}
