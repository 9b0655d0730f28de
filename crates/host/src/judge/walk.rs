//! The walk over a parsed script: every command in it is handed to the rules. Start from [`judge`].
//! It must visit whatever could run; `look` is its other half, for commands inside commands.

use std::collections::HashSet;

use super::expand::{self, Arg, NAME, UNKNOWN};
use super::findings::Findings;
use super::listing::{self, Output};
use super::paths::{Path, Place};
use super::scope::{self, Scope, Value};
use super::syntax::*;
use super::{Judge, Judgement, Strictness, bomb, danger, environment, look, parse, solve};

/// How many commands are judged before the script counts as too long.
const MAX_STEPS: usize = 20_000;
/// How many rounds of a loop are judged one by one.
const MAX_ROUNDS: usize = 8;
/// How deep scripts inside arguments of scripts are followed.
const MAX_SOURCES: usize = 10;

/// Judges `source`; also gives the commands that asked.
pub fn judge(judge: &Judge, source: &str) -> (Judgement, Vec<Vec<Arg>>) {
    let mut walk = Walk {
        judge,
        scope: Scope::default(),
        functions: HashSet::new(),
        bases: Vec::new(),
        findings: Findings::default(),
        steps: 0,
        sources: 0,
        depth: 0,
        wrapped: 0,
    };
    walk.source(source);
    walk.findings.conclude();
    walk.findings.finish()
}

pub(super) struct Walk<'a> {
    pub(super) judge: &'a Judge,
    pub(super) scope: Scope,
    /// Functions that are certainly defined; their bodies have been judged.
    pub(super) functions: HashSet<String>,
    /// Directories the script changes to: a relative path may start from any of them.
    pub(super) bases: Vec<Path>,
    pub(super) findings: Findings,
    steps: usize,
    sources: usize,
    depth: usize,
    /// How many wrappers are around the command at hand.
    pub(super) wrapped: usize,
}

impl Walk<'_> {
    /// Judges text as a script of its own, run by another shell.
    pub(super) fn source(&mut self, source: &str) {
        if self.sources >= MAX_SOURCES {
            return self.findings.ask("scripts are nested too deeply to judge");
        }
        match parse::parse(source) {
            Err(error) => self.unread(source, &error),
            Ok(script) => {
                if let Some(reason) = bomb::find(&script) {
                    self.findings.forbid(reason);
                }
                let outer = (
                    std::mem::replace(&mut self.scope, Scope::of(&script)),
                    std::mem::take(&mut self.functions),
                );
                let depth = std::mem::take(&mut self.depth);
                self.sources += 1;
                self.script(&script);
                self.sources -= 1;
                self.depth = depth;
                (self.scope, self.functions) = outer;
            }
        }
    }

    fn unread(&mut self, source: &str, error: &parse::ParseError) {
        self.findings.ask(error.to_string());
        if self.judge.strictness == Strictness::Solve
            && let Some(reason) = solve::reject_text(source)
        {
            self.findings.forbid(reason);
        }
    }

    fn script(&mut self, script: &Script) {
        for pipeline in &script.pipelines {
            let certain = self.depth == 0
                && !pipeline.conditional
                && !pipeline.background
                && pipeline.stages.len() == 1;
            let mut flow = Output::default();
            for stage in &pipeline.stages {
                flow = self.command(stage, &flow);
                if certain && let Kind::Function { name, .. } = &stage.kind {
                    self.functions.insert(name.clone());
                }
            }
        }
    }

    fn inside(&mut self, script: &Script) {
        self.depth += 1;
        self.script(script);
        self.depth -= 1;
    }

    fn command(&mut self, command: &Command, input: &Output) -> Output {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            self.findings.ask("it is too long to judge");
            return Output::default();
        }
        let input = self.redirects(&command.redirects, input);
        match &command.kind {
            Kind::Simple(simple) => return self.simple(simple, &input),
            Kind::Subshell(script) | Kind::Group(script) => self.inside(script),
            Kind::If(parts) => parts.iter().for_each(|part| self.inside(part)),
            Kind::Loop { condition, body, .. } => {
                self.inside(condition);
                self.inside(body);
            }
            Kind::For { name, words, body } => self.rounds(name, words.as_deref(), body),
            Kind::Count { head, body, .. } => {
                self.arithmetic(head);
                self.inside(body);
            }
            Kind::Case { words, bodies } => {
                words.iter().for_each(|word| self.word(word));
                bodies.iter().for_each(|body| self.inside(body));
            }
            Kind::Function { body, .. } => {
                self.depth += 1;
                self.command(body, &Output::default());
                self.depth -= 1;
            }
            Kind::Test(words) => self.test(words),
            Kind::Arithmetic(word) => self.arithmetic(word),
        }
        Output::default()
    }

    /// A `for` loop: round by round where the values are written down, else with any value.
    fn rounds(&mut self, name: &str, words: Option<&[Word]>, body: &Script) {
        if environment::acts(name) {
            self.findings.ask(format!("`{name}` changes what other programs do"));
        }
        let words = words.unwrap_or_default();
        words.iter().for_each(|word| self.word(word));
        let values = expand::arguments(words, &self.scope);
        let certain = !values.is_empty() && values.iter().all(|arg| !arg.text.contains(UNKNOWN));
        if !certain || values.len() > MAX_ROUNDS {
            return self.inside(body);
        }
        for value in values {
            let known = if value.text.contains(NAME) { Value::Name } else { Value::Known(value.text) };
            let earlier = self.scope.bind(name, known);
            self.inside(body);
            self.scope.restore(name, earlier);
        }
    }

    fn simple(&mut self, simple: &Simple, input: &Output) -> Output {
        for assign in &simple.assigns {
            assign.words.iter().for_each(|word| self.word(word));
            self.assigned(&assign.name);
            let hides = |piece: &Piece| matches!(piece, Piece::Text { text, quoted: true } if text.contains("$(") || text.contains('`'));
            if assign.words.iter().flat_map(|word| &word.pieces).any(hides) {
                self.findings.ask("a variable holds shell code");
            }
        }
        simple.words.iter().for_each(|word| self.word(word));
        let args = expand::arguments(&simple.words, &self.scope);
        if !args.is_empty() {
            let runs_code = args.iter().any(|arg| look::executes(&arg.text));
            let fetched = runs_code && simple.words.iter().any(brings_opaque);
            self.argv(&args, &Output { opaque: input.opaque || fetched, ..input.clone() });
        }
        listing::after(&args, input)
    }

    /// A variable was set.
    pub(super) fn assigned(&mut self, name: &str) {
        if self.judge.strictness == Strictness::Ask && environment::acts(name) {
            self.findings.ask(format!("setting `{name}` changes what other programs do"));
        }
    }

    /// Judges redirections; gives what the command finds on its input.
    fn redirects(&mut self, redirects: &[Redirect], input: &Output) -> Output {
        let mut input = input.clone();
        for redirect in redirects {
            if let Some(name) = &redirect.variable {
                self.assigned(name);
            }
            match &redirect.target {
                Target::Here(body) => {
                    if let Some(word) = body.get() {
                        self.word(word);
                        input = self.spoken(word);
                    }
                }
                Target::Text(word) => {
                    self.word(word);
                    input = self.spoken(word);
                }
                Target::Word(word) => {
                    self.word(word);
                    let arg = expand::text(word, &self.scope);
                    self.file(&arg, redirect.mode);
                    if redirect.mode == Mode::Read {
                        input = Output { opaque: brings_opaque(word), ..Output::default() };
                    }
                }
            }
        }
        input
    }

    fn spoken(&self, word: &Word) -> Output {
        let mut text = String::new();
        let mut exact = true;
        for piece in &word.pieces {
            match piece {
                Piece::Text { text: part, .. } => text.push_str(part),
                _ => exact = false,
            }
        }
        Output { text: exact.then_some(text), opaque: brings_opaque(word), names: false }
    }

    fn file(&mut self, arg: &Arg, mode: Mode) {
        let text = arg.text.as_str();
        if mode == Mode::Copy
            && (text == "-" || text.trim_end_matches('-').chars().all(|c| c.is_ascii_digit()))
        {
            return;
        }
        let places = self.places(text);
        if places.contains(&Place::Socket) {
            self.findings.network = true;
        }
        if self.is_secret(text) {
            self.findings.secret = true;
            self.findings.ask(format!("it touches credentials: `{text}`"));
        }
        if mode == Mode::Read {
            if text.contains(UNKNOWN) && self.judge.strictness == Strictness::Ask {
                self.findings.ask("it reads a file whose name is only known when it runs");
            }
            return;
        }
        self.findings.made.push(text.to_owned());
        let refused = {
            let places = |text: &str| self.places(text);
            danger::written("a redirection", text, &places)
        };
        if let Some(reason) = refused {
            self.findings.forbid(reason);
        } else if self.judge.strictness == Strictness::Ask
            && places.iter().any(|place| *place != Place::Harmless)
        {
            self.findings.ask(format!("it writes a file: `{}`", shown(text)));
        }
    }

    /// Judges whatever runs inside a word.
    fn word(&mut self, word: &Word) {
        for piece in &word.pieces {
            match piece {
                Piece::Text { .. } => {}
                Piece::Parameter { name, form, inner, .. } => {
                    if *form == Form::Evaluated {
                        self.findings.ask("an expansion with `@` can run commands");
                    }
                    if *form == Form::Assigning {
                        self.assigned(name);
                    }
                    if let [subscript, _] = inner.as_slice() {
                        self.arithmetic(subscript);
                    }
                    inner.iter().for_each(|word| self.word(word));
                    if name == "env" && self.judge.strictness == Strictness::Solve {
                        self.powershell_environment(word);
                    }
                }
                Piece::Command { script, .. } | Piece::Process(script) => self.inside(script),
                Piece::Arithmetic(inner) => self.arithmetic(inner),
            }
        }
    }

    /// `$env:NAME` is how PowerShell reads the environment; to bash it is `$env` and text.
    fn powershell_environment(&mut self, word: &Word) {
        let colon = word
            .pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Text { text, .. } if text.starts_with(':')));
        if colon {
            self.findings.forbid("it looks at the environment");
        }
    }

    /// Arithmetic evaluates the values of variables as well, and a subscript in one can run commands.
    fn arithmetic(&mut self, word: &Word) {
        self.word(word);
        let mut unsure = scope::arithmetic_names(word)
            .iter()
            .any(|name| self.scope.is_set(name) && self.scope.value(name) == Value::Unknown);
        for piece in &word.pieces {
            unsure |= match piece {
                Piece::Parameter { name, form, .. } => {
                    let given = self.scope.is_set(name)
                        || name.chars().all(|c| c.is_ascii_digit())
                        || "@*".contains(name.as_str());
                    *form == Form::Plain && given && self.scope.value(name) == Value::Unknown
                }
                Piece::Command { script, .. } => listing::value(script) == Value::Unknown,
                _ => false,
            };
        }
        if unsure && self.judge.strictness == Strictness::Ask {
            self.findings.ask("arithmetic on a value that is only known when it runs can run commands");
        }
    }

    /// `[[ … ]]`: its comparisons of numbers are arithmetic.
    fn test(&mut self, words: &[Word]) {
        const NUMERIC: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v", "-R"];
        let numeric = words.iter().any(|word| word.bare().is_some_and(|text| NUMERIC.contains(&text)));
        for word in words {
            if numeric && word.bare().is_none_or(|text| !text.starts_with('-')) {
                self.arithmetic(word);
            } else {
                self.word(word);
            }
        }
    }

    pub(super) fn path(&self, text: &str) -> Path {
        Path::new(text, self.judge.workspace.as_deref(), self.judge.home.as_deref())
    }

    /// Every path that `text` may mean.
    fn paths(&self, text: &str) -> Vec<Path> {
        let path = self.path(text);
        let mut paths: Vec<Path> = self.bases.iter().map(|base| path.seen_from(base)).collect();
        paths.push(path);
        paths
    }

    pub(super) fn places(&self, text: &str) -> Vec<Place> {
        self.paths(text).iter().map(Path::place).collect()
    }

    pub(super) fn is_secret(&self, text: &str) -> bool {
        self.paths(text).iter().any(Path::is_secret)
    }

    pub(super) fn holds_secrets(&self, text: &str) -> bool {
        self.paths(text).iter().any(Path::holds_secrets)
    }
}

/// Whether the word is made from something fetched or decoded.
fn brings_opaque(word: &Word) -> bool {
    word.pieces.iter().any(|piece| match piece {
        Piece::Command { script, .. } | Piece::Process(script) => listing::makes_opaque(script),
        _ => false,
    })
}

/// The text with its unknown parts made visible.
pub(super) fn shown(text: &str) -> String {
    text.replace([UNKNOWN, NAME], "…")
}
