//! What this machine lets tests of the sandbox do. Start from [`namespaces`].
//!
//! It only tells: the tests find out for themselves, and this line explains why they skip or fail.

use std::io;
use std::process::{Command, Stdio};

use super::Skips;

/// Whether a process without privileges can be walled in.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Namespaces {
    Available,
    Refused(String),
    /// There is no program to try it with.
    Unknown,
}

/// Tries to make the namespaces that the sandbox is built from.
pub(super) fn namespaces() -> Namespaces {
    let mut unshare = Command::new("unshare");
    unshare.args(["--user", "--map-root-user", "--mount", "--net", "--pid", "--fork", "true"]);
    match unshare.stdin(Stdio::null()).output() {
        Ok(output) if output.status.success() => Namespaces::Available,
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            Namespaces::Refused(said.lines().next().unwrap_or("no reason given").to_owned())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Namespaces::Unknown,
        Err(error) => Namespaces::Refused(error.to_string()),
    }
}

impl Namespaces {
    pub(super) fn told(&self, skips: Skips) -> String {
        let consequence = match skips {
            Skips::Tolerated => "tests of the sandbox skip what they cannot try",
            Skips::Refused => "tests of the sandbox fail, because CI is set",
        };
        match self {
            Self::Available => "sandbox: namespaces can be made here, its tests run in full".to_owned(),
            Self::Refused(why) => format!(
                "sandbox: NO NAMESPACES HERE ({why}): {consequence}.\n  \
                 A container needs leave to make user namespaces; on the machine itself look at\n  \
                 `sysctl user.max_user_namespaces kernel.apparmor_restrict_unprivileged_userns`."
            ),
            Self::Unknown => {
                format!("sandbox: `unshare` is missing, so it is not known whether {consequence}")
            }
        }
    }
}
