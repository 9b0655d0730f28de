//! Trust on a real disk: given to bytes, kept privately, never guessed.

use std::fs;
use std::path::Path;

use super::*;
use crate::config::read_file;

/// A folder to trust, and a list to keep that in.
struct Place {
    _all: tempfile::TempDir,
    folder: PathBuf,
    list: PathBuf,
}

impl Place {
    fn new() -> Place {
        let all = tempfile::tempdir().unwrap();
        let folder = all.path().join("project");
        fs::create_dir_all(folder.join(".cinque")).unwrap();
        Place { folder, list: all.path().join("state/cinque/trusted.json"), _all: all }
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.join(name), text).unwrap();
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::take(&self.folder, &read_file).unwrap()
    }

    fn trust(&self) {
        Trust::trust(&self.list, &self.folder, &self.snapshot()).unwrap();
    }

    fn standing(&self) -> Standing {
        Trust::read(&self.list, &read_file).unwrap().standing(&self.folder, &self.snapshot())
    }
}

#[test]
fn trust_is_given_to_bytes() {
    let place = Place::new();
    assert_eq!(place.standing(), Standing::Empty);
    place.write(CONFIG, "max_turns = 3");
    assert_eq!(place.standing(), Standing::Untrusted);
    place.trust();
    assert_eq!(place.standing(), Standing::Trusted);
    place.write("README.md", "more");
    assert_eq!(place.standing(), Standing::Trusted);
    place.write(CONFIG, "max_turns = 4");
    assert_eq!(place.standing(), Standing::Changed);
    place.write(CONFIG, "max_turns = 3");
    assert_eq!(place.standing(), Standing::Trusted);
    place.write(".mcp.json", "{}");
    assert_eq!(place.standing(), Standing::Changed);
    place.trust();
    assert_eq!(place.standing(), Standing::Trusted);
    Trust::distrust(&place.list, &place.folder).unwrap();
    assert_eq!(place.standing(), Standing::Untrusted);
}

#[test]
fn trust_in_one_folder_is_none_in_another() {
    let place = Place::new();
    place.write(CONFIG, "max_turns = 3");
    place.trust();
    let trust = Trust::read(&place.list, &read_file).unwrap();
    let beneath = place.folder.join("vendor");
    assert_eq!(trust.standing(&beneath, &place.snapshot()), Standing::Untrusted);
    assert_eq!(trust.standing(place.folder.parent().unwrap(), &place.snapshot()), Standing::Untrusted);
}

#[test]
fn bytes_cannot_move_between_files() {
    let snapshot = |files: &[(&'static str, &str)]| Snapshot {
        files: files.iter().map(|(name, text)| (*name, text.as_bytes().to_vec())).collect(),
    };
    let all = [
        snapshot(&[(CONFIG, "ab"), (".mcp.json", "c")]),
        snapshot(&[(CONFIG, "a"), (".mcp.json", "bc")]),
        snapshot(&[(CONFIG, "abc")]),
        snapshot(&[(CONFIG, "ab.mcp.jsonc")]),
        snapshot(&[(CONFIG, "abc"), (".mcp.json", "")]),
        snapshot(&[(".mcp.json", "abc")]),
    ];
    for (at, one) in all.iter().enumerate() {
        for other in &all[at + 1..] {
            assert_ne!(one.fingerprint(), other.fingerprint(), "{one:?} {other:?}");
        }
    }
}

#[test]
fn the_list_is_private_and_leaves_nothing_beside_it() {
    let place = Place::new();
    place.write(CONFIG, "");
    // As if a crash had left it behind.
    fs::create_dir_all(place.list.parent().unwrap()).unwrap();
    let name = place.list.file_name().unwrap().to_string_lossy();
    let draft = place.list.with_file_name(format!("{name}.{}.tmp", std::process::id()));
    fs::write(&draft, "half").unwrap();
    place.trust();
    assert_eq!(place.standing(), Standing::Trusted);
    assert!(!draft.exists());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&place.list).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn many_at_once_lose_nothing() {
    let place = Place::new();
    place.write(CONFIG, "");
    let snapshot = place.snapshot();
    let folder = |at: usize| place.folder.join(at.to_string());
    std::thread::scope(|scope| {
        for at in 0..8 {
            let (list, folder, snapshot) = (&place.list, folder(at), &snapshot);
            scope.spawn(move || Trust::trust(list, &folder, snapshot).unwrap());
        }
    });
    let trust = Trust::read(&place.list, &read_file).unwrap();
    for at in 0..8 {
        assert_eq!(trust.standing(&folder(at), &snapshot), Standing::Trusted, "{at}");
    }
}

#[test]
fn a_damaged_list_is_neither_believed_nor_overwritten() {
    for damaged in ["{", "[]", "{\"folders\":{\"/a\":{}}}", ""] {
        let place = Place::new();
        place.write(CONFIG, "");
        fs::create_dir_all(place.list.parent().unwrap()).unwrap();
        fs::write(&place.list, damaged).unwrap();
        assert!(matches!(Trust::read(&place.list, &read_file), Err(TrustError::Damaged { .. })), "{damaged}");
        assert!(Trust::trust(&place.list, &place.folder, &place.snapshot()).is_err());
        assert_eq!(fs::read_to_string(&place.list).unwrap(), damaged);
    }
}

#[test]
fn only_regular_files_of_a_sane_size_are_read() {
    let place = Place::new();
    let path = place.folder.join("large");
    fs::write(&path, vec![b'#'; 1024 * 1024]).unwrap();
    assert!(read_file(&path).unwrap().is_some());
    fs::write(&path, vec![b'#'; 1024 * 1024 + 1]).unwrap();
    assert!(read_file(&path).is_err());
    assert!(read_file(&place.folder).is_err());
    assert!(read_file(Path::new("/dev/zero")).is_err());
    assert!(read_file(&place.folder.join("none")).unwrap().is_none());
    assert!(read_file(&path.join("beneath a file")).unwrap().is_none());
}
