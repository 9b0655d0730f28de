//! Programs that run another program given on their command line: a table, and [`inner`], which
//! finds that other program. A wrapper whose options are not known asks, but is still looked through.

use super::expand::Arg;
use super::program;

/// What a wrapper would run.
#[derive(Debug)]
pub struct Inner<'a> {
    pub args: &'a [Arg],
    pub assigns: Vec<&'a str>,
    /// Directories the wrapper changes to first.
    pub folders: Vec<&'a str>,
    /// It takes variables away first.
    pub clears: bool,
    /// Why the wrapper itself asks.
    pub asks: Option<String>,
    pub how: How,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    Command,
    /// The words are joined and read as shell source.
    Source,
    /// Arguments come from the input.
    Input,
}

struct Wrapper {
    names: &'static [&'static str],
    /// Options that take the next word.
    valued: &'static [&'static str],
    flags: &'static [&'static str],
    /// Where only some of its own commands wrap, as in `uv run`: these.
    commands: &'static [&'static str],
    /// Operands before the command.
    skip: usize,
    asks: Option<&'static str>,
    how: How,
}

/// The command that `args` wrap, if their program is a wrapper.
pub fn inner(args: &[Arg]) -> Option<Inner<'_>> {
    let name = program::base(&args.first()?.text);
    let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&name))?;
    let own_word = args.get(1).map_or("", |arg| arg.text.as_str());
    if !wrapper.commands.is_empty() && !wrapper.commands.contains(&own_word) {
        return None;
    }
    let mut found = Inner {
        args: &[],
        assigns: Vec::new(),
        folders: Vec::new(),
        clears: false,
        asks: wrapper.asks.map(|why| format!("`{name}` {why}")),
        how: wrapper.how,
    };
    let mut at = 1 + usize::from(!wrapper.commands.is_empty());
    while let Some(arg) = args.get(at) {
        let text = arg.text.as_str();
        if text == "--" {
            at += 1;
            break;
        }
        if !text.starts_with('-') || (text.len() == 1 && name != "env") {
            break;
        }
        let (step, known) = wrapper.option(text);
        if !known {
            found.asks.get_or_insert(format!("the option `{text}` of `{name}` is not known to be harmless"));
        }
        if clears(name, text) {
            found.clears = true;
        }
        if matches!(text, "-C" | "--chdir" | "-D") {
            found.folders.extend(args.get(at + 1).map(|arg| arg.text.as_str()));
        } else if let Some(folder) = text.strip_prefix("--chdir=").or(text.strip_prefix("-C")) {
            found.folders.push(folder);
        }
        at += step;
    }
    at += wrapper.skip;
    if matches!(name, "env" | "sudo" | "doas" | "rtk") {
        while let Some((variable, _)) = args.get(at).and_then(|arg| arg.text.split_once('=')) {
            found.assigns.push(variable);
            at += 1;
        }
    }
    found.args = args.get(at..).unwrap_or_default();
    // What is not known may split, and so move where the command starts.
    if args[1..at.min(args.len())].iter().any(|arg| !arg.is_exact()) {
        found.asks.get_or_insert(format!("an argument of `{name}` is only known when it runs"));
    }
    Some(found)
}

/// Whether the option takes variables away, and with them those that keep git harmless.
fn clears(name: &str, option: &str) -> bool {
    let letters = !option.starts_with("--");
    match name {
        "env" => {
            option == "-"
                || option.starts_with("--u")
                || option.starts_with("--i")
                || (letters && option.contains(['i', 'u']))
        }
        "exec" => letters && option.contains('c'),
        _ => false,
    }
}

impl Wrapper {
    /// How many words the option takes, and whether it is known.
    fn option(&self, text: &str) -> (usize, bool) {
        if self.valued.contains(&text) {
            return (2, true);
        }
        let long = text.starts_with("--");
        let name = text.split('=').next().unwrap_or(text);
        let short = text.get(..2).unwrap_or(text);
        let attached = if long {
            name != text && (self.valued.contains(&name) || self.flags.contains(&name))
        } else {
            self.valued.contains(&short)
        };
        let attached = attached || (self.how == How::Input && matches!(short, "-i" | "-l" | "-e"));
        let cluster = !long && text.chars().skip(1).all(|c| self.flags.contains(&format!("-{c}").as_str()));
        let number = !long && self.flags.contains(&"-#") && text[1..].chars().all(|c| c.is_ascii_digit());
        // In a cluster whose last letter takes a value, the value is the next word.
        let last = text.chars().last().map(|c| format!("-{c}")).unwrap_or_default();
        let trailing = !long && !attached && text.len() > 2 && self.valued.contains(&last.as_str());
        (1 + usize::from(trailing), attached || cluster || number || self.flags.contains(&text))
    }
}

const fn wrapper(names: &'static [&'static str]) -> Wrapper {
    Wrapper { names, valued: &[], flags: &[], commands: &[], skip: 0, asks: None, how: How::Command }
}

const fn asking(names: &'static [&'static str], why: &'static str) -> Wrapper {
    Wrapper { asks: Some(why), ..wrapper(names) }
}

const OTHER_USER: &str = "acts as another user";
const FETCHES: &str = "may fetch and run packages or the project's own code";
const ELSEWHERE: &str = "runs the command elsewhere or detached";

#[rustfmt::skip]
const WRAPPERS: &[Wrapper] = &[
    Wrapper { valued: &["-u", "--unset", "-C", "--chdir"], flags: &["-", "-i", "-0", "-v", "--ignore-environment",
        "--null", "--debug"], ..wrapper(&["env"]) },
    Wrapper { valued: &["-f", "--format"], flags: &["-p", "-v", "-l", "-h", "-q", "--portability", "--verbose",
        "--quiet"], ..wrapper(&["time", "gtime"]) },
    Wrapper { valued: &["-n", "--adjustment"], flags: &["-#"], ..wrapper(&["nice"]) },
    Wrapper { valued: &["-s", "-k", "--signal", "--kill-after"], flags: &["-v", "-f", "-p", "--preserve-status",
        "--foreground", "--verbose"], skip: 1, ..wrapper(&["timeout", "gtimeout"]) },
    Wrapper { valued: &["-i", "-o", "-e", "--input", "--output", "--error"], ..wrapper(&["stdbuf"]) },
    Wrapper { valued: &["-c", "-n", "--class", "--classdata"], flags: &["-t", "--ignore"], ..wrapper(&["ionice"]) },
    Wrapper { flags: &["-p"], ..wrapper(&["command"]) },
    Wrapper { valued: &["-a"], flags: &["-c", "-l"], ..wrapper(&["exec"]) },
    wrapper(&["builtin", "nohup", "rtk", "busybox", "toybox", "unbuffer", "caffeinate"]),
    Wrapper {
        valued: &["-I", "-n", "-P", "-L", "-s", "-d", "-E", "-a", "-J", "-R", "--arg-file", "--delimiter",
            "--max-args", "--max-procs", "--max-lines", "--max-chars", "--eof"],
        flags: &["-0", "-r", "-t", "-x", "-i", "-l", "-e", "--null", "--no-run-if-empty", "--verbose", "--exit",
            "--replace", "--show-limits"],
        how: How::Input, ..wrapper(&["xargs", "gxargs"])
    },
    Wrapper { valued: &["-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-D", "-R", "--user", "--group",
        "--host", "--prompt", "--chdir"], ..asking(&["sudo", "doas", "run0", "pkexec", "please"], OTHER_USER) },
    Wrapper { valued: &["-u", "-g", "-G", "--user", "--group"], ..asking(&["runuser", "setpriv", "gosu",
        "su-exec"], OTHER_USER) },
    Wrapper { valued: &["-n", "--interval"], how: How::Source, ..asking(&["watch"],
        "repeats a command without end") },
    Wrapper { valued: &["-n", "-o", "-i", "-f", "-b", "-t", "-T", "-D", "-p", "-P", "-c", "-u", "-r", "--unit",
        "--property", "--slice"], ..asking(&["setsid", "systemd-run", "daemonize", "start-stop-daemon", "screen",
        "dtach", "cgexec", "chrt", "prlimit", "numactl", "firejail", "bwrap", "unshare", "proot", "fakeroot",
        "faketime", "strace", "ltrace", "gdb", "valgrind", "perf", "script", "rlwrap", "expect", "entr",
        "catchsegv"], ELSEWHERE) },
    Wrapper { skip: 1, valued: &["-w", "-E", "-c", "-u", "-g", "-n", "-t"], ..asking(&["chroot", "flock",
        "taskset", "nsenter", "setarch", "linux32", "linux64"], ELSEWHERE) },
    Wrapper { valued: &["-p", "-i", "-l", "-o", "-F", "-L", "-R", "-D", "-J", "-b", "-c", "-e", "-m", "-W", "-w",
        "-S", "-Q", "-E", "-I", "-B"], skip: 1, how: How::Source, ..asking(&["ssh", "mosh", "autossh", "rsh"],
        "connects to another machine") },
    Wrapper { valued: &["-p", "--package", "-c", "--call", "--with", "--python", "--from", "--env-file"],
        ..asking(&["uvx", "npx", "bunx", "pnpx"], FETCHES) },
    Wrapper { valued: &["--with", "--python", "-p", "-n", "--name", "--project", "--directory", "--env-file"],
        commands: &["run", "exec", "x", "dlx", "shell", "develop"],
        ..asking(&["uv", "pipx", "poetry", "pdm", "rye", "hatch", "bundle", "mise", "direnv", "pipenv", "nix",
        "conda", "mamba"], FETCHES) },
];
