//! Where credentials lie, as tables of names. Start from [`Path::is_secret`].

use super::pattern::{begins, contains, fits};
use super::{Anchor, Path, wide};
use crate::sandbox::paths::{HOME_SECRETS, SYSTEM_SECRETS};

impl Path {
    /// Whether credentials lie there.
    pub fn is_secret(&self) -> bool {
        let parts: Vec<&str> = self.parts.iter().map(String::as_str).collect();
        // From above the working directory any place may be reached.
        let above = match self.anchor {
            Anchor::Here(up) => up > 0,
            // Somebody's home may be what the pattern fits.
            Anchor::Root => parts.first().is_some_and(|part| part.contains(['*', '?', '['])),
            Anchor::Home => false,
        };
        let system = SYSTEM_SECRETS.iter().map(|entry| entry.trim_start_matches('/'));
        let mut absolute = system.chain(ABSOLUTE.iter().copied());
        if (above || self.anchor == Anchor::Root) && absolute.any(|entry| begins(&parts, entry)) {
            return true;
        }
        let in_home = |entry: &&str| match self.anchor {
            Anchor::Home => begins(&parts, entry),
            _ => above && contains(&parts, entry),
        };
        let near_home = above || self.anchor == Anchor::Home;
        if near_home && HOME_SECRETS.iter().chain(HOME).any(in_home) {
            return true;
        }
        if parts.iter().any(|part| ANYWHERE.iter().any(|name| fits(part, name))) {
            return true;
        }
        let own = |pair: &[&str]| fits(pair[0], ".cinque") && pair[1] != "output";
        if parts.windows(2).any(own) || parts.last().is_some_and(|name| fits(name, ".cinque")) {
            return true;
        }
        parts.last().is_some_and(|name| is_secret_name(name))
    }

    /// Whether reading everything beneath it would meet credentials.
    pub fn holds_secrets(&self) -> bool {
        match (self.anchor, self.parts.as_slice()) {
            (Anchor::Root, []) | (Anchor::Home, []) => true,
            (Anchor::Root, [part]) => {
                matches!(part.as_str(), "etc" | "home" | "Users" | "proc" | "run" | "var") || wide(part)
            }
            (Anchor::Home, [part]) => {
                wide(part) || matches!(part.as_str(), ".config" | ".local" | ".cargo" | ".*")
            }
            (Anchor::Here(up), []) => up > 0,
            _ => false,
        }
    }
}

fn is_secret_name(name: &str) -> bool {
    if HARMLESS_NAMES.iter().any(|suffix| name.ends_with(suffix)) {
        return false;
    }
    let lower = name.to_ascii_lowercase();
    let ends = |suffix: &&str| lower.len() > suffix.len() && lower.ends_with(*suffix);
    SECRET_SUFFIXES.iter().any(ends)
        || lower.starts_with(".env.")
        || SECRET_NAMES.iter().any(|secret| fits(&lower, secret))
}

/// Beside those that the wall masks: patterns, and what a command behind it has none of.
#[rustfmt::skip]
const ABSOLUTE: &[&str] = &[
    "etc/master.passwd", "etc/ssh/ssh_host_*_key", "etc/kubernetes", "proc/*/environ", "proc/*/task", "proc/*/mem",
    "proc/*/maps", "proc/*/root", "proc/*/cwd", "proc/kcore", "dev/mem", "dev/kmem", "run/secrets", "var/run/secrets",
    "private/etc/master.passwd", "Library/Keychains",
];

/// Beside those that the wall masks: what is worth a question although much of it is harmless.
#[rustfmt::skip]
const HOME: &[&str] = &[
    ".cargo/credentials*", ".local/share/kwalletd", ".*_history", ".terraform.d", ".claude*", ".codex", ".nuget",
    ".subversion/auth",
];

/// Names that mean credentials in any directory.
#[rustfmt::skip]
const ANYWHERE: &[&str] = &[
    ".ssh", ".gnupg", ".aws", ".kube", ".netrc", "_netrc", ".git-credentials", ".pgpass", ".pypirc",
    ".htpasswd",
];

#[rustfmt::skip]
const SECRET_NAMES: &[&str] = &[
    ".env", ".envrc", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk",
    "credentials.json", "service-account*.json", "secrets.json", "secrets.yaml", "secrets.yml", "secrets.toml",
    "authorized_keys",
];

#[rustfmt::skip]
const SECRET_SUFFIXES: &[&str] = &[
    ".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ovpn",
];

/// Examples that are meant to be read.
const HARMLESS_NAMES: &[&str] = &[".example", ".sample", ".template", ".dist", ".pub"];
