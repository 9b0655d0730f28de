//! What a command sees of the file system behind the full wall: everything read-only, a `/dev`, `/proc` and `/tmp` of
//! its own, secrets replaced by emptiness, and the workspace writable but for its protected paths.
//! Start from [`build`]. It changes only the mounts of its own namespace and never creates anything on the host: a mount
//! needs an existing place, and where there is none the [`warden`](super::warden) holds the name instead.

use std::ffi::CStr;
use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::confine::{Refused, Step};
use super::paths::Guard;
use super::sys::{self, Reach};
use super::{Spec, names, namespaces, paths};

const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty"];

/// What masked secrets look like. Copies are taken from an attached mount since older kernels copy no other.
const EMPTY_DIRECTORY: &str = "/dev/.empty/directory";
const EMPTY_FILE: &str = "/dev/.empty/file";
/// The same for the folder of the agent's own state, with a place for what stays readable.
const EMPTY_STATE: &str = "/dev/.empty/state";

/// Makes the view. Afterwards nothing of it can be changed without a capability that the command does not have.
pub fn build(spec: &Spec) -> Result<(), Refused> {
    sys::make_private().step("separating the mounts")?;
    let writable = copies(std::iter::once(&spec.workspace).chain(&spec.writable))?;
    let devices =
        copies(DEVICES.iter().map(|name| PathBuf::from("/dev").join(name)).filter(|path| path.exists()))?;
    let kept = copies(paths::RUN_KEPT.iter().map(PathBuf::from).filter(|path| path.is_dir()))?;
    sys::set_mount_at(c"/", Reach::All, sys::RDONLY | sys::NOSUID | sys::NODEV)
        .step("making the root read-only")?;

    let shared = private_temp().step("mounting a private /tmp")?;
    // The file system that it is in is new; nothing of the host lies over it yet.
    fs::create_dir_all(&spec.temp).step("making a temporary folder")?;
    private_run(&kept).step("mounting an empty /run")?;
    private_devices(&devices, &shared).step("mounting a private /dev")?;
    private_processes().step("mounting a private /proc")?;
    for (path, tree) in &writable {
        let _ = make_place(path, tree);
        sys::set_mount(tree.as_fd(), Reach::All, sys::NOSUID | sys::NODEV)
            .and_then(|()| sys::attach(tree.as_fd(), path))
            .step(format!("making {} writable", path.display()))?;
    }
    for path in held_now(spec, &Guard::of(spec)) {
        hold(&path).step(format!("making {} read-only", path.display()))?;
    }
    mask_state(spec).step("masking the state of the agent")?;
    mask(&paths::existing_secrets(spec)).step("masking secrets")
}

/// Whether everything that the view must hold is still held: a wall may have been built some time before it is used, and
/// what appeared or was exchanged on the host since then lies open.
pub fn still_hold(spec: &Spec, guard: &Guard, secrets: &[PathBuf]) -> bool {
    let held =
        |path: &PathBuf| path.canonicalize().is_ok_and(|path| sys::is_mount(&path) && is_read_only(&path));
    // A mount moves with what it lies on: that there is one does not say that it is the mask.
    let masked = |path: &PathBuf, masks: &[Identity]| {
        sys::is_mount(path) && identity(path).is_some_and(|found| masks.contains(&found))
    };
    let masks =
        |names: &[&str]| names.iter().filter_map(|name| identity(Path::new(name))).collect::<Vec<_>>();
    let (of_state, of_secrets) = (masks(&[EMPTY_STATE]), masks(&[EMPTY_DIRECTORY, EMPTY_FILE]));
    let state = paths::state(spec).and_then(|state| state.canonicalize().ok()).filter(|state| state.is_dir());
    held_now(spec, guard).iter().all(held)
        && state.iter().all(|state| masked(state, &of_state))
        && secrets.iter().all(|secret| masked(secret, &of_secrets))
}

/// Device and number of a file.
type Identity = (u64, u64);

fn identity(path: &Path) -> Option<Identity> {
    fs::metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

fn is_read_only(path: &Path) -> bool {
    sys::space(path).is_ok_and(|space| space.flags & libc::ST_RDONLY != 0)
}

/// What lies below `/tmp` has lost its place to the private one, which is ours to create in.
fn make_place(path: &Path, tree: &OwnedFd) -> io::Result<()> {
    if path.exists() {
        return Ok(());
    }
    if sys::status(tree.as_fd(), c"")?.st_mode & libc::S_IFMT == libc::S_IFDIR {
        return fs::create_dir_all(path);
    }
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::File::create(path).map(drop)
}

/// Detached copies, taken before the originals become read-only.
fn copies<P: AsRef<Path>>(paths: impl Iterator<Item = P>) -> Result<Vec<(PathBuf, OwnedFd)>, Refused> {
    paths
        .map(|path| {
            let path = path.as_ref();
            let tree = sys::copy_tree(None, path).step(format!("opening {}", path.display()))?;
            Ok((path.to_owned(), tree))
        })
        .collect()
}

fn temporary(mode: &CStr) -> io::Result<OwnedFd> {
    // Its files are memory: a command that fills it must not take the machine's.
    let options = [(c"mode", mode), (c"size", c"25%")];
    sys::new_mount(c"tmpfs", &options, sys::NOSUID | sys::NODEV)
}

/// Attaches the private `/tmp` and `/var/tmp`; the result is for `/dev/shm`. All are folders of one file system, so that
/// its limit is one for all. It is not seen itself: `/tmp` lies over it.
fn private_temp() -> io::Result<OwnedFd> {
    let temp = Path::new("/tmp");
    sys::attach(temporary(c"0755")?.as_fd(), temp)?;
    let part = |name: &str| {
        let path = temp.join(name);
        fs::create_dir(&path)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o1777))?;
        sys::copy_tree(None, &path)
    };
    let (own, other, shared) = (part("tmp")?, part("var-tmp")?, part("shm")?);
    let place = Path::new("/var/tmp");
    if place.is_dir() && !place.is_symlink() {
        sys::attach(other.as_fd(), place)?;
    }
    sys::attach(own.as_fd(), temp)?;
    Ok(shared)
}

/// `/run` holds the sockets of the machine's services and often their secrets; a command needs neither.
fn private_run(kept: &[(PathBuf, OwnedFd)]) -> io::Result<()> {
    if !Path::new("/run").is_dir() {
        return Ok(());
    }
    sys::attach(temporary(c"0755")?.as_fd(), Path::new("/run"))?;
    for (path, tree) in kept {
        fs::create_dir_all(path)?;
        sys::set_mount(tree.as_fd(), Reach::All, sys::RDONLY | sys::NOSUID | sys::NODEV)?;
        sys::attach(tree.as_fd(), path)?;
    }
    sys::set_mount_at(c"/run", Reach::All, sys::RDONLY)
}

/// The host's `/dev` has disks, which their owner may write whatever the mount says.
fn private_devices(devices: &[(PathBuf, OwnedFd)], shared: &OwnedFd) -> io::Result<()> {
    let dev = Path::new("/dev");
    sys::attach(temporary(c"0755")?.as_fd(), dev)?;
    for (path, tree) in devices {
        fs::File::create(path)?;
        // Else root could change the host's own: what is written into a device does not concern its mount.
        sys::set_mount(tree.as_fd(), Reach::One, sys::RDONLY | sys::NOSUID)?;
        sys::attach(tree.as_fd(), path)?;
    }
    for (name, target) in [
        ("fd", "/proc/self/fd"),
        ("stdin", "/proc/self/fd/0"),
        ("stdout", "/proc/self/fd/1"),
        ("stderr", "/proc/self/fd/2"),
        ("ptmx", "pts/ptmx"),
    ] {
        symlink(target, dev.join(name))?;
    }
    for name in ["pts", "shm"] {
        fs::create_dir(dev.join(name))?;
    }
    fs::create_dir_all(EMPTY_DIRECTORY)?;
    fs::create_dir_all(Path::new(EMPTY_STATE).join(names::STATE_READABLE))?;
    fs::File::create(EMPTY_FILE)?;
    let terminals =
        sys::new_mount(c"devpts", &[(c"ptmxmode", c"0666"), (c"mode", c"0620")], sys::NOSUID | sys::NOEXEC)?;
    sys::attach(terminals.as_fd(), &dev.join("pts"))?;
    sys::attach(shared.as_fd(), &dev.join("shm"))?;
    sys::set_mount_at(c"/dev", Reach::One, sys::RDONLY)
}

/// Read-only as a whole: a process that is root outside owns every file of `/proc/sys`, capability or not.
fn private_processes() -> io::Result<()> {
    let tree = sys::new_mount(c"proc", &[], sys::NOSUID | sys::NODEV | sys::NOEXEC)?;
    sys::attach(tree.as_fd(), Path::new("/proc"))?;
    // Since Linux 6.14 this is a limit of the namespace and thus stops a fork bomb, also for root, whom the limit on
    // processes does not bind. Before, it is the machine's and cannot be written from here.
    let _ = fs::write("/proc/sys/kernel/pid_max", namespaces::MOST_PROCESSES.to_string());
    sys::set_mount_at(c"/proc", Reach::One, sys::RDONLY)
}

/// The protected paths that exist. In a worktree `.git` is a file that says where the repository is.
fn held_now(spec: &Spec, guard: &Guard) -> Vec<PathBuf> {
    let names = guard.names().iter().map(|name| spec.workspace.join(name));
    let worktree = Some(spec.workspace.join(".git")).filter(|git| git.is_file());
    names.chain(worktree).filter(|path| path.exists()).collect()
}

/// Mounts a path over itself, read-only. A link is held at what it leads to, if that lies where a mount can be.
fn hold(path: &Path) -> io::Result<()> {
    let path = path.canonicalize()?;
    let tree = sys::copy_tree(None, &path)?;
    sys::set_mount(tree.as_fd(), Reach::All, sys::RDONLY | sys::NOSUID | sys::NODEV)?;
    sys::attach(tree.as_fd(), &path)
}

/// Puts an empty file or directory in the place of every secret that exists. Empty rather than forbidden: programs
/// read their settings at the start, and many give up on a file that they may not read.
fn mask(secrets: &[PathBuf]) -> io::Result<()> {
    for path in secrets {
        let empty = if path.is_dir() { EMPTY_DIRECTORY } else { EMPTY_FILE };
        sys::attach(sys::copy_tree(None, Path::new(empty))?.as_fd(), path)?;
    }
    Ok(())
}

/// Conversations and the server's token are not for commands; what they wrote before, and may look at again, is.
fn mask_state(spec: &Spec) -> io::Result<()> {
    let Some(state) =
        paths::state(spec).and_then(|state| state.canonicalize().ok()).filter(|state| state.is_dir())
    else {
        return Ok(());
    };
    let readable = state.join(names::STATE_READABLE);
    // It is taken from what is already held, so it is read-only.
    let kept = if readable.is_dir() && !readable.is_symlink() {
        Some(sys::copy_tree(None, &readable)?)
    } else {
        None
    };
    sys::attach(sys::copy_tree(None, Path::new(EMPTY_STATE))?.as_fd(), &state)?;
    kept.map_or(Ok(()), |kept| sys::attach(kept.as_fd(), &readable))
}
