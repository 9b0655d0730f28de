//! Patches: a file, a line of tildes and a patch of any format. A patch is planned whole or refused, a plan is true to
//! the files it was made for, and the diff that shows a change makes that change.

use host::patch::{Change, Creation, Failure, Intent, Mode, PatchError, Plan};
use host::patch::{apply_body, plan, plan_file, unified};
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

/// Between the file and the patch. Where it is missing, all is patch.
const BETWEEN: &str = "~~~~~~~~\n";

type Files = BTreeMap<&'static str, Vec<u8>>;

pub fn check(data: &[u8]) {
    let (file, patch) = parts(data);
    let patch = String::from_utf8_lossy(patch);
    let files = Files::from([("f", file.to_vec()), ("d/g", b"one\ntwo\r\n\nthree".to_vec())]);
    for creation in [Creation::Refuse, Creation::Replace] {
        planned(&files, |read| plan(&patch, creation, read));
        for intent in [Intent::Create, Intent::Update, Intent::Delete] {
            planned(&files, |read| plan_file("f", intent, &patch, creation, read));
            planned(&files, |read| plan_file("new", intent, &patch, creation, read));
        }
    }
    let text = String::from_utf8_lossy(file);
    for mode in [Mode::Create, Mode::Update] {
        if let Err(error) = apply_body(&text, &patch, mode) {
            told(&error);
        }
    }
}

fn parts(data: &[u8]) -> (&[u8], &[u8]) {
    let between = BETWEEN.as_bytes();
    match data.windows(between.len()).position(|window| window == between) {
        Some(at) => (&data[..at], &data[at + between.len()..]),
        None => (b"a\nb\nc\n", data),
    }
}

type Reader<'a> = &'a mut dyn FnMut(&str) -> Result<Option<Vec<u8>>, Infallible>;

fn planned(files: &Files, plan: impl Fn(Reader<'_>) -> Result<Plan, Failure<Infallible>>) {
    let mut read = |path: &str| Ok(files.get(path).cloned());
    let made = plan(&mut read);
    let again = plan(&mut read).map_err(|failure| failure.to_string());
    assert_eq!(made.as_ref().map_err(ToString::to_string), again.as_ref().map_err(Clone::clone), "twice");
    match made {
        Ok(made) => is_true_to(files, &made),
        Err(Failure::Patch(error)) => told(&error),
        Err(failure) => assert!(!failure.to_string().is_empty()),
    }
}

fn is_true_to(files: &Files, plan: &Plan) {
    let mut touched = BTreeSet::new();
    let mut touch = |path: &str| assert!(touched.insert(path.to_owned()), "{path:?} is changed twice");
    for change in &plan.changes {
        match change {
            Change::Write { path, content, before } => {
                touch(path);
                assert_eq!(files.get(path.as_str()), before.as_ref());
                shown(path, before.as_deref(), content);
            }
            Change::Delete { path, before } => {
                touch(path);
                assert_eq!(files.get(path.as_str()), Some(before));
            }
            Change::Move { from, to, before, replaced, .. } => {
                touch(from);
                touch(to);
                assert_eq!(files.get(from.as_str()), Some(before));
                assert_eq!(files.get(to.as_str()), replaced.as_ref());
            }
        }
    }
}

/// The unified diff of a change, applied to what was there, gives what is there afterwards. A diff is made of lines that
/// end in LF or CRLF, so it cannot say what a carriage return alone says.
fn shown(path: &str, before: Option<&[u8]>, after: &[u8]) {
    let is_text = |bytes: &[u8]| {
        std::str::from_utf8(bytes).is_ok_and(|text| !text.replace("\r\n", "").contains(['\r', '\0']))
    };
    if before == Some(after) || !before.is_none_or(is_text) || !is_text(after) {
        return;
    }
    let diff = unified(path, before, Some(after));
    let mut read = |asked: &str| Ok::<_, Infallible>(before.filter(|_| asked == path).map(<[u8]>::to_vec));
    let again = plan(&diff, Creation::Refuse, &mut read).unwrap_or_else(|error| panic!("{error}\n{diff}"));
    let content = match again.changes.as_slice() {
        [Change::Write { content, .. }] => content.as_slice(),
        other => panic!("{other:?}\n{diff}"),
    };
    assert_eq!(content.escape_ascii().to_string(), after.escape_ascii().to_string(), "{diff}");
}

/// Whatever is wrong can be said.
fn told(error: &PatchError) {
    assert!(!error.to_string().is_empty() && !error.headline().is_empty());
    let _ = (error.advice(), error.as_diff_failure());
}
