//! Rules from configuration: words with which a command must begin. Start from [`Rules`]. Each rule
//! carries examples, and a rule that does not do what its examples say is refused when it is loaded.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

use super::expand::{self, Arg};
use super::scope::Scope;
use super::syntax::{Kind, Script};
use super::{Verdict, parse};
use super::{network, program};

/// All rules. Forbid beats ask beats allow, and no rule lifts what is forbidden anyway.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<Rule>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ask: Vec<Rule>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forbid: Vec<Rule>,
    /// Folders whose files the file tools may change without asking. No command is judged by them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<PathBuf>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The first words of the command: `["cargo", "test"]`.
    pub prefix: Vec<String>,
    /// The command must be the prefix and nothing more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exact: bool,
    /// Commands that the rule must cover.
    #[serde(default, rename = "match", skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<String>,
    /// Commands that it must not cover.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_match: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    #[error("a rule has an empty prefix: give at least the program's name")]
    Empty,
    #[error("the rule {0} does not cover its `match` example `{1}`")]
    Uncovered(String, String),
    #[error("the rule {0} covers its `not_match` example `{1}`")]
    Covered(String, String),
    #[error("the rule {0} would allow any code at all: give a longer prefix")]
    Broad(String),
}

impl Rules {
    pub fn check(&self) -> Result<(), RuleError> {
        for rule in self.allow.iter().chain(&self.ask).chain(&self.forbid) {
            rule.check()?;
        }
        match self.allow.iter().find(|rule| rule.is_broad()) {
            Some(rule) => Err(RuleError::Broad(rule.to_string())),
            None => Ok(()),
        }
    }

    /// What the rules say about one command, and which of them.
    pub fn verdict(&self, args: &[Arg]) -> Option<(Verdict, &Rule)> {
        let covers = |rule: &&Rule| rule.covers(args);
        let exact = args.iter().all(|arg| arg.is_exact() && !arg.computed);
        if let Some(rule) = self.forbid.iter().find(covers) {
            Some((Verdict::Forbid, rule))
        } else if let Some(rule) = self.ask.iter().find(covers) {
            Some((Verdict::Ask, rule))
        } else if exact && let Some(rule) = self.allow.iter().find(covers) {
            Some((Verdict::Allow, rule))
        } else {
            None
        }
    }
}

impl Rule {
    /// A rule for exactly these words.
    pub fn exactly(words: impl IntoIterator<Item = String>) -> Rule {
        Rule { prefix: words.into_iter().collect(), exact: true, ..Rule::default() }
    }

    /// What it covers, for people.
    pub fn in_words(&self) -> String {
        match self.exact {
            true => format!("exactly {self}"),
            false => format!("{self}, whatever follows"),
        }
    }

    fn covers(&self, args: &[Arg]) -> bool {
        if args.len() < self.prefix.len() || (self.exact && args.len() != self.prefix.len()) {
            return false;
        }
        self.prefix.iter().zip(args).enumerate().all(|(at, (word, arg))| {
            let same = *word == arg.text;
            same || (at == 0 && program::base(word) == program::base(&arg.text))
        })
    }

    fn check(&self) -> Result<(), RuleError> {
        if self.prefix.first().is_none_or(|word| word.trim().is_empty()) {
            return Err(RuleError::Empty);
        }
        if let Some(example) = self.matches.iter().find(|example| !self.covers_source(example)) {
            return Err(RuleError::Uncovered(self.to_string(), example.clone()));
        }
        match self.not_match.iter().find(|example| self.covers_source(example)) {
            Some(example) => Err(RuleError::Covered(self.to_string(), example.clone())),
            None => Ok(()),
        }
    }

    fn covers_source(&self, source: &str) -> bool {
        parse::parse(source).is_ok_and(|script| single(&script).is_some_and(|args| self.covers(&args)))
    }

    /// Whether its program is there to run code, so that even one exact command says little.
    fn runs_code(&self) -> bool {
        let stem = self.prefix.first().map(|first| network::stem(program::base(first))).unwrap_or_default();
        ANY_CODE.contains(&without_version(&stem)) || ALWAYS_BROAD.contains(&stem.as_str())
    }

    /// Whether allowing this prefix would allow any code: shells, interpreters, wrappers, package
    /// runners, deletes, and tools with many commands named without one.
    pub fn is_broad(&self) -> bool {
        let Some((first, rest)) = self.prefix.split_first() else {
            return true;
        };
        let stem = network::stem(program::base(first));
        let stem = stem.as_str();
        let name = without_version(stem);
        let bare = rest.iter().all(|word| word.starts_with(['-', '/']));
        let is = |list: &[&str]| list.contains(&name) || list.contains(&stem);
        match rest {
            _ if is(ALWAYS_BROAD) => true,
            _ if (is(ANY_CODE) || is(DOES_MUCH)) && bare => true,
            [] => is(MANY_COMMANDS),
            [word] => RUNNERS.iter().any(|(runner, command)| *runner == name && command == word),
            _ => false,
        }
    }
}

/// `python3.12` is `python`.
fn without_version(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}

/// The rule that "always" offers for a command: its first two words where these say what happens,
/// otherwise exactly this command; `None` where nothing may be allowed for good.
pub fn offer(args: &[Arg]) -> Option<Rule> {
    if args.iter().any(|arg| !arg.is_exact() || arg.computed) {
        return None;
    }
    let words: Vec<String> = args.iter().map(|arg| arg.text.clone()).collect();
    let first = program::base(words.first()?).to_owned();
    let second = words.get(1).map_or("", String::as_str);
    let wide = PREDICTABLE.iter().any(|(name, command)| *name == first && *command == second);
    let rule = if wide {
        Rule { prefix: vec![first, second.to_owned()], ..Rule::default() }
    } else {
        Rule::exactly(words)
    };
    // A rule that its own check refuses would be saved, and no start would get past it.
    (rule.check().is_ok() && !rule.is_broad() && !rule.runs_code()).then_some(rule)
}

/// The rules for several commands, each once; `None` if there is none for one of them.
pub fn offer_all(commands: &[Vec<Arg>]) -> Option<Vec<Rule>> {
    let mut offered: Vec<Rule> = Vec::new();
    for args in commands {
        let rule = offer(args)?;
        if !offered.contains(&rule) {
            offered.push(rule);
        }
    }
    Some(offered)
}

/// The arguments, if the script is one simple command.
fn single(script: &Script) -> Option<Vec<Arg>> {
    let [pipeline] = script.pipelines.as_slice() else {
        return None;
    };
    let [stage] = pipeline.stages.as_slice() else {
        return None;
    };
    match &stage.kind {
        Kind::Simple(simple) => Some(expand::arguments(&simple.words, &Scope::default())),
        _ => None,
    }
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}`", self.prefix.join(" "))
    }
}

/// Never to be allowed for good, whatever follows.
#[rustfmt::skip]
const ALWAYS_BROAD: &[&str] = &[
    "sudo", "doas", "su", "eval", "source", ".", "rm", "dd", "mkfs", "env", "exec", "xargs", "parallel",
];

/// Run code given to them.
#[rustfmt::skip]
const ANY_CODE: &[&str] = &[
    "bash", "sh", "zsh", "dash", "ksh", "fish", "ash", "csh", "tcsh", "cmd", "powershell", "pwsh", "python",
    "pythonw", "pypy", "py", "pyw", "node", "nodejs", "deno", "bun", "perl", "ruby", "php", "lua", "luajit",
    "julia", "rscript", "r", "osascript", "tclsh", "wish", "groovy", "scala", "ghci", "irb", "ipython", "ssh",
    "busybox", "toybox", "time", "nice", "nohup", "timeout", "command", "watch", "strace", "gdb", "vim", "vi",
    "nvim", "emacs", "ed", "npx", "bunx", "pnpx", "uvx", "pipx", "nc", "ncat", "socat",
];

/// Do very different things by their arguments: a rule must name these.
#[rustfmt::skip]
const DOES_MUCH: &[&str] = &[
    "awk", "gawk", "mawk", "sed", "find", "make", "curl", "wget", "tee", "chmod", "chown", "mv", "cp", "ln",
    "tar", "rsync", "kill", "touch",
];

#[rustfmt::skip]
const MANY_COMMANDS: &[&str] = &[
    "git", "npm", "pnpm", "yarn", "cargo", "go", "docker", "podman", "kubectl", "helm", "gh", "aws", "az",
    "gcloud", "terraform", "pip", "uv", "poetry", "brew", "apt", "apt-get", "dnf", "yum", "pacman", "systemctl",
    "dotnet", "mvn", "gradle", "bundle", "gem", "rake", "composer", "conda", "nix", "just", "task",
];

/// Build and test the project, whatever follows them.
#[rustfmt::skip]
const PREDICTABLE: &[(&str, &str)] = &[
    ("cargo", "build"), ("cargo", "check"), ("cargo", "clippy"), ("cargo", "test"), ("cargo", "fmt"), ("cargo",
    "doc"), ("cargo", "metadata"), ("cargo", "tree"),
    ("npm", "test"), ("pnpm", "test"), ("yarn", "test"), ("dotnet", "build"), ("dotnet", "test"), ("git", "add"),
];

#[rustfmt::skip]
const RUNNERS: &[(&str, &str)] = &[
    ("npm", "run"), ("pnpm", "run"), ("yarn", "run"), ("bun", "run"), ("deno", "eval"), ("deno", "run"), ("npm",
    "exec"), ("npm", "x"), ("pnpm", "exec"), ("pnpm", "dlx"), ("yarn", "dlx"), ("yarn", "exec"),
    ("uv", "run"), ("poetry", "run"), ("bundle", "exec"), ("cargo", "run"), ("go", "run"), ("docker", "run"),
    ("docker", "exec"), ("podman", "run"), ("podman", "exec"), ("kubectl", "exec"), ("pipx", "run"), ("dotnet",
    "run"), ("conda", "run"),
    ("git", "config"), ("git", "-c"), ("bun", "x"),
];
