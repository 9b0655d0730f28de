//! Text that goes in and comes out without damage.

use super::*;

fn decode(bytes: &[u8]) -> Result<Text, Error> {
    Text::decode(bytes.to_vec(), Path::new("file"))
}

#[test]
fn a_body_written_back_unchanged_gives_the_same_bytes() {
    for bytes in [
        "",
        "a",
        "a\n",
        "a\r\nb\r\n",
        "a\r\nb",
        "a\r\nb\nc",
        "\u{feff}a\r\n",
        "\u{feff}",
        "a\rb\n",
        "\r\n\r\n",
    ] {
        let text = decode(bytes.as_bytes()).expect("text");
        for tail in [Tail::AsGiven, Tail::AsBefore] {
            assert_eq!(text.encode(text.body(), tail), bytes.as_bytes(), "{bytes:?} {tail:?}");
        }
    }
}

#[test]
fn a_new_body_takes_the_manner_of_the_file() {
    for (file, body, tail, expected) in [
        ("a\r\nb\r\n", "x\ny\n", Tail::AsGiven, "x\r\ny\r\n"),
        ("a\r\nb\r\n", "x\r\ny\n", Tail::AsGiven, "x\r\ny\r\n"),
        ("a\nb", "x\ny\n", Tail::AsBefore, "x\ny"),
        ("a\nb", "x\ny\n", Tail::AsGiven, "x\ny\n"),
        ("a\nb\n", "x\ny", Tail::AsBefore, "x\ny\n"),
        ("a\r\nb", "x\ny\n", Tail::AsBefore, "x\r\ny"),
        ("", "x\n", Tail::AsBefore, "x\n"),
        ("\u{feff}a\n", "x\n", Tail::AsGiven, "\u{feff}x\n"),
        ("a\r\nb\n", "x\r\ny\n", Tail::AsGiven, "x\r\ny\n"),
    ] {
        let text = decode(file.as_bytes()).expect("text");
        assert_eq!(text.encode(body, tail), expected.as_bytes(), "{file:?} {body:?} {tail:?}");
    }
}

#[test]
fn a_replacement_needs_exactly_one_place() {
    for (file, old, new, expected) in [
        ("one two\n", "two", "three", Ok("one three\n")),
        ("a\r\nb\r\n", "a\nb", "c", Ok("c\n")),
        ("a\r\nb\r\n", "a\r\nb", "c\r\nd", Ok("c\nd\n")),
        ("aaa", "aa", "b", Ok("ba")),
        ("aaaa", "aa", "b", Err(Mismatch::Several(2))),
        ("x", "y", "z", Err(Mismatch::NotFound)),
        ("x", "", "z", Err(Mismatch::Empty)),
        ("x", "x", "x", Err(Mismatch::Identical)),
    ] {
        let text = decode(file.as_bytes()).expect("text");
        assert_eq!(text.replace(old, new), expected.map(str::to_owned), "{file:?} {old:?}");
    }
}

#[test]
fn what_is_not_text_is_refused() {
    assert!(matches!(decode(b"a\0b"), Err(Error::Binary { .. })));
    assert!(matches!(decode(b"caf\xe9\n"), Err(Error::NotUtf8 { .. })));
}
