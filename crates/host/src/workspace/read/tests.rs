//! Lines, their numbers, and the bounds.

use super::*;
use crate::workspace::tests::kind;
use crate::workspace::tests::tree::Tree;

fn lines(start: u64, end: u64, most: u64) -> Lines {
    let some = |number| (number != u64::MAX).then_some(number);
    Lines { start: some(start), end: some(end), most: some(most) }
}

const ALL: u64 = u64::MAX;

/// Shows a reading as `first: line|line of total`, with what is left out and whether the last line was cut.
fn read_file(content: &[u8], lines: Lines, window: usize) -> String {
    let tree = Tree::new(&[]);
    std::fs::write(tree.root().join("file"), content).expect("a file");
    let workspace = tree.open().with_limits(Limits { window, read_file: 1000, ..Limits::default() });
    let reading = match workspace.read("file", lines) {
        Ok(reading) => reading,
        error => return kind(&error),
    };
    assert_eq!(reading.hash, Hash::of(content));
    let mut shown = format!("{}: {} of {}", reading.first, reading.lines.join("|"), reading.total);
    for (flag, word) in [
        (reading.more > 0, format!(" +{}", reading.more)),
        (reading.cut, " cut".into()),
        (reading.lossy, " lossy".into()),
    ] {
        if flag {
            shown.push_str(&word);
        }
    }
    shown
}

#[test]
fn lines_are_counted_and_bounded() {
    for (content, range, window, expected) in [
        (&b"a\nb\nc\n"[..], lines(ALL, ALL, ALL), 100, "1: a|b|c of 3"),
        (b"a\nb\nc", lines(ALL, ALL, ALL), 100, "1: a|b|c of 3"),
        (b"a\r\nb\r\n", lines(ALL, ALL, ALL), 100, "1: a|b of 2"),
        (b"\n\n", lines(ALL, ALL, ALL), 100, "1: | of 2"),
        (b"", lines(ALL, ALL, ALL), 100, "1:  of 0"),
        (b"", lines(1, 5, ALL), 100, "1:  of 0"),
        (b"", lines(2, ALL, ALL), 100, "LinesBeyond"),
        (b"a\nb\nc\n", lines(2, 2, ALL), 100, "2: b of 3"),
        (b"a\nb\nc\n", lines(3, 99, ALL), 100, "3: c of 3"),
        (b"a\nb\nc\n", lines(4, ALL, ALL), 100, "LinesBeyond"),
        (b"a\nb\nc\n", lines(0, ALL, ALL), 100, "LineZero"),
        (b"a\nb\nc\n", lines(1, 0, ALL), 100, "LineZero"),
        (b"a\nb\nc\n", lines(3, 2, ALL), 100, "LinesBackwards"),
        (b"a\nb\nc\nd", lines(ALL, ALL, 2), 100, "1: a|b of 4 +2"),
        (b"a\nb\nc\nd", lines(2, 3, 1), 100, "2: b of 4 +1"),
        (b"a\nb\nc\nd", lines(1, 2, 2), 100, "1: a|b of 4"),
        (b"aaaa\nbbbb\ncccc\n", lines(ALL, ALL, ALL), 10, "1: aaaa|bbbb of 3 +1"),
        (b"aaaa\nbbbb\ncccc\n", lines(ALL, ALL, ALL), 7, "1: aaaa|bb of 3 +1 cut"),
        ("ééé\nx\n".as_bytes(), lines(ALL, ALL, ALL), 3, "1: é of 2 +1 cut"),
        (b"caf\xe9\nok\n", lines(ALL, ALL, ALL), 100, "1: caf\u{fffd}|ok of 2 lossy"),
        (b"caf\xe9\nok\n", lines(2, ALL, ALL), 100, "2: ok of 2"),
        ("\u{feff}a\n".as_bytes(), lines(ALL, ALL, ALL), 100, "1: a of 1"),
        (b"a\0\n", lines(ALL, ALL, ALL), 100, "Binary"),
        (&[b'x'; 1001], lines(ALL, ALL, ALL), 100, "TooLarge"),
    ] {
        assert_eq!(
            read_file(content, range, window),
            expected,
            "{:?} {range:?} {window}",
            String::from_utf8_lossy(content)
        );
    }
}

#[test]
fn lines_across_many_chunks_are_whole() {
    let tree = Tree::new(&[]);
    let content: String = (1..=60_000).map(|number| format!("line {number}\n")).collect();
    std::fs::write(tree.root().join("file"), &content).expect("a file");
    let reading = tree.open().read("file", lines(29_999, 30_001, ALL)).expect("a reading");
    assert_eq!(
        (reading.lines, reading.total),
        (vec!["line 29999".into(), "line 30000".into(), "line 30001".into()], 60_000)
    );
}
