//! The tool `shell` of the terminal: several commands in order, each with its own outcome. Start at [`Commands`].

use crate::run::{Captured, Finished, Outcome as End};
use crate::sandbox::Grants;
use crate::tools::shell::{LONGEST_LIMIT, assess, execute, keep};
use crate::tools::{World, failed, flag, number, spec};
use crate::trim::Limit;
use agent::event::{Detail, Outcome, Spec, Status};
use agent::{Access, Job, Reach, Ruling, Tool};
use futures::future::{BoxFuture, FutureExt};
use serde_json::{Value, json};
use std::time::Duration;

/// Commands of one call at most.
const MOST: usize = 100;
/// Bytes of one stream that a call may ask for at most.
const LONGEST_OUTPUT: u64 = 1 << 20;

pub(super) struct Commands {
    spec: Spec,
    world: World,
}

impl Commands {
    pub(super) fn new(world: &World) -> Commands {
        let parameters = json!({
            "type": "object",
            "properties": {
                "commands": { "type": "array", "items": { "type": "string" } },
                "needsApproval": { "type": "boolean" },
                "timeout_ms": { "type": "integer" },
                "max_output_length": { "type": "integer" },
            },
            "required": ["commands", "needsApproval"],
        });
        Commands { spec: spec("shell", include_str!("shell.md"), parameters), world: world.clone() }
    }
}

impl Tool for Commands {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The worst of the commands counts. What the model says of approval can only add a question.
    fn access(&self, arguments: &Value) -> Result<Access, String> {
        Settings::new(&self.world, arguments)?;
        let mut whole = Access { agreed: true, ..Access::new(Reach::Run) };
        for command in commands(arguments)? {
            let access = assess(&self.world, command)?;
            whole.finding = whole.finding.worst(access.finding);
            whole.agreed &= access.agreed;
            whole.binds = access.binds;
        }
        if flag(arguments, "needsApproval")? {
            whole.finding = whole.finding.worst(Ruling::Ask("the model asks for approval".into()));
        }
        Ok(whole)
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let world = self.world.clone();
        async move { run(&world, &job).await.unwrap_or_else(failed) }.boxed()
    }
}

fn commands(arguments: &Value) -> Result<Vec<&str>, String> {
    let wrong = || "`commands` must be a list of commands".to_owned();
    let list = arguments.get("commands").and_then(Value::as_array).ok_or_else(wrong)?;
    if list.is_empty() || list.len() > MOST {
        return Err(format!("`commands` must have 1 to {MOST} commands"));
    }
    list.iter().map(|command| command.as_str().ok_or_else(wrong)).collect()
}

/// How far one call may go.
struct Settings {
    limit: Duration,
    shown: Limit,
}

impl Settings {
    fn new(world: &World, arguments: &Value) -> Result<Settings, String> {
        let asked = number(arguments, "timeout_ms")?;
        let usual = world.timeout.as_millis() as u64;
        let millis = asked.filter(|millis| *millis > 0).unwrap_or(usual).min(LONGEST_LIMIT * 1000);
        let bytes = number(arguments, "max_output_length")?
            .map_or(world.shown.bytes, |bytes| bytes.min(LONGEST_OUTPUT) as usize);
        let limit = Duration::from_millis(millis);
        Ok(Settings { limit, shown: Limit { bytes, ..world.shown } })
    }
}

/// What the model hears of a call, and what the person's screen wants to know besides.
#[derive(Default)]
struct Report {
    output: Vec<Value>,
    /// Where output that was shortened can be read.
    whole: Vec<Value>,
    exit: i32,
    status: Option<Status>,
}

async fn run(world: &World, job: &Job) -> Result<Outcome, String> {
    let settings = Settings::new(world, &job.arguments)?;
    let mut report = Report::default();
    for command in commands(&job.arguments)? {
        let finished = execute(world, command, settings.limit, Grants::default(), job).await?;
        if !report.add(world, command, &finished, settings.shown)? {
            break;
        }
    }
    Ok(report.outcome(world))
}

impl Report {
    /// Takes in how one command ended. Says whether the next one may run.
    fn add(
        &mut self,
        world: &World,
        command: &str,
        finished: &Finished,
        shown: Limit,
    ) -> Result<bool, String> {
        let (outcome, goes_on) = match &finished.outcome {
            End::Exit(code) => {
                self.exit = if *code == 0 { self.exit } else { *code };
                (json!({ "type": "exit", "exitCode": code }), true)
            }
            End::Timeout => {
                self.status = Some(Status::TimedOut);
                (json!({ "type": "timeout" }), false)
            }
            End::Cancelled => {
                self.status = Some(Status::Cancelled);
                (json!({ "type": "exit", "exitCode": 130 }), false)
            }
            End::Failed(why) => return Err(format!("the command was not run: {why}")),
        };
        let mut stream = |name: &str, captured: &Captured| {
            let text = captured.trimmed(shown);
            if let Some(path) = keep(world, captured, &text) {
                self.whole.push(json!({ "command": command, "stream": name, "path": path }));
            }
            text
        };
        let (stdout, stderr) = (stream("stdout", &finished.stdout), stream("stderr", &finished.stderr));
        let entry = json!({ "command": command, "stdout": stdout, "stderr": stderr, "outcome": outcome });
        self.output.push(entry);
        Ok(goes_on)
    }

    fn outcome(self, world: &World) -> Outcome {
        let mut provider = json!({ "working_directory": world.workspace.root().to_string_lossy() });
        let whole = self.whole.first().and_then(|first| first["path"].as_str()).map(str::to_owned);
        if !self.whole.is_empty() {
            provider["whole_output"] = Value::Array(self.whole);
        }
        let text = json!({ "output": self.output, "providerData": provider }).to_string();
        let ended = if self.exit == 0 { Status::Done } else { Status::Failed };
        let exit = self.status.is_none().then_some(self.exit);
        let detail = Detail { exit, whole, ..Detail::default() };
        Outcome { status: self.status.unwrap_or(ended), text, detail }
    }
}
