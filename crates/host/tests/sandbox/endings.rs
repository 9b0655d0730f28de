//! How commands end, and what is heard of them until then. Start at [`TESTS`].

use crate::world::{World, command, confiner, ensure, eventually, finish, shell, text, wait};
use crate::{Test, Verdict};
use host::run::{Outcome, Spare, Stream};
use host::sandbox::Wall;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// The argument that makes this binary an agent which is to be killed.
pub const AGENT: &str = "--agent";

pub const TESTS: &[Test] = &[
    ("cancel", cancel),
    ("dropped future", dropped),
    ("killed agent", killed_agent),
    ("much output", much_output),
    ("live output", live_output),
    ("bad directory", bad_directory),
    ("confiner in waiting", in_waiting),
    ("wall built beforehand", built_beforehand),
    ("wall used again", used_again),
    ("ended in between", ended_in_between),
];

/// Commands that would never end by themselves.
pub const ENDLESS: &[&str] = &[
    "sleep $MARK",
    "trap '' TERM; while :; do sleep 1; done",
    "kill -STOP $$",
    "setsid sleep $MARK & exec sleep $MARK",
    "yes > /dev/null",
];

/// Far more than may be held in memory; less of it in a build that is slow.
const MUCH: u64 = if cfg!(debug_assertions) { 24_000_000 } else { 200_000_000 };
const MOST_HELD: u64 = 12 << 20;

pub fn time_limit(wall: Wall, source: &str) -> Verdict {
    let world = World::new();
    let mut command = world.command(source);
    command.limit = Duration::from_millis(300);
    let start = Instant::now();
    let finished = finish(&world.shell(wall), &command);
    let took = start.elapsed();
    ensure(finished.outcome == Outcome::Timeout, || format!("{:?}", finished.outcome))?;
    ensure(took < Duration::from_millis(2300), || format!("took {took:?}"))?;
    ensure(world.sleepers() == 0, || "survivors".into())
}

fn cancel(wall: Wall) -> Verdict {
    let world = World::new();
    let (shell, command) = (world.shell(wall), world.command("echo up; sleep $MARK"));
    let (up, is_up) = tokio::sync::oneshot::channel();
    let mut up = Some(up);
    let mut output = |_: Stream, _: &[u8]| _ = up.take().map(|up| up.send(()));
    let finished = wait(shell.run(&command, &mut output, async { _ = is_up.await }));
    ensure(finished.outcome == Outcome::Cancelled, || format!("{:?}", finished.outcome))?;
    ensure(text(&finished.stdout) == "up\n", || text(&finished.stdout))?;
    ensure(world.sleepers() == 0, || "survivors".into())
}

fn dropped(wall: Wall) -> Verdict {
    let world = World::new();
    let (shell, command) = (world.shell(wall), world.command("setsid sleep $MARK & echo up; sleep $MARK"));
    wait(async {
        let (up, is_up) = tokio::sync::oneshot::channel();
        let mut up = Some(up);
        let mut output = |_: Stream, _: &[u8]| _ = up.take().map(|up| up.send(()));
        tokio::select! {
            _ = shell.run(&command, &mut output, std::future::pending()) => {}
            _ = is_up => {}
        }
    });
    ensure(eventually(|| world.sleepers() == 0), || "survivors".into())
}

/// Runs one command in the world that the environment names, until it is killed.
pub fn be_agent(wall: &str, source: &str) {
    let walls = [Wall::Full, Wall::Landlock, Wall::None];
    let wall = walls.into_iter().find(|known| format!("{known:?}") == wall).unwrap();
    let root = PathBuf::from(std::env::var_os("ROOT").unwrap());
    let mark = std::env::var("MARK").unwrap();
    let mut output = |_: Stream, bytes: &[u8]| print!("{}", String::from_utf8_lossy(bytes));
    let command = command(&root, source, &mark);
    wait(shell(&root, wall).run(&command, &mut output, std::future::pending()));
}

/// The agent dies without a word; the command, its daemons and its private files die with it.
fn killed_agent(wall: Wall) -> Verdict {
    let world = World::new();
    let before = world.protected();
    let making = if wall == Wall::None { "" } else { "mkdir .cinque 2>/dev/null;" };
    let source = format!("{making} setsid sleep $MARK & (setsid sleep $MARK &); echo up; sleep $MARK");
    let mut agent = std::process::Command::new(confiner())
        .args([AGENT, &format!("{wall:?}"), &source])
        .envs(world.command("").environment)
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut line = String::new();
    let heard = BufReader::new(agent.stdout.take().unwrap()).read_line(&mut line);
    let killed = agent.kill().and_then(|()| agent.wait());
    heard.map_err(|error| error.to_string())?;
    killed.map_err(|error| error.to_string())?;
    ensure(line == "up\n", || format!("said {line:?}"))?;
    ensure(eventually(|| world.sleepers() == 0), || "survivors".into())?;
    ensure(world.protected() == before, || format!("left {:?}", world.protected()))?;
    let scratch = || fs::read_dir(world.root.join("scratch")).unwrap().count();
    ensure(eventually(|| scratch() == 0), || "private temp is left".into())
}

/// The most memory that this process has ever had.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

fn much_output(wall: Wall) -> Verdict {
    let world = World::new();
    let before = resident();
    let command = world.command(&format!("yes 'a line of some length' | head -c {MUCH}; printf end"));
    let finished = finish(&world.shell(wall), &command);
    let grown = resident() - before;
    ensure(grown < MOST_HELD, || format!("memory grew by {grown}"))?;
    let total = finished.stdout.total().bytes;
    ensure(total == MUCH + 3, || format!("{:?}, {total} bytes", finished.outcome))?;
    let whole = finished.stdout.whole().and_then(|path| path.metadata().ok()).map(|found| found.len());
    ensure(whole == Some(total), || format!("kept {whole:?}"))?;
    let shown = text(&finished.stdout);
    let right = shown.len() <= 10_240 && shown.starts_with("a line of") && shown.ends_with("end");
    ensure(right, || shown)
}

/// Output is heard while the command still runs: it waits for a file that is made only once it was heard.
fn live_output(wall: Wall) -> Verdict {
    let world = World::new();
    let mark = world.root.join("work/src/heard");
    let command = world.command("echo out; echo err >&2; until test -e src/heard; do sleep 0.01; done");
    let mut heard = Vec::new();
    let mut output = |stream: Stream, bytes: &[u8]| {
        heard.push((stream, bytes.to_vec()));
        if heard.len() == 2 {
            fs::write(&mark, "").unwrap();
        }
    };
    let finished = wait(world.shell(wall).run(&command, &mut output, std::future::pending()));
    ensure(finished.outcome == Outcome::Exit(0), || format!("{:?}", finished.outcome))?;
    heard.sort_by_key(|(stream, _)| *stream == Stream::Stderr);
    let expected = [(Stream::Stdout, b"out\n".to_vec()), (Stream::Stderr, b"err\n".to_vec())];
    ensure(heard == expected, || format!("{heard:?}"))
}

fn bad_directory(wall: Wall) -> Verdict {
    let world = World::new();
    let mut command = world.command("true");
    command.directory = world.root.join("missing");
    let finished = finish(&world.shell(wall), &command);
    let Outcome::Failed(why) = finished.outcome else {
        return Err(format!("{:?}", finished.outcome));
    };
    ensure(why.contains("missing"), || why)?;

    let closed = world.root.join("work/closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let open_to_us = fs::read_dir(&closed).is_ok();
    command.directory = closed;
    match finish(&world.shell(wall), &command).outcome {
        Outcome::Exit(0) => ensure(wall == Wall::None && open_to_us, || "entered".into()),
        Outcome::Failed(why) => ensure(why.contains("entering the directory"), || why),
        outcome => Err(format!("{outcome:?}")),
    }
}

/// What appears or is exchanged after the next command's wall was built is held all the same.
fn built_beforehand(wall: Wall) -> Verdict {
    let world = World::new();
    let work = world.root.join("work");
    let mut shell = world.shell(wall);
    shell.spare = Spare::kept();
    let exchanges: [(&str, &dyn Fn()); 5] = [
        (".vscode/settings.json", &|| {}),
        (".vscode/tasks.json", &|| fs::write(work.join(".vscode/tasks.json"), "{}").unwrap()),
        (".git/config", &|| {
            fs::write(work.join("other"), "[core]\n").unwrap();
            fs::rename(work.join("other"), work.join(".git/config")).unwrap();
        }),
        (".git/hooks/pre-commit", &|| {
            fs::rename(work.join(".git"), work.join("old")).unwrap();
            fs::create_dir_all(work.join(".git/hooks")).unwrap();
        }),
        (".git/config", &|| {
            fs::rename(&work, world.root.join("moved")).unwrap();
            fs::create_dir_all(work.join(".git")).unwrap();
            fs::write(work.join(".git/config"), "").unwrap();
        }),
    ];
    for (name, exchange) in exchanges {
        ensure(finish(&shell, &world.command("true")).outcome == Outcome::Exit(0), || "no start".into())?;
        // The wall is built by another process, which says nothing. Coming too early would only test less.
        #[expect(
            clippy::disallowed_methods,
            reason = "nothing tells when another process has built its wall"
        )]
        std::thread::sleep(Duration::from_millis(100));
        exchange();
        let said = finish(&shell, &world.command(&format!("echo x > {name} && echo written")));
        let free = wall == Wall::None;
        ensure((text(&said.stdout) == "written\n") == free, || format!("{name}: {said:?}"))?;
        let said = finish(&shell, &world.command("echo x > new && cat new && rm new"));
        ensure(text(&said.stdout) == "x\n", || format!("after {name}: {said:?}"))?;
    }
    Ok(())
}

/// What the last command was allowed says nothing about the next one, although its confiner was already there.
fn in_waiting(wall: Wall) -> Verdict {
    let world = World::new();
    let mut shell = world.shell(wall);
    shell.spare = Spare::kept();
    for (directory, granted) in [("work", true), ("home", false), ("work/src", true), ("work", false)] {
        let mut command = world.command("pwd; (echo x > ~/new) 2>/dev/null && rm ~/new && echo written");
        command.directory = world.root.join(directory);
        command.grants.writable = if granted { vec![world.root.join("home")] } else { Vec::new() };
        let written = if granted || wall == Wall::None { "written\n" } else { "" };
        let expected = format!("{}\n{written}", command.directory.display());
        let said = text(&finish(&shell, &command).stdout);
        ensure(said == expected, || format!("said {said:?}, not {expected:?}"))?;
    }
    Ok(())
}

/// A command that leaves nothing leaves its wall to the next one, which finds what the first one found. Any other takes
/// the wall with it.
fn used_again(wall: Wall) -> Verdict {
    const LOOK: &str = "readlink /proc/self/ns/pid; umask; ls -A /tmp /dev/shm; ls -A .vscode; grep flags /proc/self/fdinfo/1";
    let world = World::new();
    let mut shell = world.shell(wall);
    shell.spare = Spare::kept();
    let look = |shell: &_| text(&finish(shell, &world.command(LOOK)).stdout);
    for (source, clean) in [
        ("true", true),
        ("exit 3", true),
        ("umask 0; echo x > new; mkdir folder; rmdir folder; rm new", true),
        ("echo x > /tmp/x && rm /tmp/x", true),
        ("dd oflag=nonblock if=/dev/null status=none", true),
        ("head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2", true),
        ("exec >&- 2>&-", true),
        ("ulimit -n 3; cd /; export HOME=/", true),
        ("echo x > /tmp/x", false),
        ("mkdir -p /dev/shm/x", false),
        ("echo x > /var/tmp/x", false),
        ("ipcmk -M 4096", false),
        ("python3 -c 'import os; os.chmod(\"/tmp\", 0o700)'", false),
        ("sleep $MARK > /dev/null 2>&1 &", false),
    ] {
        let before = look(&shell);
        finish(&shell, &world.command(source));
        ensure(world.sleepers() == 0, || format!("{source}: survivors"))?;
        let after = look(&shell);
        let same = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
        if wall == Wall::Full {
            ensure(same(&before) == same(&after), || format!("{source}: {before} became {after}"))?;
            ensure((before == after) == clean, || format!("{source}: the wall is {before}, then {after}"))?;
        }
    }
    Ok(())
}

/// Who is asked to end, by the clock or by a person, spoils nothing for the next command.
fn ended_in_between(wall: Wall) -> Verdict {
    let world = World::new();
    let mut shell = world.shell(wall);
    shell.spare = Spare::kept();
    for milliseconds in 0..40 {
        let mut command = world.command("sleep 0.02; echo slept");
        command.limit = Duration::from_millis(milliseconds);
        let slept = finish(&shell, &command);
        let known = matches!(slept.outcome, Outcome::Timeout | Outcome::Exit(0));
        ensure(known, || format!("after {milliseconds} ms: {slept:?}"))?;
        let said = finish(&shell, &world.command("echo here"));
        ensure(text(&said.stdout) == "here\n", || format!("after {milliseconds} ms: {said:?}"))?;
    }
    Ok(())
}
