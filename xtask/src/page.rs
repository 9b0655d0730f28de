//! The page in `page/`: what it is built from, and the browser that its tests and pictures need. Start from [`build`].
//!
//! Packages are fetched when the lock file has changed, and the page is built when its sources are newer than what was
//! built: files that did not change keep their time, so cargo has nothing to do either.

mod chromium;
#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use crate::failure::Failure;
use crate::workspace::Workspace;

pub use chromium::chromium;

/// What the page is made from, beside the folders that [`PRODUCTS`] names.
const PRODUCTS: &[&str] = &["node_modules", "dist", "tests"];
/// A copy of the lock file that the packages were installed by.
const INSTALLED: &str = "node_modules/.installed-by";
/// The last file that a build writes.
const BUILT: &str = "dist/index.html.gz";

/// Why there is no page: nobody can build it here, or it does not build.
pub enum Trouble {
    /// What is missing on this machine, and what brings it.
    Missing(String),
    Failed(Failure),
}

/// Fetches what is needed and builds the page, as far as that is not done.
pub fn build(workspace: &Workspace) -> Result<(), Trouble> {
    install(workspace)?;
    let folder = folder(workspace);
    if is_fresh(newest(&folder), time_of(&folder.join(BUILT))) {
        return Ok(());
    }
    let first = !folder.join("dist").is_dir();
    npm(workspace, &["run", "--silent", "build"])?;
    if first {
        // A binary that was built without a page watches no page, so it must be told that there is one now.
        let script = workspace.root().join("crates/web/build.rs");
        let touched =
            File::options().append(true).open(&script).and_then(|file| file.set_modified(SystemTime::now()));
        touched.map_err(|error| Trouble::Failed(Failure::new(format!("{}: {error}", script.display()))))?;
    }
    Ok(())
}

/// The tests of the page that need no browser.
pub fn test(workspace: &Workspace) -> Result<(), Trouble> {
    install(workspace)?;
    npm(workspace, &["run", "--silent", "test"])
}

/// A script of the page's tools, with the programs that it needs built and named in its environment.
pub fn script(workspace: &Workspace, words: &[&str]) -> Result<Command, Trouble> {
    build(workspace)?;
    let browser = chromium().map_err(Trouble::Missing)?;
    workspace.build("build --quiet -p app -p kit --bins").map_err(Trouble::Failed)?;
    let mut command = Command::new(words.first().copied().unwrap_or("node"));
    command.args(words.iter().skip(1)).current_dir(folder(workspace));
    command.env("CHROMIUM", browser);
    command.env("CINQUE_PROGRAM", workspace.debug("cinque")).env("KIT_SERVER", workspace.debug("kit-server"));
    Ok(command)
}

/// Runs it with its output on the screen.
pub fn finish(mut command: Command) -> Result<(), Trouble> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(Trouble::Failed(Failure::new(format!("`{name}` failed, see above")))),
        Err(error) => Err(Trouble::Failed(Failure::new(format!("`{name}` could not be started: {error}")))),
    }
}

fn install(workspace: &Workspace) -> Result<(), Trouble> {
    let folder = folder(workspace);
    let told = |error| Trouble::Failed(Failure::new(format!("page/package-lock.json: {error}")));
    let lock = fs::read(folder.join("package-lock.json")).map_err(told)?;
    let stamp = folder.join(INSTALLED);
    if fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    npm(workspace, &["ci", "--no-audit", "--no-fund"])?;
    fs::write(&stamp, lock).map_err(told)
}

fn npm(workspace: &Workspace, words: &[&str]) -> Result<(), Trouble> {
    let known = Command::new("npm").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !known.is_ok_and(|status| status.success()) {
        return Err(Trouble::Missing("no npm: install Node.js 20.19 or newer".to_owned()));
    }
    let mut command = Command::new("npm");
    command.args(words).current_dir(folder(workspace));
    finish(command)
}

fn folder(workspace: &Workspace) -> PathBuf {
    workspace.root().join("page")
}

/// Whether something was built after the last change of what it is built from.
fn is_fresh(changed: Option<SystemTime>, built: Option<SystemTime>) -> bool {
    matches!((changed, built), (Some(changed), Some(built)) if changed < built)
}

/// When a source of the page last changed.
fn newest(folder: &Path) -> Option<SystemTime> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    let sources = entries.filter(|entry| !PRODUCTS.iter().any(|product| entry.file_name() == *product));
    let times = sources.filter_map(|entry| {
        let path = entry.path();
        // A folder's own time tells of files that were removed.
        if path.is_dir() { newest(&path).max(time_of(&path)) } else { time_of(&path) }
    });
    times.max()
}

fn time_of(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|meta| meta.modified()).ok()
}
