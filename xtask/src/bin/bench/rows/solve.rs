//! The figures of the solve door: what its loop costs above the model and the commands. Start from [`iteration`].
//!
//! Plans end with the finish word of a call, which makes the floor start the command that the plan names.

use kit::serde_json::{Value, json};
use kit::{Reply, Script};

use crate::process::Memory;
use crate::program::{Door, Fault, Plan, Program};
use crate::rows::{middle, times};

/// The iterations of a long run.
const ITERATIONS: usize = 100;
/// The lines of a large diff, half of them removed and half of them added.
const LINES: usize = 10_000;

pub fn iteration(program: &Program) -> Result<f64, Fault> {
    middle(&times(&program.run(commands(Memory::Ignored))?))
}

pub fn memory(program: &Program) -> Result<f64, Fault> {
    match program.run(commands(Memory::Watched))?.memory {
        0 => Err(Fault::Senseless("the kernel does not tell how much memory a process has")),
        bytes => Ok(bytes as f64 / 1e6),
    }
}

/// A large diff, from the plan to the next prompt.
pub fn diff(program: &Program) -> Result<f64, Fault> {
    let write = json!({"tool": "run", "command": format!("seq {} > large", LINES / 2)});
    let apply = json!({"tool": "apply_diff", "path": "large", "diff": large_diff()});
    let plans = [vec![write], vec![apply], vec![]];
    let script = Script::list(plans.map(planned));
    let run = program.run(Plan { door: Door::Solve, script, requests: 3, memory: Memory::Ignored })?;
    middle(times(&run).get(1..).unwrap_or_default())
}

fn commands(memory: Memory) -> Plan {
    let script = Script::rule(|request| match request.number < ITERATIONS {
        true => planned(vec![json!({"tool": "run", "command": "true"})]),
        false => planned(vec![]),
    });
    Plan { door: Door::Solve, script, requests: ITERATIONS + 1, memory }
}

fn planned(actions: Vec<Value>) -> Reply {
    let finish = if actions.is_empty() { "stop" } else { "tool_calls" };
    let plan = json!({"thought": "", "plan": [], "actions": actions}).to_string();
    let event = |delta: Value, finish: Option<&str>| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        json!({"id": "reply", "object": "chat.completion.chunk", "choices": [choice]}).to_string()
    };
    let said = event(json!({"role": "assistant", "content": plan}), None);
    Reply::events([said, event(json!({}), Some(finish)), "[DONE]".to_owned()])
}

fn large_diff() -> String {
    let half = LINES / 2;
    let old = (1..=half).map(|line| format!("-{line}\n"));
    let new = (1..=half).map(|line| format!("+line {line}\n"));
    let body: String = old.chain(new).collect();
    format!("--- a/large\n+++ b/large\n@@ -1,{half} +1,{half} @@\n{body}")
}
