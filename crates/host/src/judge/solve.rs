//! What the solve profile rejects whatever the sandbox would hold: destroying, talking to other
//! machines, looking at the environment. Start from [`reject`] and [`reject_text`].
//!
//! Windows spellings are known too, since planners write them; none of this looks for substrings.

use super::expand::Arg;
use super::{danger, git, network, options, program};

/// Why the command is rejected.
pub fn reject(args: &[Arg]) -> Option<String> {
    let (first, rest) = args.split_first()?;
    let name = network::stem(program::base(&first.text));
    let opens = |arg: &Arg| names_environment(&arg.text) || (drives(&name) && names_drive(&arg.text));
    if names_drive(&first.text) || rest.iter().any(opens) {
        return Some("it looks at the environment".to_owned());
    }
    if network::uses(args) || (name == "git" && network::git_uses(git::words(rest))) {
        return Some(format!("`{name}` uses the network"));
    }
    destroys(&name, rest)
        .or_else(|| inspects(&name, rest))
        .or_else(|| in_block(rest))
        .or_else(|| in_windows(&name, rest))
}

/// What Windows' own wrappers run.
fn in_windows(name: &str, args: &[Arg]) -> Option<String> {
    match name {
        "wsl" | "start-process" | "saps" => reject(args),
        // Elixir's shell has the same name as the short form.
        "iex" | "invoke-expression" => {
            args.iter().find_map(|arg| reject_text(&arg.text)).or_else(|| reject(args))
        }
        _ => None,
    }
}

/// A PowerShell block, `ForEach-Object { … }`, is read by bash as words.
fn in_block(args: &[Arg]) -> Option<String> {
    let at = args.iter().position(|arg| arg.text == "{")?;
    reject(&args[at + 1..])
}

/// The same for text that is not bash: pieces between separators, split at blanks.
pub fn reject_text(source: &str) -> Option<String> {
    source.split([';', '|', '&', '\n', '{', '}', '(', ')', '`']).find_map(|piece| {
        let clean = |word: &str| Arg::literal(word.trim_matches(['"', '\'']));
        let args: Vec<Arg> = piece.split_whitespace().map(clean).collect();
        let lower = piece.to_ascii_lowercase();
        let looks = lower.contains("$env:") || lower.trim_start().starts_with("env:");
        looks.then(|| "it looks at the environment".to_owned()).or_else(|| reject(&args))
    })
}

/// Where Linux shows the environment of a process.
pub fn names_environment(text: &str) -> bool {
    text.ends_with("/environ")
}

/// The drive on which PowerShell shows it, `Env:`, or a variable on it.
fn names_drive(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    lower.trim_start_matches("$").trim_start_matches("{").starts_with("env:")
}

/// Commands that PowerShell opens drives with.
fn drives(name: &str) -> bool {
    name.contains("-item")
        || name.ends_with("-childitem")
        || name.ends_with("-content")
        || name.ends_with("-location")
        || matches!(name, "gci" | "gi" | "gc" | "dir" | "ls" | "si" | "ni" | "ri" | "cd" | "sl" | "test-path")
}

fn destroys(name: &str, args: &[Arg]) -> Option<String> {
    let slash = |letters: &[&str]| {
        args.iter()
            .flat_map(|arg| {
                arg.text
                    .split_inclusive('/')
                    .skip(1)
                    .map(|part| part.trim_end_matches('/').to_ascii_lowercase())
                    .filter(|_| arg.text.starts_with('/'))
            })
            .any(|part| letters.contains(&part.as_str()))
    };
    let dashed = |words: &[&str]| {
        args.iter().any(|arg| {
            let lower = arg.text.to_ascii_lowercase();
            let option = lower.split(':').next().unwrap_or("");
            option.len() > 1 && option.starts_with('-') && words.iter().any(|word| word.starts_with(option))
        })
    };
    let recursive = options::any(args, &["-r", "-R", "-f", "--recursive", "--force"]);
    let found = match name {
        "rm" | "rmdir" | "rd" | "del" | "erase" | "ri" | "remove-item" => {
            recursive || (name != "rm" && slash(&["s", "q", "f"])) || dashed(&["-recurse", "-force"])
        }
        "find" => args.iter().any(|arg| arg.text == "-delete"),
        "git" => match git::words(args) {
            [command, rest @ ..] => command.text == "clean" && options::any(rest, &["-f", "--force"]),
            [] => false,
        },
        "dd" => args.iter().any(|arg| {
            arg.text.starts_with("of=/dev/")
                && !matches!(arg.text.as_str(), "of=/dev/null" | "of=/dev/stdout")
        }),
        "shred" | "srm" | "rimraf" | "wipefs" | "blkdiscard" | "mke2fs" | "diskpart" | "format"
        | "format-volume" | "clear-disk" | "initialize-disk" | "fdisk" | "sfdisk" | "parted" => true,
        _ => danger::makes_file_systems(name),
    };
    found.then(|| format!("`{name}` in this form destroys files or disks"))
}

fn inspects(name: &str, args: &[Arg]) -> Option<String> {
    let first = args.first().map(|arg| arg.text.to_ascii_lowercase()).unwrap_or_default();
    let only_options = args.iter().all(|arg| arg.text.starts_with('-'));
    let found = match name {
        "printenv" | "set-executionpolicy" => true,
        "env" => true,
        "set" => args.is_empty(),
        "export" | "declare" | "typeset" | "readonly" | "local" => only_options,
        "compgen" => args.iter().any(|arg| matches!(arg.text.as_str(), "-v" | "-e" | "variable" | "export")),
        "net" | "net1" => matches!(first.as_str(), "user" | "users" | "localgroup" | "group" | "accounts"),
        _ => false,
    };
    found.then(|| format!("`{name}` in this form looks at the environment or the accounts"))
}
