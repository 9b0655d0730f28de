//! A disk that fails: IO at any one change to a file, D1 because it is full. Start from [`failing`] and [`full`].

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::ptr;

use kit::{Cinque, Outcome, Scratch};

use crate::errand::{self, Allowed, Errand, FIRST};
use crate::fault::Seen;
use crate::trace::{self, Plan};
use crate::trial::{Bench, Trial};

/// What a disk says when it cannot: it is full, broken, read-only, or the share of this user is used up.
const ERRORS: [i32; 4] = [libc::ENOSPC, libc::EIO, libc::EROFS, libc::EDQUOT];
/// So many runs in a row have each change fail with each error, once and lastingly.
pub const ROUND: u64 = 3400;
/// A number that has no divisor in common with that of all of them, so that few runs are spread over all.
const STRIDE: u64 = 1009;
/// How large the full disk is, and how much of it may be left.
const DISK: u64 = 8 << 20;
const LEFT: u64 = 600 << 10;

/// One change to a file fails, or it and all that follow; everything else is as ever.
pub fn failing(trial: &Trial) -> Seen {
    if let Some(why) = trace::impossible() {
        return Seen::Skipped(why);
    }
    let ways = 2 * ERRORS.len() as u64;
    let all = Errand::moments(trial) * ways;
    assert!(all <= ROUND, "a run has more changes than are tried: raise the number of runs to {all}");
    let (at, way) =
        (trial.seed.wrapping_mul(STRIDE) % all / ways, trial.seed.wrapping_mul(STRIDE) % all % ways);
    let error = ERRORS[way as usize / 2];
    let plan = if way.is_multiple_of(2) { Plan::Fail(at, error) } else { Plan::FailFrom(at, error) };
    let errand = Errand::new(trial);
    let (command, report) = errand.bench.traced(plan, FIRST);
    let outcome = command.run();
    let changes = trace::report(&report);
    let site = usize::try_from(at).ok().and_then(|at| changes.get(at));
    let when = format!("{plan:?} at {site:?}");
    check_told(&outcome, &when);
    errand.check_kept(&outcome);
    errand.finish();
    errand.check_calls(Allowed::Failed, &when);
    Seen::Held
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
    let said = outcome.stderr.to_lowercase();
    assert!(!said.contains("panicked"), "{when}: it panicked: {outcome:?}");
    let told =
        ["space", "disk", "database", "read-only", "quota", "error"].iter().any(|word| said.contains(word));
    assert!(
        outcome.code().is_some_and(|code| code == 0 || told),
        "{when}: it ended without words: {outcome:?}"
    );
}

/// A file system in memory that is soon full. It is gone with the value, and with this process.
struct Disk {
    place: Scratch,
}

impl Disk {
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
