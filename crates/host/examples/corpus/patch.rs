//! The patch engine against recorded patches: whole folders before and after, and single bodies. Start at [`run`].

use crate::{Result, field, rows, text};
use host::patch::{Change, Creation, Mode, apply_body, plan};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// In this scenario the first half of a patch is kept when the second fails. Here a patch is all or nothing.
const PARTIAL: &str = "015_";

type Files = BTreeMap<String, Vec<u8>>;

pub fn run(folder: &Path) -> Result<usize> {
    Ok(scenarios(&folder.join("codex-scenarios"))? + bodies(&folder.join("openai-agents-apply-diff.jsonl"))?)
}

fn scenarios(folder: &Path) -> Result<usize> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut cases: Vec<_> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    cases.sort();
    let mut wrong = 0;
    for case in &cases {
        let name = case.file_name().unwrap_or_default().to_string_lossy();
        if let Err(why) = scenario(case, &name)? {
            wrong += 1;
            println!("    WRONG: {name}: {why}");
        }
    }
    println!("  scenarios: {} of {} right", cases.len() - wrong, cases.len());
    Ok(wrong)
}

fn scenario(case: &Path, name: &str) -> Result<std::result::Result<(), String>> {
    let input = files(&case.join("input"))?;
    let expected = if name.starts_with(PARTIAL) { input.clone() } else { files(&case.join("expected"))? };
    let patch = text(&case.join("patch.txt"))?;
    let mut read = |path: &str| {
        if input.keys().any(|key| key.starts_with(&format!("{path}/"))) {
            return Err("it is a directory");
        }
        Ok(input.get(path).cloned())
    };
    let outcome = plan(&patch, Creation::Refuse, &mut read);
    let mut after = input.clone();
    if let Ok(plan) = &outcome {
        plan.changes.iter().for_each(|change| carry_out(change, &mut after));
    }
    Ok(match outcome {
        Ok(_) if input == expected => Err("it should be refused".to_owned()),
        Err(error) if input != expected => Err(error.to_string()),
        _ if after != expected => Err(format!("the files are {:?}", after.keys())),
        _ => Ok(()),
    })
}

fn bodies(file: &Path) -> Result<usize> {
    let rows = rows(file)?;
    let mut wrong = 0;
    for row in &rows {
        let mode = if field(row, "mode") == "create" { Mode::Create } else { Mode::Update };
        let outcome = apply_body(field(row, "input"), field(row, "diff"), mode);
        let right = match (&outcome, row.get("expected")) {
            (Ok(text), Some(expected)) => Some(text.as_str()) == expected.as_str(),
            (Err(error), None) => error.to_string().contains(field(row, "error")),
            _ => false,
        };
        if !right {
            wrong += 1;
            println!("    WRONG: {} {}: {outcome:?}", field(row, "id"), field(row, "title"));
        }
    }
    println!("  bodies: {} of {} right", rows.len() - wrong, rows.len());
    Ok(wrong)
}

fn carry_out(change: &Change, files: &mut Files) {
    match change {
        Change::Write { path, content, .. } => {
            files.insert(path.clone(), content.clone());
        }
        Change::Delete { path, .. } => {
            files.remove(path);
        }
        Change::Move { from, to, content, .. } => {
            files.remove(from);
            files.insert(to.clone(), content.clone());
        }
    }
}

/// All files beneath a folder, which need not exist.
fn files(folder: &Path) -> Result<Files> {
    let mut found = Files::new();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            for entry in fs::read_dir(&path)? {
                open.push(entry?.path());
            }
        } else if path.is_file() {
            let name = path.strip_prefix(folder)?.to_string_lossy().into_owned();
            found.insert(name, fs::read(&path)?);
        }
    }
    Ok(found)
}
