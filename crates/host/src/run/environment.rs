//! The environment of a command: what is allowed through from outside, and what is always set.
//! Start from [`Environment::allowed`]. It is an allow-list: variables that hold keys, or that make an innocent program
//! run another one, cannot all be known by name.

use std::ffi::{OsStr, OsString};

/// The variables of every command, ready to use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    pairs: Vec<(OsString, OsString)>,
}

/// Passed through as they are: who and where the user is, and where toolchains live.
const ALLOWED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LANGUAGE",
    "TZ",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "GOPATH",
    "GOROOT",
    "GOCACHE",
    "GOMODCACHE",
    "JAVA_HOME",
    "NVM_DIR",
    "NVM_BIN",
    "PNPM_HOME",
    "BUN_INSTALL",
    "DENO_DIR",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "UV_CACHE_DIR",
    "RBENV_ROOT",
    "GEM_HOME",
    "ASDF_DIR",
    "ASDF_DATA_DIR",
    "MISE_DATA_DIR",
    "DOTNET_ROOT",
    "ANDROID_HOME",
    "SDKROOT",
    "DEVELOPER_DIR",
    "NIX_PATH",
    "NIX_PROFILES",
    "LOCALE_ARCHIVE",
    "CI",
];

const ALLOWED_PREFIXES: &[&str] = &["LC_"];

/// What is said instead of opening an editor.
pub const NO_EDITOR: &str = "Interactive editor not available in this environment.";
const EDITOR: &str = "echo 'Interactive editor not available in this environment.' >&2; exit 1; :";
/// What git is told to edit with.
pub const NO_GIT_EDITOR: &str =
    "echo 'Interactive Git commands are not supported in this environment.' >&2; exit 1; :";

/// The editors of the screen as functions of the shell, for where the grammar does not show that one is opened: called
/// with a file they would wait for keys that nobody presses.
/// Called with options they work from a script, as they always did.
const NO_SCREEN_EDITOR: &str = "() { case \" $*\" in *' -'*) command \"$FUNCNAME\" \"$@\";; \
     *) echo 'Interactive editor not available in this environment.' >&2; return 1;; esac; }";

/// Set for every command: nothing may page, prompt or open an editor, since nobody is there to answer.
/// The editors are shell fragments: the programs that read these variables give them to a shell with the file's name after
/// them, which the final `:` swallows.
const ALWAYS: &[(&str, &str)] = &[
    ("TERM", "dumb"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GH_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GCM_INTERACTIVE", "never"),
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("GIT_EDITOR", NO_GIT_EDITOR),
    ("GIT_SEQUENCE_EDITOR", NO_GIT_EDITOR),
    ("EDITOR", EDITOR),
    ("VISUAL", EDITOR),
];

const SCREEN_EDITORS: &[&str] =
    &["BASH_FUNC_vi%%", "BASH_FUNC_vim%%", "BASH_FUNC_nvim%%", "BASH_FUNC_nano%%", "BASH_FUNC_emacs%%"];

/// What source must contain to open an editor that its text does not show: something that is put in, evaluated, or read
/// from a script.
const HIDING: &[&str] = &["$", "`", "eval", "sh", "source", ". "];

impl Environment {
    /// What of the given variables may reach a command, and what is always set.
    pub fn allowed(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let may_pass = |name: &OsStr| {
            let prefixed = name
                .to_str()
                .is_some_and(|name| ALLOWED_PREFIXES.iter().any(|start| name.starts_with(start)));
            prefixed || ALLOWED.iter().any(|allowed| name == *allowed)
        };
        let mut environment = Self::default();
        for (name, value) in variables.into_iter().filter(|(name, _)| may_pass(name)) {
            environment.set(name, value);
        }
        for (name, value) in ALWAYS {
            environment.set((*name).into(), (*value).into());
        }
        environment
    }

    /// Keeps source from opening an editor of the screen where only running it shows that it would. Not for every command:
    /// bash reads these functions at each start, which takes a seventh of the time of a small one.
    pub fn keep_from_editing(&mut self, source: &str) {
        if HIDING.iter().any(|word| source.contains(word)) {
            SCREEN_EDITORS.iter().for_each(|name| self.set((*name).into(), NO_SCREEN_EDITOR.into()));
        }
    }

    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_os_str())
    }

    /// Adds a variable, or replaces it.
    pub fn set(&mut self, name: OsString, value: OsString) {
        match self.pairs.iter_mut().find(|(known, _)| *known == name) {
            Some(pair) => pair.1 = value,
            None => self.pairs.push((name, value)),
        }
    }

    pub fn into_pairs(self) -> Vec<(OsString, OsString)> {
        self.pairs
    }
}

#[cfg(test)]
mod tests;
