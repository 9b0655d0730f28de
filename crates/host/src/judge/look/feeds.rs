//! Commands that run others on what they find or read: `find`, `xargs`, `parallel`, `fzf`, `tar`.

use super::super::expand::{self, Arg, NAME, UNKNOWN};
use super::super::listing::Output;
use super::super::program::{self, Effect};
use super::super::walk::Walk;
use super::super::{Strictness, options};

impl Walk<'_> {
    /// `xargs`: the command with what its input says appended.
    pub(super) fn fed(&mut self, args: &[Arg], inner: &[Arg], input: &Output) {
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
                        text: expand::replaced(&arg.text, marker, &value.join(" ")),
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
        if (input.names || !input.given) && !from_file { NAME } else { UNKNOWN }
    }

    pub(super) fn parallel(&mut self, args: &[Arg], input: &Output) {
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
                template.iter().map(|arg| Arg::literal(expand::replaced(&arg.text, "{}", &value))).collect();
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

    /// `find`: what it runs on each file, and what it writes.
    pub(super) fn finds(&mut self, args: &[Arg]) {
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

    /// `fd`: what it runs on what it finds.
    pub(super) fn finds_more(&mut self, args: &[Arg]) {
        self.leaf(args);
        let runs = |arg: &Arg| matches!(arg.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch");
        if let Some(at) = args.iter().position(runs) {
            self.argv(&args[at + 1..], &Output::default());
        }
    }

    /// `fzf` runs commands given in its options.
    pub(super) fn picks(&mut self, args: &[Arg]) {
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
                Some(command) => self.source(command),
                None => self.asks(args, "`fzf` runs commands given in its options".to_owned()),
            }
        }
    }

    /// `tar` reads only when it lists.
    pub(super) fn archives(&mut self, args: &[Arg]) {
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
