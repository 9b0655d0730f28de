//! Where the kernel puts its questions and hears the answers. Start from [`Listener`].

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use libc::c_int;

use crate::sandbox::sys;

pub struct Listener(OwnedFd);

/// What the waiting call gets.
pub enum Answer {
    /// The kernel carries the call out, within what landlock allows.
    Continue,
    Done,
    Error(c_int),
    File {
        file: OwnedFd,
        flags: c_int,
    },
    /// Another thread answers.
    Later,
}

impl From<io::Error> for Answer {
    fn from(error: io::Error) -> Self {
        Answer::Error(error.raw_os_error().unwrap_or(libc::EIO))
    }
}

impl From<io::Result<()>> for Answer {
    fn from(result: io::Result<()>) -> Self {
        result.map_or_else(Answer::from, |()| Answer::Done)
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Listener {
    pub fn new(fd: OwnedFd) -> Self {
        // Since Linux 6.6 a question and its answer can stay on one processor, which is several times faster.
        // SAFETY: the request takes a number, not a pointer.
        unsafe { libc::ioctl(fd.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SET_FLAGS, 1u64) };
        Self(fd)
    }

    pub fn try_clone(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }

    /// The next question. A caller that died meanwhile has none.
    pub fn receive(&self) -> io::Result<libc::seccomp_notif> {
        // SAFETY: an all-zero notification is valid, and the kernel wants it so.
        let mut asked: libc::seccomp_notif = unsafe { std::mem::zeroed() };
        self.control(libc::SECCOMP_IOCTL_NOTIF_RECV, &mut asked)?;
        Ok(asked)
    }

    /// Whether the caller still waits. If not, its number may by now be another process's.
    pub fn is_waiting(&self, mut id: u64) -> bool {
        self.control(libc::SECCOMP_IOCTL_NOTIF_ID_VALID, &mut id).is_ok()
    }

    pub fn reply(&self, id: u64, answer: Answer) {
        let (error, flags) = match answer {
            Answer::Continue => (0, libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32),
            Answer::Done => (0, 0),
            Answer::Later => return,
            Answer::Error(code) => (-code, 0),
            Answer::File { file, flags } => match self.hand_over(id, &file, flags) {
                Ok(()) => return,
                Err(error) => (-error.raw_os_error().unwrap_or(libc::EIO), 0),
            },
        };
        let mut reply = libc::seccomp_notif_resp { id, val: 0, error, flags };
        // It fails only if the caller has died.
        let _ = self.control(libc::SECCOMP_IOCTL_NOTIF_SEND, &mut reply);
    }

    /// Gives the caller the opened file as the result of its call, in one step.
    fn hand_over(&self, id: u64, file: &OwnedFd, flags: c_int) -> io::Result<()> {
        let mut addition = libc::seccomp_notif_addfd {
            id,
            flags: libc::SECCOMP_ADDFD_FLAG_SEND as u32,
            srcfd: file.as_raw_fd() as u32,
            newfd: 0,
            newfd_flags: (flags & libc::O_CLOEXEC) as u32,
        };
        self.control(libc::SECCOMP_IOCTL_NOTIF_ADDFD, &mut addition)
    }

    fn control<T>(&self, request: libc::Ioctl, argument: &mut T) -> io::Result<()> {
        // SAFETY: every request is used with the structure that it is defined with.
        let result = unsafe { libc::ioctl(self.0.as_raw_fd(), request, argument as *mut T) };
        sys::check(result.into()).map(drop)
    }
}
