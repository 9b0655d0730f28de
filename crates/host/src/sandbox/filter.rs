//! Seccomp: which system calls a command may make, and which are asked of the [`warden`](super::warden).
//! Start from [`Filter`]. What it forbids has no use in building and testing software and a history of breaking walls.
//!
//! seccompiler would assemble the same, but knows no verdict "ask the supervisor", on which the warden rests.

use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

use libc::{c_long, sock_filter};

use super::{Network, Spec, Wall, sys};

mod program;

/// What happens to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Allow,
    Fail(i32),
    Ask,
}

/// When it happens, by the low half of one argument.
#[derive(Clone, Copy, Debug)]
enum When {
    Always,
    /// Any of the bits is set.
    Any {
        argument: u32,
        bits: u32,
    },
    /// The masked argument is one of the values.
    Is {
        argument: u32,
        mask: u32,
        values: &'static [u32],
    },
    /// It is none of them.
    Not {
        argument: u32,
        mask: u32,
        values: &'static [u32],
    },
    /// The first argument is this one, and the masked second is none of the values.
    FirstIsAndSecondNot {
        first: u32,
        mask: u32,
        values: &'static [u32],
    },
}

struct Rule {
    call: c_long,
    when: When,
    act: Act,
}

/// A program for the kernel, ready to bind this process and its children.
pub struct Filter {
    code: Vec<sock_filter>,
}

const NEW_NAMESPACES: u32 = 0x7E02_0080;
const DENIED: Act = Act::Fail(libc::EPERM);
/// As if the kernel did not have it, so that programs fall back to what they did before it existed.
const UNKNOWN: Act = Act::Fail(libc::ENOSYS);

/// Calls that no command may make: looking into processes, changing mounts, keys and the machine itself.
const NEVER: &[c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_open_by_handle_at,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_setns,
    libc::SYS_quotactl,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_acct,
    libc::SYS_syslog,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
];

/// Calls that programs can do without.
const DISOWNED: &[c_long] = &[
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Its flags are in memory, where a filter cannot look; `clone` is what programs fall back to.
    libc::SYS_clone3,
];

impl Filter {
    pub fn of(spec: &Spec) -> Self {
        Self { code: program::assemble(rules(spec)) }
    }

    /// Binds this process for good; the result is where the warden hears what is asked.
    pub fn enforce(&self) -> io::Result<OwnedFd> {
        let program = libc::sock_fprog { len: self.code.len() as u16, filter: self.code.as_ptr().cast_mut() };
        let listen = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
        // A call that was heard is then interrupted only by death, so nothing is done twice (Linux 5.19).
        let patient = listen | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
        // SAFETY: the program outlives the call, which copies it; the result is a new descriptor.
        unsafe {
            let listener = sys::check(libc::syscall(libc::SYS_seccomp, 1, patient, &raw const program))?;
            Ok(OwnedFd::from_raw_fd(listener as i32))
        }
    }
}

fn rules(spec: &Spec) -> Vec<Rule> {
    let mut rules = never();
    rules.extend(signals(spec));
    rules.extend(sockets(spec));
    rules.extend(asked(spec));
    rules
}

fn never() -> Vec<Rule> {
    let always = |act: Act| move |call: &c_long| Rule { call: *call, when: When::Always, act };
    let mut rules: Vec<Rule> = NEVER.iter().map(always(DENIED)).collect();
    rules.extend(DISOWNED.iter().map(always(UNKNOWN)));
    for call in [libc::SYS_clone, libc::SYS_unshare] {
        rules.push(Rule { call, when: When::Any { argument: 0, bits: NEW_NAMESPACES }, act: DENIED });
    }
    // Limits of other processes, such as the agent's, which without a PID namespace are in reach.
    rules.push(Rule {
        call: libc::SYS_prlimit64,
        when: When::Not { argument: 0, mask: u32::MAX, values: &[0] },
        act: DENIED,
    });
    // Typing into a terminal (TIOCSTI) or its selection (TIOCLINUX) would run commands outside.
    let typing = When::Is { argument: 1, mask: u32::MAX, values: &[0x5412, 0x541C] };
    rules.push(Rule { call: libc::SYS_ioctl, when: typing, act: DENIED });
    rules
}

/// Without a PID namespace "every process" is every process of the user. Landlock holds such signals back only since
/// Linux 6.12.
fn signals(spec: &Spec) -> Option<Rule> {
    let everyone = When::Is { argument: 0, mask: u32::MAX, values: &[u32::MAX] };
    (spec.wall != Wall::Full).then_some(Rule { call: libc::SYS_kill, when: everyone, act: DENIED })
}

const UNIX: u32 = libc::AF_UNIX as u32;
const INET: u32 = libc::AF_INET as u32;
const INET6: u32 = libc::AF_INET6 as u32;
const NETLINK: u32 = libc::AF_NETLINK as u32;

/// Kinds of UNIX sockets that stay with whom they were connected to. A datagram can be sent anywhere at any time, and
/// every other number is taken for a datagram.
const CONNECTED: &[u32] = &[libc::SOCK_STREAM as u32, libc::SOCK_SEQPACKET as u32];
/// The type of a socket without its flags.
const KIND: u32 = 0xF;

/// Sockets lead out of the wall by their family: a UNIX socket by any path, others through the host's network unless
/// it was replaced or granted. So UNIX sockets are connected by the warden, who looks where to.
fn sockets(spec: &Spec) -> Vec<Rule> {
    let networked = spec.wall == Wall::Full || spec.network == Network::Granted;
    let families: &'static [u32] = if networked { &[INET, INET6, NETLINK, UNIX] } else { &[UNIX] };
    let of = |call, when, act| Rule { call, when, act };
    let refused = Act::Fail(libc::EACCES);
    let kind = When::FirstIsAndSecondNot { first: UNIX, mask: KIND, values: CONNECTED };
    let not = |argument, values| When::Not { argument, mask: u32::MAX, values };
    vec![
        of(libc::SYS_socket, not(0, families), refused),
        of(libc::SYS_socket, kind, refused),
        of(libc::SYS_socketpair, not(0, &[UNIX]), DENIED),
        of(libc::SYS_socketpair, kind, DENIED),
        of(libc::SYS_connect, When::Always, Act::Ask),
    ]
}

/// Calls that make, replace or remove names. The warden decides; see [`Zones`](super::zones::Zones).
fn asked(spec: &Spec) -> Vec<Rule> {
    if spec.wall == Wall::None {
        return Vec::new();
    }
    // Without mounts over the protected paths, writing and removing have to be asked too.
    let held_by_mounts = spec.wall == Wall::Full;
    let writing = (libc::O_WRONLY | libc::O_RDWR | libc::O_TRUNC) as u32;
    let bits = libc::O_CREAT as u32 | if held_by_mounts { 0 } else { writing };
    let mut rules =
        vec![Rule { call: libc::SYS_openat, when: When::Any { argument: 2, bits }, act: Act::Ask }];
    let mut calls = vec![
        libc::SYS_openat2,
        libc::SYS_mkdirat,
        libc::SYS_mknodat,
        libc::SYS_symlinkat,
        libc::SYS_linkat,
        libc::SYS_renameat2,
        libc::SYS_renameat,
    ];
    #[cfg(target_arch = "x86_64")]
    {
        rules.push(Rule { call: libc::SYS_open, when: When::Any { argument: 1, bits }, act: Act::Ask });
        calls.extend([
            libc::SYS_creat,
            libc::SYS_mkdir,
            libc::SYS_mknod,
            libc::SYS_symlink,
            libc::SYS_link,
            libc::SYS_rename,
        ]);
        if !held_by_mounts {
            calls.extend([libc::SYS_unlink, libc::SYS_rmdir]);
        }
    }
    if !held_by_mounts {
        calls.push(libc::SYS_unlinkat);
    }
    rules.extend(calls.into_iter().map(|call| Rule { call, when: When::Always, act: Act::Ask }));
    rules
}

#[cfg(test)]
mod tests;
