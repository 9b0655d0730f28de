//! Which paths are special: those a command may not write although they lie in the workspace, and those it may not
//! read although they lie in the home. Start from [`Guard`] and [`secrets`].

use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, LazyLock};

use super::Spec;
use super::names::{PROTECTED, STATE_FOLDER, fold};

/// Paths under the home that a login, a shell or a tool runs or obeys by itself. They matter where the home lies in the
/// workspace; elsewhere it cannot be written anyway.
pub const HOME_STARTUP: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".inputrc",
    ".pam_environment",
    ".xinitrc",
    ".xprofile",
    ".xsession",
    ".xsessionrc",
    ".forward",
    ".gitconfig",
    ".config/git",
    ".hgrc",
    ".config/hg",
    ".jjconfig.toml",
    ".config/jj",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".bunfig.toml",
    ".condarc",
    ".gemrc",
    ".irbrc",
    ".pryrc",
    ".pip",
    ".config/pip",
    ".cargo/bin",
    ".cargo/config",
    ".cargo/config.toml",
    ".cargo/env",
    ".gdbinit",
    ".config/gdb",
    ".lldbinit",
    ".tmux.conf",
    ".config/tmux",
    ".screenrc",
    ".emacs",
    ".emacs.d",
    ".config/emacs",
    ".vim",
    ".config/nvim",
    ".config/helix",
    ".config/zed",
    ".config/Code",
    ".config/VSCodium",
    ".config/fish",
    ".config/nushell",
    ".config/powershell",
    ".config/direnv",
    ".direnvrc",
    ".config/mise",
    ".config/environment.d",
    ".config/autostart",
    ".config/autostart-scripts",
    ".config/plasma-workspace",
    ".config/systemd",
    ".config/goose",
    ".config/opencode",
    ".config/crush",
    ".local/bin",
    ".local/share/applications",
    ".local/share/dbus-1",
    ".local/share/systemd",
    ".oh-my-zsh",
    ".docker",
    ".ssh",
    ".vscode-server",
    "Library/LaunchAgents",
];

/// Paths under the home that hold keys, tokens, passwords or what a person typed.
pub const HOME_SECRETS: &[&str] = &[
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

pub const SYSTEM_SECRETS: &[&str] = &[
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

/// Every path under a home that acts later or is secret.
pub(super) fn of_home(home: &Path) -> impl Iterator<Item = PathBuf> {
    HOME_STARTUP.iter().chain(HOME_SECRETS).map(|name| home.join(name))
}

/// Every secret path of the system.
pub(super) fn of_system() -> impl Iterator<Item = PathBuf> {
    SYSTEM_SECRETS.iter().map(PathBuf::from)
}

/// The folder of the agent's own state, which is masked but for [`STATE_READABLE`](super::names::STATE_READABLE) unless it is granted.
pub(super) fn state(spec: &Spec) -> Option<PathBuf> {
    let state = spec.workspace.join(STATE_FOLDER);
    (!spec.readable.iter().any(|granted| state.starts_with(granted))).then_some(state)
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
pub(super) enum Protected {
    /// Free to change.
    No,
    /// It holds something protected: what is in it may change and it may be made empty, but not moved or replaced.
    Ancestor,
    /// It is the repository: like an ancestor, but it may not even be made, or git would fill it.
    Repository,
    /// It is protected, or lies in what is.
    Yes,
}

/// The protected paths of one workspace, whether they exist or not. Start from [`Guard::of`].
#[derive(Clone)]
pub(super) struct Guard(Arc<Names>);

struct Names {
    /// Relative to the workspace.
    plain: Vec<PathBuf>,
    /// The same, part by part as a forgiving file system sees them.
    folded: Vec<Vec<String>>,
}

/// What is protected in every workspace, and in most of them nothing else.
static EVERYWHERE: LazyLock<Guard> =
    LazyLock::new(|| Guard::naming(PROTECTED.iter().map(PathBuf::from).collect()));

impl Guard {
    pub fn of(spec: &Spec) -> Self {
        let home = spec.home.as_ref().map(|home| home.canonicalize().unwrap_or_else(|_| home.clone()));
        Self::new(&spec.workspace, home.as_deref())
    }

    /// Of a home that lies in the workspace, or is it, secrets and what is run at the next login are protected too.
    pub fn new(workspace: &Path, home: Option<&Path>) -> Self {
        match home.and_then(|home| home.strip_prefix(workspace).ok()) {
            None => EVERYWHERE.clone(),
            Some(home) => {
                let of_home = HOME_STARTUP.iter().chain(HOME_SECRETS).map(|name| home.join(name));
                Self::naming(EVERYWHERE.names().iter().cloned().chain(of_home).collect())
            }
        }
    }

    fn naming(plain: Vec<PathBuf>) -> Self {
        let folded = plain.iter().map(|name| fold_parts(name)).collect();
        Self(Arc::new(Names { plain, folded }))
    }

    pub fn names(&self) -> &[PathBuf] {
        &self.0.plain
    }

    pub fn judge(&self, relative: &Path) -> Protected {
        let path = fold_parts(relative);
        if self.0.folded.iter().any(|name| path.starts_with(name)) {
            Protected::Yes
        } else if !self.0.folded.iter().any(|name| name.starts_with(&path)) {
            Protected::No
        } else if path == [".git"] {
            Protected::Repository
        } else {
            Protected::Ancestor
        }
    }
}

fn fold_parts(path: &Path) -> Vec<String> {
    let parts = path.components().filter(|part| !matches!(part, Component::CurDir));
    parts.map(|part| fold(part.as_os_str())).collect()
}

#[cfg(test)]
mod tests;
