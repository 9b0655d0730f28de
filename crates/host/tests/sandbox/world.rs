//! The small world that each test has to itself: a home with secrets and a workspace with a repository. Start at
//! [`World`].

use crate::Verdict;
use host::run::{Captured, Command, Environment, Finished, Program, Shell, Spare};
use host::sandbox::{Grants, Wall, names};
use host::trim::Limit;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

const FOLDERS: &[&str] = &[
    "home/.ssh",
    "home/.config/gh",
    "work/src",
    "work/.vscode",
    "work/.git/hooks",
    "work/.git/objects",
    "work/.git/refs/heads",
    "work/.git/info",
    "scratch",
];

const FILES: &[(&str, &str)] = &[
    ("home/.ssh/id_ed25519", "secret"),
    ("home/.netrc", "secret"),
    ("home/notes", "plain"),
    ("work/file", "text\n"),
    ("work/.vscode/settings.json", "{}"),
    ("work/.git/HEAD", "ref: refs/heads/main\n"),
    ("work/.git/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"),
    ("work/not-executable", "#!/bin/sh\n"),
];

/// It is removed when it is dropped.
pub struct World {
    pub root: PathBuf,
    /// A number that no other process sleeps for. Commands see it as `$MARK`.
    mark: String,
}

impl World {
    pub fn new() -> Self {
        Self::beneath(Path::new(env!("CARGO_TARGET_TMPDIR")))
    }

    /// A world somewhere else.
    pub fn beneath(place: &Path) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let mark = format!("{}{:03}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let root = place.join(format!("cinque-{mark}"));
        for folder in FOLDERS {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for (file, text) in FILES {
            fs::write(root.join(file), text).unwrap();
        }
        Self { root: root.canonicalize().unwrap(), mark }
    }

    pub fn shell(&self, wall: Wall) -> Shell {
        shell(&self.root, wall)
    }

    pub fn command(&self, source: &str) -> Command {
        command(&self.root, source, &self.mark)
    }

    /// The protected paths that exist in the workspace.
    pub fn protected(&self) -> BTreeSet<PathBuf> {
        let work = self.root.join("work");
        let paths = names::PROTECTED.iter().map(|name| work.join(name));
        paths.filter(|path| path.symlink_metadata().is_ok()).collect()
    }

    /// How many processes sleep for this world's number.
    pub fn sleepers(&self) -> usize {
        let words = format!("sleep {}", self.mark);
        let entries = fs::read_dir("/proc").unwrap().flatten();
        let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
        lines.filter(|line| String::from_utf8_lossy(line).replace('\0', " ").starts_with(&words)).count()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

pub fn confiner() -> PathBuf {
    std::env::current_exe().unwrap()
}

/// The shell of the world in `root`.
pub fn shell(root: &Path, wall: Wall) -> Shell {
    let home = root.join("home");
    let mut environment = Environment::allowed(std::env::vars_os());
    // Toolchains stay where they are although the home moves.
    let old = environment.get("HOME").map(PathBuf::from);
    for (name, place) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup"), ("PYENV_ROOT", ".pyenv")] {
        if let (None, Some(old)) = (environment.get(name), &old) {
            environment.set(name.into(), old.join(place).into());
        }
    }
    environment.set("HOME".into(), home.clone().into());
    Shell {
        confiner: confiner(),
        bash: Shell::find_bash(&environment).unwrap(),
        environment,
        home: Some(home),
        wall,
        workspace: root.join("work"),
        scratch: root.join("scratch"),
        spare: Spare::default(),
    }
}

/// A command in the workspace of the world in `root`.
pub fn command(root: &Path, source: &str, mark: &str) -> Command {
    Command {
        program: Program::Source(source.into()),
        directory: root.join("work"),
        environment: vec![("ROOT".into(), root.into()), ("MARK".into(), mark.into())],
        limit: Duration::from_secs(120),
        grants: Grants::default(),
    }
}

pub fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

pub fn finish(shell: &Shell, command: &Command) -> Finished {
    wait(shell.run(command, &mut |_, _| {}, std::future::pending()))
}

pub fn text(captured: &Captured) -> String {
    captured.trimmed(Limit::default())
}

pub fn ensure(condition: bool, why: impl FnOnce() -> String) -> Verdict {
    if condition { Ok(()) } else { Err(why()) }
}

/// Whether it comes true soon: what the kernel does when a process has died cannot be waited for.
pub fn eventually(mut condition: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(2) {
        if condition() {
            return true;
        }
        std::thread::yield_now();
    }
    false
}
