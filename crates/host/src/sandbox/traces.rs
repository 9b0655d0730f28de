//! What a command can leave in its wall although nobody of it is left: files in the private `/tmp` and its like, other
//! rights to these, System V objects, sockets and ports that the kernel still keeps. Start from [`Traces::now`]. A wall
//! with traces is not used again, so every command finds the same emptiness. POSIX message queues leave no more than their
//! name: landlock lets nobody open one.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::sys;

/// Any folder of the private file system: the one that nothing of the host can lie over.
const PRIVATE: &str = "/dev/shm";
/// The folders that a command may change as their owner.
const FOLDERS: &[&str] = &["/tmp", "/var/tmp", "/dev/shm", "/dev/pts"];
const SYSTEM_V: &[&str] = &["/proc/sysvipc/shm", "/proc/sysvipc/sem", "/proc/sysvipc/msg"];

/// Equal before and after a command that left nothing.
#[derive(Debug, PartialEq, Eq)]
pub struct Traces {
    /// Free blocks and free files.
    space: (u64, u64),
    /// Mode, owner, group and attributes of the folders.
    rights: Vec<Option<(u32, u32, u32, usize)>>,
    objects: Vec<usize>,
    /// How many sockets there are, and how many closed connections still hold their port.
    sockets: [Option<String>; 2],
}

impl Traces {
    pub fn now() -> io::Result<Self> {
        let lines = |path: &&str| sys::read_small(path).map_or(0, |list| list.lines().count());
        let space = sys::space(Path::new(PRIVATE))?;
        let counts = sys::read_small("/proc/net/sockstat").unwrap_or_default();
        Ok(Self {
            space: (space.blocks, space.files),
            rights: FOLDERS.iter().map(|folder| rights(Path::new(folder)).ok()).collect(),
            objects: SYSTEM_V.iter().map(lines).collect(),
            sockets: [("sockets:", "used"), ("TCP:", "tw")].map(|(line, name)| count(&counts, line, name)),
        })
    }
}

fn rights(folder: &Path) -> io::Result<(u32, u32, u32, usize)> {
    let found = fs::metadata(folder)?;
    Ok((found.mode(), found.uid(), found.gid(), sys::attributes(folder)?))
}

/// One of the kernel's counts of sockets, in its own words. Most of them are the machine's; these are the wall's.
fn count(counts: &str, line: &str, name: &str) -> Option<String> {
    let mut words = counts.lines().find(|found| found.starts_with(line))?.split_whitespace();
    words.find(|word| *word == name)?;
    words.next().map(str::to_owned)
}
