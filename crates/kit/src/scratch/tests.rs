//! A scratch directory from its making to its end.

use super::*;

#[test]
fn files_are_written_read_listed_and_removed() {
    let scratch = Scratch::new();
    let path = scratch.path().to_owned();
    let other = Scratch::new();
    assert_ne!(other.path(), path);

    scratch.write("b/c.txt", "text");
    scratch.write("a.bin", [0xff, 0]);
    scratch.directory("empty");
    assert_eq!(scratch.read("b/c.txt"), "text");
    assert_eq!(scratch.read_bytes("a.bin"), [0xff, 0]);
    assert_eq!(scratch.files(), ["a.bin", "b/c.txt"]);
    assert!(scratch.exists("empty") && !scratch.exists("c.txt"));

    drop(scratch);
    assert!(!path.exists() && other.path().exists());
}

#[test]
#[should_panic(expected = "missing.txt")]
fn a_missing_file_is_named() {
    Scratch::new().read("missing.txt");
}
