//! What is known about variables, before anything runs. Start from [`Scope::of`].
//!
//! A variable has a known value only if the whole script sets it once, plainly, and at a place that
//! certainly runs. Anything else (set twice, in a branch, in a loop, by `read`) is unknown: a wrong
//! guess here would judge another command than the one that runs.

use std::collections::HashMap;

use super::expand::{self, Arg};
use super::syntax::*;

#[derive(Debug, Clone, Default)]
pub struct Scope {
    variables: HashMap<String, Option<Value>>,
    /// Something in the script may set any variable, so that none is known.
    muddled: bool,
    /// Something in the script may take functions back.
    unsets: bool,
    /// Somewhere in the script an array is made.
    arrays: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Known(String),
    /// The name of something, chosen by a program that lists names.
    Name,
    Unknown,
}

/// Set variables named by their arguments, in ways that are not followed.
#[rustfmt::skip]
const SETTERS: &[&str] = &[
    "declare", "export", "getopts", "let", "local", "mapfile", "printf", "read", "readarray", "readonly",
    "select", "typeset", "unset", "wait", "coproc",
];

/// Set by the shell itself, so that an assignment to them means little.
#[rustfmt::skip]
const MAGIC: &[&str] = &[
    "_", "RANDOM", "SRANDOM", "SECONDS", "LINENO", "REPLY", "OPTARG", "OPTIND", "MAPFILE", "COPROC", "UID",
    "EUID", "PPID", "GROUPS", "DIRSTACK", "PIPESTATUS", "FUNCNAME", "OLDPWD", "PWD", "HOME", "HISTCMD",
    "EPOCHSECONDS", "EPOCHREALTIME", "READLINE_LINE", "COMP_WORDS",
];

/// A longer value counts as unknown: values made from values would grow without end.
const MAX_VALUE: usize = 4 * 1024;

impl Scope {
    /// Gathers what `script` says about its variables.
    pub fn of(script: &Script) -> Scope {
        let mut scope = Scope::default();
        scope.script(script, Certainty::Sure);
        scope
    }

    pub fn value(&self, name: &str) -> Value {
        match (self.variables.get(name), name) {
            _ if self.muddled => Value::Unknown,
            (Some(Some(value)), _) => value.clone(),
            (Some(None), _) => Value::Unknown,
            (None, "HOME") => Value::Known("~".to_owned()),
            (None, "PWD") => Value::Known(".".to_owned()),
            (None, "IFS") => Value::Known(" ".to_owned()),
            (
                None,
                "?" | "#" | "$" | "RANDOM" | "SRANDOM" | "SECONDS" | "LINENO" | "UID" | "EUID" | "PPID"
                | "EPOCHSECONDS" | "BASHPID" | "SHLVL",
            ) => Value::Known("0".to_owned()),
            (None, "USER" | "LOGNAME" | "HOSTNAME" | "OSTYPE" | "SHELL" | "LANG" | "TERM") => Value::Name,
            (None, _) => Value::Unknown,
        }
    }

    pub fn is_set(&self, name: &str) -> bool {
        self.muddled || self.variables.contains_key(name)
    }

    /// Whether the shell may have set it to something that a file or an argument says.
    pub fn is_filled(name: &str) -> bool {
        MAGIC.contains(&name) || name.starts_with("BASH")
    }

    /// Whether a function that is defined stays so.
    pub fn keeps_functions(&self) -> bool {
        !self.muddled && !self.unsets
    }

    pub fn has_arrays(&self) -> bool {
        self.arrays
    }

    /// Gives a loop variable the value it has in one round.
    pub fn bind(&mut self, name: &str, value: Value) -> Option<Option<Value>> {
        self.variables.insert(name.to_owned(), Some(value))
    }

    pub fn restore(&mut self, name: &str, earlier: Option<Option<Value>>) {
        match earlier {
            Some(value) => self.variables.insert(name.to_owned(), value),
            None => self.variables.remove(name),
        };
    }

    fn forget(&mut self, name: &str) {
        self.variables.insert(name.to_owned(), None);
    }

    fn assign(&mut self, assign: &Assign, certainty: Certainty) {
        self.arrays |= !assign.plain;
        let known = match assign.words.as_slice() {
            [word]
                if assign.plain
                    && certainty == Certainty::Sure
                    && !self.is_set(&assign.name)
                    && !has_braces(word) =>
            {
                let arg = expand::text(word, self);
                (!arg.has_marks()
                    && !arg.glob
                    && arg.text.len() <= MAX_VALUE
                    && !MAGIC.contains(&assign.name.as_str())
                    && !assign.name.starts_with("BASH"))
                .then_some(Value::Known(arg.text))
            }
            _ => None,
        };
        self.variables.insert(assign.name.clone(), known);
    }

    fn script(&mut self, script: &Script, certainty: Certainty) {
        for pipeline in &script.pipelines {
            let alone = pipeline.stages.len() == 1 && !pipeline.background && !pipeline.conditional;
            let inner = if alone { certainty } else { Certainty::Unsure };
            for stage in &pipeline.stages {
                self.command(stage, inner);
            }
        }
    }

    fn command(&mut self, command: &Command, certainty: Certainty) {
        for redirect in &command.redirects {
            if let Some(name) = &redirect.variable {
                self.forget(name);
            }
            match &redirect.target {
                Target::Word(word) | Target::Text(word) => self.word(word),
                Target::Here(body) => body.get().into_iter().for_each(|word| self.word(word)),
            }
        }
        match &command.kind {
            Kind::Simple(simple) => self.simple(simple, certainty),
            Kind::Group(script) => self.script(script, certainty),
            Kind::Subshell(script) => self.script(script, Certainty::Unsure),
            Kind::If(parts) => parts.iter().for_each(|part| self.script(part, Certainty::Unsure)),
            Kind::Loop { condition, body, .. } => {
                self.script(condition, Certainty::Unsure);
                self.script(body, Certainty::Unsure);
            }
            Kind::For { name, words, body } => {
                self.forget(name);
                words.iter().flatten().for_each(|word| self.word(word));
                self.script(body, Certainty::Unsure);
            }
            Kind::Count { head, body, .. } => {
                self.arithmetic(head);
                self.script(body, Certainty::Unsure);
            }
            Kind::Case { words, bodies } => {
                words.iter().for_each(|word| self.word(word));
                bodies.iter().for_each(|body| self.script(body, Certainty::Unsure));
            }
            Kind::Function { body, .. } => self.command(body, Certainty::Unsure),
            Kind::Test(words) => words.iter().for_each(|word| self.word(word)),
            Kind::Arithmetic(word) => self.arithmetic(word),
        }
    }

    fn simple(&mut self, simple: &Simple, certainty: Certainty) {
        simple.words.iter().for_each(|word| self.word(word));
        let args = expand::arguments(&simple.words, self);
        for assign in &simple.assigns {
            assign.words.iter().for_each(|word| self.word(word));
            // Before a command it holds for that command only, but not for the words beside it.
            let certainty = if simple.words.is_empty() { certainty } else { Certainty::Unsure };
            self.assign(assign, certainty);
        }
        self.set_by(&args);
    }

    /// What a command sets, takes back or leaves in doubt.
    fn set_by(&mut self, args: &[Arg]) {
        let own = args.iter().take_while(|arg| {
            matches!(arg.text.as_str(), "command" | "builtin")
                || (arg.is_exact() && arg.text.starts_with('-'))
        });
        let Some((first, rest)) = args[own.count()..].split_first() else {
            return;
        };
        // It may be a setter, and what a trap holds runs at any time.
        self.muddled |= !first.is_exact() || first.computed || (first.text == "trap" && !rest.is_empty());
        self.unsets |= first.text == "unset";
        if !SETTERS.contains(&first.text.as_str()) {
            return;
        }
        self.arrays |= matches!(first.text.as_str(), "mapfile" | "readarray")
            || rest.iter().any(|arg| arg.text.starts_with('-') && arg.text.contains(['a', 'A']));
        for arg in rest {
            let end = arg.text.find(['=', '[', '+']).unwrap_or(arg.text.len());
            self.forget(&arg.text[..end]);
        }
    }

    fn word(&mut self, word: &Word) {
        for piece in &word.pieces {
            match piece {
                Piece::Text { .. } => {}
                Piece::Parameter { name, form, inner, .. } => {
                    if *form == Form::Assigning {
                        self.forget(name);
                    }
                    inner.iter().for_each(|word| self.word(word));
                }
                Piece::Command { script, .. } | Piece::Process(script) => {
                    self.script(script, Certainty::Unsure)
                }
                Piece::Arithmetic(inner) => self.arithmetic(inner),
            }
        }
    }

    /// Arithmetic can assign to every name in it.
    fn arithmetic(&mut self, word: &Word) {
        self.word(word);
        let assigns = word.pieces.iter().any(|piece| match piece {
            Piece::Text { text, .. } => ["=", "++", "--"].iter().any(|sign| text.contains(sign)),
            _ => false,
        });
        if assigns {
            for name in arithmetic_names(word) {
                let number = match self.variables.get(&name) {
                    None => true,
                    Some(Some(Value::Known(text))) => text.chars().all(|c| c.is_ascii_digit()),
                    _ => false,
                };
                // Which number does not matter to any rule, only that it is one.
                let known = number.then(|| Value::Known("0".to_owned()));
                self.variables.insert(name, known);
            }
        }
    }
}

/// An assignment does not expand braces, other words do.
fn has_braces(word: &Word) -> bool {
    word.pieces.iter().any(|piece| matches!(piece, Piece::Text { text, quoted: false } if text.contains('{')))
}

/// The variables that an arithmetic expression reads without a `$`.
fn arithmetic_names(word: &Word) -> Vec<String> {
    let texts = word.pieces.iter().filter_map(|piece| match piece {
        Piece::Text { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.flat_map(names).map(str::to_owned).collect()
}

/// The names of variables in an arithmetic expression.
pub fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|name| name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic()))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Certainty {
    Sure,
    Unsure,
}
