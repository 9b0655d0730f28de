//! tmux, in which the tests see the terminal door as a person does. Start from [`provide`].

use std::process::{Command, Stdio};

use super::Skips;

/// Makes sure of tmux, if this machine lets us, and says how it stands.
pub(super) fn provide(skips: Skips) -> String {
    if is_there() || (is_root() && install() && is_there()) {
        return "terminal: tmux is here, its tests run in full".to_owned();
    }
    let consequence = match skips {
        Skips::Tolerated => "tests of the terminal door are skipped",
        Skips::Refused => "tests of the terminal door fail, because CI is set",
    };
    format!("terminal: NO TMUX HERE: {consequence}. Install it with your package manager.")
}

fn is_there() -> bool {
    succeeds("tmux", &["-V"])
}

fn is_root() -> bool {
    let said = Command::new("id").arg("-u").output();
    said.is_ok_and(|said| said.stdout.trim_ascii() == b"0")
}

/// Debian and its kin; elsewhere a person knows better.
fn install() -> bool {
    println!("terminal: installing tmux");
    succeeds("apt-get", &["install", "--yes", "--no-install-recommends", "tmux"])
        || (succeeds("apt-get", &["update"])
            && succeeds("apt-get", &["install", "--yes", "--no-install-recommends", "tmux"]))
}

fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
