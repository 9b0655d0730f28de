//! Connecting sockets for a command, so that none leads to a UNIX socket outside. Start from [`start`].
//!
//! The kernel has no rule for this yet: a UNIX socket can be reached by any path that can be seen, also one on a
//! read-only mount and from another network namespace. So every connection is made here, on a copy of the caller's
//! socket and to a copy of its address. Nothing is ever left to the kernel: between look and leap the caller could
//! exchange both. A connection may take long, so each has a thread of its own.

use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use libc::{c_int, pid_t};

use super::call::Place;
use super::listener::{Answer, Listener};
use crate::sandbox::{Network, Spec, Wall, sys};

/// Where UNIX sockets are that the command itself has made.
pub struct Doors {
    inside: Vec<PathBuf>,
    /// Parts of the above that are somebody else's.
    outside: Vec<PathBuf>,
    /// Names without a path belong to the network namespace.
    own_names: bool,
    under_way: Arc<AtomicUsize>,
}

/// So many connections may be under way at once.
const MOST: usize = 256;

const FAMILY: usize = size_of::<libc::sa_family_t>();

impl Doors {
    /// With the full wall the private temporary directories are new and empty, so what is in them is the command's.
    pub fn of(spec: &Spec) -> Self {
        let full = spec.wall == Wall::Full;
        let private = ["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from);
        let mut outside = spec.writable.clone();
        outside.push(spec.workspace.clone());
        outside.retain(|path| !spec.temp.starts_with(path) || full);
        Self {
            inside: if full { private.to_vec() } else { vec![spec.temp.clone()] },
            outside,
            own_names: full && spec.network == Network::Denied,
            under_way: Arc::default(),
        }
    }

    fn lead_inside(&self, path: &std::path::Path) -> bool {
        let below = |paths: &[PathBuf]| paths.iter().any(|place| path.starts_with(place));
        below(&self.inside) && !below(&self.outside)
    }
}

/// Connects in a thread, which answers.
pub fn start(
    listener: &Listener,
    id: u64,
    doors: &Doors,
    (process, socket): (pid_t, c_int),
    address: &[u8],
) -> Answer {
    let prepared = borrow(process, socket).and_then(|socket| {
        let target = Target::find(doors, process, &socket, address)?;
        Ok((socket, target, listener.try_clone()?))
    });
    let (socket, target, speaker) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => return error.into(),
    };
    // The process may have ended before its socket and memory were read, and another have its number.
    if !listener.is_waiting(id) {
        return Answer::Later;
    }
    let under_way = Arc::clone(&doors.under_way);
    if under_way.fetch_add(1, Ordering::Relaxed) >= MOST {
        under_way.fetch_sub(1, Ordering::Relaxed);
        return Answer::Error(libc::EAGAIN);
    }
    let started = std::thread::Builder::new().stack_size(64 << 10).spawn(move || {
        speaker.reply(id, target.connect(&socket).into());
        under_way.fetch_sub(1, Ordering::Relaxed);
    });
    started.map_or(Answer::Error(libc::EAGAIN), |_| Answer::Later)
}

/// What is connected to.
struct Target {
    address: Vec<u8>,
    /// Kept open so that the path in the address stays the one that was looked at.
    _held: Option<OwnedFd>,
}

impl Target {
    fn find(doors: &Doors, process: pid_t, socket: &OwnedFd, address: &[u8]) -> io::Result<Self> {
        let refused = || io::Error::from_raw_os_error(libc::EACCES);
        let as_given = || Self { address: address.to_vec(), _held: None };
        if domain(socket)? != libc::AF_UNIX {
            return Ok(as_given());
        }
        let name = address.get(FAMILY..).unwrap_or_default();
        match name.first() {
            None | Some(0) if doors.own_names => return Ok(as_given()),
            None | Some(0) => return Err(refused()),
            Some(_) => {}
        }
        let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
        let place = Place::of(process, sys::cstring(&name[..end])?);
        let base = place.base(0)?;
        let resolve = libc::RESOLVE_NO_MAGICLINKS;
        let base = base.as_ref().map(|fd| fd.as_fd());
        let held = sys::open(base, place.path(), libc::O_PATH, 0, resolve)?;
        let own = format!("/proc/self/fd/{}", held.as_raw_fd());
        if !doors.lead_inside(&std::fs::read_link(&own)?) {
            return Err(refused());
        }
        let mut address = (libc::AF_UNIX as libc::sa_family_t).to_ne_bytes().to_vec();
        address.extend(own.as_bytes());
        address.push(0);
        Ok(Self { address, _held: Some(held) })
    }

    fn connect(&self, socket: &OwnedFd) -> io::Result<()> {
        let (start, length) = (self.address.as_ptr(), self.address.len() as libc::socklen_t);
        // SAFETY: the address is valid for its length, and the kernel checks what is in it.
        sys::check(unsafe { libc::connect(socket.as_raw_fd(), start.cast(), length) }.into()).map(drop)
    }
}

/// A copy of a socket of another process.
fn borrow(process: pid_t, socket: c_int) -> io::Result<OwnedFd> {
    let fd = |result| {
        // SAFETY: both calls return a new descriptor or fail.
        sys::check(result).map(|raw| unsafe { OwnedFd::from_raw_fd(raw as c_int) })
    };
    // SAFETY: no memory is involved in either call.
    let process = fd(unsafe { libc::syscall(libc::SYS_pidfd_open, leader(process)?, 0) })?;
    fd(unsafe { libc::syscall(libc::SYS_pidfd_getfd, process.as_raw_fd(), socket, 0) })
}

/// The process that a thread belongs to.
fn leader(thread: pid_t) -> io::Result<pid_t> {
    let status = sys::read_small(&format!("/proc/{thread}/status"))?;
    let number = status.lines().find_map(|line| line.strip_prefix("Tgid:"));
    number.and_then(|number| number.trim().parse().ok()).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

fn domain(socket: &OwnedFd) -> io::Result<c_int> {
    let (mut domain, mut length) = (0 as c_int, size_of::<c_int>() as libc::socklen_t);
    // SAFETY: the buffer is as long as it says.
    sys::check(
        unsafe {
            libc::getsockopt(
                socket.as_raw_fd(),
                libc::SOL_SOCKET,
                libc::SO_DOMAIN,
                (&raw mut domain).cast(),
                &mut length,
            )
        }
        .into(),
    )?;
    Ok(domain)
}
