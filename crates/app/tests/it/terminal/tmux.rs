//! The binary in a real terminal, by way of tmux. Start at [`Tmux::open`].

use kit::{Scratch, Server};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long something to see is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// A window of its own; it is closed when dropped.
pub struct Tmux {
    socket: String,
    home: Scratch,
}

pub struct Options<'a> {
    pub columns: usize,
    pub rows: usize,
    pub arguments: &'a str,
    /// Variables as the shell writes them, such as `NO_COLOR=1`.
    pub environment: &'a str,
    /// What the shell does first.
    pub before: &'a str,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { columns: 90, rows: 30, arguments: "", environment: "", before: "" }
    }
}

impl Tmux {
    /// `None` where there is no tmux, said aloud; with `REFUSE_SKIPS` set that is a failure.
    pub fn open(work: &Scratch, server: &Server, options: Options<'_>) -> Option<Tmux> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        if Command::new("tmux").arg("-V").output().is_err() {
            assert!(std::env::var_os("REFUSE_SKIPS").is_none(), "tmux is missing, and skips are refused");
            println!("SKIPPED: tmux is missing, so the terminal door is not seen from outside");
            return None;
        }
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let tmux = Tmux { socket: format!("cinque-{}-{number}", std::process::id()), home: Scratch::new() };
        tmux.write_script(server, &options);
        let (columns, rows) = (options.columns.to_string(), options.rows.to_string());
        let place = work.path().to_string_lossy().into_owned();
        let script = format!("sh {}", tmux.home.join("run.sh").display());
        tmux.run(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-s",
            "it",
            "-x",
            &columns,
            "-y",
            &rows,
            "-c",
            &place,
            &script,
        ]);
        tmux.run(&["set-option", "-g", "history-limit", "50000"]);
        Some(tmux)
    }

    /// What the window runs; afterwards it says how that ended, and waits. With Enter, what was only stopped goes on.
    fn write_script(&self, server: &Server, options: &Options<'_>) {
        let home = self.home.path().display();
        let path = std::env::var("PATH").unwrap_or_default();
        let url = server.base_url();
        let binary = env!("CARGO_BIN_EXE_cinque");
        let Options { arguments, environment, before, .. } = options;
        let script = format!(
            "set -m\n\
             stty -g > {home}/before\n\
             {before}\n\
             env -i PATH='{path}' HOME='{home}' LANG=C.UTF-8 TERM=tmux-256color OPENAI_API_KEY=test \
             OPENAI_BASE_URL='{url}' {environment} {binary} -m openai/scripted {arguments}\n\
             echo \"ended with $?\"\n\
             stty -g > {home}/after\n\
             cmp -s {home}/before {home}/after && echo terminal restored || echo terminal NOT restored\n\
             read line\n\
             fg\n\
             echo \"ended again with $?\"\n\
             read line\n"
        );
        self.home.write("run.sh", script);
    }

    pub fn home(&self) -> &Scratch {
        &self.home
    }

    /// Types text as it is.
    pub fn types(&self, text: &str) {
        self.run(&["send-keys", "-t", "it", "-l", text]);
    }

    /// Presses keys by tmux's names.
    pub fn press(&self, keys: &[&str]) {
        for key in keys {
            self.run(&["send-keys", "-t", "it", key]);
        }
    }

    /// Gives the window another size and lets it be for as long as a person would who looks at it.
    #[expect(clippy::disallowed_methods, reason = "a size that is not kept for a while is not drawn for")]
    pub fn resize(&self, columns: usize, rows: usize) {
        self.run(&["resize-window", "-t", "it", "-x", &columns.to_string(), "-y", &rows.to_string()]);
        std::thread::sleep(Duration::from_millis(250));
    }

    /// Gives the window one size after the other, as somebody does who drags its border.
    pub fn drag(&self, sizes: impl IntoIterator<Item = (usize, usize)>) {
        for (columns, rows) in sizes {
            self.run(&["resize-window", "-t", "it", "-x", &columns.to_string(), "-y", &rows.to_string()]);
        }
    }

    /// What is visible.
    pub fn screen(&self) -> String {
        self.run(&["capture-pane", "-p", "-t", "it"])
    }

    /// Everything, with the scrollback; with colours as escape sequences.
    pub fn all(&self, colours: Colours) -> String {
        match colours {
            Colours::Left => self.run(&["capture-pane", "-p", "-S", "-", "-t", "it"]),
            Colours::Kept => self.run(&["capture-pane", "-p", "-e", "-S", "-", "-t", "it"]),
        }
    }

    pub fn see(&self, text: &str) {
        self.until(text, || self.screen(), |screen| screen.contains(text));
    }

    pub fn see_not(&self, text: &str) {
        self.until(text, || self.screen(), |screen| !screen.contains(text));
    }

    /// Until tmux says this of the window.
    pub fn see_told(&self, format: &str, value: &str) {
        self.until(format, || self.tell(format), |told| told == value);
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "tmux tells nobody that its screen changed; one can only look again"
    )]
    fn until(&self, what: &str, look: impl Fn() -> String, fits: impl Fn(&str) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let screen = look();
            if fits(&screen) {
                return;
            }
            assert!(Instant::now() < deadline, "{what:?} was waited for in vain:\n{screen}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The process of the program.
    pub fn process(&self) -> String {
        let shell = self.run(&["list-panes", "-t", "it", "-F", "#{pane_pid}"]);
        let found = Command::new("pgrep").args(["-P", shell.trim()]).output().expect("pgrep is there");
        String::from_utf8_lossy(&found.stdout).lines().next().unwrap_or_default().to_owned()
    }

    pub fn tell(&self, format: &str) -> String {
        self.run(&["display-message", "-p", "-t", "it", format]).trim().to_owned()
    }

    fn run(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.args(["-L", &self.socket]).args(arguments).env_remove("TMUX").env("LANG", "C.UTF-8");
        let Output { status, stdout, stderr } = command.output().expect("tmux can be started");
        assert!(status.success(), "tmux {arguments:?}: {}", String::from_utf8_lossy(&stderr));
        String::from_utf8_lossy(&stdout).into_owned()
    }
}

#[derive(Clone, Copy)]
pub enum Colours {
    Left,
    Kept,
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = Command::new("tmux").args(["-L", &self.socket, "kill-server"]).env_remove("TMUX").output();
    }
}
