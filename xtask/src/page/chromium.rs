//! Finds the browser that tests and pictures are made with. Start from [`chromium`].
//!
//! It is the one thing that is installed if it is missing, and only where that asks nobody: as root, on a Debian.

use std::env;
use std::path::PathBuf;
use std::process::Command;

const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome"];
const MISSING: &str = "no Chromium: apt-get install chromium, or name one in the variable CHROMIUM";

/// The path of a Chromium, or what to do to have one.
pub fn chromium() -> Result<PathBuf, String> {
    if let Some(named) = env::var_os("CHROMIUM").filter(|named| !named.is_empty()) {
        return Ok(named.into());
    }
    match found() {
        Some(path) => Ok(path),
        None if install() => found().ok_or_else(|| MISSING.to_owned()),
        None => Err(MISSING.to_owned()),
    }
}

fn found() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    NAMES.iter().find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|file| file.is_file()))
}

fn install() -> bool {
    let user = Command::new("id").arg("-u").output();
    if !user.is_ok_and(|output| output.stdout.trim_ascii() == b"0") {
        return false;
    }
    println!("no Chromium on this machine: installing Debian's");
    let apt = |words: &[&str]| {
        let status = Command::new("apt-get").args(words).env("DEBIAN_FRONTEND", "noninteractive").status();
        status.is_ok_and(|status| status.success())
    };
    apt(&["update", "-q"]) && apt(&["install", "-q", "-y", "--no-install-recommends", "chromium"])
}
