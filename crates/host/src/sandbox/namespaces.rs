//! The namespaces of the full wall: a process in them sees its own users, mounts, processes, network and System V
//! objects. Start from [`enter`]. What is mounted and who may do what inside is decided elsewhere.

use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use super::confine::{Refused, Step};
use super::{Network, Spec, sys};

/// On which side of the wall this process is.
pub enum Side {
    Inside,
    /// The first process inside.
    Outside(OwnedFd),
}

/// At most this many processes and threads at once: a fork bomb ends here, a parallel build does not.
pub const MOST_PROCESSES: u64 = 2048;

/// Continues in two processes: one in new namespaces, as their first, and one outside.
pub fn enter(spec: &Spec) -> Result<Side, Refused> {
    let mut flags = libc::CLONE_NEWUSER
        | libc::CLONE_NEWNS
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUTS
        | libc::CLONE_NEWCGROUP;
    if spec.network == Network::Denied {
        flags |= libc::CLONE_NEWNET;
    }
    let (mut go, mut ready) = io::pipe().step("making a pipe")?;
    let pid = sys::fork(flags).step("making namespaces")?;
    if pid == 0 {
        drop(ready);
        sys::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong, 0)
            .step("tying the processes together")?;
        // Without the byte the users are not mapped, or the process outside has died in the meantime.
        go.read_exact(&mut [0]).step("waiting for the user mapping")?;
        if spec.network == Network::Denied {
            raise_loopback().step("bringing up the loopback interface")?;
        }
        return Ok(Side::Inside);
    }
    drop(go);
    let child = pidfd(pid).step("watching the first process")?;
    map_users(pid).step("mapping the user")?;
    ready.write_all(&[1]).step("starting the first process")?;
    Ok(Side::Outside(child))
}

pub fn kill(process: BorrowedFd<'_>) {
    // SAFETY: no memory is involved; a process that has ended is no error.
    unsafe { libc::syscall(libc::SYS_pidfd_send_signal, process.as_raw_fd(), libc::SIGKILL, 0usize, 0) };
}

fn pidfd(pid: libc::pid_t) -> io::Result<OwnedFd> {
    // SAFETY: the call returns a new descriptor or fails.
    let raw = sys::check(unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) })?;
    // SAFETY: it was just made and has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(raw as i32) })
}

/// Root keeps all users, so that files of others keep their owners; anyone else can map only themselves.
fn map_users(pid: libc::pid_t) -> io::Result<()> {
    let file = |name: &str| format!("/proc/{pid}/{name}");
    let everyone = "0 0 4294967295";
    if fs::write(file("uid_map"), everyone).is_ok() {
        return fs::write(file("gid_map"), everyone);
    }
    // SAFETY: these calls cannot fail and touch no memory.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    fs::write(file("setgroups"), "deny")?;
    fs::write(file("gid_map"), format!("{group} {group} 1"))?;
    fs::write(file("uid_map"), format!("{user} {user} 1"))
}

/// Programs test themselves over the loopback interface, which a new network namespace has but does not raise.
fn raise_loopback() -> io::Result<()> {
    // SAFETY: the request is zeroed, named and large enough for both calls; the socket is closed on return.
    unsafe {
        let socket =
            sys::check(libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0).into())?;
        let socket = OwnedFd::from_raw_fd(socket as i32);
        let mut request: libc::ifreq = std::mem::zeroed();
        request.ifr_name[0] = b'l' as libc::c_char;
        request.ifr_name[1] = b'o' as libc::c_char;
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        sys::check(libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &request).into())?;
    }
    Ok(())
}
