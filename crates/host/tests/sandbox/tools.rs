//! The shell tools of the profiles, behind the best wall of this machine. Start at [`TESTS`].

use crate::world::{World, ensure, wait};
use crate::{Test, Verdict};
use agent::event::{Outcome, Status};
use agent::{Access, Job, Policy, Ruling, Tool};
use host::config::Secrets;
use host::judge::Rules;
use host::sandbox::Wall;
use host::tools::{ApiLimits, World as Ground, WorldSettings};
use host::trim::Limit;
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

pub const TESTS: &[Test] = &[
    ("terminal: commands and their outcomes", outcomes),
    ("terminal: a time limit skips the rest", time_limit),
    ("terminal: long output is shortened and kept", long_output),
    ("terminal: approval only widens", approval),
    ("web: every command asks, unless rules agree", habit),
    ("web: no editor opens", editors),
];

/// A world finds its own wall, so one round of these is enough.
fn once(wall: Wall, test: impl FnOnce(&Ground, &World) -> Verdict) -> Verdict {
    if wall != Wall::None {
        return Ok(());
    }
    let world = World::new();
    let settings = WorldSettings {
        variables: std::env::vars_os().filter(|(name, _)| name == "PATH").collect(),
        rules: Rules::default(),
        timeout: Duration::from_secs(60),
        shown: Limit::default(),
        secrets: Arc::new(LazyLock::new(Box::new(Secrets::default))),
        api: ApiLimits::default(),
    };
    let ground = Ground::open(&world.root.join("work"), settings).map_err(|error| error.to_string())?;
    test(&ground, &world)
}

fn shell(profile: &str, ground: &Ground) -> (Policy, Arc<dyn Tool>) {
    let profile = host::profiles::find(profile).expect("a profile");
    let policy =
        Policy { read: profile.read, write: profile.write, run: profile.run, approve: Default::default() };
    (policy, host::tools::of(&profile, ground).remove(0))
}

fn call(ground: &Ground, arguments: Value) -> (Outcome, Value) {
    let outcome = wait(shell("terminal", ground).1.run(Job::unwatched(arguments)));
    let told = serde_json::from_str(&outcome.text).unwrap_or(Value::Null);
    (outcome, told)
}

fn same(found: &Value, expected: &Value) -> Verdict {
    ensure(found == expected, || format!("{found} instead of {expected}"))
}

fn outcomes(wall: Wall) -> Verdict {
    once(wall, |ground, world| {
        let commands = ["echo out", "echo err >&2; exit 3", "cat", "no-such-program-here"];
        let (outcome, told) = call(ground, json!({"commands": commands, "needsApproval": false}));
        let exit = |code: i32| json!({"type": "exit", "exitCode": code});
        let output = &told["output"];
        same(
            &output[0],
            &json!({"command": "echo out", "stdout": "out\n", "stderr": "", "outcome": exit(0)}),
        )?;
        same(
            &output[1],
            &json!({"command": commands[1], "stdout": "", "stderr": "err\n", "outcome": exit(3)}),
        )?;
        same(&output[2], &json!({"command": "cat", "stdout": "", "stderr": "", "outcome": exit(0)}))?;
        same(&output[3]["outcome"], &exit(127))?;
        same(&told["providerData"], &json!({"working_directory": world.root.join("work")}))?;
        ensure(outcome.status == Status::Failed, || format!("{:?}", outcome.status))
    })
}

fn time_limit(wall: Wall) -> Verdict {
    once(wall, |ground, _| {
        let commands = ["echo before", "echo begun; sleep 1000", "echo never"];
        let (outcome, told) =
            call(ground, json!({"commands": commands, "needsApproval": false, "timeout_ms": 300}));
        let output = told["output"].as_array().cloned().unwrap_or_default();
        ensure(output.len() == 2, || told.to_string())?;
        same(&output[1]["outcome"], &json!({"type": "timeout"}))?;
        same(&output[1]["stdout"], &json!("begun\n"))?;
        ensure(outcome.status == Status::TimedOut, || format!("{:?}", outcome.status))
    })
}

fn long_output(wall: Wall) -> Verdict {
    once(wall, |ground, world| {
        let (outcome, told) = call(ground, json!({"commands": ["seq 300"], "needsApproval": false}));
        let stdout = told["output"][0]["stdout"].as_str().unwrap_or_default();
        ensure(stdout.contains("\n80\n... [140 lines trimmed] ...\n221\n"), || stdout.to_owned())?;
        let path = told["providerData"]["whole_output"][0]["path"].as_str().unwrap_or_default();
        ensure(outcome.detail.whole.as_deref() == Some(path), || format!("{:?}", outcome.detail))?;
        let whole = std::fs::read_to_string(world.root.join("work").join(path)).unwrap_or_default();
        ensure(whole.lines().count() == 300, || path.to_owned())?;
        let limited = json!({"commands": ["seq 300"], "needsApproval": false, "max_output_length": 400});
        let (_, told) = call(ground, limited);
        let stdout = told["output"][0]["stdout"].as_str().unwrap_or_default();
        ensure(stdout.len() <= 400 && stdout.contains("lines trimmed"), || stdout.to_owned())
    })
}

fn ruling(profile: &str, ground: &Ground, arguments: Value) -> Result<String, String> {
    let (policy, tool) = shell(profile, ground);
    let access: Access = tool.access(&arguments)?;
    Ok(match policy.rule(&access) {
        Ruling::Allow => "allow".into(),
        Ruling::Ask(why) => format!("ask: {why}"),
        Ruling::Forbid(_) => "forbid".into(),
    })
}

fn approval(wall: Wall) -> Verdict {
    once(wall, |ground, _| {
        // Without a wall everything asks, and there is nothing to widen.
        let walled = ground.shell()?.wall != Wall::None;
        for (commands, needs, expected) in [
            (json!(["ls", "pwd"]), false, "allow"),
            (json!(["ls"]), true, "ask: the model asks for approval"),
            (json!(["ls", "touch x"]), false, "ask"),
            (json!(["ls", "rm -rf /"]), false, "forbid"),
            (json!(["rm -rf /"]), true, "forbid"),
        ] {
            let found = ruling("terminal", ground, json!({"commands": commands, "needsApproval": needs}))?;
            let fits = found.starts_with(expected) || (!walled && found.starts_with("ask"));
            ensure(fits, || format!("{commands}: {found} instead of {expected}"))?;
        }
        for wrong in [json!([]), json!(["  "]), json!("ls"), json!([1]), Value::Null] {
            let found = ruling("terminal", ground, json!({"commands": wrong, "needsApproval": false}));
            ensure(found.is_err(), || format!("{wrong}: {found:?}"))?;
        }
        Ok(())
    })
}

fn habit(wall: Wall) -> Verdict {
    once(wall, |ground, _| {
        let asks = |ground: &Ground, source: &str| ruling("web", ground, json!({"command": source}));
        ensure(asks(ground, "ls")? != "allow", || "ls runs unasked".into())?;
        ground.learn(ground.judge().agree("ls").unwrap_or_default()).map_err(|error| error.to_string())?;
        let walled = ground.shell()?.wall != Wall::None;
        let found = asks(ground, "ls")?;
        ensure((found == "allow") == walled, || format!("an agreed command: {found}"))?;
        let more = asks(ground, "ls; pwd")?;
        ensure(more != "allow", || "more than was agreed to".into())
    })
}

fn editors(wall: Wall) -> Verdict {
    once(wall, |ground, _| {
        for (source, expected) in [
            ("eval \"$EDITOR\" f", "Interactive editor not available in this environment."),
            ("eval \"$VISUAL\" f", "Interactive editor not available in this environment."),
            ("eval \"$GIT_EDITOR\" f", "Interactive Git commands are not supported in this environment."),
            ("$EDITOR f", "Interactive editor not available in this environment."),
            ("vi f; nano f", "Interactive editor not available in this environment."),
            ("/usr/bin/vi f", "Interactive editor not available in this environment."),
            ("env vi -R f", "Interactive editor not available in this environment."),
            ("e=$(echo vi); $e f", "Interactive editor not available in this environment."),
            (
                "git init -q r && cd r && EDITOR=vi git -c user.name=a -c user.email=b commit --allow-empty",
                "Interactive Git commands are not supported in this environment.",
            ),
            ("echo $GIT_PAGER $GIT_TERMINAL_PROMPT", "cat 0"),
        ] {
            let text = wait(shell("web", ground).1.run(Job::unwatched(json!({"command": source})))).text;
            ensure(text.contains(expected), || format!("{source}: {text}"))?;
        }
        Ok(())
    })
}
