//! Which paths are special: those a command may not write although they lie in the workspace, and those it may not
//! read although they lie in the home. Start from [`Protected`] and [`secrets`].

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

#[cfg(target_os = "linux")]
use super::Spec;

/// Settings of this and other agents and of editors, and the parts of a repository that make git run programs.
/// Relative to the workspace. Whoever can write one of them runs code outside the wall the next time a person works here.
pub const PROTECTED: &[&str] = &[
    ".git/hooks",
    ".git/config",
    ".git/config.worktree",
    ".git/commondir",
    ".cinque",
    ".mcp.json",
    ".vscode",
    ".idea",
    ".zed",
    ".fleet",
    ".vs",
    ".nvim.lua",
    ".nvimrc",
    ".exrc",
    ".vimrc",
    ".dir-locals.el",
    ".helix",
    ".claude",
    ".claude.json",
    ".codex",
    ".gemini",
    ".cursor",
    ".cursorrules",
    ".windsurf",
    ".continue",
    ".aider.conf.yml",
    ".amazonq",
    ".kiro",
    ".qwen",
    ".goose",
    ".opencode",
    ".crush",
    "opencode.json",
    ".crush.json",
    ".clinerules",
    ".roo",
    ".junie",
    ".devcontainer",
    ".envrc",
];

/// Paths under the home that hold keys, tokens, passwords or what a person typed.
const HOME_SECRETS: &[&str] = &[
    ".ssh",
    ".aws",
    ".gnupg",
    ".netrc",
    "_netrc",
    ".azure",
    ".kube",
    ".oci",
    ".docker/config.json",
    ".config/containers/auth.json",
    ".config/gh",
    ".config/glab-cli",
    ".config/hub",
    ".config/gcloud",
    ".config/doctl",
    ".config/rclone",
    ".config/op",
    ".config/sops",
    ".config/age",
    ".config/git/credentials",
    ".config/cinque",
    ".config/github-copilot",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/Signal",
    ".config/Slack",
    ".mozilla",
    ".thunderbird",
    ".git-credentials",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".gem/credentials",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".nuget/NuGet/NuGet.Config",
    ".terraform.d/credentials.tfrc.json",
    ".vault-token",
    ".fly",
    ".s3cfg",
    ".boto",
    ".pgpass",
    ".my.cnf",
    ".password-store",
    ".local/share/keyrings",
    ".local/share/cinque",
    ".local/state/cinque",
    ".cache/huggingface/token",
    ".huggingface/token",
    ".claude/.credentials.json",
    ".claude.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".qwen/oauth_creds.json",
    ".local/share/opencode/auth.json",
    ".bash_history",
    ".zsh_history",
    ".python_history",
    ".node_repl_history",
    ".psql_history",
    ".mysql_history",
    "Library/Keychains",
    "Library/Cookies",
];

const SYSTEM_SECRETS: &[&str] = &[
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssl/private",
    "/etc/ssh/ssh_host_rsa_key",
    "/etc/ssh/ssh_host_ecdsa_key",
    "/etc/ssh/ssh_host_ed25519_key",
    "/etc/krb5.keytab",
    "/var/lib/docker",
    "/var/spool/cron",
];

/// Parts of `/run` that programs need and that hold no secrets; the rest of it is hidden.
pub const RUN_KEPT: &[&str] = &["/run/current-system", "/run/opengl-driver", "/run/systemd/resolve"];

/// Every path that is masked for a command, except those granted to it.
pub fn secrets(home: Option<&Path>, readable: &[PathBuf]) -> Vec<PathBuf> {
    let home = home.into_iter().flat_map(|home| HOME_SECRETS.iter().map(move |name| home.join(name)));
    home.chain(SYSTEM_SECRETS.iter().map(PathBuf::from))
        .filter(|path| !readable.iter().any(|granted| path.starts_with(granted)))
        .collect()
}

/// The secrets of a command that exist, without links on the way to them.
#[cfg(target_os = "linux")]
pub(super) fn existing_secrets(spec: &Spec) -> Vec<PathBuf> {
    let secrets = secrets(spec.home.as_deref(), &spec.readable);
    // Most of them do not exist, which one look tells; following the way there takes a look at every folder on it.
    let exist = secrets.iter().filter(|path| path.symlink_metadata().is_ok());
    exist.filter_map(|path| path.canonicalize().ok()).collect()
}

/// What may happen to a path of the workspace, given relative to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protected {
    /// Free to change.
    No,
    /// It holds something protected: what is in it may change, but it may be neither made, moved nor replaced.
    Ancestor,
    /// It is protected, or lies in what is.
    Yes,
}

impl Protected {
    /// Letter case is ignored, since some file systems ignore it too.
    pub fn of(relative: &Path) -> Self {
        let mut verdict = Protected::No;
        for name in PROTECTED {
            match compare(relative, Path::new(name)) {
                Protected::Yes => return Protected::Yes,
                Protected::Ancestor => verdict = Protected::Ancestor,
                Protected::No => {}
            }
        }
        verdict
    }
}

fn compare(path: &Path, name: &Path) -> Protected {
    let mut components = path.components().filter(|part| !matches!(part, Component::CurDir));
    for wanted in name.components() {
        match components.next() {
            None => return Protected::Ancestor,
            Some(part) if same(part.as_os_str(), wanted.as_os_str()) => {}
            Some(_) => return Protected::No,
        }
    }
    Protected::Yes
}

fn same(one: &OsStr, other: &OsStr) -> bool {
    one.eq_ignore_ascii_case(other)
}

#[cfg(test)]
mod tests;
