//! The lines of the mailbox on the console: plain, without level, time or category. Start at [`line`].

use crate::exit::{Fault, print_if_read, write_if_read};
use crate::paint::visible;
use host::mailbox::{Post, Told};

const RULE: &str = "========================================";

/// Prints a line. A reader that has gone away is no reason to stop: the log has it all.
pub fn line(text: &str) -> Result<(), Fault> {
    print_if_read(&visible(text))
}

/// Prints what is made of lines already.
pub fn write(text: &str) -> Result<(), Fault> {
    write_if_read(text.as_bytes())
}

pub fn result(told: &Told) -> Result<(), Fault> {
    let mark = if told.ok { "OK" } else { "FAIL" };
    line(&format!("  [{mark}] {}: {}", told.kind, told.summary))
}

pub fn complete(message: &str) -> Result<(), Fault> {
    line(&format!("{RULE}\nTask complete!\n{message}\n{RULE}"))
}

/// Says where replies are to be saved. On stderr: others read the lines on stdout, which are fixed.
pub fn tell_inbox(post: &Post) {
    aside!("Inbox folder: {}", visible(&post.inbox.to_string_lossy()));
}
