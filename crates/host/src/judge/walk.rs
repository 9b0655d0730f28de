//! The walk over a parsed script: every command in it is handed to the rules. Start from [`judge`].
//! It must visit whatever could run; `look` is its other half, for commands inside commands.

mod redirects;
mod words;

use std::collections::HashSet;

use super::expand::{self, Arg, NAME, UNKNOWN};
use super::findings::{Findings, Walked};
use super::listing::{self, Output};
use super::paths::{Path, Place};
use super::scope::{self, Scope, Value};
use super::syntax::*;
use super::{Judge, Strictness, bomb, danger, environment, look, parse, program, solve};

/// How many commands are judged before the script counts as too long.
const MAX_STEPS: usize = 4_000;
/// So many characters of arguments count as one more command.
const STEP_LENGTH: usize = 256;
/// How many rounds of a loop are judged one by one.
const MAX_ROUNDS: usize = 8;
/// How deep scripts inside arguments of scripts are followed.
const MAX_SOURCES: usize = 10;

/// Judges `source`; also gives the commands that rules could be about.
pub fn judge(judge: &Judge, source: &str) -> Walked {
    let mut walk = Walk::new(judge);
    walk.source(source);
    walk.findings.conclude();
    walk.findings.finish()
}

/// How much it takes to judge `source`: commands, and the text of their arguments.
#[cfg(test)]
pub fn work(judge: &Judge, source: &str) -> usize {
    let mut walk = Walk::new(judge);
    walk.source(source);
    walk.steps
}

impl<'a> Walk<'a> {
    fn new(judge: &'a Judge) -> Walk<'a> {
        Walk {
            judge,
            scope: Scope::default(),
            functions: HashSet::new(),
            bases: Vec::new(),
            strayed: false,
            findings: Findings::new(judge.strictness),
            steps: 0,
            sources: 0,
            depth: 0,
            wrapped: 0,
            cleared: 0,
        }
    }
}

pub(super) struct Walk<'a> {
    pub(super) judge: &'a Judge,
    pub(super) scope: Scope,
    /// Functions that are certainly defined; their bodies have been judged.
    pub(super) functions: HashSet<String>,
    /// Directories the script changes to: a relative path may start from any of them.
    pub(super) bases: Vec<Path>,
    /// It changed to a folder inside the workspace, which may be a repository of its own.
    pub(super) strayed: bool,
    pub(super) findings: Findings,
    steps: usize,
    sources: usize,
    depth: usize,
    /// How many wrappers are around the command at hand.
    pub(super) wrapped: usize,
    /// How many of them took variables away, and with them those that keep git harmless.
    pub(super) cleared: usize,
}

impl Walk<'_> {
    /// Judges text as a script of its own, run by another shell.
    pub(super) fn source(&mut self, source: &str) {
        if self.sources >= MAX_SOURCES {
            return self.findings.unsure("scripts are nested too deeply to judge");
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
        self.findings.unsure(error.to_string());
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

    /// Counts what is judged; beyond the limit the rest is left and the whole asks.
    pub(super) fn may_go_on(&mut self) -> bool {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            self.findings.unsure("it is too long to judge");
        }
        self.steps <= MAX_STEPS
    }

    fn inside(&mut self, script: &Script) {
        self.depth += 1;
        self.script(script);
        self.depth -= 1;
    }

    fn command(&mut self, command: &Command, input: &Output) -> Output {
        if !self.may_go_on() {
            return Output::default();
        }
        let input = self.redirects(&command.redirects, input);
        match &command.kind {
            Kind::Simple(simple) => return self.simple(simple, &input),
            Kind::Subshell(script) | Kind::Group(script) => {
                self.inside(script);
                return listing::after_group(&[script]);
            }
            Kind::If(parts) => parts.iter().for_each(|part| self.inside(part)),
            Kind::Loop { condition, body, .. } => {
                self.inside(condition);
                self.inside(body);
                return listing::after_group(&[condition, body]);
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
            Kind::Function { name, body } => {
                if program::is_known(name) {
                    self.findings.ask(format!("a function takes the place of `{name}`"));
                }
                self.depth += 1;
                self.command(body, &Output::default());
                self.depth -= 1;
            }
            Kind::Test(words) => self.test(words),
            Kind::Arithmetic(word) => self.arithmetic(word),
        }
        listing::after_group(&[])
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
            let known = match value {
                // The names that fit are not known, and one of them may look like an option.
                Arg { glob: true, text, .. } => Value::Known(expand::some_name(&text)),
                Arg { text, .. } if text.contains(NAME) => Value::Name,
                Arg { text, .. } => Value::Known(text),
            };
            let earlier = self.scope.bind(name, known);
            self.inside(body);
            self.scope.restore(name, earlier);
        }
    }

    fn simple(&mut self, simple: &Simple, input: &Output) -> Output {
        for assign in &simple.assigns {
            assign.words.iter().for_each(|word| self.word(word));
            let number = matches!(assign.words.as_slice(), [word] if assign.plain && is_digits(word));
            if !(number && environment::counts(&assign.name)) {
                self.assigned(&assign.name);
            }
            assign.subscript.iter().for_each(|text| self.subscript(text));
            if !assign.plain {
                assign.words.iter().for_each(|word| self.element(word));
            }
            let hides = |piece: &Piece| match piece {
                Piece::Text { text, quoted } => *quoted && (text.contains("$(") || text.contains('`')),
                _ => false,
            };
            if assign.words.iter().flat_map(|word| &word.pieces).any(hides) {
                self.findings.ask("a variable holds shell code");
            }
        }
        simple.words.iter().for_each(|word| self.word(word));
        let args = expand::arguments(&simple.words, &self.scope);
        self.steps += args.iter().map(|arg| arg.text.len()).sum::<usize>() / STEP_LENGTH;
        if !args.is_empty() {
            self.disguised(&simple.words[0], &args[0]);
            let runs_code = args.iter().any(|arg| look::executes(&arg.text));
            let fetched = runs_code && simple.words.iter().any(brings_opaque);
            let handed = simple.words.iter().find_map(processed).filter(|_| runs_code);
            let input = handed.map_or_else(|| input.clone(), listing::said);
            self.argv(&args, &Output { opaque: input.opaque || fetched, ..input });
        }
        listing::after(&args, input)
    }

    /// A setter that is not written out plainly splits its values, and so sets whatever they say.
    fn disguised(&mut self, word: &Word, first: &Arg) {
        if look::declares(&first.text) && word.bare() != Some(first.text.as_str()) {
            self.findings.ask(format!("`{}` is not written out", first.text));
        }
    }

    /// A variable was set.
    pub(super) fn assigned(&mut self, name: &str) {
        if environment::acts(name) {
            self.findings.ask(format!("setting `{name}` changes what other programs do"));
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

fn is_digits(word: &Word) -> bool {
    word.literal().is_some_and(|text| text.chars().all(|c| c.is_ascii_digit()))
}

/// Whether the word is made from something fetched or decoded.
fn brings_opaque(word: &Word) -> bool {
    word.pieces.iter().any(|piece| match piece {
        Piece::Command { script, .. } | Piece::Process(script) => listing::makes_opaque(script),
        _ => false,
    })
}

/// The script whose output the word stands for, as a file: `<(…)`.
fn processed(word: &Word) -> Option<&Script> {
    match word.pieces.as_slice() {
        [Piece::Process(script)] => Some(script),
        _ => None,
    }
}

/// The text with its unknown parts made visible.
pub(super) fn shown(text: &str) -> String {
    text.replace([UNKNOWN, NAME], "…")
}
