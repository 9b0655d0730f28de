//! Letters of the mailbox: what goes out is whole or not there, what comes in is taken once. Start from [`exchange`].

use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use kit::serde_json::{self, Value};

use super::{Earlier, Owner, Written};
use crate::trace::Plan;
use crate::trial::Trial;

pub(super) const WHAT: &str = "letters";
const NEW: &[&str] = &["mailbox", "new", "mend", "it"];
const RESUME: &[&str] = &["mailbox", "resume"];
const INBOX: &str = ".cinque/mailbox/inbox";
const OUTBOX: &str = ".cinque/mailbox/outbox";
const SESSIONS: &str = ".cinque/mailbox/sessions";

/// What the chat answers, one letter each.
const REPLIES: [&str; 3] = [
    "[RUN_COMMAND]\necho 1 >> marks\n[/RUN_COMMAND]\n[READ_FILE path=\"marks\"]\n",
    "[RUN_COMMAND]\necho 2 >> marks\n[/RUN_COMMAND]\n",
    "[DONE]\nall good\n[/DONE]\n",
];

/// All replies lie there from the beginning, the first one the oldest. A session that was begun before has taken one.
pub(super) fn prepare(trial: &Trial, earlier: Earlier) -> Owner {
    let owner = Owner::alone(trial, earlier);
    let hours_ago = SystemTime::now() - Duration::from_secs(10_000);
    for (number, reply) in REPLIES.iter().enumerate() {
        let path = owner.bench.work.write(format!("{INBOX}/reply-{number}.txt"), reply);
        let written = hours_ago + Duration::from_secs(number as u64);
        let dated = File::options().write(true).open(path).and_then(|file| file.set_modified(written));
        dated.expect("a file can be given a time");
    }
    if owner.had_something() {
        let all = super::all().find(|(one, earlier)| one.what == WHAT && *earlier == Earlier::Nothing);
        let moments = all.map_or(0, |(letters, earlier)| letters.moments(trial, earlier));
        owner.write(Plan::KillAfter(moments / 3), NEW, "");
    }
    owner
}

pub(super) fn exchange(owner: &Owner, plan: Plan) -> Written {
    owner.write(plan, next(owner), "")
}

fn next(owner: &Owner) -> &'static [&'static str] {
    let begun = owner.bench.newest().is_some_and(|newest| newest["prompts"] != 0);
    if begun { RESUME } else { NEW }
}

pub(super) fn check(owner: &Owner, written: &Written) {
    let Owner { bench, .. } = owner;
    let told = written.outcome.stdout.lines().filter_map(|line| line.strip_prefix("Outbox file ready: "));
    for letter in told.map(PathBuf::from) {
        assert!(letter.exists(), "a letter was told of and is lost: {}", letter.display());
    }
    for (name, text) in texts(owner, OUTBOX, "txt") {
        let whole = text.starts_with("=== HEADER ===\n") && text.contains("\n=== PROMPT ===\n");
        assert!(whole && text.ends_with('\n'), "{name} is torn: {text:?}");
    }
    for (name, text) in texts(owner, SESSIONS, "json") {
        let whole = serde_json::from_str::<Value>(&text).is_ok();
        assert!(whole, "{name} is torn: {text:?}");
    }
    let resumed = owner.write(Plan::Count, next(owner), "");
    assert!(resumed.told, "{:?}", resumed.outcome);
    check_replies(owner);
    bench.verify();
    let sessions = texts(owner, SESSIONS, "json");
    assert!(sessions.iter().any(|(_, text)| text.contains("\"isComplete\": true")), "{sessions:?}");
}

/// Each reply was taken once, in its order, and each command ran once, or the chat was told that nobody knows.
fn check_replies(owner: &Owner) {
    let taken: Vec<String> =
        texts(owner, &format!("{INBOX}/processed"), "txt").into_iter().map(|(_, text)| text).collect();
    assert_eq!(taken, REPLIES, "each reply is taken once");
    assert_eq!(texts(owner, INBOX, "txt"), [], "no reply comes back");
    let letters: String = texts(owner, OUTBOX, "txt").into_iter().map(|(_, text)| text).collect();
    let work = &owner.bench.work;
    let marks = if work.exists("marks") { work.read("marks") } else { String::new() };
    let ran = |mark: &str| marks.lines().filter(|line| *line == mark).count();
    let unknown = letters.matches("outcome unknown").count();
    let (first, second) = (ran("1"), ran("2"));
    assert!(first <= 1 && second <= 1 && first + second + unknown >= 2, "{marks:?}: {letters}");
    let sequences = texts(owner, OUTBOX, "txt").len();
    assert_eq!(sequences, REPLIES.len(), "as many letters as replies");
}

/// The files of a folder with such names, in order.
fn texts(owner: &Owner, folder: &str, extension: &str) -> Vec<(String, String)> {
    let entries = fs::read_dir(owner.bench.work.join(folder)).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect();
    paths.sort();
    let text = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a file can be read");
        (path.file_name().unwrap_or_default().to_string_lossy().into_owned(), text)
    };
    paths.into_iter().map(text).collect()
}
