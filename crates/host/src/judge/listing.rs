//! Programs whose output is names, dates or numbers, not text that somebody else wrote. Start from
//! [`value`] and [`Output`]. What they print may be used as an argument; anything else a command
//! prints may be whatever its input says.

use super::expand::{self, Arg};
use super::scope::{Scope, Value};
use super::syntax::*;
use super::wrappers::{self, How};

/// What flows through a pipe, or is fed to a command as its input.
#[derive(Debug, Clone, Default)]
pub struct Output {
    /// The exact text, where it is written in the script.
    pub text: Option<String>,
    /// Names as listed by programs of this module.
    pub names: bool,
    /// There is something at all, even if nothing is known about it.
    pub given: bool,
    /// Commit names and the like: no option, no path.
    pub number: bool,
    /// Fetched from the network or decoded: nobody has read it.
    pub opaque: bool,
}

/// Print names, one a line or a few.
#[rustfmt::skip]
const LISTERS: &[&str] = &[
    "arch", "basename", "cd", "date", "dirname", "du", "fd", "fdfind", "find", "git", "hostname", "id", "ls",
    "nproc", "pwd", "readlink", "realpath", "seq", "stat", "test", "tty", "uname", "wc", "which", "whoami", "[",
];
/// Pass on lines of their input, or fewer of them.
#[rustfmt::skip]
const FILTERS: &[&str] = &[
    "cat", "egrep", "fgrep", "grep", "head", "rg", "sort", "tail", "tee", "true", "uniq",
];
/// Git commands that print names.
const GIT_LISTERS: &[&str] = &["ls-files", "ls-tree", "rev-parse", "branch", "describe"];
/// Git commands that print names of commits and nothing else.
const GIT_NUMBERS: &[&str] = &["merge-base", "rev-list"];
/// Options with which a search prints names only.
const ONLY_NAMES: &[&str] = &["-l", "-rl", "-lr", "--files", "--files-with-matches"];
/// Turn their input into something nobody has read.
#[rustfmt::skip]
const DECODERS: &[&str] = &[
    "base32", "base64", "basenc", "openssl", "rev", "tr", "uudecode", "xxd", "gpg",
];

/// What a command substitution becomes.
pub fn value(script: &Script) -> Value {
    let [pipeline] = script.pipelines.as_slice() else {
        return Value::Unknown;
    };
    let mut output = Output::default();
    let scope = Scope::default();
    for stage in &pipeline.stages {
        let Kind::Simple(simple) = &stage.kind else {
            return Value::Unknown;
        };
        let args = expand::arguments(&simple.words, &scope);
        if args.len() == 1 && args[0].text == "pwd" && simple.assigns.is_empty() {
            return Value::Known(".".to_owned());
        }
        output = after(&args, &output);
    }
    if output.number {
        Value::Known("0".to_owned())
    } else if output.names {
        Value::Name
    } else {
        Value::Unknown
    }
}

/// What a script prints.
pub fn said(script: &Script) -> Output {
    let unknown = Output { opaque: makes_opaque(script), given: true, ..Output::default() };
    let [pipeline] = script.pipelines.as_slice() else {
        return unknown;
    };
    let scope = Scope::default();
    pipeline.stages.iter().fold(Output::default(), |input, stage| match &stage.kind {
        Kind::Simple(simple) if stage.redirects.is_empty() => {
            after(&expand::arguments(&simple.words, &scope), &input)
        }
        _ => unknown.clone(),
    })
}

/// What comes out of the program `args` when `input` goes in.
pub fn after(args: &[Arg], input: &Output) -> Output {
    let args = unwrapped(args);
    let name = args.first().map_or("", |arg| super::program::base(&arg.text));
    let rest = args.get(1..).unwrap_or_default();
    let no_files = rest.iter().all(|arg| arg.text.starts_with('-') || arg.text.parse::<u32>().is_ok());
    let output = Output { given: true, opaque: input.opaque || is_opaque(name), ..Output::default() };
    match name {
        "echo" | "printf" => Output { text: spoken(name, rest), given: true, ..Output::default() },
        "cat" | "tee" if no_files => input.clone(),
        "git" => Output {
            names: git_lists(rest),
            number: git_command(rest).is_some_and(|command| GIT_NUMBERS.contains(&command))
                && rest.iter().all(|arg| arg.is_exact() && !prints_text(&arg.text)),
            ..output
        },
        "nproc" => Output { number: true, ..output },
        "wc" => Output { names: true, number: rest.iter().all(|arg| arg.text.starts_with('-')), ..output },
        "date" => Output { names: true, number: counts_time(rest), ..output },
        "rg" | "grep" | "egrep" | "fgrep" => Output {
            names: input.names || rest.iter().any(|arg| ONLY_NAMES.contains(&arg.text.as_str())),
            ..output
        },
        _ => Output {
            names: LISTERS.contains(&name) || (input.names && FILTERS.contains(&name) && no_files),
            ..output
        },
    }
}

fn git_command(args: &[Arg]) -> Option<&str> {
    args.iter().map(|arg| arg.text.as_str()).find(|text| !text.starts_with('-'))
}

/// With such an option git prints what commits say, not only their names.
fn prints_text(option: &str) -> bool {
    option.starts_with('-')
        && ["format", "pretty", "header", "objects", "oneline", "for", "pre", "one", "obj"]
            .iter()
            .any(|word| option.contains(word))
}

/// Whether `date` prints nothing but a number.
fn counts_time(args: &[Arg]) -> bool {
    let format = |arg: &Arg| {
        arg.text.strip_prefix("+%").is_some_and(|rest| rest.len() == 1 && "sYmdHMSNju".contains(rest))
    };
    matches!(args, [only] if format(only))
}

fn git_lists(args: &[Arg]) -> bool {
    match git_command(args) {
        Some("diff") => args.iter().any(|arg| arg.text == "--name-only"),
        Some(command) => GIT_LISTERS.contains(&command) || GIT_NUMBERS.contains(&command),
        None => false,
    }
}

/// The command inside harmless wrappers, a few levels deep.
fn unwrapped(args: &[Arg]) -> &[Arg] {
    let mut args = args;
    for _ in 0..4 {
        match wrappers::inner(args) {
            Some(inner) if inner.how == How::Command && inner.asks.is_none() => args = inner.args,
            _ => break,
        }
    }
    args
}

/// What comes out of a group or a loop.
pub fn after_group(scripts: &[&Script]) -> Output {
    Output { given: true, opaque: scripts.iter().any(|script| makes_opaque(script)), ..Output::default() }
}

/// Whether the script fetches or decodes something on its way.
pub fn makes_opaque(script: &Script) -> bool {
    script.pipelines.iter().flat_map(|pipeline| &pipeline.stages).any(|stage| match &stage.kind {
        Kind::Simple(simple) => expand::arguments(&simple.words, &Scope::default())
            .iter()
            .any(|arg| is_opaque(super::program::base(&arg.text))),
        Kind::Subshell(script) | Kind::Group(script) => makes_opaque(script),
        _ => false,
    })
}

fn is_opaque(name: &str) -> bool {
    DECODERS.contains(&name) || super::network::is_program(name)
}

/// What `echo` or `printf` say, if that stands in the script.
fn spoken(name: &str, args: &[Arg]) -> Option<String> {
    if args.iter().any(|arg| !arg.is_exact()) {
        return None;
    }
    let skipped =
        args.iter().take_while(|arg| matches!(arg.text.as_str(), "-n" | "-e" | "-ne" | "-en" | "--")).count();
    let texts: Vec<&str> = args[skipped..].iter().map(|arg| arg.text.as_str()).collect();
    let joined = match (name, texts.as_slice()) {
        ("printf", [format, rest @ ..]) if !rest.is_empty() => {
            let escapes =
                format.replace("%s", " ").replace("%b", " ").replace("\\n", "\n").replace("\\0", "\n");
            if escapes.contains(['%', '\\']) {
                return None;
            }
            let between = escapes.trim_matches(' ').to_owned();
            if between.trim().is_empty() { rest.join("\n") } else { format!("{between} {}", rest.join(" ")) }
        }
        _ => texts.join(" "),
    };
    Some(joined.replace("\\n", "\n").replace("\\t", "\t")).filter(|text| !text.contains('\\'))
}
