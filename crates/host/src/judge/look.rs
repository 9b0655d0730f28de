//! The walk's other half: one command with its arguments, and the commands inside it (wrappers,
//! shells, `find -exec`, `xargs`). Start from [`Walk::argv`].

use super::expand::{Arg, NAME, UNKNOWN};
use super::listing::Output;
use super::program::{self, Effect};
use super::walk::{Walk, shown};
use super::wrappers::{self, How};
use super::{Strictness, Verdict, danger, network, options, solve};

const SHELLS: &[&str] = &["bash", "sh", "zsh", "dash", "ksh", "ash", "fish", "mksh", "rbash", "csh", "tcsh"];

/// Run code in a language that is not judged.
const INTERPRETERS: &[&str] = &[
    "python",
    "python2",
    "python3",
    "pypy",
    "pypy3",
    "py",
    "node",
    "nodejs",
    "deno",
    "bun",
    "perl",
    "ruby",
    "php",
    "lua",
    "luajit",
    "julia",
    "Rscript",
    "osascript",
    "tclsh",
    "expect",
    "irb",
    "ghci",
    "swift",
    "scala",
    "groovy",
    "guile",
];

/// How many wrappers around one command are looked through.
const MAX_WRAPPED: usize = 16;

/// Whether the program runs code that it is given.
pub(super) fn executes(name: &str) -> bool {
    let name = program::base(name);
    SHELLS.contains(&name) || INTERPRETERS.contains(&name) || matches!(name, "eval" | "source" | ".")
}

impl Walk<'_> {
    /// Judges one command as the shell would run it.
    pub(super) fn argv(&mut self, args: &[Arg], input: &Output) {
        if self.wrapped >= MAX_WRAPPED {
            return self.findings.ask("commands are wrapped too deeply to judge");
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
            let words = format!("the rule {rule} says so");
            if verdict == Verdict::Allow {
                let before = self.findings.clone();
                self.builtin(args, input);
                return self.findings.excuse_since(before);
            }
            self.findings.note(verdict, words);
        }
        if first.has_marks() || first.glob || first.computed {
            self.findings.ask("which program runs is only known when it runs");
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
        self.credentials(&name, args);
        match name.as_str() {
            "find" | "gfind" => self.finds(args),
            "parallel" => self.parallel(args, input),
            "eval" => self.evaluates(args, input),
            "source" | "." => self.sourced(args, input),
            "trap" | "alias" => self.stored(&name, args),
            "cmd" | "cmd.exe" => self.windows(args, &["/c", "/k", "/C", "/K"]),
            "fzf" | "sk" => self.picks(args),
            "tar" | "bsdtar" | "gtar" => self.archives(args),
            "env" if split_string(args).is_some() => {
                self.findings.ask("`env -S` splits a string into a command");
                let source = split_string(args).unwrap_or_default();
                self.source(&source);
            }
            "command" if matches!(args.get(1), Some(arg) if matches!(arg.text.as_str(), "-v" | "-V")) => {}
            _ if SHELLS.contains(&name.as_str()) => self.shell(&name, args, input),
            _ if matches!(network::stem(&name).as_str(), "powershell" | "pwsh") => {
                self.windows(args, &["-Command", "-c", "-command", "/c"])
            }
            _ if INTERPRETERS.contains(&name.as_str()) => self.interprets(&name, args, input),
            _ => match wrappers::inner(args) {
                Some(inner) if !(name == "uv" && args.get(1).is_some_and(|arg| arg.text != "run")) => {
                    self.wrapped(&name, args, inner, input)
                }
                _ => self.leaf(args),
            },
        }
    }

    /// A program that runs no other.
    fn leaf(&mut self, args: &[Arg]) {
        let name = program::base(&args[0].text);
        self.findings.runs_git |= name == "git";
        self.findings.network |= network::uses(args);
        self.makes(name, args);
        if self.judge.strictness == Strictness::Solve {
            if let Some(reason) = solve::reject(args) {
                self.findings.forbid(reason);
            }
            return;
        }
        if matches!(name, "cd" | "pushd") {
            self.enter(args);
        }
        if matches!(
            name,
            "declare"
                | "typeset"
                | "local"
                | "export"
                | "readonly"
                | "read"
                | "mapfile"
                | "readarray"
                | "unset"
                | "getopts"
        ) {
            for arg in &args[1..] {
                let end = arg.text.find(['=', '+', '[']).unwrap_or(arg.text.len());
                self.assigned(&arg.text[..end]);
            }
        }
        if self.functions.contains(&args[0].text) {
            return;
        }
        match program::judge(args) {
            Effect::Asks(reason) => self.asks(args, reason),
            Effect::Reads => self.reads(args),
            Effect::Speaks | Effect::Lists => {}
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
        if self.judge.strictness == Strictness::Ask {
            self.findings.asked.push(args.to_vec());
            self.findings.ask(shown(&reason));
        }
    }

    /// A program that reads the files it is given: they must be known, and not whole homes.
    fn reads(&mut self, args: &[Arg]) {
        let name = program::base(&args[0].text);
        let script =
            matches!(name, "grep" | "egrep" | "fgrep" | "rg" | "sed" | "awk" | "gawk" | "jq" | "git");
        for arg in options::operands(&args[1..]).skip(usize::from(script)) {
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
        if matches!(name, "echo" | "printf" | "cd" | "test" | "[" | "true" | ":" | "trap" | "alias" | "eval")
            && name != "cd"
        {
            return;
        }
        let key_options = ["-i", "-E", "--cert", "--key", "--cacert", "--netrc-file", "-F"];
        for (at, arg) in args.iter().enumerate().skip(1) {
            let own_key = network::is_program(name)
                && args.get(at - 1).is_some_and(|before| key_options.contains(&before.text.as_str()))
                && !arg.text.contains('@');
            if forms(&arg.text).any(|text| self.is_secret(text)) {
                self.findings.secret |= !own_key;
                self.findings.ask(format!("it touches credentials: `{}`", shown(&arg.text)));
            }
        }
    }

    fn enter(&mut self, args: &[Arg]) {
        for arg in options::operands(&args[1..]) {
            let base = self.path(&arg.text);
            self.bases.push(base);
        }
        if options::operands(&args[1..]).next().is_none() {
            self.bases.push(self.path("~"));
        }
        self.bases.truncate(16);
    }

    fn wrapped(&mut self, name: &str, args: &[Arg], inner: wrappers::Inner, input: &Output) {
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
        for folder in &inner.folders {
            let base = self.path(folder);
            self.bases.push(base);
        }
        if inner.args.is_empty() {
            if name == "env" && self.judge.strictness == Strictness::Solve {
                self.findings.forbid("`env` alone looks at the environment");
            }
            return;
        }
        match inner.how {
            How::Command => self.argv(inner.args, input),
            How::Source => {
                let words: Vec<&str> = inner.args.iter().map(|arg| arg.text.as_str()).collect();
                self.joined(&words);
            }
            How::Input => self.fed(args, inner.args, input),
        }
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

    /// `xargs`: the command with what its input says appended.
    fn fed(&mut self, args: &[Arg], inner: &[Arg], input: &Output) {
        let own = &args[..args.len() - inner.len()];
        let marker = replacement(own);
        let from_file = options::any(own, &["-a", "--arg-file"]);
        let values: Vec<Arg> = match &input.text {
            Some(text) if !from_file => text.split_whitespace().take(64).map(Arg::literal).collect(),
            _ => vec![Arg {
                text: self.fed_mark(input, from_file).to_string(),
                splits: true,
                ..Arg::default()
            }],
        };
        let mut command: Vec<Arg> = Vec::new();
        for arg in inner {
            match &marker {
                Some(marker) if arg.text.contains(marker.as_str()) => {
                    let value: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
                    command.push(Arg {
                        text: arg.text.replace(marker.as_str(), &value.join(" ")),
                        ..arg.clone()
                    });
                }
                _ => command.push(arg.clone()),
            }
        }
        if marker.is_none() {
            command.extend(values);
        }
        self.argv(&command, &Output::default());
    }

    /// Names that programs list may be read; whatever else comes out of a pipe may be anything.
    fn fed_mark(&self, input: &Output, from_file: bool) -> char {
        let silent = input.text.is_none() && !input.names && !input.opaque;
        if (input.names || silent) && !from_file { NAME } else { UNKNOWN }
    }

    fn parallel(&mut self, args: &[Arg], input: &Output) {
        self.asks(args, "`parallel` runs commands made from its input".to_owned());
        let template: Vec<&Arg> = args[1..]
            .iter()
            .skip_while(|arg| arg.text.starts_with('-'))
            .take_while(|arg| !arg.text.starts_with(":::"))
            .collect();
        let given =
            args.iter().skip_while(|arg| !arg.text.starts_with(":::")).skip(1).map(|arg| arg.text.clone());
        let mut values: Vec<String> = given.take(8).collect();
        values.extend(input.text.iter().flat_map(|text| text.split_whitespace()).map(str::to_owned).take(8));
        if values.is_empty() {
            values.push(UNKNOWN.to_string());
        }
        for value in values {
            let placed = template.iter().any(|arg| arg.text.contains("{}"));
            let mut command: Vec<Arg> =
                template.iter().map(|arg| Arg::literal(arg.text.replace("{}", &value))).collect();
            if let [only] = command.as_slice()
                && only.text.contains(' ')
            {
                let source = only.text.clone();
                self.source(&source);
                continue;
            }
            if !placed {
                command.push(Arg::literal(value));
            }
            self.argv(&command, &Output::default());
        }
    }

    fn shell(&mut self, name: &str, args: &[Arg], input: &Output) {
        let Some((at, takes_source)) = shell_operand(args) else {
            return self.reads_script(args, name, input);
        };
        let Some(operand) = args.get(at) else {
            return self.findings.ask(format!("`{name}` is given no command"));
        };
        if args[1..at].iter().any(|arg| {
            arg.text.starts_with("--rcfile") || arg.text.starts_with("--init-file") || arg.has_marks()
        }) {
            self.findings.ask(format!("`{name}` is told to read other code first"));
        }
        if input.opaque {
            self.findings.forbid("it would run what it has fetched or decoded, which nobody has read");
        }
        if !takes_source {
            self.findings.executed.push(operand.text.clone());
            return self.asks(args, format!("`{name}` runs the script `{}`", shown(&operand.text)));
        }
        if operand.has_marks() || operand.glob {
            self.findings.ask(format!("what `{name}` runs is only known when it runs"));
        }
        if name == "fish" || name.ends_with("csh") {
            self.findings.ask(format!("`{name}` reads another language than bash"));
        }
        // The unknown parts stay marked as a variable that nothing is known about.
        let source = operand.text.replace([UNKNOWN, NAME], "${0}");
        self.source(&source);
    }

    /// A shell without a script reads its input.
    fn reads_script(&mut self, args: &[Arg], name: &str, input: &Output) {
        if input.opaque {
            return self
                .findings
                .forbid("it would run what it has fetched or decoded, which nobody has read");
        }
        match &input.text {
            Some(text) => {
                let text = text.clone();
                self.source(&text);
            }
            None if args.len() == 2 && matches!(args[1].text.as_str(), "--version" | "--help") => {}
            None => self.findings.ask(format!("`{name}` runs whatever its input says")),
        }
    }

    fn interprets(&mut self, name: &str, args: &[Arg], input: &Output) {
        if input.opaque {
            self.findings.forbid("it would run what it has fetched or decoded, which nobody has read");
        }
        let told = program::judge(args);
        if matches!(told, Effect::Asks(_)) {
            self.asks(args, format!("`{name}` runs code"));
        }
    }

    fn evaluates(&mut self, args: &[Arg], input: &Output) {
        self.findings.ask("`eval` runs text as code");
        if input.opaque {
            self.findings.forbid("it would run what it has fetched or decoded, which nobody has read");
        }
        let words: Vec<&str> = args[1..].iter().map(|arg| arg.text.as_str()).collect();
        self.findings.executed.push(words.join(" "));
        self.joined(&words);
    }

    fn sourced(&mut self, args: &[Arg], input: &Output) {
        self.findings.executed.extend(args.get(1).map(|arg| arg.text.clone()));
        if self.judge.strictness == Strictness::Ask {
            self.findings.ask("it runs the commands of another file");
        }
        if input.opaque {
            self.findings.forbid("it would run what it has fetched or decoded, which nobody has read");
        }
    }

    /// Commands kept for later.
    fn stored(&mut self, name: &str, args: &[Arg]) {
        if name == "alias" && args.len() > 1 {
            self.findings.ask("an alias changes what a word means");
        }
        for arg in &args[1..] {
            let code = if name == "alias" {
                arg.text.split_once('=').map(|(_, code)| code)
            } else {
                Some(arg.text.as_str())
            };
            if arg.has_marks() {
                self.findings.ask(format!("what `{name}` keeps for later is only known when it runs"));
            } else if let Some(code) = code.filter(|code| !code.is_empty() && *code != "-") {
                self.source(&code.to_owned());
            }
            if name == "trap" {
                break;
            }
        }
    }

    /// Another system's shell, whose command follows one of `options`.
    fn windows(&mut self, args: &[Arg], options: &[&str]) {
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

    fn joined(&mut self, words: &[&str]) {
        let source = words.join(" ").replace([UNKNOWN, NAME], "${0}");
        self.source(&source);
    }

    /// `find`: what it runs on each file, and what it writes.
    fn finds(&mut self, args: &[Arg]) {
        const WRITES: &[&str] = &["-delete", "-fprint", "-fprint0", "-fprintf", "-fls"];
        const RUNS: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];
        if self.judge.strictness == Strictness::Solve && args.iter().any(|arg| arg.text == "-delete") {
            self.findings.forbid("`find -delete` deletes recursively");
        }
        if let Some(arg) = args.iter().find(|arg| WRITES.contains(&arg.text.as_str())) {
            self.asks(args, format!("`find {}` changes files", arg.text));
        }
        if args[1..].iter().any(Arg::may_hide_option) {
            self.asks(args, "an argument of `find` is only known when it runs".to_owned());
        }
        let deep = args[1..]
            .iter()
            .take_while(|arg| !arg.text.starts_with(['-', '(', '!']))
            .find(|arg| self.holds_secrets(&arg.text))
            .map(|arg| arg.text.clone());
        let mut at = 1;
        while let Some(arg) = args.get(at) {
            at += 1;
            if !RUNS.contains(&arg.text.as_str()) {
                continue;
            }
            let length = args[at..]
                .iter()
                .position(|arg| arg.text == ";" || arg.text == "+")
                .unwrap_or(args.len() - at);
            // `find` puts its starting point first, so a name cannot turn into an option.
            let name = format!("./{NAME}");
            let inner: Vec<Arg> =
                args[at..at + length].iter().map(|arg| Arg::literal(arg.text.replace("{}", &name))).collect();
            self.argv(&inner, &Output::default());
            if let (Some(top), Some(Effect::Reads)) =
                (&deep, (!inner.is_empty()).then(|| program::judge(&inner)))
            {
                self.findings.secret = true;
                self.findings.ask(format!("it reads everything beneath `{top}`, credentials too"));
            }
            at += length + 1;
        }
        self.findings.runs_git |= args.iter().any(|arg| arg.text == "git");
    }

    /// `fzf` runs commands given in its options.
    fn picks(&mut self, args: &[Arg]) {
        for arg in &args[1..] {
            let text = arg.text.as_str();
            if arg.has_marks()
                || text.starts_with("--listen")
                || text.starts_with("--history")
                || text.starts_with("--with-shell")
                || text.starts_with("--tmux")
            {
                self.asks(args, "`fzf` may run what its options say".to_owned());
                continue;
            }
            let runs =
                ["reload", "execute", "become", "transform", "preview", "--preview", "start:", "load:"]
                    .iter()
                    .any(|word| text.contains(word));
            if !runs {
                continue;
            }
            let command = text
                .strip_prefix("--bind=")
                .and_then(|bind| bind.split_once(":reload:"))
                .map(|(_, command)| command);
            match command.filter(|command| !command.contains(['{', ':', '+', '('])) {
                Some(command) => self.source(&command.to_owned()),
                None => self.asks(args, "`fzf` runs commands given in its options".to_owned()),
            }
        }
    }

    /// `tar` reads only when it lists.
    fn archives(&mut self, args: &[Arg]) {
        const RUNS: &[&str] = &[
            "-I",
            "-F",
            "--use-compress-program",
            "--to-command",
            "--checkpoint-action",
            "--info-script",
            "--new-volume-script",
            "--rsh-command",
            "--rmt-command",
            "--index-file",
            "--extract",
            "--get",
            "--create",
            "--append",
            "--update",
            "--delete",
            "--catenate",
            "--concatenate",
        ];
        let mode = args.get(1).map_or("", |arg| arg.text.as_str());
        let letters = mode.trim_start_matches('-');
        let lists = mode == "--list"
            || (!mode.starts_with("--")
                && letters.contains('t')
                && letters.chars().all(|c| "tvzjJfa".contains(c)));
        let risky = options::denied(&args[1..], RUNS, "f").is_some()
            || args.iter().skip(2).any(|arg| arg.text.contains(':') || arg.text.starts_with("-x"));
        if !lists || risky {
            self.asks(args, "`tar` in this form writes files or runs programs".to_owned());
        }
    }
}

/// The string of `env -S`, with what follows it.
fn split_string(args: &[Arg]) -> Option<String> {
    let at = args.iter().position(|arg| {
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

/// The text that `xargs` replaces, if it is told to.
fn replacement(own: &[Arg]) -> Option<String> {
    own.iter().enumerate().find_map(|(at, arg)| {
        let text = arg.text.as_str();
        match text {
            "-I" | "-J" => own.get(at + 1).map(|arg| arg.text.clone()),
            "-i" | "--replace" => Some("{}".to_owned()),
            _ => text
                .strip_prefix("-I")
                .or(text.strip_prefix("-i"))
                .or(text.strip_prefix("--replace="))
                .map(str::to_owned),
        }
    })
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

/// The ways in which an argument may name a path.
fn forms(text: &str) -> impl Iterator<Item = &str> {
    let attached = (text.starts_with('-') && !text.starts_with("--")).then(|| text.get(2..)).flatten();
    let parts = ['=', ':', '@', ','].into_iter().flat_map(move |mark| text.split(mark).skip(1));
    std::iter::once(text)
        .chain(attached)
        .chain(parts)
        .flat_map(|text| text.split(','))
        .filter(|text| !text.is_empty())
}
