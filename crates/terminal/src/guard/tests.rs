//! The terminal is given back, seen from outside: a process of its own, in a terminal of its own, that ends badly.

use super::*;
use std::fs::File;
use std::io::{IsTerminal, Read};
use std::os::fd::{FromRawFd, OwnedFd};
use std::process::{Command, Stdio};

/// Tells the process under test how to end.
const HOW: &str = "GUARD_TEST_ENDS_BY";

/// What is left of a process that held the terminal.
struct Left {
    written: String,
    before: String,
    after: String,
}

/// The two sides of a new terminal.
fn terminal() -> (File, OwnedFd) {
    let (mut outside, mut inside) = (0, 0);
    let none = std::ptr::null_mut();
    // SAFETY: the two numbers are written before they are read, and belong to nobody else.
    unsafe {
        assert_eq!(libc::openpty(&mut outside, &mut inside, none, none.cast(), none.cast()), 0);
        (File::from_raw_fd(outside), OwnedFd::from_raw_fd(inside))
    }
}

fn end_by(how: &str) -> Left {
    let (mut outside, inside) = terminal();
    let mode = || format!("{:?}", tcgetattr(&inside).unwrap());
    let before = mode();
    let side = || Stdio::from(inside.try_clone().unwrap());
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "guard::tests::ends_badly", "--nocapture"])
        .env(HOW, how)
        .stdin(side())
        .stdout(side())
        .stderr(side())
        .spawn()
        .unwrap();
    let reader = std::thread::spawn(move || {
        let (mut written, mut piece) = (Vec::new(), [0; 4096]);
        while let Ok(count @ 1..) = outside.read(&mut piece) {
            written.extend_from_slice(&piece[..count]);
        }
        String::from_utf8_lossy(&written).into_owned()
    });
    assert!(!child.wait().unwrap().success(), "{how}");
    let after = mode();
    drop(inside);
    Left { written: reader.join().unwrap(), before, after }
}

#[test]
fn the_terminal_is_given_back_however_the_program_ends() {
    let signals: Vec<String> = ENDING.iter().map(ToString::to_string).collect();
    for how in signals.iter().map(String::as_str).chain(["panic"]) {
        let Left { written, before, after } = end_by(how);
        assert_eq!(before, after, "{how}");
        let (_, held) = written.split_once(ENTER).expect("it was entered");
        let (shown, rest) = held.split_once(LEAVE).expect("it was left");
        assert!(
            shown.ends_with("live area\n\n\r") || shown.ends_with("live area\r\n\r\n\r"),
            "{how}: {shown:?}"
        );
        assert!(!rest.contains(ENTER), "{how}");
        assert_eq!(rest.contains("on purpose"), how == "panic", "{how}: {rest:?}");
    }
}

#[test]
#[ignore = "it is started by the test above, in a terminal of its own"]
fn ends_badly() {
    let Some(how) = std::env::var(HOW).ok().filter(|_| io::stdin().is_terminal()) else { return };
    let _guard = Guard::enter().unwrap();
    io::stdout().write_all(b"\x1b[?25llive area").unwrap();
    io::stdout().flush().unwrap();
    set_below(2);
    match how.parse::<libc::c_int>() {
        // SAFETY: raising a signal in this process touches no memory.
        Ok(signal) => unsafe {
            libc::raise(signal);
        },
        Err(_) => panic!("on purpose"),
    }
}
