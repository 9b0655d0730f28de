//! Git: which of its commands only read, and how they are run so that they cannot do more. Start
//! from [`judge`]; [`git_hardening`] is for whoever runs what was allowed.
//!
//! A repository's own settings can make `git status` or `git diff` run programs. A setting given on
//! the command line therefore asks, and the rest are overridden by the environment.

mod drivers;

use super::expand::Arg;
use super::options;
use super::program::Effect;
use crate::run::NO_GIT_EDITOR;

pub use drivers::GIT_DRIVER_SCRIPT;

/// Environment with which git commands that only read are run: it outranks every configuration file.
pub fn git_hardening() -> Vec<(String, String)> {
    let mut environment: Vec<(String, String)> = FIXED.iter().map(pair).collect();
    let settings: Vec<(String, String)> = SETTINGS.iter().map(pair).collect();
    environment.extend(numbered(0, &settings));
    environment
}

/// What to add to [`git_hardening`], in its place where both set a variable, for repositories whose settings
/// have these names, one a line, as [`GIT_DRIVER_SCRIPT`] prints them; `None` where it could not find them all.
/// A driver runs a program whenever git reads a file, and there is no setting that switches all of them off.
pub fn git_drivers(config_names: &str) -> Option<Vec<(String, String)>> {
    Some(numbered(SETTINGS.len(), &drivers::overrides(config_names)?))
}

/// Settings as variables, after `taken` others.
fn numbered(taken: usize, settings: &[(String, String)]) -> Vec<(String, String)> {
    let mut environment = vec![("GIT_CONFIG_COUNT".to_owned(), (taken + settings.len()).to_string())];
    for (at, (key, value)) in settings.iter().enumerate() {
        let at = taken + at;
        environment.push((format!("GIT_CONFIG_KEY_{at}"), key.clone()));
        environment.push((format!("GIT_CONFIG_VALUE_{at}"), value.clone()));
    }
    environment
}

fn pair((name, value): &(&str, &str)) -> (String, String) {
    ((*name).to_owned(), (*value).to_owned())
}

#[rustfmt::skip]
const FIXED: &[(&str, &str)] = &[
    ("GIT_PAGER", "cat"),
    ("PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_ALLOW_PROTOCOL", "file"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_EDITOR", NO_GIT_EDITOR),
    ("GIT_SEQUENCE_EDITOR", NO_GIT_EDITOR),
    ("GIT_ASKPASS", "false"),
    ("GIT_SSH_COMMAND", "false"),
];

#[rustfmt::skip]
const SETTINGS: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.editor", "false"),
    ("core.askPass", "false"),
    ("core.sshCommand", "false"),
    ("core.alternateRefsCommand", "false"),
    ("core.attributesFile", "/dev/null"),
    ("safe.bareRepository", "explicit"),
    ("protocol.ext.allow", "never"),
    ("log.showSignature", "false"),
    ("interactive.diffFilter", "cat"),
    ("credential.helper", ""),
    ("gpg.program", "false"),
    ("gpg.openpgp.program", "false"),
    ("gpg.ssh.program", "false"),
    ("gpg.x509.program", "false"),
    ("format.pretty", "medium"),
    ("sequence.editor", "false"),
    ("diff.ignoreSubmodules", "dirty"),
    ("diff.submodule", "short"),
    ("status.submoduleSummary", "false"),
    ("submodule.recurse", "false"),
];

/// Judges what follows `git`.
pub fn judge(args: &[Arg]) -> Effect {
    match globals(args) {
        Err(reason) => Effect::Asks(reason),
        Ok([]) => Effect::Speaks,
        Ok([command, rest @ ..]) => subcommand(command, rest),
    }
}

/// Where git's own options lead: a folder to run in, or a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Led<'a> {
    Folder(&'a str),
    Repository(&'a str),
}

pub fn led(args: &[Arg]) -> Vec<Led<'_>> {
    let mut found = Vec::new();
    let own = args.len() - words(args).len();
    for (at, arg) in args[..own].iter().enumerate() {
        let next = args.get(at + 1).map(|arg| arg.text.as_str());
        match arg.text.as_str() {
            "-C" => found.extend(next.map(Led::Folder)),
            "--git-dir" => found.extend(next.map(Led::Repository)),
            text => found.extend(text.strip_prefix("--git-dir=").map(Led::Repository)),
        }
    }
    found
}

/// The subcommand and what follows it, whatever options stand before: for rules about destroying.
pub fn words(args: &[Arg]) -> &[Arg] {
    let mut rest = args;
    while let [first, tail @ ..] = rest {
        let takes = matches!(
            first.text.as_str(),
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--config-env"
        );
        if !first.text.starts_with('-') {
            break;
        }
        rest = if takes { tail.get(1..).unwrap_or_default() } else { tail };
    }
    rest
}

/// Skips git's own options; an error says why one of them asks.
fn globals(args: &[Arg]) -> Result<&[Arg], String> {
    let mut rest = args;
    while let [first, tail @ ..] = rest {
        let text = first.text.as_str();
        rest = match text {
            "--version" | "--help" | "-h" | "-v" | "--html-path" | "--man-path" | "--info-path"
            | "--exec-path" => {
                return if tail.is_empty() {
                    Ok(&[])
                } else {
                    Err(format!("`git {text}` with more words may open a viewer"))
                };
            }
            "-C" => folder(tail, "-C", is_plain_folder)?,
            "--git-dir" => folder(tail, "--git-dir", is_plain_repository)?,
            _ if text.starts_with("--git-dir=")
                && is_plain_repository(&text["--git-dir=".len()..])
                && !first.has_marks() =>
            {
                tail
            }
            "-c" => match tail {
                [setting, more @ ..] if is_harmless_setting(setting) => more,
                _ => return Err("a git setting given with `-c` can run programs".to_owned()),
            },
            _ if FREE.contains(&text) => tail,
            _ if text.starts_with('-') || first.may_hide_option() => {
                return Err(format!("the git option `{text}` can change what runs"));
            }
            _ => return Ok(rest),
        };
    }
    Ok(&[])
}

#[rustfmt::skip]
const FREE: &[&str] = &[
    "-p", "-P", "--paginate", "--no-pager", "--no-optional-locks", "--no-replace-objects",
    "--literal-pathspecs", "--glob-pathspecs", "--noglob-pathspecs", "--icase-pathspecs", "--no-advice",
];

fn folder<'a>(tail: &'a [Arg], option: &str, fine: fn(&str) -> bool) -> Result<&'a [Arg], String> {
    match tail {
        [value, more @ ..] if value.is_exact() && fine(&value.text) => Ok(more),
        _ => Err(format!("`git {option}` leads to a repository whose settings are not known")),
    }
}

/// A folder inside the workspace may be a repository planted there, with settings of its own.
fn is_plain_folder(text: &str) -> bool {
    text == "." || (text.starts_with('/') && !text.contains(".."))
}

fn is_plain_repository(text: &str) -> bool {
    matches!(text, ".git" | "./.git")
        || (text.starts_with('/') && text.ends_with("/.git") && !text.contains(".."))
}

fn is_harmless_setting(setting: &Arg) -> bool {
    let (key, value) = setting.text.split_once('=').unwrap_or((&setting.text, ""));
    let key = key.to_ascii_lowercase();
    let harmless = key.starts_with("color.") || key.starts_with("advice.") || key.starts_with("column.");
    let named = matches!(
        key.as_str(),
        "core.quotepath" | "core.abbrev" | "diff.renames" | "log.date" | "status.short"
    );
    setting.is_exact() && (harmless || named || (key == "core.pager" && value == "cat"))
}

/// Options that make any of git's reading commands write or run something.
#[rustfmt::skip]
const DENY: &[&str] = &[
    "--output", "--ext-diff", "--textconv", "--show-signature", "--open-files-in-pager", "--exec",
    "--upload-pack", "--remote", "--help", "--filters", "--contents", "--stdin-paths", "--lost-found", "--edit",
];

/// Commands that only read, and letters that stop them from it.
#[rustfmt::skip]
const READING: &[(&str, &[&str])] = &[
    ("status", &[]), ("diff", &[]), ("log", &[]), ("show", &[]), ("shortlog", &[]), ("describe", &[]),
    ("rev-parse", &[]), ("rev-list", &[]), ("ls-files", &[]), ("ls-tree", &[]), ("cat-file", &[]),
    ("blame", &[]), ("annotate", &[]), ("grep", &["-O"]), ("diff-tree", &[]), ("diff-index", &[]),
    ("diff-files", &[]), ("name-rev", &[]), ("merge-base", &[]), ("for-each-ref", &[]),
    ("show-ref", &[]), ("show-branch", &[]), ("count-objects", &[]), ("cherry", &[]),
    ("whatchanged", &[]), ("range-diff", &[]), ("var", &[]), ("check-ignore", &[]), ("check-attr", &[]),
    ("check-ref-format", &[]), ("check-mailmap", &[]), ("hash-object", &["-w"]),
    ("archive", &["-o", "--format"]), ("version", &[]), ("get-tar-commit-id", &[]), ("patch-id", &[]),
    ("stripspace", &[]), ("fsck", &[]), ("verify-pack", &[]),
];

fn subcommand(command: &Arg, args: &[Arg]) -> Effect {
    let name = command.text.as_str();
    if !command.is_exact() || command.computed {
        return Effect::Asks("the git command is only known when it runs".to_owned());
    }
    if let Some(option) = options::denied(args, DENY, "") {
        return Effect::Asks(format!("{option} makes `git {name}` write or run something"));
    }
    if args.iter().any(|arg| arg.text.contains("%G") || arg.text.contains("%(signature")) {
        return Effect::Asks("a format that shows signatures runs the signature program".to_owned());
    }
    if let Some((_, deny)) = READING.iter().find(|(reading, _)| *reading == name) {
        return match options::denied(args, deny, "") {
            Some(option) => Effect::Asks(format!("{option} makes `git {name}` write or run something")),
            None => Effect::Reads,
        };
    }
    if let Some((_, list)) = LISTING.iter().find(|(listing, _)| *listing == name) {
        return listing(name, list, args);
    }
    if reads_by_form(name, args) {
        return Effect::Reads;
    }
    Effect::Asks(reason(name, args))
}

/// Commands that list when asked to and change something otherwise: the options that list. Those
/// before the bar also allow operands.
#[rustfmt::skip]
const LISTING: &[(&str, &[&str])] = &[
    ("branch", &["--list", "-l", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at", "|",
        "-a", "-r", "-v", "-vv", "-av", "-va", "-rv", "-avv", "-vva", "--all", "--remotes", "--verbose",
        "--show-current", "--sort", "--format", "--column", "--no-column", "--color", "--no-color", "--abbrev",
        "--ignore-case", "-i"]),
    ("tag", &["--list", "-l", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at", "|",
        "-n", "--sort", "--format", "--column", "--no-column", "--color", "--ignore-case", "-i"]),
];

fn listing(name: &str, list: &[&str], args: &[Arg]) -> Effect {
    let bar = list.iter().position(|option| *option == "|").unwrap_or(list.len());
    let written = |arg: &Arg| arg.text.split('=').next().unwrap_or("").to_owned();
    let listed =
        args.iter().filter(|arg| arg.text.starts_with('-')).all(|arg| list.contains(&written(arg).as_str()));
    let operands = args.iter().any(|arg| !arg.text.starts_with('-'));
    let lists = args.iter().any(|arg| list[..bar].contains(&written(arg).as_str()));
    if listed && (!operands || lists) && args.iter().all(|arg| !arg.may_hide_option()) {
        return Effect::Reads;
    }
    Effect::Asks(format!("`git {name}` in this form changes the repository"))
}

/// Commands whose first word decides.
fn reads_by_form(name: &str, args: &[Arg]) -> bool {
    let texts: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
    let exact = args.iter().all(Arg::is_exact);
    let plain = texts.iter().filter(|text| !text.starts_with('-')).count();
    exact
        && match (name, texts.as_slice()) {
            ("remote", [] | ["-v" | "--verbose"] | ["get-url", ..]) => true,
            ("stash", ["list" | "show", ..]) => true,
            ("reflog", [] | ["show" | "exists" | "list", ..]) => true,
            ("worktree" | "notes", ["list", ..]) | ("notes", ["show", ..]) => true,
            ("bisect", ["log"]) => true,
            ("symbolic-ref", ["HEAD"] | ["--short", "HEAD"] | ["-q" | "--quiet", "HEAD"]) => true,
            ("config", ["get" | "list" | "--get" | "--get-all" | "--get-regexp" | "--list" | "-l", ..]) => {
                true
            }
            (
                "config",
                ["--global" | "--local" | "--system", "--get" | "--list" | "-l" | "--get-all", ..],
            ) => true,
            ("config", [key]) => plain == 1 && key.contains('.'),
            _ => false,
        }
}

fn reason(name: &str, args: &[Arg]) -> String {
    let first = args.first().map_or("", |arg| arg.text.as_str());
    match (name, first) {
        ("reset", _) if options::any(args, &["--hard", "--merge", "--keep"]) => {
            "it throws away uncommitted changes".to_owned()
        }
        ("checkout" | "restore" | "clean" | "switch", _) => {
            format!("`git {name}` can throw away uncommitted changes")
        }
        ("stash", "drop" | "clear") => "it deletes stashed changes".to_owned(),
        ("fetch" | "pull" | "clone" | "ls-remote" | "push", _) => {
            format!("`git {name}` uses the network")
        }
        _ => format!("`git {name}` is not known to only read"),
    }
}
