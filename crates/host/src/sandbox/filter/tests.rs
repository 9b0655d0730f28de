//! The assembled program, run by a small interpreter of the few instructions it uses.

use super::program::*;
use super::*;

/// What the kernel would decide for one call.
fn decide(code: &[sock_filter], architecture: u32, call: c_long, arguments: [u64; 3]) -> u32 {
    let (mut at, mut accumulator) = (0, 0u32);
    loop {
        let step = code[at];
        at += 1;
        let mut branch = |taken: bool| at += usize::from(if taken { step.jt } else { step.jf });
        match step.code {
            LOAD => {
                accumulator = match step.k {
                    CALL => call as u32,
                    ARCHITECTURE => architecture,
                    offset => arguments[((offset - ARGUMENTS) / 8) as usize] as u32,
                }
            }
            AND => accumulator &= step.k,
            EQUAL => branch(accumulator == step.k),
            AT_LEAST => branch(accumulator >= step.k),
            ANY_BIT => branch(accumulator & step.k != 0),
            RETURN => return step.k,
            other => panic!("unknown instruction {other}"),
        }
    }
}

fn spec(wall: Wall, network: Network) -> Spec {
    Spec {
        wall,
        network,
        identity: (0, 0),
        workspace: "/".into(),
        home: None,
        temp: "/tmp".into(),
        writable: Vec::new(),
        readable: Vec::new(),
    }
}

fn check(wall: Wall, network: Network, call: c_long, arguments: [u64; 3], expected: Act) {
    let code = Filter::of(&spec(wall, network)).code;
    let found = decide(&code, NATIVE, call, arguments);
    assert_eq!(found, verdict(expected).k, "{wall:?} {network:?} call {call} {arguments:?}");
}

#[test]
fn calls_are_judged_by_number_and_arguments() {
    use Network::{Denied, Granted};
    use Wall::{Full, Landlock};
    let refused = Act::Fail(libc::EACCES);
    let (stream, datagram) = (libc::SOCK_STREAM as u64, libc::SOCK_DGRAM as u64);
    let close_on_exec = libc::SOCK_CLOEXEC as u64;
    let (create, write) = (libc::O_CREAT as u64, libc::O_WRONLY as u64);
    for (wall, network, call, arguments, expected) in [
        (Full, Denied, libc::SYS_kill, [u64::MAX, 9, 0], Act::Allow),
        (Landlock, Denied, libc::SYS_kill, [u64::MAX, 9, 0], DENIED),
        (Landlock, Denied, libc::SYS_kill, [77, 9, 0], Act::Allow),
        (Full, Denied, libc::SYS_prlimit64, [0, 7, 0], Act::Allow),
        (Full, Denied, libc::SYS_prlimit64, [77, 7, 0], DENIED),
        (Full, Denied, libc::SYS_read, [0; 3], Act::Allow),
        (Full, Granted, libc::SYS_ptrace, [0; 3], DENIED),
        (Full, Denied, libc::SYS_io_uring_setup, [0; 3], UNKNOWN),
        (Full, Denied, libc::SYS_socket, [INET as u64, stream, 0], Act::Allow),
        (Full, Denied, libc::SYS_socket, [UNIX as u64, stream | close_on_exec, 0], Act::Allow),
        (Full, Granted, libc::SYS_socket, [UNIX as u64, datagram, 0], refused),
        (Full, Granted, libc::SYS_socket, [UNIX as u64, libc::SOCK_RAW as u64, 0], refused),
        (Full, Denied, libc::SYS_socketpair, [UNIX as u64, libc::SOCK_RAW as u64, 0], DENIED),
        (Full, Denied, libc::SYS_socket, [INET as u64, datagram, 0], Act::Allow),
        (Full, Granted, libc::SYS_connect, [0; 3], Act::Ask),
        (Full, Granted, libc::SYS_socket, [libc::AF_VSOCK as u64, stream, 0], refused),
        (Landlock, Denied, libc::SYS_socket, [INET as u64, stream, 0], refused),
        (Landlock, Granted, libc::SYS_socket, [INET6 as u64, stream, 0], Act::Allow),
        (Full, Denied, libc::SYS_socketpair, [UNIX as u64, stream | close_on_exec, 0], Act::Allow),
        (Full, Denied, libc::SYS_socketpair, [UNIX as u64, datagram | close_on_exec, 0], DENIED),
        (Full, Denied, libc::SYS_clone, [libc::SIGCHLD as u64, 0, 0], Act::Allow),
        (Full, Denied, libc::SYS_clone, [libc::CLONE_NEWUSER as u64, 0, 0], DENIED),
        (Full, Denied, libc::SYS_unshare, [libc::CLONE_NEWNS as u64, 0, 0], DENIED),
        (Full, Denied, libc::SYS_unshare, [libc::CLONE_FILES as u64, 0, 0], Act::Allow),
        (Full, Denied, libc::SYS_ioctl, [0, 0x5412, 0], DENIED),
        (Full, Denied, libc::SYS_ioctl, [0, 0xFFFF_FFFF_0000_5412, 0], DENIED),
        (Full, Denied, libc::SYS_ioctl, [0, 0x5401, 0], Act::Allow),
        (Full, Denied, libc::SYS_openat, [0, 0, 0], Act::Allow),
        (Full, Denied, libc::SYS_openat, [0, 0, write], Act::Allow),
        (Full, Denied, libc::SYS_openat, [0, 0, write | create], Act::Ask),
        (Landlock, Denied, libc::SYS_openat, [0, 0, write], Act::Ask),
        (Landlock, Denied, libc::SYS_unlinkat, [0; 3], Act::Ask),
        (Full, Denied, libc::SYS_unlinkat, [0; 3], Act::Allow),
    ] {
        check(wall, network, call, arguments, expected);
    }
}

#[test]
fn searching_by_halves_finds_what_a_list_finds() {
    for (wall, network) in [(Wall::Full, Network::Denied), (Wall::Landlock, Network::Granted)] {
        let spec = spec(wall, network);
        let mut list = vec![op(LOAD, CALL)];
        list.extend(in_turn(&rules(&spec)));
        let code = Filter::of(&spec).code;
        for call in 0..1000 {
            for arguments in [[0; 3], [u64::MAX; 3], [1, 1, 1], [1, 2, 64], [2, 0x5412, 577]] {
                let (found, listed) =
                    (decide(&code, NATIVE, call, arguments), decide(&list, NATIVE, call, arguments));
                assert_eq!(found, listed, "{wall:?} call {call} {arguments:?}");
            }
        }
    }
}

#[test]
fn other_architectures_have_no_calls() {
    let code = Filter::of(&spec(Wall::Full, Network::Denied)).code;
    assert_eq!(decide(&code, 0x4000_0003, 1, [0; 3]), verdict(UNKNOWN).k);
    assert_eq!(decide(&code, NATIVE, FOREIGN as c_long + 1, [0; 3]), verdict(UNKNOWN).k);
}
