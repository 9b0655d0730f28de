//! A disk that fails: IO at any one change to a file, D1 because it is full. Start from [`failing`] and [`full`].

use std::env;
use std::ffi::CString;
use std::fs;
use std::io;
use std::iter;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::ptr;

use kit::{Cinque, Outcome, Scratch};

use crate::belongings::{self, Belonging, Earlier};
use crate::errand::{self, Allowed, Errand, FIRST};
use crate::fault::Seen;
use crate::trace::{self, Change, Plan};
use crate::trial::{Bench, Trial};

/// What a disk says when it cannot: it is full, broken, read-only, or the share of this user is used up.
const ERRORS: [i32; 4] = [libc::ENOSPC, libc::EIO, libc::EROFS, libc::EDQUOT];
/// So many runs in a row have each change fail with each error, once and lastingly.
pub const ROUND: u64 = 20_000;
/// A number that has no divisor in common with that of all of them, so that few runs are spread over all.
const STRIDE: u64 = 1009;
/// How large the full disk is, and how much of it may be left.
const DISK: u64 = 8 << 20;
const LEFT: u64 = 600 << 10;

/// What is being done when a change fails.
#[derive(Clone, Copy)]
enum Work {
    Errand,
    Writing(&'static Belonging, Earlier),
}

/// One change to a file fails, or it and all that follow; everything else is as ever.
pub fn failing(trial: &Trial) -> Seen {
    if let Some(why) = trace::impossible() {
        return Seen::Skipped(why);
    }
    let ways = 2 * ERRORS.len() as u64;
    let works = works(trial);
    let all = works.iter().map(|work| work.moments(trial)).sum::<u64>() * ways;
    assert!(all <= ROUND, "there are more changes than are tried: raise the number of runs to {all}");
    assert!(!all.is_multiple_of(STRIDE), "some changes would never be tried: choose another stride");
    let (mut at, way) =
        (trial.seed.wrapping_mul(STRIDE) % all / ways, trial.seed.wrapping_mul(STRIDE) % all % ways);
    let error = ERRORS[way as usize / 2];
    for work in works {
        let moments = work.moments(trial);
        if at < moments {
            let is_single = way.is_multiple_of(2);
            work.fail(trial, if is_single { Plan::Fail(at, error) } else { Plan::FailFrom(at, error) });
            break;
        }
        at -= moments;
    }
    Seen::Held
}

/// All that is to be tried. A few runs are not preceded by counting the changes of all of it.
fn works(trial: &Trial) -> Vec<Work> {
    let writing = belongings::all().map(|(belonging, earlier)| Work::Writing(belonging, earlier));
    let number = trial.seed as usize;
    match trial.is_short() {
        true if number % 2 == 1 => vec![Work::Errand],
        true => writing.clone().skip(number / 2 % writing.count()).take(1).collect(),
        false => iter::once(Work::Errand).chain(writing).collect(),
    }
}

impl Work {
    fn moments(self, trial: &Trial) -> u64 {
        match self {
            Self::Errand => Errand::moments(trial),
            Self::Writing(belonging, earlier) => belonging.moments(trial, earlier),
        }
    }

    fn fail(self, trial: &Trial, plan: Plan) {
        match self {
            Self::Errand => {
                let errand = Errand::new(trial);
                let (command, report) = errand.bench.traced(plan, FIRST);
                let outcome = command.run();
                let when = format!("{plan:?} at {:?}", failed(plan, &trace::report(&report)));
                check_told(&outcome, &when);
                errand.check_kept(&outcome);
                errand.finish();
                errand.check_calls(Allowed::Failed, &when);
            }
            Self::Writing(belonging, earlier) => {
                let written = belonging.disturb(trial, earlier, plan);
                let site = failed(plan, &written.changes);
                let when = format!("{}, {earlier:?}, {plan:?} at {site:?}", belonging.what);
                if !written.told {
                    check_told(&written.outcome, &when);
                }
            }
        }
    }
}

/// The change that failed, or the first of them.
fn failed(plan: Plan, changes: &[Change]) -> Option<&Change> {
    match plan {
        Plan::Fail(at, _) | Plan::FailFrom(at, _) => changes.get(usize::try_from(at).ok()?),
        _ => None,
    }
}

/// The disk is full after some kilobytes, and has room again for the next process.
pub fn full(trial: &Trial) -> Seen {
    let disk = match Disk::mount(DISK) {
        Ok(disk) => disk,
        Err(error) => return Seen::Skipped(format!("a small disk cannot be mounted: {error}")),
    };
    let server = errand::model();
    let work = disk.scratch();
    let cinque = Cinque::new(trial.program, &work).against(&server);
    let errand = Errand::prepared(Bench { work, cinque }, server);
    let left = trial.random().within(0..LEFT);
    let filler = disk.fill(left);
    let outcome = errand.bench.cinque.command(FIRST).run();
    let when = format!("{left} bytes were left");
    check_told(&outcome, &when);
    fs::remove_file(filler).expect("room can be made");
    errand.check_kept(&outcome);
    errand.finish();
    errand.check_calls(Allowed::Failed, &when);
    Seen::Held
}

/// It ends by itself, and with words if not well.
fn check_told(outcome: &Outcome, when: &str) {
    // What is shown at a terminal has one stream.
    let said = format!("{}{}", outcome.stdout, outcome.stderr).to_lowercase();
    assert!(!said.contains("panicked"), "{when}: it panicked: {outcome:?}");
    let told =
        ["space", "disk", "database", "read-only", "quota", "error"].iter().any(|word| said.contains(word));
    assert!(
        outcome.code().is_some_and(|code| code == 0 || told),
        "{when}: it ended without words: {outcome:?}"
    );
}

/// A file system in memory that is soon full. It is gone with the value, and with this process.
pub struct Disk {
    place: Scratch,
}

impl Disk {
    /// One that all later runs have their folders on. No other thread may have begun.
    #[expect(
        clippy::disallowed_methods,
        reason = "where all folders of runs are made is known by this name only"
    )]
    pub fn for_everything(bytes: u64) -> io::Result<Self> {
        let disk = Self::mount(bytes)?;
        // SAFETY: there is no other thread that could look at the environment meanwhile.
        unsafe { env::set_var("TMPDIR", disk.place.path()) };
        Ok(disk)
    }

    fn mount(bytes: u64) -> io::Result<Self> {
        let place = Scratch::new();
        // SAFETY: the names live through the calls. The mounts of this process become its own, so that none stays
        // behind however it ends.
        unsafe {
            let root = c"/".as_ptr();
            check(libc::unshare(libc::CLONE_NEWNS))?;
            check(libc::mount(ptr::null(), root, ptr::null(), libc::MS_REC | libc::MS_PRIVATE, ptr::null()))?;
            let size = CString::new(format!("size={bytes}"))?;
            let (kind, path) = (c"tmpfs".as_ptr(), name(place.path())?);
            check(libc::mount(kind, path.as_ptr(), kind, 0, size.as_ptr().cast()))?;
        }
        Ok(Self { place })
    }

    /// A folder on it, which goes with it.
    fn scratch(&self) -> Scratch {
        Scratch::within(self.place.path())
    }

    /// Takes all room but so many bytes; gives the file that takes it.
    fn fill(&self, left: u64) -> PathBuf {
        let filler = self.place.join("filler");
        let mut size = DISK;
        while size > 0 && fs::write(&filler, vec![0; usize::try_from(size).unwrap_or(0)]).is_err() {
            size -= 4096;
        }
        let file = fs::File::options().write(true).open(&filler).expect("it was just made");
        file.set_len(size.saturating_sub(left)).expect("a file can be made shorter");
        filler
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if let Ok(path) = name(self.place.path()) {
            // SAFETY: the name lives through the call.
            unsafe { libc::umount2(path.as_ptr(), libc::MNT_DETACH) };
        }
    }
}

fn name(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}

fn check(result: i32) -> io::Result<()> {
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
