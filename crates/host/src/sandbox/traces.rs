//! What a command can leave in its wall although nobody of it is left: files in the private `/tmp` and its like, System V
//! objects, ports that the kernel still keeps. Start from [`Traces::now`]. A wall with traces is not used again, so every
//! command finds the same emptiness. POSIX message queues cannot be counted; they stay as long as the wall does.

use std::io;

use super::sys;

/// Any folder of the private file system: the one that nothing of the host can lie over.
const PRIVATE: &std::ffi::CStr = c"/dev/shm";
const SYSTEM_V: &[&str] = &["/proc/sysvipc/shm", "/proc/sysvipc/sem", "/proc/sysvipc/msg"];

/// Equal before and after a command that left nothing.
#[derive(Debug, PartialEq, Eq)]
pub struct Traces {
    /// Free blocks and free files.
    space: (u64, u64),
    objects: Vec<usize>,
    ports: Option<String>,
}

impl Traces {
    pub fn now() -> io::Result<Self> {
        let lines = |path: &&str| sys::read_small(path).map_or(0, |list| list.lines().count());
        Ok(Self {
            space: sys::free_space(PRIVATE)?,
            objects: SYSTEM_V.iter().map(lines).collect(),
            ports: sys::read_small("/proc/net/sockstat").ok().and_then(|counts| kept_ports(&counts)),
        })
    }
}

/// How many closed connections still hold their port, in the words of the kernel. Its other counts are the machine's.
fn kept_ports(counts: &str) -> Option<String> {
    let mut words = counts.lines().find(|line| line.starts_with("TCP:"))?.split_whitespace();
    words.find(|word| *word == "tw")?;
    words.next().map(str::to_owned)
}
