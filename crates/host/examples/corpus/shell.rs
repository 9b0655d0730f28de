//! The judge against commands with a known verdict, as they stand and spelled differently. Start at [`run`].
//!
//! Two figures count. A false allow runs what somebody should have been asked about: there must be none. A prompt
//! on a harmless command only costs patience: at most [`MOST_PROMPTS`] of a hundred.

use crate::{Result, field, json, list, rows, text};
use host::judge::{Judge, Rule, Rules, Verdict};
use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;

/// In percent of the harmless commands, in each spelling.
const MOST_PROMPTS: usize = 10;

pub fn run(folder: &Path) -> Result<usize> {
    let judge = Judge::new(Rules::default())?;
    let cases = rows(&folder.join("core.jsonl"))?;
    let either = text(&folder.join("either.txt"))?;
    let either: HashSet<&str> = either.lines().map(str::trim).collect();
    let mut wrong = 0;
    // What is wrong is told first, so that the table stays in one piece.
    let table: Vec<Figures> =
        SPELLINGS.iter().map(|spelling| figures(&judge, &cases, &either, *spelling)).collect();
    println!("  spelling         rows  false allows  prompts on harmless  must-refuse only asked");
    for ((spelling, _), figures) in SPELLINGS.iter().zip(table) {
        println!("  {spelling:<15} {figures}");
        wrong += figures.false_allows + usize::from(figures.prompts_too_often());
    }
    wrong += persisted(&judge, &json(&folder.join("never-persist-prefixes.json"))?);
    wrong += variables(&judge, &json(&folder.join("env-deny.json"))?);
    wrong += git_settings(&judge, &json(&folder.join("git-exec-keys.json"))?);
    Ok(wrong)
}

/// What came of all rows in one spelling.
#[derive(Default)]
struct Figures {
    rows: usize,
    false_allows: usize,
    harmless: usize,
    prompts: usize,
    refuse: usize,
    only_asked: usize,
}

impl Figures {
    fn prompts_too_often(&self) -> bool {
        self.prompts * 100 > self.harmless * MOST_PROMPTS
    }
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let percent = 100.0 * self.prompts as f64 / self.harmless.max(1) as f64;
        let prompts = format!("{} of {} ({percent:.1} %)", self.prompts, self.harmless);
        let Figures { rows, false_allows, only_asked, refuse, .. } = self;
        write!(f, "{rows:>5}  {false_allows:>12}  {prompts:>19}  {only_asked:>14} of {refuse}")
    }
}

fn figures(judge: &Judge, cases: &[Value], either: &HashSet<&str>, spelling: Spelling) -> Figures {
    let (spelling, respell) = spelling;
    let mut figures = Figures::default();
    for row in cases {
        let (id, expected) = (field(row, "id"), field(row, "expect"));
        let Some(source) = respell(field(row, "command")) else { continue };
        figures.rows += 1;
        let found = judge.judge(&source);
        let tell = |what: &str| println!("    {what}: {id} {source:?} {:?}", found.reasons);
        if expected == "auto-allow" {
            figures.harmless += 1;
            if found.verdict != Verdict::Allow {
                figures.prompts += 1;
                if spelling == "plain" {
                    tell("prompt");
                }
            }
            continue;
        }
        if found.verdict == Verdict::Allow && !either.contains(id) {
            figures.false_allows += 1;
            tell("FALSE ALLOW");
        }
        if expected == "must-refuse" {
            figures.refuse += 1;
            if found.verdict != Verdict::Forbid {
                figures.only_asked += 1;
                if spelling == "plain" {
                    tell("only asked");
                }
            }
        }
    }
    figures
}

/// Another way to write a command that means the same, or none where that would mean something else.
type Respell = fn(&str) -> Option<String>;
type Spelling<'a> = (&'a str, Respell);

const SPELLINGS: &[Spelling<'_>] = &[
    ("plain", |command| Some(command.to_owned())),
    ("single quotes", |command| with_name(command, |name| format!("'{name}'"))),
    ("double quotes", |command| with_name(command, |name| format!("\"{name}\""))),
    ("backslash", |command| with_name(command, |name| format!("\\{name}"))),
    ("inner backslash", |command| with_name(command, |name| format!("{}\\{}", &name[..1], &name[1..]))),
    ("$'…'", |command| with_name(command, |name| format!("$'{name}'"))),
    ("absolute path", |command| {
        with_name(command, |name| format!("/usr/bin/{name}")).filter(|_| !program(command).contains('/'))
    }),
    ("env", |command| with_name(command, |name| format!("env {name}"))),
    ("env X=1", |command| with_name(command, |name| format!("env X=1 {name}"))),
    ("time", |command| Some(format!("time {command}"))),
    ("nice", |command| with_name(command, |name| format!("nice {name}"))),
    ("nice -n 5", |command| with_name(command, |name| format!("nice -n 5 {name}"))),
    ("after true", |command| Some(format!("true; {command}"))),
    ("bash -lc", |command| Some(format!("bash -lc '{}'", command.replace('\'', "'\\''")))),
    ("sh -c", |command| Some(format!("sh -c '{}'", command.replace('\'', "'\\''")))),
    ("subshell", |command| Some(format!("({command}\n)"))),
];

/// Words of the shell itself, which no longer are that when they are quoted or follow another program.
#[rustfmt::skip]
const OF_THE_SHELL: &[&str] = &[
    "while", "until", "for", "if", "function", "case", "exec", "trap", "source", ".", "shopt", "unset", "cd",
];

/// The name of the program, as far as the command begins with one.
fn program(command: &str) -> &str {
    let end = command.find(|c: char| !(c.is_ascii_alphanumeric() || "_.-/".contains(c)));
    &command[..end.unwrap_or(command.len())]
}

/// The command with the name of its program written differently.
fn with_name(command: &str, write: impl Fn(&str) -> String) -> Option<String> {
    let name = program(command);
    let rest = &command[name.len()..];
    let plain = !name.is_empty() && (rest.is_empty() || rest.starts_with(' '));
    (plain && !OF_THE_SHELL.contains(&name)).then(|| format!("{}{rest}", write(name)))
}

/// Prefixes that must never become a rule for good: neither may a person write one, nor may one be offered.
fn persisted(judge: &Judge, listed: &Value) -> usize {
    let prefixes = listed["prefixes"].as_array().map_or(&[][..], Vec::as_slice);
    let mut wrong = 0;
    for prefix in prefixes {
        let words: Vec<String> =
            prefix.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
        let offered = judge.always(&words.join(" ")).unwrap_or_default();
        let rule = Rule { prefix: words, ..Rule::default() };
        if !rule.is_broad() || offered.iter().any(|offered| offered.prefix == rule.prefix) {
            wrong += 1;
            println!("    COULD BE SAVED: {rule}");
        }
    }
    println!("  prefixes never to be saved: {wrong} of {} could be", prefixes.len());
    wrong
}

/// Variables that change what a program runs.
fn variables(judge: &Judge, listed: &Value) -> usize {
    let sources = list(listed, "names").flat_map(|name| {
        let name = name.replace('*', "X");
        [format!("{name}=x ls"), format!("export {name}=x"), format!("env {name}=x ls")]
    });
    none_allowed(judge, "variables that act", sources)
}

/// Settings and variables by which git runs other programs.
fn git_settings(judge: &Judge, listed: &Value) -> usize {
    let keys = list(listed, "config_keys").flat_map(|key| {
        let key = key.replace(['<', '>', '*'], "z");
        let ways = ["git -c KEY=x status", "git -cKEY=x log", "git --config-env=KEY=X diff"];
        ways.map(|way| way.replace("KEY", &key))
    });
    let variables = list(listed, "env").map(|name| format!("{}=x git status", name.replace('*', "X")));
    none_allowed(judge, "settings by which git runs programs", keys.chain(variables))
}

fn none_allowed(judge: &Judge, what: &str, sources: impl Iterator<Item = String>) -> usize {
    let (mut count, mut wrong) = (0, 0);
    for source in sources {
        count += 1;
        if judge.judge(&source).verdict == Verdict::Allow {
            wrong += 1;
            println!("    FALSE ALLOW: {source:?}");
        }
    }
    println!("  {what}: {wrong} of {count} commands allowed");
    wrong
}
