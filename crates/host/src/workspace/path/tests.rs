//! Spellings: what counts as inside, what a name looks like on a screen and in a log.

use super::*;

#[test]
fn absolute_paths_are_inside_from_where_they_stand_at_the_workspace() {
    let roots = [PathBuf::from("/home/me/ws"), PathBuf::from("/link/ws")];
    let check = |asked: &str, expected: Option<&str>| {
        let found = beneath(&roots, Path::new(asked), Absolute::Accept).ok();
        assert_eq!(found.as_deref(), expected.map(Path::new), "{asked}");
    };
    for (asked, expected) in [
        ("/home/me/ws", Some(".")),
        ("/home/me/ws/", Some("./")),
        ("/home/me/ws/a/b", Some("a/b")),
        ("/link/ws/a", Some("a")),
        ("//home/./me//ws/a/", Some("a/")),
        ("/home/me/../me/ws/a", Some("a")),
        ("/home/me/ws/../ws/a", Some("a")),
        ("/home/me/ws/a/../b", Some("a/../b")),
        ("/home/me/ws/..", Some("..")),
        ("/home/me/ws/../other", Some("../other")),
        ("/home/me", None),
        ("/home/me/ws2", None),
        ("/home/me/ws-old/a", None),
        ("/", None),
    ] {
        check(asked, expected);
    }
}

#[test]
fn names_cannot_forge_lines() {
    let check = |bytes: &[u8], expected: &str| {
        let path = RelPath::new(OsString::from_vec(bytes.to_vec())).expect("a path");
        assert_eq!(path.to_string(), expected);
        let json = serde_json::to_string(&path).expect("JSON");
        assert_eq!(serde_json::from_str::<RelPath>(&json).expect("a path"), path, "{json}");
    };
    check(b"plain/na me", "plain/na me");
    check("größe/日本".as_bytes(), "größe/日本");
    check(b"", ".");
    check(b"two\nlines", "\"two\\nlines\"");
    check(b"esc\x1b[31m", "\"esc\\u{1b}[31m\"");
    check(b"bad\xff\"", "\"bad\\xff\\\"\"");
}

#[test]
fn only_canonical_paths_come_back_from_a_log() {
    for bad in [
        "\"/etc/passwd\"",
        "\"../x\"",
        "\"a/../b\"",
        "\"a//b\"",
        "\"./a\"",
        "\"a/\"",
        "\"a\\u0000\"",
        "[47,97]",
        "7",
    ] {
        assert!(serde_json::from_str::<RelPath>(bad).is_err(), "{bad}");
    }
}

#[test]
fn of_an_endless_name_only_the_beginning_is_shown() {
    for name in ["x".repeat(1 << 20), "\n".repeat(1 << 20), "ü".repeat(1 << 20)] {
        let shown = quoted(Path::new(&name)).to_string();
        assert!(
            shown.len() < 4 * LONGEST && shown.ends_with('…') && !shown.contains('\n'),
            "{}",
            shown.len()
        );
    }
}
