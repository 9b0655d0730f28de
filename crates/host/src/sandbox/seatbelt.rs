//! The wall on macOS, as a profile in the language of `sandbox-exec`. Start from [`profile`].
//! Pure text: it is built and tested everywhere, and enforced only there.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::{Network, Spec, names, paths};

/// Reads everything but secrets; writes the workspace, its temp and what is granted, but not what is protected. Later
/// rules win, so each part takes back from the one before.
pub fn profile(spec: &Spec) -> String {
    let mut text = String::from(BASE);
    let writable = [&spec.workspace, &spec.temp].into_iter().chain(&spec.writable);
    rule(&mut text, "allow file-write*", writable.cloned());
    let guard = paths::Guard::of(spec);
    rule(&mut text, "deny file-write*", guard.names().iter().map(|name| spec.workspace.join(name)));
    // Moving a directory away that holds something protected would make room for another one.
    literal(&mut text, "deny file-write-unlink", &spec.workspace.join(".git"));
    rule(&mut text, "deny file-read*", paths::secrets(spec.home.as_deref(), &spec.readable).into_iter());
    let state = paths::state(spec);
    rule(&mut text, "deny file-read*", state.clone().into_iter());
    rule(&mut text, "allow file-read*", state.map(|state| state.join(names::STATE_READABLE)).into_iter());
    if spec.network == Network::Granted {
        text.push_str("(allow network*)\n(deny network-outbound (remote unix-socket))\n(allow network-outbound (literal \"/private/var/run/mDNSResponder\"))\n");
    }
    text
}

const BASE: &str = "(version 1)
(deny default)
(allow process-exec)
(allow process-fork)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow file-read*)
(allow file-ioctl (literal \"/dev/tty\"))
(allow file-write-data (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/dtracehelper\") (literal \"/dev/stdout\") (literal \"/dev/stderr\"))
(allow ipc-posix-sem)
(allow ipc-posix-shm*)
(allow pseudo-tty)
(allow mach-lookup (global-name \"com.apple.system.opendirectoryd.libinfo\") (global-name \"com.apple.system.logger\"))
(allow system-socket (socket-domain AF_SYSTEM))
(allow network* (local ip \"localhost:*\"))
(allow network-outbound (remote ip \"localhost:*\"))
";

fn rule(text: &mut String, action: &str, paths: impl Iterator<Item = PathBuf>) {
    let filters: String = paths.filter_map(|path| Some(format!(" (subpath {})", quoted(&path)?))).collect();
    if !filters.is_empty() {
        let _ = writeln!(text, "({action}{filters})");
    }
}

fn literal(text: &mut String, action: &str, path: &Path) {
    if let Some(path) = quoted(path) {
        let _ = writeln!(text, "({action} (literal {path}))");
    }
}

/// As a string of the profile's language. What is not text cannot be named there, and what cannot be named is not allowed.
fn quoted(path: &Path) -> Option<String> {
    Some(format!("\"{}\"", path.to_str()?.replace('\\', "\\\\").replace('"', "\\\"")))
}

#[cfg(test)]
mod tests;
