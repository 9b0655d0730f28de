//! Commands that run code given as text: shells, `eval`, `source`, `trap`, interpreters.

use super::super::Strictness;
use super::super::expand::{self, Arg, NAME, UNKNOWN};
use super::super::listing::Output;
use super::super::program::{self, Effect};
use super::super::walk::{Walk, shown};

const UNREAD: &str = "it would run what it has fetched or decoded, which nobody has read";

impl Walk<'_> {
    pub(super) fn shell(&mut self, name: &str, args: &[Arg], input: &Output) {
        let Some((at, takes_source)) = shell_operand(args) else {
            return self.reads_script(args, name, input);
        };
        let Some(operand) = args.get(at) else {
            return self.findings.ask(format!("`{name}` is given no command"));
        };
        if !takes_source && is_input(operand) {
            return self.reads_script(args, name, input);
        }
        if args[1..at].iter().any(|arg| {
            arg.text.starts_with("--rcfile") || arg.text.starts_with("--init-file") || arg.has_marks()
        }) {
            self.findings.ask(format!("`{name}` is told to read other code first"));
        }
        if input.opaque {
            self.findings.forbid(UNREAD);
        }
        if !takes_source {
            self.findings.executed.push(operand.text.clone());
            return self.asks(args, format!("`{name}` runs the script `{}`", shown(&operand.text)));
        }
        if operand.has_marks() || operand.glob {
            self.findings.unsure(format!("what `{name}` runs is only known when it runs"));
        }
        if name == "fish" || name.ends_with("csh") {
            self.findings.ask(format!("`{name}` reads another language than bash"));
        }
        // The unknown parts stay marked as a variable that nothing is known about.
        let source = operand.text.replace([UNKNOWN, NAME], "${0}");
        self.source(&source);
        if let Some(told) = with_parameters(&source, args.get(at + 2..).unwrap_or_default()) {
            self.source(&told);
        }
    }

    /// A shell without a script reads its input.
    pub(super) fn reads_script(&mut self, args: &[Arg], name: &str, input: &Output) {
        if input.opaque {
            return self.findings.forbid(UNREAD);
        }
        match &input.text {
            Some(text) => {
                let text = text.clone();
                self.source(&text);
            }
            None if args.len() == 2 && matches!(args[1].text.as_str(), "--version" | "--help") => {}
            None if input.given => self.findings.unsure(format!("`{name}` runs whatever its input says")),
            None => self.findings.ask(format!("`{name}` runs whatever its input says")),
        }
    }

    pub(super) fn interprets(&mut self, name: &str, args: &[Arg], input: &Output) {
        if input.opaque && !formats(args) {
            self.findings.forbid(UNREAD);
        }
        let told = program::judge(args);
        if matches!(told, Effect::Asks(_)) {
            self.asks(args, format!("`{name}` runs code"));
        }
    }

    pub(super) fn evaluates(&mut self, args: &[Arg], input: &Output) {
        self.findings.ask("`eval` runs text as code");
        if input.opaque {
            self.findings.forbid(UNREAD);
        }
        let words: Vec<&str> = args[1..].iter().map(|arg| arg.text.as_str()).collect();
        self.findings.executed.push(words.join(" "));
        self.joined(&words);
    }

    pub(super) fn sourced(&mut self, args: &[Arg], input: &Output) {
        self.findings.executed.extend(args.get(1).map(|arg| arg.text.clone()));
        self.findings.ask("it runs the commands of another file");
        if input.opaque {
            self.findings.forbid(UNREAD);
        }
        if args.get(1).is_some_and(is_input) {
            self.reads_script(args, "source", input);
        }
    }

    /// A command line after `-c`, as `su`, `script` and `flock` take it.
    pub(super) fn commanded(&mut self, args: &[Arg]) {
        for (at, arg) in args.iter().enumerate().skip(1) {
            let text = arg.text.as_str();
            let letters = text.starts_with('-') && !text.starts_with("--") && text.ends_with('c');
            let next = args.get(at + 1).filter(|_| letters || text == "--command");
            let attached = text.strip_prefix("--command=");
            if let Some(source) = attached.or(next.map(|arg| arg.text.as_str())) {
                self.joined(&[source]);
            }
        }
    }

    /// Commands kept for later.
    pub(super) fn stored(&mut self, name: &str, args: &[Arg]) {
        if name == "alias" && args.len() > 1 {
            self.findings.ask("an alias changes what a word means");
        }
        if args.get(1).is_some_and(|arg| matches!(arg.text.as_str(), "-p" | "-l")) {
            return;
        }
        let dashes = usize::from(args.get(1).is_some_and(|arg| arg.text == "--"));
        for arg in &args[1 + dashes..] {
            let code = if name == "alias" {
                arg.text.split_once('=').map(|(_, code)| code)
            } else {
                Some(arg.text.as_str())
            };
            if arg.has_marks() {
                self.findings.ask(format!("what `{name}` keeps for later is only known when it runs"));
            } else if let Some(code) = code.filter(|code| !code.is_empty() && *code != "-") {
                self.source(code);
            }
            if name == "trap" {
                break;
            }
        }
    }

    /// Another system's shell, whose command follows one of `options`.
    pub(super) fn windows(&mut self, args: &[Arg], options: &[&str]) {
        let at =
            args.iter().position(|arg| options.iter().any(|option| option.eq_ignore_ascii_case(&arg.text)));
        let words: Vec<&str> =
            args.iter().skip(at.map_or(1, |at| at + 1)).map(|arg| arg.text.as_str()).collect();
        let encoded = args.iter().any(|arg| {
            let lower = arg.text.to_ascii_lowercase();
            lower.len() > 1 && lower.starts_with("-e") && "-encodedcommand".starts_with(&lower)
                || lower == "-ec"
        });
        if encoded && self.judge.strictness == Strictness::Solve {
            self.findings.forbid("an encoded command cannot be read");
        }
        self.asks(args, format!("`{}` runs code of another shell", program::base(&args[0].text)));
        if !words.is_empty() {
            self.joined(&words);
        }
    }

    pub(super) fn joined(&mut self, words: &[&str]) {
        let source = words.join(" ").replace([UNKNOWN, NAME], "${0}");
        self.source(&source);
    }
}

/// `python3 -m json.tool` takes its input for data.
fn formats(args: &[Arg]) -> bool {
    let words: Vec<&str> = args.iter().skip(1).map(|arg| arg.text.as_str()).collect();
    args.iter().all(Arg::is_exact) && matches!(words.as_slice(), ["-m", "json.tool", ..])
}

/// The script of `sh -c` with the words after it in their places, if it uses them.
fn with_parameters(source: &str, words: &[Arg]) -> Option<String> {
    let quoted = |arg: &Arg| format!("'{}'", arg.text.replace('\'', "'\\''"));
    let each: Vec<String> = words.iter().filter(|arg| arg.is_exact()).map(quoted).collect();
    if each.is_empty() || each.len() < words.len() {
        return None;
    }
    let all = each.join(" ");
    let mut told = ["\"$@\"", "\"$*\"", "$@", "$*"]
        .iter()
        .fold(source.to_owned(), |told, name| expand::replaced(&told, name, &all));
    for (at, word) in each.iter().enumerate().take(9) {
        let at = at + 1;
        for name in [format!("\"${at}\""), format!("${{{at}}}"), format!("${at}")] {
            told = expand::replaced(&told, &name, word);
        }
    }
    (told != source).then_some(told)
}

/// Whether a file that is run stands for the input, or for what a process substitution prints.
fn is_input(file: &Arg) -> bool {
    matches!(file.text.as_str(), "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" | "/dev/fd/63")
}

/// Where a shell's first operand stands, and whether it is source (`-c`) rather than a file.
fn shell_operand(args: &[Arg]) -> Option<(usize, bool)> {
    let mut takes_source = false;
    let mut reads_input = false;
    let mut at = 1;
    while let Some(arg) = args.get(at) {
        let text = arg.text.as_str();
        match text {
            "--" | "-" => {
                at += 1;
                break;
            }
            "-o" | "+o" | "-O" | "+O" | "--rcfile" | "--init-file" => at += 1,
            _ if text.starts_with("--") => {}
            _ if text.starts_with(['-', '+']) => {
                takes_source |= text.starts_with('-') && text.contains('c');
                reads_input |= text.contains('s');
                at += usize::from(text.ends_with(['o', 'O']));
            }
            _ => break,
        }
        at += 1;
    }
    let operand = takes_source || (at < args.len() && !reads_input);
    operand.then_some((at, takes_source))
}
