//! A program whose changes to files are counted, and one of them made to fail or to be the last thing it ever does.
//! Start from [`Plan`]; the tracer itself is [`run`], a process of its own.
//!
//! It looks at system calls, so nothing that the program does to a file can pass it by, whichever library does it.
//! Threads are followed, children are not: what commands do to files is their own affair.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod calls;
mod platter;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod tracer;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod witness;

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::str::FromStr;

/// The first argument that makes this program the tracer.
pub const COMMAND: &str = "trace";

/// What happens at the chosen change; they are counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    Count,
    KillBefore(u64),
    /// A write gets half of its bytes through; anything else is done.
    KillAfter(u64),
    /// This change alone fails with this error number.
    Fail(u64, i32),
    /// This one and all after it, as on a full disk.
    FailFrom(u64, i32),
    /// The power goes before this change, and the disk has what it has for certain and, by this luck, some of the rest.
    PowerCut(u64, i32),
}

/// One change that the program made or tried, as the report tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The name of the system call.
    pub call: String,
    /// What it was made to, as far as that is known.
    pub target: String,
}

/// Why this machine cannot do it, if so.
pub fn impossible() -> Option<String> {
    let known = cfg!(all(target_os = "linux", target_arch = "x86_64"));
    (!known).then(|| "system calls are traced on Linux on x86-64 only".to_owned())
}

/// The arguments that stand before the command line of the program.
pub fn arguments(plan: Plan, report: &Path) -> [OsString; 3] {
    [COMMAND.into(), plan.to_string().into(), report.into()]
}

/// The changes that a tracer has reported.
pub fn report(path: &Path) -> Vec<Change> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let change = |line: &str| {
        let (call, target) = line.split_once(' ')?;
        Some(Change { call: call.to_owned(), target: target.to_owned() })
    };
    text.lines().filter_map(change).collect()
}

/// Runs a program under a plan and ends as it ends.
pub fn run(arguments: &[String]) -> ExitCode {
    let [plan, report, program, rest @ ..] = arguments else {
        eprintln!("usage: torture {COMMAND} PLAN REPORT PROGRAM [ARGUMENTS]");
        return ExitCode::from(2);
    };
    let Ok(plan) = plan.parse::<Plan>() else {
        eprintln!("torture: `{plan}` is no plan");
        return ExitCode::from(2);
    };
    match follow(plan, Path::new(report), program, rest) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("torture: {program} cannot be traced: {error}");
            ExitCode::from(2)
        }
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
use tracer::follow;

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn follow(_: Plan, _: &Path, _: &str, _: &[String]) -> std::io::Result<u8> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// One word, so that a shell in between does not take it apart.
impl std::fmt::Display for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Count => f.write_str("count:0:0"),
            Self::KillBefore(at) => write!(f, "before:{at}:0"),
            Self::KillAfter(at) => write!(f, "after:{at}:0"),
            Self::Fail(at, error) => write!(f, "fail:{at}:{error}"),
            Self::FailFrom(at, error) => write!(f, "fail-from:{at}:{error}"),
            Self::PowerCut(at, luck) => write!(f, "power-cut:{at}:{luck}"),
        }
    }
}

impl FromStr for Plan {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.split(':');
        let kind = parts.next().unwrap_or_default();
        let mut number = || parts.next().and_then(|part| part.parse::<i64>().ok()).ok_or(());
        let (at, error) = (number()?.cast_unsigned(), i32::try_from(number()?).map_err(|_| ())?);
        match kind {
            "count" => Ok(Self::Count),
            "before" => Ok(Self::KillBefore(at)),
            "after" => Ok(Self::KillAfter(at)),
            "fail" => Ok(Self::Fail(at, error)),
            "fail-from" => Ok(Self::FailFrom(at, error)),
            "power-cut" => Ok(Self::PowerCut(at, error)),
            _ => Err(()),
        }
    }
}
