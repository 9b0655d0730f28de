//! One run of the loop, iteration by iteration. Start at [`Run::finish`].

use super::memory::{self, Memory};
use super::prompt::{Prompt, again};
use super::result::{Entry, Role};
use super::round::{Heard, Round};
use super::snapshot::Before;
use super::{Brief, Ending, Halt, SolveError, Solved, Step};
use crate::dialect::json::{Action, Gate, Plan};
use agent::event::{Call, Outcome, Said};
use agent::{Command, Session};
use futures::future::BoxFuture;
use serde_json::json;
use std::path::Path;

pub(super) struct Run<'a> {
    brief: &'a Brief,
    instructions: &'a str,
    folder: &'a Path,
    round: Round<'a>,
    memory: Memory,
    results: Vec<Entry>,
    iteration: u32,
}

pub(super) type Changed<'a> = &'a (dyn Fn() -> Option<Vec<Before>> + Sync);

type Ran = Vec<(Call, Outcome)>;

/// How a run ended, before it is told.
struct End {
    ending: Ending,
    summary: String,
    error: Option<String>,
}

impl End {
    fn done(summary: impl Into<String>) -> End {
        End { ending: Ending::Done, summary: summary.into(), error: None }
    }

    fn failed(ending: Ending, summary: impl Into<String>, error: impl Into<String>) -> End {
        End { ending, summary: summary.into(), error: Some(error.into()) }
    }

    /// One text serves as both.
    fn because(ending: Ending, error: String) -> End {
        End::failed(ending, error.clone(), error)
    }
}

impl<'a> Run<'a> {
    pub(super) fn new(
        session: Session,
        brief: &'a Brief,
        instructions: &'a str,
        gate: &'a Gate,
        folder: &'a Path,
        watch: &'a mut (dyn FnMut(Step<'_>) + Send),
        halt: BoxFuture<'a, Halt>,
    ) -> Run<'a> {
        Run {
            round: Round::new(session, gate, watch, halt),
            memory: Memory::read(&brief.memory),
            results: Vec::new(),
            iteration: 0,
            brief,
            instructions,
            folder,
        }
    }

    /// Runs to the end. `changed` then says what the files were that changed, which a replay begins with.
    pub(super) async fn finish(mut self, changed: Changed<'_>) -> Result<Solved, SolveError> {
        self.round.note(json!({ "solve": self.brief })).await?;
        self.round.name(&self.brief.task.description).await?;
        let End { ending, summary, error } = self.iterate().await?;
        if !self.brief.task.dry_run {
            memory::store(self.folder, &self.brief.task.description, &self.memory)?;
        }
        let solved = Solved {
            success: ending == Ending::Done,
            iterations: self.iteration,
            summary,
            memory_summary: self.memory.shown(),
            error,
            ending,
        };
        self.round.note(json!({ "solved": solved, "before": changed() })).await?;
        Ok(solved)
    }

    async fn iterate(&mut self) -> Result<End, SolveError> {
        let task = &self.brief.task;
        for iteration in 1..=task.max_iterations {
            if let Some(end) = self.spent() {
                self.memory.add(end.error.clone());
                return Ok(end);
            }
            self.iteration = iteration;
            self.round.show(Step::Iteration(iteration));
            let (plan, ran) = match self.ask().await? {
                Ok(planned) => planned,
                Err(end) => {
                    self.memory.add([end.error.clone().unwrap_or_default()]);
                    return Ok(end);
                }
            };
            if task.dry_run {
                return Ok(End::done(outline(&plan)));
            }
            if plan.actions.is_empty() {
                return Ok(self.nothing_left(&plan));
            }
            let results = ran.iter().map(|(call, outcome)| self.entry(call, outcome, Role::Action)).collect();
            let end = self.act_on(&plan, results).await?;
            memory::store(self.folder, &task.description, &self.memory)?;
            if let Some(end) = end {
                return Ok(end);
            }
        }
        let most = task.max_iterations;
        Ok(End::failed(Ending::Bound, format!("Max iterations ({most}) reached"), "Max iterations exceeded"))
    }

    /// Takes what the actions came to, and checks it.
    async fn act_on(&mut self, plan: &Plan, mut results: Vec<Entry>) -> Result<Option<End>, SolveError> {
        let mut passed = false;
        if self.round.halted.is_none()
            && let Some(entry) = self.test().await?
        {
            passed = entry.success;
            results.push(entry);
        }
        let end = self.round.halted.map(halted);
        let why = end.as_ref().and_then(|end| end.error.clone());
        self.memory.add(memory::lines(plan, &results).into_iter().chain(why));
        self.results = results;
        if end.is_some() {
            return Ok(end);
        }
        Ok(passed.then(|| End::done("Task completed - tests passed")))
    }

    /// Asks for a plan; one that may not run is asked for once more.
    async fn ask(&mut self) -> Result<Result<(Plan, Ran), End>, SolveError> {
        let (task, memory) = (&self.brief.task, self.memory.shown());
        let prompt = Prompt {
            instructions: self.instructions,
            description: &task.description,
            directory: &self.brief.directory,
            iteration: self.iteration,
            memory: &memory,
            results: &self.results,
        }
        .render();
        let mut text = prompt.clone();
        let mut tries_left = 1;
        loop {
            if let Some(end) = self.spent() {
                return Ok(Err(end));
            }
            let heard = self.round.send(Command::Say(Said { text, context: None })).await?;
            let Heard { reply, plan, results, failure } = heard;
            // What was done before the run was stopped is remembered as well.
            let acted = plan.as_ref().is_some_and(|plan| plan.is_ok()) && !results.is_empty();
            if let Some(halt) = self.round.halted.filter(|_| !acted) {
                return Ok(Err(halted(halt)));
            }
            let why = match plan {
                Some(Ok(plan)) => return Ok(Ok((plan, results))),
                Some(Err(fault)) if tries_left > 0 => {
                    text = again(&prompt, &reply.unwrap_or_default(), &fault);
                    tries_left -= 1;
                    continue;
                }
                Some(Err(fault)) => fault.to_string(),
                None => failure.map_or("the model gave no reply".into(), |failure| failure.message),
            };
            return Ok(Err(End::because(Ending::Model, format!("Failed to generate plan: {why}"))));
        }
    }

    /// Runs the test command, if there is one.
    async fn test(&mut self) -> Result<Option<Entry>, SolveError> {
        let Some(test) = &self.brief.task.test else { return Ok(None) };
        let arguments = json!({ "command": test }).to_string();
        let heard = self.round.send(Command::Call { name: "run".into(), arguments }).await?;
        let entry = heard.results.first().map(|(call, outcome)| self.entry(call, outcome, Role::Test));
        if let Some(entry) = &entry {
            self.round.show(Step::Tested(entry));
        }
        Ok(entry)
    }

    /// What an action came to. In a replay, which happens elsewhere, the folder has the name that it had then: a longer
    /// or shorter one would leave more or less room in the prompt.
    fn entry(&self, call: &Call, outcome: &Outcome, role: Role) -> Entry {
        let (here, then) = (self.folder.to_string_lossy(), self.brief.directory.as_str());
        if here == then {
            return Entry::new(call, outcome, role);
        }
        let text = outcome.text.replace(&*here, then);
        Entry::new(call, &Outcome { text, ..outcome.clone() }, role)
    }

    /// The planner sees nothing left to do. It has the last word only where its own last test does not deny it; a test is
    /// run after an iteration that acted, so none may have been.
    fn nothing_left(&mut self, plan: &Plan) -> End {
        const DONE: &str = "Task completed - no further actions needed";
        let mut lines = memory::lines(plan, &[]);
        lines.push(DONE.into());
        self.memory.add(lines);
        let failed = self.results.iter().find(|entry| entry.role == Role::Test && !entry.success);
        match failed {
            Some(test) => End::failed(Ending::TestsFailed, DONE, format!("Tests failed: {}", test.error)),
            None => End::done(DONE),
        }
    }

    /// The end, if the budget leaves no room for another question.
    fn spent(&self) -> Option<End> {
        let spent = self.brief.task.budget.spent(&self.round.view.usage)?;
        Some(End::failed(Ending::Bound, spent, "Budget exceeded"))
    }
}

fn halted(halt: Halt) -> End {
    match halt {
        Halt::Interrupted => End::because(Ending::Cancelled, "Cancelled".into()),
        Halt::OutOfTime(seconds) => {
            End::failed(Ending::Bound, format!("Time limit ({seconds} s) reached"), "Time limit exceeded")
        }
    }
}

/// A plan in words, for those who only wanted to see it.
fn outline(plan: &Plan) -> String {
    let action = |action: &Action| {
        let about = action.path.as_ref().or(action.command.as_ref());
        about.map_or(action.tool.clone(), |about| format!("{} {about}", action.tool))
    };
    let actions: Vec<String> = plan.actions.iter().map(action).collect();
    match actions.is_empty() {
        true => "Dry run - the plan has no actions".to_owned(),
        false => format!("Dry run - nothing was carried out: {}", actions.join("; ")),
    }
}
