//! Follows the threads of one process from system call to system call. Start from [`follow`].
//!
//! All unsafe code of the tracer is here: the calls of ptrace.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr;

use super::Plan;
use super::calls::{CALLS, Call, Target, target};
use super::witness::Witness;

/// The system call that is no system call.
const NONE: u64 = u64::MAX;

struct Tracer {
    plan: Plan,
    /// Only files beneath these count.
    roots: Vec<PathBuf>,
    leader: libc::pid_t,
    /// The threads that are in a system call, with what is to be done when it ends.
    inside: Vec<(libc::pid_t, AtEnd)>,
    known: HashSet<libc::pid_t>,
    count: u64,
    report: String,
    /// Who remembers what the disk has for certain, if the power is to go.
    witness: Option<Witness>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AtEnd {
    Nothing,
    Fail(i32),
    Kill,
}

/// Runs `program` to its end and gives its exit code; 128 and the number of the signal if it was killed.
pub(super) fn follow(plan: Plan, report: &Path, program: &str, arguments: &[String]) -> io::Result<u8> {
    let mut command = Command::new(program);
    command.args(arguments);
    // SAFETY: the call may be made between fork and exec; it makes this process the tracer.
    unsafe { command.pre_exec(|| ptrace(libc::PTRACE_TRACEME, 0, 0, 0).map(|_| ())) };
    let leader = libc::pid_t::try_from(command.spawn()?.id()).map_err(io::Error::other)?;
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let roots: Vec<PathBuf> = [std::env::current_dir().ok(), home].into_iter().flatten().collect();
    wait(leader)?;
    let witness = matches!(plan, Plan::PowerCut(..)).then(|| Witness::look(&roots)).transpose()?;
    let (known, report_text) = (HashSet::from([leader]), String::new());
    let mut tracer =
        Tracer { plan, roots, leader, inside: Vec::new(), known, count: 0, report: report_text, witness };
    let options = libc::PTRACE_O_TRACESYSGOOD | libc::PTRACE_O_TRACECLONE | libc::PTRACE_O_EXITKILL;
    ptrace(libc::PTRACE_SETOPTIONS, leader, 0, options as u64)?;
    resume(leader, 0);
    let code = tracer.run()?;
    fs::write(report, &tracer.report)?;
    if let (Some(witness), Plan::PowerCut(_, luck)) = (tracer.witness, plan) {
        witness.cut(luck)?;
    }
    Ok(code)
}

impl Tracer {
    fn run(&mut self) -> io::Result<u8> {
        loop {
            let (thread, status) = wait(-1)?;
            if libc::WIFEXITED(status) || libc::WIFSIGNALED(status) {
                if thread == self.leader {
                    return Ok(code(status));
                }
                continue;
            }
            let signal = libc::WSTOPSIG(status);
            if signal == libc::SIGTRAP | 0x80 {
                self.stopped_at_call(thread);
                resume(thread, 0);
            } else if status >> 16 != 0 || signal == libc::SIGSTOP && self.known.insert(thread) {
                // A thread has begun one, or is one that has just begun.
                resume(thread, 0);
            } else {
                resume(thread, signal);
            }
        }
    }

    /// A thread that is gone in between is no trouble: all calls on it fail, and its end is told.
    fn stopped_at_call(&mut self, thread: libc::pid_t) {
        let Ok(mut registers) = registers(thread) else { return };
        if let Some(at) = self.inside.iter().position(|(inside, _)| *inside == thread) {
            if let Some(witness) = &mut self.witness {
                witness.ends(thread, registers.rax.cast_signed());
            }
            match self.inside.swap_remove(at).1 {
                AtEnd::Nothing => {}
                AtEnd::Fail(error) => {
                    registers.rax = (-i64::from(error)).cast_unsigned();
                    let _ = set_registers(thread, &registers);
                }
                AtEnd::Kill => self.kill(),
            }
            return;
        }
        let number = registers.orig_rax.cast_signed();
        if let Some(witness) = &mut self.witness {
            witness.begins(thread, number, arguments(&registers));
        }
        let call = CALLS.iter().find(|call| call.number == number);
        let end = call.map_or(AtEnd::Nothing, |call| self.begins(thread, call, &mut registers));
        self.inside.push((thread, end));
    }

    fn begins(&mut self, thread: libc::pid_t, call: &Call, now: &mut libc::user_regs_struct) -> AtEnd {
        let Some(target) = target(call, thread, &arguments(now), &self.roots) else { return AtEnd::Nothing };
        let at = self.count;
        self.count += 1;
        let _ = writeln!(self.report, "{} {target}", call.name);
        let fails = call.target != Target::Process;
        match self.plan {
            Plan::KillBefore(chosen) | Plan::PowerCut(chosen, _) if chosen == at => self.kill(),
            Plan::KillAfter(chosen) if chosen == at => {
                if call.length.is_some() {
                    now.rdx = now.rdx.div_ceil(2);
                    let _ = set_registers(thread, now);
                }
                return AtEnd::Kill;
            }
            Plan::Fail(chosen, error) if chosen == at && fails => return deny(thread, now, error),
            Plan::FailFrom(chosen, error) if chosen <= at && fails => return deny(thread, now, error),
            _ => {}
        }
        AtEnd::Nothing
    }

    fn kill(&self) {
        // SAFETY: it touches no memory; the process is a child that nobody has waited for.
        unsafe { libc::kill(self.leader, libc::SIGKILL) };
    }
}

fn arguments(now: &libc::user_regs_struct) -> [u64; 6] {
    [now.rdi, now.rsi, now.rdx, now.r10, now.r8, now.r9]
}

/// Lets the system do nothing in place of the call.
fn deny(thread: libc::pid_t, registers: &mut libc::user_regs_struct, error: i32) -> AtEnd {
    registers.orig_rax = NONE;
    let _ = set_registers(thread, registers);
    AtEnd::Fail(error)
}

fn code(status: i32) -> u8 {
    let code = if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { 128 + libc::WTERMSIG(status) };
    u8::try_from(code).unwrap_or(u8::MAX)
}

fn wait(thread: libc::pid_t) -> io::Result<(libc::pid_t, i32)> {
    let mut status = 0;
    loop {
        // SAFETY: `status` is valid for writes.
        let found = unsafe { libc::waitpid(thread, &raw mut status, libc::__WALL) };
        if found != -1 {
            return Ok((found, status));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

fn resume(thread: libc::pid_t, signal: i32) {
    // It may have been killed in between.
    let _ = ptrace(libc::PTRACE_SYSCALL, thread, 0, u64::try_from(signal).unwrap_or(0));
}

fn registers(thread: libc::pid_t) -> io::Result<libc::user_regs_struct> {
    let mut registers = MaybeUninit::<libc::user_regs_struct>::zeroed();
    ptrace(libc::PTRACE_GETREGS, thread, 0, registers.as_mut_ptr() as u64)?;
    // SAFETY: a structure of numbers, zeroed before and filled in by the kernel.
    Ok(unsafe { registers.assume_init() })
}

fn set_registers(thread: libc::pid_t, registers: &libc::user_regs_struct) -> io::Result<()> {
    ptrace(libc::PTRACE_SETREGS, thread, 0, ptr::from_ref(registers) as u64)
}

fn ptrace(request: libc::c_uint, thread: libc::pid_t, address: u64, data: u64) -> io::Result<()> {
    // SAFETY: what `data` points to, if it is an address, is valid for the whole of the call at all callers.
    match unsafe { libc::ptrace(request, thread, address, data) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
