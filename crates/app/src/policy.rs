//! `cinque policy check`: what would happen to a command, and why. Start at [`run`]. Runs nothing.

use crate::arguments::{Here, Policy};
use crate::exit::{Exit, Fault};
use crate::paint::visible;
use crate::start::Start;
use host::judge::{Judge, Judgement, Verdict};
use std::io::{BufRead, Write};

pub fn run(here: Here, policy: Policy) -> Result<Exit, Fault> {
    let Policy::Check { json, stdin, source } = policy;
    let start = Start::new(&here)?;
    let rules = start.config.policy.clone();
    let mut judge =
        Judge::new(rules).map_err(Fault::error)?.with_workspace(start.directory.to_string_lossy());
    if let Some(home) = start.variable("HOME") {
        judge = judge.with_home(home);
    }
    if stdin {
        return check_many(&judge);
    }
    let [source] = source.as_slice() else {
        return Err(Fault::usage(
            "give the command as one argument, for example: cinque policy check -- 'ls | wc -l'",
        ));
    };
    let judgement = judge.judge(source);
    if json {
        println!("{}", object(&judgement)?);
    } else {
        tell(&judgement);
    }
    Ok(Exit::Done)
}

fn tell(judgement: &Judgement) {
    let words = match judgement.verdict {
        Verdict::Allow => "allow: it only reads, so it runs without asking, in the sandbox",
        Verdict::Ask => "ask: a person decides",
        Verdict::Forbid => "forbid: it does not run, whoever agrees",
    };
    println!("{words}");
    for reason in &judgement.reasons {
        println!("  {}", visible(reason));
    }
}

/// A JSON string a line in, an object a line out, in the same order.
fn check_many(judge: &Judge) -> Result<Exit, Fault> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for (number, line) in std::io::stdin().lock().lines().enumerate() {
        let bad = |why: &dyn std::fmt::Display| {
            Fault::usage(format!("line {} of stdin is not a JSON string: {why}", number + 1))
        };
        let line = line.map_err(|error| bad(&error))?;
        let source: String = serde_json::from_str(&line).map_err(|error| bad(&error))?;
        let written = writeln!(out, "{}", object(&judge.judge(&source))?).and_then(|()| out.flush());
        written.map_err(Fault::error)?;
    }
    Ok(Exit::Done)
}

fn object(judgement: &Judgement) -> Result<String, Fault> {
    serde_json::to_string(judgement).map_err(Fault::error)
}
