//! What the person wants, from the argument and from stdin. Start at [`read`].

use crate::arguments::Exec;
use crate::exit::Fault;
use agent::event::Said;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{IsTerminal, Read};

/// Piped material beyond this is cut; a model could not read it in one request anyway.
const LONGEST: u64 = 256 * 1024;
/// How long a pipe beside a prompt may stay silent before the run begins without it.
const PATIENCE: Timespec = Timespec { tv_sec: 2, tv_nsec: 0 };

/// Reads the prompt; `None` when a resumed conversation just goes on.
pub fn read(exec: &Exec) -> Result<Option<Said>, Fault> {
    let resumes = exec.resume.is_some() || exec.continue_newest;
    let decides = !exec.approve_call.is_empty() || !exec.decline_call.is_empty();
    if exec.resume.as_deref() == Some("") {
        return Err(Fault::usage("--resume needs the ID of a conversation here"));
    }
    if decides && !resumes {
        return Err(Fault::usage("--approve-call and --decline-call need --resume ID"));
    }
    let said = match exec.prompt.as_deref() {
        Some("-") => Said { text: all_of_stdin()?, context: None },
        Some(text) => Said { text: text.to_owned(), context: if decides { None } else { piped_beside()? } },
        None if resumes => return Ok(None),
        None if std::io::stdin().is_terminal() => return Err(Fault::usage("there is no prompt")),
        None => Said { text: all_of_stdin()?, context: None },
    };
    if said.text.trim().is_empty() {
        return Err(Fault::usage("the prompt is blank"));
    }
    Ok(Some(said))
}

fn all_of_stdin() -> Result<String, Fault> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(LONGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| Fault::usage(format!("stdin cannot be read: {error}")))?;
    let cut = bytes.len() as u64 > LONGEST;
    if cut {
        bytes.truncate(LONGEST as usize);
        aside!("note: stdin is longer than {} KiB; the rest is left out", LONGEST / 1024);
    }
    let mut text = text_of(&bytes)?;
    if cut {
        text.push_str("\n[the rest was left out]");
    }
    Ok(text)
}

/// A model cannot read what is no text, and would be paid for trying.
fn text_of(bytes: &[u8]) -> Result<String, Fault> {
    if bytes.contains(&0) {
        return Err(Fault::usage("stdin is not text: it holds zero bytes")
            .hint("save it in a file of this folder and name the file in the prompt"));
    }
    // A character that the end cuts in two is no reason for a word.
    if std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_some()) {
        aside!("note: stdin is not UTF-8; what cannot be read in it is replaced by \u{fffd}");
    }
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

/// Material piped in beside a prompt. Programs often leave an open pipe there that never says anything.
fn piped_beside() -> Result<Option<String>, Fault> {
    let stdin = std::io::stdin();
    let Ok(found) = rustix::fs::fstat(&stdin) else { return Ok(None) };
    let kind = rustix::fs::FileType::from_raw_mode(found.st_mode);
    if !matches!(
        kind,
        rustix::fs::FileType::Fifo | rustix::fs::FileType::RegularFile | rustix::fs::FileType::Socket
    ) {
        return Ok(None);
    }
    let mut ready = [PollFd::new(&stdin, PollFlags::IN)];
    if poll(&mut ready, Some(&PATIENCE)).is_ok_and(|count| count == 0) {
        aside!("note: nothing came from stdin; going on without it");
        return Ok(None);
    }
    let text = all_of_stdin()?;
    Ok((!text.trim().is_empty()).then_some(text))
}
