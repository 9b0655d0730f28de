//! The secret that lets programs and browsers of one person talk to the local server, in `.cinque/token`. Start at
//! [`token`].

use crate::state::State;
use crate::whole::{Kind, add, replace};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// A token of fewer characters is none.
const SHORTEST: usize = 20;
const RANDOM_BYTES: usize = 24;

/// The token of a workspace, made if there is none. A file that others can read or that a repository brought as a link is
/// not believed: it is replaced.
pub fn token(state: &State) -> io::Result<String> {
    let path = state.folder().join("token");
    if let Some(token) = read(&path) {
        return Ok(token);
    }
    let made = hex(RANDOM_BYTES)?;
    let text = format!("{made}\n");
    match add(&path, text.as_bytes(), Kind::Settings) {
        Err(_) if read(&path).is_none() => replace(&path, text.as_bytes(), Kind::Settings)?,
        // Another server may have been faster; its token holds then.
        _ => {}
    }
    Ok(read(&path).unwrap_or(made))
}

fn read(path: &Path) -> Option<String> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file = File::options().read(true).custom_flags(flags).open(path).ok()?;
    let found = file.metadata().ok().filter(fs::Metadata::is_file)?;
    if found.permissions().mode() & 0o077 != 0 {
        return None;
    }
    let mut text = String::new();
    file.take(1024).read_to_string(&mut text).ok()?;
    let token = text.trim();
    let plain = token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    (plain && token.len() >= SHORTEST).then(|| token.to_owned())
}

fn hex(bytes: usize) -> io::Result<String> {
    let mut random = vec![0; bytes];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::Scratch;

    fn state(scratch: &Scratch) -> State {
        State::prepare(scratch.path()).unwrap()
    }

    #[test]
    fn the_token_is_made_once_for_its_owner_alone() {
        let scratch = Scratch::new();
        let made = token(&state(&scratch)).unwrap();
        assert!(made.len() >= SHORTEST);
        assert_eq!(token(&state(&scratch)).unwrap(), made);
        let path = scratch.join(".cinque/token");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(scratch.read(".cinque/token").trim(), made);
        let left = fs::read_dir(scratch.join(".cinque")).unwrap().flatten();
        assert!(!left.into_iter().any(|entry| entry.file_name().to_string_lossy().ends_with(".tmp")));
    }

    #[test]
    fn what_a_repository_brought_is_not_believed() {
        let known = "a-token-that-everybody-knows";
        for brought in ["readable", "short", "link", "broken link"] {
            let scratch = Scratch::new();
            let state = state(&scratch);
            let path = scratch.join(".cinque/token");
            match brought {
                "readable" => drop(scratch.write(".cinque/token", known)),
                "short" => {
                    scratch.write(".cinque/token", "short");
                    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
                }
                "link" => {
                    let other = scratch.write("other", known);
                    fs::set_permissions(&other, fs::Permissions::from_mode(0o600)).unwrap();
                    std::os::unix::fs::symlink(other, &path).unwrap();
                }
                _ => std::os::unix::fs::symlink(scratch.join("nowhere"), &path).unwrap(),
            }
            let made = token(&state).unwrap();
            assert_ne!(made, known, "{brought}");
            assert_eq!(token(&state).unwrap(), made, "{brought}");
            assert!(fs::symlink_metadata(&path).unwrap().is_file(), "{brought}");
            assert!(!scratch.exists("nowhere") && (brought != "link" || scratch.read("other") == known));
        }
    }
}
