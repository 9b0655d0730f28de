//! The workspace against recorded layouts with links and paths that lead out of them. Start at [`run`].
//!
//! `fs` rows are written and read, `lexical` rows are asked whether they lie inside, and for `scoped-join` rows
//! what counts is that nothing outside is ever reached. Everything happens in fresh temporary folders.

use crate::{Result, field, list, rows};
use host::workspace::{Change, Error, Expect, Lines, Workspace};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};

/// Why a row is wrong.
type Verdict = std::result::Result<(), String>;

pub fn run(folder: &Path) -> Result<usize> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let (mut right, mut wrong, mut other) = (0, 0, 0);
    for file in files {
        for row in rows(&file)? {
            if row["platform"] == "windows" {
                other += 1;
                continue;
            }
            let verdict = match field(&row, "kind") {
                "fs" => opens(&row)?,
                "lexical" => lies_inside(&row)?,
                "scoped-join" => stays_inside(&row)?,
                kind => Err(format!("no such kind: {kind}")),
            };
            match verdict {
                Ok(()) => right += 1,
                Err(why) => {
                    wrong += 1;
                    println!("    WRONG: {} {}: {why}", field(&row, "id"), field(&row, "name"));
                }
            }
        }
    }
    println!("  paths: {right} right, {wrong} wrong, {other} for another system");
    Ok(wrong)
}

fn lay_out(row: &Value, root: &Path) -> Result<()> {
    fs::create_dir_all(root)?;
    for item in list(row, "layout") {
        let Some((link, target)) = item.split_once(" => ") else {
            fs::create_dir_all(root.join(item))?;
            continue;
        };
        let link = root.join(link);
        fs::create_dir_all(link.parent().unwrap_or(root))?;
        symlink(target.replace("$ABS", &root.to_string_lossy()), link)?;
    }
    Ok(())
}

fn opens(row: &Value) -> Result<Verdict> {
    let base = tempfile::tempdir()?;
    let root = base.path().join("ROOT");
    lay_out(row, &root)?;
    let workspace = Workspace::open(&root)?;
    let asked = field(row, "open");
    let must_fail = row["want_error"] == true;
    if row["fails_even_without_confinement"] == false
        && let Err(why) = writes(row, &workspace, base.path())?
    {
        return Ok(Err(why));
    }
    if let Some(target) = row["target"].as_str().map(|target| root.join(target)) {
        fs::create_dir_all(target.parent().unwrap_or(&root))?;
        if !target.is_dir() {
            fs::write(target, "x")?;
        }
    }
    let read = workspace.read(asked, Lines::default());
    Ok(if read.is_ok() == must_fail { Err(format!("read gave {read:?}")) } else { Ok(()) })
}

fn writes(row: &Value, workspace: &Workspace, base: &Path) -> Result<Verdict> {
    let must_fail = row["want_error"] == true;
    let before = snapshot(base)?;
    let written = workspace.change(&[write(field(row, "open"))]);
    if written.is_ok() == must_fail {
        return Ok(Err(format!("write gave {written:?}")));
    }
    if let (Ok(receipt), Some(target)) = (&written, row["target"].as_str())
        && receipt.files.first().map(|file| file.path.as_path()) != Some(Path::new(target))
    {
        return Ok(Err(format!("wrote {receipt:?}")));
    }
    if must_fail && snapshot(base)? != before {
        return Ok(Err("a refused write left something".to_owned()));
    }
    Ok(Ok(()))
}

fn lies_inside(row: &Value) -> Result<Verdict> {
    let base = tempfile::tempdir()?;
    let here = base.path().join("here");
    fs::create_dir_all(&here)?;
    let place = |path: &str| match path.strip_prefix('/') {
        Some(rest) => format!("{}/{rest}", base.path().display()),
        None => path.to_owned(),
    };
    let candidate = place(field(row, "candidate"));
    let mut roots: Vec<PathBuf> =
        list(row, "allowed").filter(|root| !root.is_empty()).map(|root| here.join(place(root))).collect();
    if row["allowed"].as_array().is_none_or(Vec::is_empty) {
        roots.push(here.clone());
    }
    let inside = roots.iter().any(|root| {
        let made = fs::create_dir_all(lexically(root)).is_ok();
        // Rows name this folder without saying that it exists.
        let _ = fs::create_dir_all(base.path().join("home/user/project"));
        made && Workspace::open(root).is_ok_and(|workspace| {
            matches!(workspace.resolve(&candidate), Ok(_) | Err(Error::Missing { .. }))
        })
    });
    let right = Some(inside) == row["inside"].as_bool();
    Ok(if right { Ok(()) } else { Err(format!("{candidate:.80}: inside is {inside}")) })
}

fn stays_inside(row: &Value) -> Result<Verdict> {
    let base = tempfile::tempdir()?;
    let root = base.path().join("ROOT");
    lay_out(row, &root)?;
    let workspace = Workspace::open(&root)?;
    let asked = field(row, "unsafe");
    let expected = field(row, "resolves_to").trim_start_matches("$ROOT").trim_start_matches('/');
    match workspace.resolve(asked) {
        Ok(path) if path.as_path() != Path::new(expected) => return Ok(Err(format!("resolved to {path}"))),
        Ok(_) | Err(Error::Outside { .. } | Error::Missing { .. }) => {}
        Err(error) => return Ok(Err(error.to_string())),
    }
    // Whether it may be written is not asked; only that a write reaches nothing else.
    let _ = workspace.change(&[write(asked)]);
    Ok(match fs::read_dir(base.path())?.count() {
        1 => Ok(()),
        count => Err(format!("{count} entries beside the workspace")),
    })
}

fn write(path: &str) -> Change {
    Change::Write { path: path.into(), bytes: b"written".to_vec(), expect: Expect::Anything }
}

/// The path without `..`, as if there were no links.
fn lexically(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut made, part| {
        match part {
            Component::ParentDir => {
                made.pop();
            }
            part => made.push(part),
        }
        made
    })
}

fn snapshot(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        found.push(entry.path());
        if entry.file_type()?.is_dir() {
            found.extend(snapshot(&entry.path())?);
        }
    }
    found.sort();
    Ok(found)
}
