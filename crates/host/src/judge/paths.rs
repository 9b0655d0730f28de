//! Where a path leads, judged by its spelling alone. Start from [`Path::new`]. Links are not seen
//! here: the sandbox is what holds, this only explains and warns.

use super::expand::{NAME, UNKNOWN};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    anchor: Anchor,
    parts: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Anchor {
    Root,
    Home,
    /// The working directory, or that many steps above it.
    Here(usize),
}

/// What lies there, as far as writing or deleting is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Inside the workspace.
    Inside,
    /// The workspace itself, or its version history.
    Whole,
    Temporary,
    /// A device that swallows or repeats: `/dev/null`, `/dev/stdout`.
    Harmless,
    Device,
    /// `/dev/tcp/…`: bash opens a connection.
    Socket,
    /// `/`, `/etc`, `/usr`…
    System,
    /// The home directory itself.
    Home,
    /// Elsewhere beyond the workspace.
    Outside,
    /// Settings by which a later command or tool would act.
    Protected,
    Unknown,
}

impl Path {
    /// Reads `text`; `workspace` and `home` are absolute paths, where they are known.
    pub fn new(text: &str, workspace: Option<&str>, home: Option<&str>) -> Path {
        let (anchor, rest) = if let Some(rest) = workspace.and_then(|top| beneath(text, top)) {
            (Anchor::Here(0), rest)
        } else if let Some(rest) = home.and_then(|top| beneath(text, top)) {
            (Anchor::Home, rest)
        } else if let Some(rest) = text.strip_prefix('/') {
            (Anchor::Root, rest)
        } else if let Some(rest) = text.strip_prefix('~') {
            (Anchor::Home, rest.split_once('/').map_or("", |(_, rest)| rest))
        } else {
            (Anchor::Here(0), text)
        };
        let mut path = Path { anchor, parts: Vec::new() };
        rest.split('/').for_each(|part| path.step(part));
        path.recognise_home();
        path
    }

    /// This path seen from `base`, if it is relative.
    pub fn seen_from(&self, base: &Path) -> Path {
        let Anchor::Here(up) = self.anchor else {
            return self.clone();
        };
        let mut path = base.clone();
        for _ in 0..up {
            path.step("..");
        }
        self.parts.iter().for_each(|part| path.step(part));
        path.recognise_home();
        path
    }

    fn step(&mut self, part: &str) {
        match part {
            "" | "." => {}
            ".." if self.parts.pop().is_some() => {}
            ".." => match &mut self.anchor {
                Anchor::Root => {}
                Anchor::Home => {
                    self.anchor = Anchor::Root;
                    self.parts.push("home".to_owned());
                }
                Anchor::Here(up) => *up += 1,
            },
            _ => self.parts.push(part.to_owned()),
        }
    }

    /// `/root/x` and `/home/anybody/x` are somebody's home as well.
    fn recognise_home(&mut self) {
        if self.anchor != Anchor::Root {
            return;
        }
        let skip = match self.parts.first().map(String::as_str) {
            Some("root") => 1,
            Some("home" | "Users") if self.parts.len() >= 2 => 2,
            _ => return,
        };
        self.anchor = Anchor::Home;
        self.parts.drain(..skip);
    }

    pub fn place(&self) -> Place {
        let parts: Vec<&str> = self.parts.iter().map(String::as_str).collect();
        match (self.anchor, parts.as_slice()) {
            (_, parts) if PROTECTED.iter().any(|entry| contains(parts, entry)) => Place::Protected,
            (Anchor::Home, []) => Place::Home,
            (Anchor::Home, [part]) if wide(part) => Place::Home,
            (Anchor::Home, [part, ..]) if STARTUP.contains(part) => Place::Protected,
            (Anchor::Home, _) => Place::Outside,
            (Anchor::Root, ["dev", "tcp" | "udp", ..]) => Place::Socket,
            (Anchor::Root, ["dev", "null" | "stdout" | "stderr" | "stdin" | "tty" | "zero" | "full"]) => {
                Place::Harmless
            }
            (Anchor::Root, ["dev", "fd", part]) if part.chars().all(|c| c.is_ascii_digit()) => {
                Place::Harmless
            }
            (Anchor::Root, ["dev", "shm", ..] | ["tmp" | "private", _, ..] | ["var", "tmp", _, ..]) => {
                Place::Temporary
            }
            (Anchor::Root, ["dev", ..]) => Place::Device,
            (Anchor::Root, [] | ["tmp"]) => Place::System,
            (Anchor::Root, [part, ..]) if wide(part) || SYSTEM.contains(part) => Place::System,
            (Anchor::Root, _) => Place::Outside,
            (Anchor::Here(0), []) => Place::Whole,
            (Anchor::Here(0), [".git", ..]) => Place::Whole,
            (Anchor::Here(0), [part]) if wide(part) => Place::Whole,
            (Anchor::Here(0), [part, ..]) if part.starts_with([UNKNOWN, NAME]) => Place::Unknown,
            (Anchor::Here(0), _) => Place::Inside,
            (Anchor::Here(_), _) => Place::Outside,
        }
    }

    /// Whether credentials lie there.
    pub fn is_secret(&self) -> bool {
        let parts: Vec<&str> = self.parts.iter().map(String::as_str).collect();
        if self.anchor == Anchor::Root && ABSOLUTE.iter().any(|entry| begins(&parts, entry)) {
            return true;
        }
        if self.anchor == Anchor::Home && HOME.iter().any(|entry| begins(&parts, entry)) {
            return true;
        }
        if parts.iter().any(|part| ANYWHERE.iter().any(|name| fits(part, name))) {
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

/// What is left of `text` beneath `top`.
fn beneath<'a>(text: &'a str, top: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(top.trim_end_matches('/'))?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

fn wide(part: &str) -> bool {
    matches!(part, "*" | ".*" | "**" | "?*" | "*.*" | "{*,.*}")
}

fn begins(parts: &[&str], entry: &str) -> bool {
    let names: Vec<&str> = entry.split('/').collect();
    parts.len() >= names.len() && parts.iter().zip(&names).all(|(part, name)| fits(part, name))
}

fn contains(parts: &[&str], entry: &str) -> bool {
    let length = entry.split('/').count();
    parts.windows(length).any(|window| begins(window, entry))
}

fn is_secret_name(name: &str) -> bool {
    if HARMLESS_NAMES.iter().any(|suffix| name.ends_with(suffix)) {
        return false;
    }
    let lower = name.to_ascii_lowercase();
    let ends = |suffix: &&str| lower.len() > suffix.len() && lower.ends_with(*suffix);
    SECRET_SUFFIXES.iter().any(|suffix| ends(suffix))
        || lower.starts_with(".env.")
        || SECRET_NAMES.iter().any(|secret| fits(&lower, secret))
}

/// Whether a part of a path, which may be a pattern, can be `name`, which may hold `*` itself.
fn fits(part: &str, name: &str) -> bool {
    if part == name {
        return true;
    }
    let pattern = part.contains(['*', '?', '[', UNKNOWN]);
    if !pattern {
        return name.contains('*')
            && matches(&name.chars().collect::<Vec<_>>(), &part.chars().collect::<Vec<_>>());
    }
    // A leading `*` or `?` does not match a leading dot, and a part of nothing but marks says nothing.
    if (name.starts_with('.') && !part.starts_with('.')) || part.chars().all(|c| matches!(c, '*' | UNKNOWN)) {
        return false;
    }
    matches(&part.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
}

/// Wildcard matching without recursion: a bracket counts as any one character.
fn matches(pattern: &[char], name: &[char]) -> bool {
    let (mut at, mut on) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while on < name.len() {
        match pattern.get(at) {
            Some('*' | &UNKNOWN) => {
                retry = Some((at + 1, on));
                at += 1;
                continue;
            }
            Some('[') => {
                let length = pattern[at..].iter().position(|c| *c == ']').unwrap_or(0);
                at += length + 1;
                on += 1;
                continue;
            }
            Some(c) if *c == '?' || *c == name[on] => {
                at += 1;
                on += 1;
                continue;
            }
            _ => {}
        }
        let Some((back, from)) = retry else {
            return false;
        };
        retry = Some((back, from + 1));
        at = back;
        on = from + 1;
    }
    pattern[at..].iter().all(|c| matches!(c, '*' | &UNKNOWN))
}

const SYSTEM: &[&str] = &[
    "bin",
    "boot",
    "etc",
    "lib",
    "lib32",
    "lib64",
    "opt",
    "proc",
    "run",
    "sbin",
    "srv",
    "sys",
    "usr",
    "var",
    "home",
    "Users",
    "System",
    "Library",
    "Applications",
    "Volumes",
    "media",
    "mnt",
    "nix",
    "private",
];

/// Files in a home directory that act by themselves at the next login or command.
const STARTUP: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".inputrc",
    ".gitconfig",
    ".vimrc",
    ".ssh",
    ".gnupg",
    ".aws",
    ".netrc",
    ".npmrc",
    ".cargo",
    ".kube",
    ".docker",
    ".local",
    ".config",
];

/// Settings of git and of agents and editors, wherever they are.
const PROTECTED: &[&str] = &[
    ".git/hooks",
    ".git/config",
    ".git/info",
    ".cinque",
    ".claude",
    ".codex",
    ".vscode",
    ".idea",
    ".mcp.json",
];

const ABSOLUTE: &[&str] = &[
    "etc/shadow",
    "etc/shadow-",
    "etc/gshadow",
    "etc/gshadow-",
    "etc/sudoers",
    "etc/sudoers.d",
    "etc/master.passwd",
    "etc/ssl/private",
    "etc/ssh/ssh_host_*_key",
    "etc/krb5.keytab",
    "etc/kubernetes",
    "proc/*/environ",
    "proc/*/mem",
    "proc/*/maps",
    "proc/kcore",
    "dev/mem",
    "dev/kmem",
    "run/secrets",
    "var/run/secrets",
    "private/etc/master.passwd",
    "Library/Keychains",
    "var/lib/docker",
    "var/spool/cron",
];

const HOME: &[&str] = &[
    ".azure",
    ".docker/config.json",
    ".npmrc",
    ".yarnrc.yml",
    ".config/gh",
    ".config/gcloud",
    ".config/op",
    ".config/hub",
    ".config/rclone",
    ".config/doctl",
    ".config/google-chrome",
    ".config/chromium",
    ".cargo/credentials*",
    ".mozilla",
    ".password-store",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    "Library/Keychains",
    ".*_history",
    ".vault-token",
    ".my.cnf",
    ".gem/credentials",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".terraform.d",
    ".config/cinque",
    ".claude*",
    ".codex",
    ".nuget",
    ".subversion/auth",
    ".s3cfg",
    ".boto",
];

/// Names that mean credentials in any directory.
const ANYWHERE: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".kube",
    ".netrc",
    "_netrc",
    ".git-credentials",
    ".pgpass",
    ".pypirc",
    ".htpasswd",
];

const SECRET_NAMES: &[&str] = &[
    ".env",
    ".envrc",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_ecdsa_sk",
    "id_ed25519_sk",
    "credentials.json",
    "service-account*.json",
    "secrets.json",
    "secrets.yaml",
    "secrets.yml",
    "secrets.toml",
    "authorized_keys",
];

const SECRET_SUFFIXES: &[&str] =
    &[".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ovpn", ".env"];

/// Examples that are meant to be read.
const HARMLESS_NAMES: &[&str] = &[".example", ".sample", ".template", ".dist", ".pub"];
