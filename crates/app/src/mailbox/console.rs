//! The lines of the mailbox on the console: plain, without level, time or category. Start at [`line`].

use crate::paint::visible;
use host::mailbox::Told;
use std::io::Write;

const RULE: &str = "========================================";

/// Prints a line. A reader that has gone away is no reason to stop: the log has it all.
pub fn line(text: &str) {
    write(&format!("{}\n", visible(text)));
}

pub fn write(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

pub fn result(told: &Told) {
    let mark = if told.ok { "OK" } else { "FAIL" };
    line(&format!("  [{mark}] {}: {}", told.kind, told.summary));
}

pub fn complete(message: &str) {
    line(&format!("{RULE}\nTask complete!\n{message}\n{RULE}"));
}
