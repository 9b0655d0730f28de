//! What patches do to files, case by case; the laws that hold for all of them are in `laws`.

mod body;
mod files;
mod laws;
mod shown;

use std::collections::BTreeMap;
use std::convert::Infallible;

use super::{Change, Creation, Failure, Intent, PatchError, Plan, plan, plan_file};

/// Files by path, as a test writes them.
type Files = BTreeMap<String, Vec<u8>>;

/// The files after a patch, or words of its error.
type Outcome<'a> = Result<&'a [(&'a str, &'a str)], &'a str>;

fn files(list: &[(&str, &str)]) -> Files {
    list.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
}

/// Plans a patch against files in memory.
fn planned(before: &Files, patch: &str, creation: Creation) -> Result<Plan, PatchError> {
    let mut read = |path: &str| Ok::<_, Infallible>(before.get(path).cloned());
    plan(patch, creation, &mut read).map_err(own)
}

/// Plans the diff of one file against files in memory.
fn planned_file(before: &Files, path: &str, intent: Intent, diff: &str) -> Result<Plan, PatchError> {
    let mut read = |path: &str| Ok::<_, Infallible>(before.get(path).cloned());
    plan_file(path, intent, diff, Creation::Refuse, &mut read).map_err(own)
}

fn own(failure: Failure<Infallible>) -> PatchError {
    match failure {
        Failure::Patch(error) => error,
        Failure::Read(never) => match never {},
    }
}

/// The files after a plan. It also checks that the plan knows what it replaces.
fn carried_out(before: &Files, plan: &Plan) -> Files {
    let mut after = before.clone();
    for change in &plan.changes {
        match change.clone() {
            Change::Write { path, content, before: seen } => {
                assert_eq!(after.insert(path, content), seen);
            }
            Change::Delete { path, before: seen } => assert_eq!(after.remove(&path), Some(seen)),
            Change::Move { from, to, content, before: seen, replaced } => {
                assert_eq!(after.remove(&from), Some(seen));
                assert_eq!(after.insert(to, content), replaced);
            }
        }
    }
    after
}

/// The files after a patch, or its error, must be as expected.
fn check(before: &[(&str, &str)], patch: &str, expected: Outcome<'_>) {
    let before = files(before);
    match (planned(&before, patch, Creation::Refuse), expected) {
        (Ok(plan), Ok(expected)) => {
            let after = carried_out(&before, &plan);
            assert_eq!(after, files(expected), "{patch}");
        }
        (Err(error), Err(words)) => {
            assert!(error.to_string().contains(words), "{error}\n-- of --\n{patch}");
        }
        (outcome, expected) => panic!("{outcome:?} instead of {expected:?}\n-- of --\n{patch}"),
    }
}
