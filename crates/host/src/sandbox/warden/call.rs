//! What a waiting system call wants, read from the registers and memory of the process that made it.
//! Start from [`Call::read`]. It only reads; what is read is a copy that the caller can no longer change.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use libc::{c_int, pid_t};

use crate::sandbox::sys;

/// A path as a call gives it: relative to a directory descriptor of its process.
pub struct Place {
    process: pid_t,
    directory: c_int,
    path: CString,
}

/// A call that makes, replaces or removes names.
pub enum Call {
    Open { place: Place, flags: c_int, mode: u32, resolve: u64 },
    Make { place: Place, kind: u32, mode: u32, device: u64 },
    Symlink { content: CString, place: Place },
    Link { from: Place, to: Place, flags: c_int },
    Rename { from: Place, to: Place, flags: u32 },
    Remove { place: Place, flags: c_int },
    Connect { process: pid_t, socket: c_int, address: Vec<u8> },
}

impl Call {
    pub fn read(asked: &libc::seccomp_notif) -> io::Result<Self> {
        let process = asked.pid as pid_t;
        let [first, second, third, fourth, ..] = asked.data.args;
        Ok(match i64::from(asked.data.nr) {
            libc::SYS_openat => Call::Open {
                place: Place::read(process, first, second)?,
                flags: third as c_int,
                mode: fourth as u32,
                resolve: 0,
            },
            libc::SYS_openat2 => {
                let [flags, mode, resolve] = how(process, third, fourth)?;
                Call::Open {
                    place: Place::read(process, first, second)?,
                    flags: flags as c_int,
                    mode: mode as u32,
                    resolve,
                }
            }
            libc::SYS_connect => {
                let mut address = vec![0; (third as usize).min(LONGEST_ADDRESS)];
                let length = peek(process, second, &mut address)?;
                address.truncate(length);
                Call::Connect { process, socket: first as c_int, address }
            }
            number => return naming(number, asked),
        })
    }
}

/// The calls that only make, move or remove names.
fn naming(number: i64, asked: &libc::seccomp_notif) -> io::Result<Call> {
    let process = asked.pid as pid_t;
    let [first, second, third, fourth, fifth, _] = asked.data.args;
    let place = |directory: u64, path: u64| Place::read(process, directory, path);
    Ok(match number {
        libc::SYS_mkdirat => make(place(first, second)?, libc::S_IFDIR | mode_of(third), 0),
        libc::SYS_mknodat => make(place(first, second)?, third as u32, fourth),
        libc::SYS_symlinkat => Call::Symlink { content: text(process, first)?, place: place(second, third)? },
        libc::SYS_linkat => {
            Call::Link { from: place(first, second)?, to: place(third, fourth)?, flags: fifth as c_int }
        }
        libc::SYS_renameat | libc::SYS_renameat2 => Call::Rename {
            from: place(first, second)?,
            to: place(third, fourth)?,
            flags: if number == libc::SYS_renameat { 0 } else { fifth as u32 },
        },
        libc::SYS_unlinkat => Call::Remove { place: place(first, second)?, flags: third as c_int },
        other => return old(other, asked),
    })
}

/// The calls from before there were directory descriptors, which newer architectures no longer have.
#[cfg(target_arch = "x86_64")]
fn old(number: i64, asked: &libc::seccomp_notif) -> io::Result<Call> {
    let process = asked.pid as pid_t;
    let argument = |index: usize| asked.data.args[index];
    let place = |index: usize| Place::read(process, libc::AT_FDCWD as u64, argument(index));
    Ok(match number {
        libc::SYS_open => {
            Call::Open { place: place(0)?, flags: argument(1) as c_int, mode: argument(2) as u32, resolve: 0 }
        }
        libc::SYS_creat => {
            let flags = libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC;
            Call::Open { place: place(0)?, flags, mode: argument(1) as u32, resolve: 0 }
        }
        libc::SYS_mkdir => make(place(0)?, libc::S_IFDIR | mode_of(argument(1)), 0),
        libc::SYS_mknod => make(place(0)?, argument(1) as u32, argument(2)),
        libc::SYS_symlink => Call::Symlink { content: text(process, argument(0))?, place: place(1)? },
        libc::SYS_link => Call::Link { from: place(0)?, to: place(1)?, flags: 0 },
        libc::SYS_rename => Call::Rename { from: place(0)?, to: place(1)?, flags: 0 },
        libc::SYS_unlink => Call::Remove { place: place(0)?, flags: 0 },
        libc::SYS_rmdir => Call::Remove { place: place(0)?, flags: libc::AT_REMOVEDIR },
        _ => return Err(io::ErrorKind::Unsupported.into()),
    })
}

#[cfg(not(target_arch = "x86_64"))]
fn old(_: i64, _: &libc::seccomp_notif) -> io::Result<Call> {
    Err(io::ErrorKind::Unsupported.into())
}

fn mode_of(argument: u64) -> u32 {
    argument as u32 & 0o7777
}

fn make(place: Place, mode: u32, device: u64) -> Call {
    let kind = match mode & libc::S_IFMT {
        0 => libc::S_IFREG,
        kind => kind,
    };
    Call::Make { place, kind, mode: mode & 0o7777, device }
}

impl Place {
    /// A path that starts where the process is.
    pub fn of(process: pid_t, path: CString) -> Self {
        Self { process, directory: libc::AT_FDCWD, path }
    }

    pub fn path(&self) -> &CStr {
        &self.path
    }

    fn read(process: pid_t, directory: u64, path: u64) -> io::Result<Self> {
        Ok(Self { process, directory: directory as c_int, path: text(process, path)? })
    }

    /// The way to the directory, and the name in it. There is no such name if the path ends in `.` or `..` or is empty.
    pub fn split(&self) -> Option<(CString, CString)> {
        let mut path = self.path.to_bytes();
        while let [shorter @ .., b'/'] = path {
            path = shorter;
        }
        let cut = path.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
        let (parent, name) = path.split_at(cut);
        if matches!(name, b"" | b"." | b"..") {
            return None;
        }
        let parent = if parent.is_empty() { b".".as_slice() } else { parent };
        Some((CString::new(parent).ok()?, CString::new(name).ok()?))
    }

    /// A path with a slash at its end can only be a directory.
    pub fn wants_directory(&self) -> bool {
        self.path.to_bytes().ends_with(b"/")
    }

    /// The mask that takes bits from the mode of what the process makes.
    pub fn umask(&self) -> u32 {
        let status = sys::read_small(&format!("/proc/{}/status", self.process)).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("Umask:"));
        line.and_then(|mask| u32::from_str_radix(mask.trim(), 8).ok()).unwrap_or(0o077)
    }

    /// Where the path starts: nothing for one from the root, since the warden has the same root. With `resolve` a call
    /// may make a directory its root instead.
    pub fn base(&self, resolve: u64) -> io::Result<Option<OwnedFd>> {
        if self.path.to_bytes().starts_with(b"/") && resolve & libc::RESOLVE_IN_ROOT == 0 {
            return Ok(None);
        }
        let link = match self.directory {
            libc::AT_FDCWD => format!("/proc/{}/cwd", self.process),
            number => format!("/proc/{}/fd/{number}", self.process),
        };
        let link = CString::new(link).map_err(|_| io::ErrorKind::InvalidInput)?;
        sys::open(None, &link, libc::O_PATH | libc::O_DIRECTORY, 0, 0).map(Some)
    }

    /// Opens a directory on the way of this place, as the process would.
    ///
    /// Links in `/proc` lead to the warden's own files instead of the caller's, so none is followed but those of the
    /// caller at the start of the way, which are looked up as what they are.
    pub fn enter(&self, parent: &CStr, resolve: u64) -> io::Result<OwnedFd> {
        let flags = libc::O_PATH | libc::O_DIRECTORY;
        let inner = resolve | libc::RESOLVE_NO_MAGICLINKS;
        if resolve == 0
            && let Some((link, rest)) = own_link(self.process, parent.to_bytes())
        {
            let base = sys::open(None, &sys::cstring(link.as_bytes())?, flags, 0, 0)?;
            return sys::open(Some(base.as_fd()), &sys::cstring(&rest)?, flags, 0, inner);
        }
        let base = self.base(resolve)?;
        sys::open(base.as_ref().map(|fd| fd.as_fd()), parent, flags, 0, inner)
    }
}

/// The link of `/proc` by which a way from the root starts at what the process itself has, and the rest of the way.
fn own_link(process: pid_t, path: &[u8]) -> Option<(String, Vec<u8>)> {
    let path = path.strip_prefix(b"/")?;
    let mut parts = path.split(|byte| *byte == b'/').filter(|part| !matches!(*part, b"" | b"."));
    let text = |part: Option<&[u8]>| part.and_then(|part| std::str::from_utf8(part).ok().map(str::to_owned));
    let number = |part: String| part.parse::<u32>().ok();
    let link = match (text(parts.next())?.as_str(), text(parts.next())?.as_str()) {
        ("dev", "fd") => format!("fd/{}", number(text(parts.next())?)?),
        ("proc", who) if matches!(who, "self" | "thread-self") || who.parse() == Ok(process) => {
            match text(parts.next())?.as_str() {
                "fd" => format!("fd/{}", number(text(parts.next())?)?),
                link @ ("cwd" | "root") => link.to_owned(),
                _ => return None,
            }
        }
        _ => return None,
    };
    let rest = parts.collect::<Vec<_>>().join(&b'/');
    Some((format!("/proc/{process}/{link}"), if rest.is_empty() { b".".to_vec() } else { rest }))
}

/// `struct open_how`, as far as it is known here; a longer one is left to the kernel.
fn how(process: pid_t, address: u64, size: u64) -> io::Result<[u64; 3]> {
    let mut bytes = [0; 24];
    if size != 24 || peek(process, address, &mut bytes)? != 24 {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let word = |at: usize| u64::from_ne_bytes(std::array::from_fn(|index| bytes[at + index]));
    Ok([word(0), word(8), word(16)])
}

/// The kernel takes no longer ones either.
const LONGEST_ADDRESS: usize = 128;

const PAGE: u64 = 4096;

/// Reads a string page by page, since what follows its last page may not be there.
fn text(process: pid_t, address: u64) -> io::Result<CString> {
    let mut bytes = Vec::new();
    while bytes.len() < libc::PATH_MAX as usize {
        let at = address.wrapping_add(bytes.len() as u64);
        let mut page = [0; PAGE as usize];
        let wanted = (PAGE - at % PAGE) as usize;
        let count = peek(process, at, &mut page[..wanted])?;
        if let Ok(end) = CStr::from_bytes_until_nul(&page[..count]) {
            bytes.extend(end.to_bytes());
            return CString::new(bytes).map_err(|_| io::ErrorKind::InvalidInput.into());
        }
        bytes.extend(&page[..count]);
        if count < wanted {
            break;
        }
    }
    Err(io::ErrorKind::InvalidInput.into())
}

fn peek(process: pid_t, address: u64, into: &mut [u8]) -> io::Result<usize> {
    let local = libc::iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() };
    let remote = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: into.len() };
    // SAFETY: the local vector describes `into`; the remote one is checked by the kernel.
    let count =
        sys::check(unsafe { libc::process_vm_readv(process, &local, 1, &remote, 1, 0) } as libc::c_long)?;
    Ok(count as usize)
}
