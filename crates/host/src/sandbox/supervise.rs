//! The confiner where there are no namespaces: macOS and other Unix systems. Start from [`confine`].
//! It runs the command in a process group of its own, under a seatbelt profile where there is one, and ends the group
//! with the command or with the agent. A process that leaves the group is not found, which the wall's gaps say.

use std::io::{Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};

use super::{Order, Report, Spec, Wall};

/// Runs one command as the agent asked on standard input; the result is the process's exit code.
pub(crate) fn confine() -> i32 {
    // SAFETY: standard input is ours alone: the agent gave its end of a socket pair, and nothing else reads it.
    let mut control = UnixStream::from(unsafe { OwnedFd::from_raw_fd(0) });
    let report = match Spec::read(&control).and_then(|spec| Ok((spec, Order::read(&control)?))) {
        Ok((spec, order)) => run(&spec, &order, &control),
        Err(error) => Report::Failed(format!("reading the specification: {error}")),
    };
    // An agent that has gone cannot hear it, and need not.
    let _ = control.write_all(&report.to_bytes());
    if let Report::Left(code) = report { code } else { 1 }
}

fn run(spec: &Spec, order: &Order, control: &UnixStream) -> Report {
    let Some((program, arguments)) = order.argv.split_first() else {
        return Report::Failed("there is no program to run".into());
    };
    let mut command = Command::new(program);
    #[cfg(target_os = "macos")]
    if spec.wall == Wall::Seatbelt {
        command = Command::new("/usr/bin/sandbox-exec");
        command.arg("-p").arg(super::seatbelt::profile(spec)).arg(program);
    }
    let started = command
        .args(arguments)
        .env_clear()
        .envs(order.environment.iter().map(|(name, value)| (name, value)))
        .current_dir(&order.directory)
        .stdin(Stdio::null())
        .process_group(0)
        .spawn();
    let code = match started {
        Ok(child) => watch(child, control),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => 127,
        Err(_) => 126,
    };
    if spec.wall != Wall::Full {
        let _ = std::fs::remove_dir_all(&spec.temp);
    }
    Report::Left(code)
}

/// Waits for the command while a thread listens to the agent.
fn watch(mut child: Child, control: &UnixStream) -> i32 {
    let group = child.id() as libc::pid_t;
    if let Ok(agent) = control.try_clone() {
        std::thread::spawn(move || listen(agent, group));
    }
    let ended = child.wait();
    signal(group, libc::SIGKILL);
    ended.map_or(1, |status| status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0)))
}

/// A byte asks for a polite end, the end of the connection for one by force.
fn listen(mut agent: UnixStream, group: libc::pid_t) {
    while matches!(agent.read(&mut [0]), Ok(1..)) {
        signal(group, libc::SIGTERM);
        signal(group, libc::SIGCONT);
    }
    signal(group, libc::SIGKILL);
}

fn signal(group: libc::pid_t, signal: libc::c_int) {
    // SAFETY: no memory is involved; a group that has ended is no error.
    unsafe { libc::kill(-group, signal) };
}
