//! Scripts that would start processes without end. Start from [`find`].

use std::collections::{HashMap, HashSet};

use super::expand;
use super::program;
use super::scope::Scope;
use super::syntax::*;

/// Why the script would start processes without end.
pub fn find(script: &Script) -> Option<String> {
    let mut survey = Survey::default();
    survey.script(script);
    survey.endless.or_else(|| {
        let calls = &survey.functions;
        calls
            .iter()
            .any(|(name, body)| body.spawns && reaches(calls, name))
            .then(|| "a function that starts itself again and again".to_owned())
    })
}

#[derive(Default)]
struct Survey {
    functions: HashMap<String, Body>,
    endless: Option<String>,
}

/// What was seen inside some part of a script.
#[derive(Default)]
struct Body {
    calls: HashSet<String>,
    /// Runs something beside itself: in the background or in a pipe.
    spawns: bool,
    /// Waits for something or leaves, so that a loop around it is paced.
    paced: bool,
}

fn reaches(functions: &HashMap<String, Body>, start: &str) -> bool {
    let mut seen = HashSet::new();
    let mut waiting = vec![start];
    while let Some(name) = waiting.pop() {
        let Some(body) = functions.get(name) else {
            continue;
        };
        for call in &body.calls {
            if call == start {
                return true;
            }
            if seen.insert(call.as_str()) {
                waiting.push(call);
            }
        }
    }
    false
}

impl Survey {
    fn script(&mut self, script: &Script) -> Body {
        let mut body = Body::default();
        for pipeline in &script.pipelines {
            body.spawns |= pipeline.background || pipeline.stages.len() > 1;
            for stage in &pipeline.stages {
                body.join(self.command(stage));
            }
        }
        body
    }

    fn command(&mut self, command: &Command) -> Body {
        match &command.kind {
            Kind::Simple(simple) => called(simple),
            Kind::Subshell(script) | Kind::Group(script) => self.script(script),
            Kind::If(parts) => self.all(parts),
            Kind::Loop { condition, until, body } => {
                let head = self.script(condition);
                let endless = is_constant(condition, *until);
                self.looped(endless, body, head)
            }
            Kind::For { body, .. } => self.script(body),
            Kind::Count { endless, body, .. } => self.looped(*endless, body, Body::default()),
            Kind::Case { bodies, .. } => self.all(bodies),
            Kind::Function { name, body } => {
                let inner = self.command(body);
                self.functions.insert(name.clone(), inner);
                Body::default()
            }
            Kind::Test(_) | Kind::Arithmetic(_) => Body::default(),
        }
    }

    fn all(&mut self, scripts: &[Script]) -> Body {
        let mut body = Body::default();
        for script in scripts {
            body.join(self.script(script));
        }
        body
    }

    fn looped(&mut self, endless: bool, script: &Script, head: Body) -> Body {
        let background = script.pipelines.iter().any(|pipeline| pipeline.background);
        let mut body = self.script(script);
        if endless && background && !body.paced {
            self.endless = Some("an endless loop that starts processes in the background".to_owned());
        }
        body.join(head);
        body
    }
}

impl Body {
    fn join(&mut self, other: Body) {
        self.calls.extend(other.calls);
        self.spawns |= other.spawns;
        self.paced |= other.paced;
    }
}

fn called(simple: &Simple) -> Body {
    let args = expand::arguments(&simple.words, &Scope::default());
    let mut body = Body::default();
    if let Some(first) = args.first() {
        let name = program::base(&first.text);
        body.paced = matches!(name, "wait" | "sleep" | "break" | "exit" | "return" | "read");
        body.calls.insert(name.to_owned());
    }
    body
}

/// Whether a loop with this condition never ends by itself.
fn is_constant(condition: &Script, until: bool) -> bool {
    let [pipeline] = condition.pipelines.as_slice() else {
        return false;
    };
    let [stage] = pipeline.stages.as_slice() else {
        return false;
    };
    let scope = Scope::default();
    let texts: Vec<String> = match &stage.kind {
        Kind::Simple(simple) => {
            expand::arguments(&simple.words, &scope).into_iter().map(|arg| arg.text).collect()
        }
        Kind::Test(words) | Kind::Case { words, .. } => {
            return !until && words.len() == 1;
        }
        Kind::Arithmetic(word) => {
            return !until && word.bare().is_some_and(|text| text.trim().parse::<u64>().is_ok_and(|n| n > 0));
        }
        _ => return false,
    };
    let words: Vec<&str> = texts.iter().map(|text| program::base(text)).collect();
    match words.as_slice() {
        ["true" | ":", ..] => !until,
        ["[", _, "]"] | ["test", _] => !until,
        ["false", ..] => until,
        _ => false,
    }
}
