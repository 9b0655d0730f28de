//! `cinque policy check`: what would happen to a command, and why. Start at [`run`]. Runs nothing.

use crate::arguments::{Here, Policy};
use crate::exit::{Exit, Fault, print};
use crate::paint::visible;
use crate::start::Start;
use host::config;
use host::judge::{Judge, Judgement, Verdict};
use std::io::BufRead;

pub fn run(here: Here, policy: Policy) -> Result<Exit, Fault> {
    let start = Start::new(&here)?;
    let rules = start.config.policy.clone();
    let mut judge =
        Judge::new(rules).map_err(Fault::error)?.with_workspace(start.directory.to_string_lossy());
    if let Some(home) = start.variable("HOME") {
        judge = judge.with_home(home);
    }
    match policy {
        Policy::Always { save, source } => always(&start, &judge, &source, save),
        Policy::Check { stdin: true, .. } => check_many(&judge),
        Policy::Check { json, source, .. } => check(&judge, &source, json),
    }
}

/// Shows the rule that covers a command and no more than that, and saves it if told to.
fn always(start: &Start, judge: &Judge, source: &str, save: bool) -> Result<Exit, Fault> {
    let judgement = judge.judge(source);
    if judgement.verdict == Verdict::Allow {
        aside!("this runs without asking already");
        return Ok(Exit::Done);
    }
    let Some(rules) = judge.always(source) else {
        let fault = Fault::new(Exit::Refused, "there is no rule for this: it must be decided each time");
        return Err(judgement.reasons.into_iter().fold(fault, Fault::hint));
    };
    let lines: Vec<String> = rules.iter().map(|rule| visible(&rule.to_string()).into_owned()).collect();
    if !save {
        lines.iter().try_for_each(|line| print(line))?;
        aside!("--save lets this run without asking from now on, in every folder");
        return Ok(Exit::Done);
    }
    let config = start
        .places
        .config
        .as_ref()
        .ok_or_else(|| Fault::error("there is no home folder to save rules in"))?;
    let path = config::saved_rules(config);
    config::save(&path, rules).map_err(Fault::error)?;
    lines.iter().try_for_each(|line| print(line))?;
    aside!("saved in {}", path.display());
    Ok(Exit::Done)
}

fn check(judge: &Judge, source: &[String], json: bool) -> Result<Exit, Fault> {
    let [source] = source else {
        return Err(Fault::usage(
            "give the command as one argument, for example: cinque policy check -- 'ls | wc -l'",
        ));
    };
    let judgement = judge.judge(source);
    if json {
        print(&object(&judgement)?)?;
    } else {
        tell(&judgement)?;
    }
    Ok(Exit::Done)
}

fn tell(judgement: &Judgement) -> Result<(), Fault> {
    let words = match judgement.verdict {
        Verdict::Allow if !judgement.rules.is_empty() => {
            "allow: by rules of yours it runs without asking, in the sandbox"
        }
        Verdict::Allow => "allow: it only reads, so it runs without asking, in the sandbox",
        Verdict::Ask => "ask: a person decides",
        Verdict::Forbid => "forbid: it does not run, whoever agrees",
    };
    print(words)?;
    if judgement.verdict == Verdict::Allow {
        judgement.rules.iter().try_for_each(|rule| print(&format!("  {}", visible(&rule.in_words()))))?;
    }
    judgement.reasons.iter().try_for_each(|reason| print(&format!("  {}", visible(reason))))
}

/// A JSON string a line in, an object a line out, in the same order.
fn check_many(judge: &Judge) -> Result<Exit, Fault> {
    for (number, line) in std::io::stdin().lock().lines().enumerate() {
        let bad = |why: &dyn std::fmt::Display| {
            Fault::usage(format!("line {} of stdin is not a JSON string: {why}", number + 1))
        };
        let line = line.map_err(|error| bad(&error))?;
        let source: String = serde_json::from_str(&line).map_err(|error| bad(&error))?;
        print(&object(&judge.judge(&source))?)?;
    }
    Ok(Exit::Done)
}

fn object(judgement: &Judgement) -> Result<String, Fault> {
    serde_json::to_string(judgement).map_err(Fault::error)
}
