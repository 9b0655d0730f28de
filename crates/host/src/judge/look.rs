//! The walk's other half: one command with its arguments, and the commands inside it (wrappers,
//! shells, `find -exec`, `xargs`). Start from [`Walk::argv`].

mod feeds;
mod gits;
mod setters;
mod shells;

use super::expand::{Arg, NAME, UNKNOWN};
use super::listing::Output;
use super::paths::{Place, in_full};
use super::program::{self, Effect};
use super::walk::{Walk, shown};
use super::wrappers::{self, How};
use super::{Strictness, Verdict, danger, editor, git, network, options, solve};
use git::Led;

#[rustfmt::skip]
const SHELLS: &[&str] = &[
    "bash", "sh", "zsh", "dash", "ksh", "ash", "fish", "mksh", "rbash", "csh", "tcsh",
];

/// Run code in a language that is not judged.
#[rustfmt::skip]
const INTERPRETERS: &[&str] = &[
    "python", "python2", "python3", "pypy", "pypy3", "py", "node", "nodejs", "deno", "bun", "perl", "ruby",
    "php", "lua", "luajit", "julia", "Rscript", "osascript", "tclsh", "expect", "irb", "ghci", "swift", "scala",
    "groovy", "guile",
];

/// Options of network programs that name the key they use, rather than something they send.
const KEYS: &[&str] = &["-i", "-E", "--cert", "--key", "--cacert", "--netrc-file"];

/// How many directories a script may change to.
const MAX_BASES: usize = 8;
/// How many wrappers around one command are looked through.
const MAX_WRAPPED: usize = 16;

pub(super) use setters::declares;

/// Whether the program runs code that it is given.
pub(super) fn executes(name: &str) -> bool {
    let name = program::base(name);
    SHELLS.contains(&name) || INTERPRETERS.contains(&name) || matches!(name, "eval" | "source" | ".")
}

impl Walk<'_> {
    /// Judges one command as the shell would run it.
    pub(super) fn argv(&mut self, args: &[Arg], input: &Output) {
        if self.wrapped >= MAX_WRAPPED {
            return self.findings.unsure("commands are wrapped too deeply to judge");
        }
        if !self.may_go_on() {
            return;
        }
        self.wrapped += 1;
        self.ruled(args, input);
        self.wrapped -= 1;
    }

    fn ruled(&mut self, args: &[Arg], input: &Output) {
        let Some(first) = args.first() else {
            return;
        };
        if let Some((verdict, rule)) = self.judge.rules.verdict(args) {
            let reason = format!("the rule {rule} says so");
            // A rule for `timeout 5` says nothing about the command that follows.
            let transparent = wrappers::inner(args).is_some_and(|inner| inner.asks.is_none());
            if verdict == Verdict::Allow && !transparent {
                let before = self.findings.clone();
                self.builtin(args, input);
                return self.findings.excuse_since(before, rule);
            }
            if verdict > Verdict::Allow {
                self.findings.note(verdict, reason);
            }
        }
        if first.has_marks() || first.glob || first.computed {
            self.findings.unsure("which program runs is only known when it runs");
        }
        if !first.text.is_ascii() {
            self.findings.ask("the program's name holds letters that look like others");
        }
        self.builtin(args, input);
    }

    /// The fixed rules.
    fn builtin(&mut self, args: &[Arg], input: &Output) {
        let name = program::base(&args[0].text).to_owned();
        let refused = {
            let places = |text: &str| self.places(text);
            danger::refused(args, &places)
        };
        if let Some(reason) = refused {
            self.findings.forbid(reason);
        }
        let wrapper = wrappers::inner(args);
        if wrapper.as_ref().is_none_or(|inner| inner.args.is_empty()) {
            self.findings.uncover(args);
        }
        let own = wrapper.as_ref().map_or(args.len(), |inner| args.len() - inner.args.len());
        self.credentials(&name, &args[..own]);
        if matches!(name.as_str(), "su" | "runuser" | "script" | "flock") {
            self.commanded(args);
        }
        match name.as_str() {
            "find" | "gfind" => self.finds(args),
            "fd" | "fdfind" => self.finds_more(args),
            "at" | "batch" => self.reads_script(args, &name, input),
            "parallel" => self.parallel(args, input),
            "eval" => self.evaluates(args, input),
            "source" | "." => self.sourced(args, input),
            "trap" | "alias" => self.stored(&name, args),
            "cmd" | "cmd.exe" => self.windows(args, &["/c", "/k", "/C", "/K"]),
            "fzf" | "sk" => self.picks(args),
            "tar" | "bsdtar" | "gtar" => self.archives(args),
            "command" if matches!(args.get(1), Some(arg) if matches!(arg.text.as_str(), "-v" | "-V")) => {}
            _ if SHELLS.contains(&name.as_str()) => self.shell(&name, args, input),
            _ if matches!(network::stem(&name).as_str(), "powershell" | "pwsh") => {
                self.windows(args, &["-Command", "-c", "-command", "/c"])
            }
            _ if INTERPRETERS.contains(&name.as_str()) => self.interprets(&name, args, input),
            _ => match wrapper {
                Some(inner) => self.wrapped(&name, args, inner, input),
                None => self.leaf(args),
            },
        }
    }

    /// A program that runs no other.
    pub(super) fn leaf(&mut self, args: &[Arg]) {
        let name = program::base(&args[0].text);
        self.findings.runs_git |= name == "git";
        self.findings.network |= network::uses(args);
        self.makes(name, args);
        if name == "git" {
            self.git_runs(&args[1..]);
        }
        if self.judge.strictness == Strictness::Solve {
            if let Some(reason) = solve::reject(args) {
                self.findings.forbid(reason);
            }
            return;
        }
        if matches!(name, "cd" | "pushd") {
            self.enter(args);
        }
        self.sets(name, args);
        // A wrapper starts a program of that name, not the function.
        if self.wrapped == 1 && self.scope.keeps_functions() && self.functions.contains(&args[0].text) {
            return;
        }
        self.findings.edits |= editor::waits(args);
        if args[0].text.contains('/') {
            self.findings.executed.push(args[0].text.clone());
        }
        if name == "git" {
            self.leads_git(args);
        }
        match program::judge(args) {
            Effect::Asks(reason) => self.asks(args, reason),
            Effect::Reads => self.reads(args),
            Effect::Speaks | Effect::Lists => {}
        }
    }

    /// Git in a repository other than the workspace's: that one's settings must be known before it runs there.
    fn leads_git(&mut self, args: &[Arg]) {
        let mut strays = self.strayed;
        for led in git::led(&args[1..]) {
            let (Led::Folder(place) | Led::Repository(place)) = led;
            strays |= self.leads_inside(place);
            self.findings.repository(match led {
                Led::Folder(folder) => folder.to_owned(),
                Led::Repository(repository) => format!("--git-dir={repository}"),
            });
        }
        if strays {
            let reason = "git would run in a folder whose repository may bring settings of its own";
            self.asks(args, reason.to_owned());
        }
        if self.cleared > 0 {
            self.asks(args, "git would run without the variables that keep it harmless".to_owned());
        }
    }

    /// Remembers the files that a program is told to write.
    fn makes(&mut self, name: &str, args: &[Arg]) {
        if !matches!(
            name,
            "curl" | "wget" | "tee" | "dd" | "cp" | "mv" | "aria2c" | "scp" | "rsync" | "chmod"
        ) {
            return;
        }
        let files = args[1..].iter().filter(|arg| !arg.text.starts_with('-'));
        self.findings.made.extend(files.map(|arg| arg.text.trim_start_matches("of=").to_owned()));
    }

    fn asks(&mut self, args: &[Arg], reason: String) {
        self.findings.asked.push(args.to_vec());
        self.findings.ask(shown(&reason));
    }

    /// A program that reads the files it is given: they must be known, and not whole homes.
    fn reads(&mut self, args: &[Arg]) {
        let name = program::base(&args[0].text);
        let script =
            matches!(name, "grep" | "egrep" | "fgrep" | "rg" | "sed" | "awk" | "gawk" | "jq" | "git");
        for arg in options::operands(&args[1..]).skip(usize::from(script)) {
            if arg.text.contains("dev")
                && !arg.text.ends_with("random")
                && self.places(&arg.text).contains(&Place::Device)
            {
                self.findings.ask(format!("it reads a device: `{}`", arg.text));
            }
            if arg.text.starts_with(UNKNOWN)
                || arg.text.starts_with(&format!("/{UNKNOWN}"))
                || arg.text.starts_with(&format!("~/{UNKNOWN}"))
            {
                self.findings.ask("it reads a file whose name is only known when it runs");
            }
        }
        let recursive = matches!(name, "rg" | "ag" | "ack" | "ugrep" | "ug")
            || (matches!(name, "grep" | "egrep" | "fgrep" | "zgrep")
                && options::any(args, &["-r", "-R", "--recursive", "--dereference-recursive"]))
            || (name == "diff" && options::any(args, &["-r", "--recursive"]));
        if recursive
            && let Some(arg) = options::operands(&args[1..]).find(|arg| self.holds_secrets(&arg.text))
        {
            self.findings.secret = true;
            self.findings.ask(format!("it reads everything beneath `{}`, credentials too", arg.text));
        }
    }

    /// Credentials among the arguments, in any of the ways a program may take a path.
    fn credentials(&mut self, name: &str, args: &[Arg]) {
        if matches!(name, "echo" | "printf" | "test" | "[" | "true" | ":" | "trap" | "alias" | "eval") {
            return;
        }
        let pattern = pattern_at(name, args);
        for (at, arg) in args.iter().enumerate().skip(1) {
            let own_key = network::is_program(name)
                && args.get(at - 1).is_some_and(|before| KEYS.contains(&before.text.as_str()))
                && !arg.text.contains('@');
            if Some(at) != pattern && forms(&arg.text).any(is_other_home) {
                self.findings.ask(format!("where `{}` leads is only known when it runs", shown(&arg.text)));
            }
            if Some(at) != pattern && forms(&arg.text).any(|text| self.is_secret(text)) {
                self.findings.secret |= !own_key;
                self.findings.ask(format!("it touches credentials: `{}`", shown(&arg.text)));
            }
        }
    }

    fn enter(&mut self, args: &[Arg]) {
        let mut operands = options::operands(&args[1..]).map(|arg| arg.text.as_str()).peekable();
        if operands.peek().is_none() {
            self.base("~");
        }
        operands.for_each(|folder| self.base(folder));
    }

    /// Whether an absolute folder, or one that ends in `.git`, belongs to another repository inside the workspace.
    fn leads_inside(&self, folder: &str) -> bool {
        let top = folder.strip_suffix(".git").unwrap_or(folder);
        folder.starts_with('/') && self.path(top).strays()
    }

    /// From now on relative paths may start at `folder`.
    fn base(&mut self, folder: &str) {
        let path = self.path(folder);
        let known = matches!(folder, "." | "./" | "~" | "-");
        // Where it leads must be written out, or nobody could look at the settings of git there.
        let unwritten = folder.contains([UNKNOWN, NAME, '*', '?', '[']) || is_other_home(folder);
        self.strayed |= unwritten || (!known && (path.strays() || !folder.starts_with(['/', '~'])));
        if !self.strayed && !matches!(folder, "." | "./" | "-") {
            self.findings.repository(in_full(folder, self.judge.home.as_deref()));
        }
        if self.bases.contains(&path) {
            return;
        }
        if self.bases.len() >= MAX_BASES {
            return self.findings.unsure("it changes directory too often to follow");
        }
        self.bases.push(path);
    }

    fn wrapped(&mut self, name: &str, args: &[Arg], inner: wrappers::Inner, input: &Output) {
        let own = args.len() - inner.args.len();
        if name == "env"
            && let Some(source) = split_string(args, own)
        {
            self.findings.ask("`env -S` splits a string into a command");
            return self.source(&source);
        }
        if let Some(reason) = &inner.asks {
            self.asks(args, reason.clone());
            // An option that takes a value may have been read as one that does not.
            self.suffixes(args);
        }
        if network::uses(args) {
            self.findings.network = true;
            if self.judge.strictness == Strictness::Solve {
                self.findings.forbid(format!("`{name}` uses the network"));
            }
        }
        inner.assigns.iter().for_each(|variable| self.assigned(variable));
        inner.folders.iter().for_each(|folder| self.base(folder));
        if inner.args.is_empty() {
            if name == "env" && self.judge.strictness == Strictness::Solve {
                self.findings.forbid("`env` alone looks at the environment");
            }
            return;
        }
        self.cleared += usize::from(inner.clears);
        match inner.how {
            How::Command => self.argv(inner.args, input),
            How::Source => {
                let words: Vec<&str> = inner.args.iter().map(|arg| arg.text.as_str()).collect();
                self.joined(&words);
            }
            How::Input => self.fed(args, inner.args, input),
        }
        self.cleared -= usize::from(inner.clears);
    }

    /// Looks for something forbidden in the rest of a command whose options are not fully known.
    fn suffixes(&mut self, args: &[Arg]) {
        for at in 1..args.len().min(12) {
            let places = |text: &str| self.places(text);
            let reason = danger::refused(&args[at..], &places).or_else(|| {
                (self.judge.strictness == Strictness::Solve).then(|| solve::reject(&args[at..])).flatten()
            });
            if let Some(reason) = reason {
                self.findings.forbid(reason);
            }
        }
    }
}

/// The string of `env -S`, with what follows it; the first `own` words are those of `env`.
fn split_string(args: &[Arg], own: usize) -> Option<String> {
    let at = args[..own].iter().position(|arg| {
        let text = arg.text.as_str();
        text.starts_with("-S")
            || text.starts_with("--split-string")
            || (text.starts_with('-') && !text.starts_with("--") && text.contains('S'))
    })?;
    let text = args[at].text.as_str();
    let attached = text
        .split_once('=')
        .map(|(_, value)| value)
        .or(text.split_once('S').map(|(_, value)| value))
        .unwrap_or("");
    let rest = args[at + 1..].iter().map(|arg| arg.text.as_str());
    Some(std::iter::once(attached).chain(rest).collect::<Vec<_>>().join(" "))
}

/// Where the pattern or program of a searching command stands, which is no path.
fn pattern_at(name: &str, args: &[Arg]) -> Option<usize> {
    const FIRST: &[&str] =
        &["grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "sed", "awk", "gawk", "jq", "yq"];
    #[rustfmt::skip]
    const GIVEN: &[&str] = &[
        "-e", "-f", "--regexp", "--file", "--files", "--expression", "--from-file", "--source",
    ];
    let usual = FIRST.contains(&name) && !options::any(args, GIVEN);
    let first = |(_, arg): &(usize, &Arg)| !arg.text.starts_with('-');
    args.iter().enumerate().skip(1).find(first).map(|(at, _)| at).filter(|_| usual)
}

/// `~user`, `~+`, `~-`: where they lead is not written.
pub(super) fn is_other_home(text: &str) -> bool {
    text.strip_prefix('~').is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'))
}

/// The ways in which an argument may name a path.
fn forms(text: &str) -> impl Iterator<Item = &str> {
    let attached = (text.starts_with('-') && !text.starts_with("--")).then(|| text.get(2..)).flatten();
    let parts = text.split(['=', ':', '@', ',', '(', ')', '"', '\'', ' ', '<', '>', ';', '\n']);
    std::iter::once(text)
        .chain(attached)
        .chain(parts.filter(move |part| part.len() < text.len()))
        .filter(|text| !text.is_empty())
}
