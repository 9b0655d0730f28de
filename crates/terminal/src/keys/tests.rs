//! What bytes come to, however they are cut.

use super::*;
use proptest::prelude::*;

const SHIFT: With = With { ctrl: false, alt: false, shift: true };

fn all(bytes: &[u8]) -> Vec<Input> {
    let mut decoder = Decoder::default();
    let mut inputs = decoder.push(bytes);
    inputs.extend(decoder.settle());
    inputs
}

fn with(code: Code, with: With) -> Input {
    Input::Key(Key { code, with })
}

#[test]
fn bytes_are_keys() {
    let cases: &[(&[u8], &[Input])] = &[
        (b"a", &[with(Code::Char('a'), With::NONE)]),
        ("é漢".as_bytes(), &[with(Code::Char('é'), With::NONE), with(Code::Char('漢'), With::NONE)]),
        (b"\r", &[with(Code::Enter, With::NONE)]),
        (b"\n", &[with(Code::Char('j'), With::CTRL)]),
        (b"\x1b\r", &[with(Code::Enter, With::ALT)]),
        (b"\x7f", &[with(Code::Backspace, With::NONE)]),
        (b"\x1b\x7f", &[with(Code::Backspace, With::ALT)]),
        (b"\x01", &[with(Code::Char('a'), With::CTRL)]),
        (b"\x1f", &[with(Code::Char('7'), With::CTRL)]),
        (b"\x1b", &[with(Code::Esc, With::NONE)]),
        (b"\x1b\x1b", &[with(Code::Esc, With::NONE), with(Code::Esc, With::NONE)]),
        (b"\x1bb", &[with(Code::Char('b'), With::ALT)]),
        (b"\x1b[A\x1bOB", &[with(Code::Up, With::NONE), with(Code::Down, With::NONE)]),
        (b"\x1b[1;5C", &[with(Code::Right, With::CTRL)]),
        (b"\x1b[1;3D", &[with(Code::Left, With::ALT)]),
        (
            b"\x1b[H\x1b[4~\x1bOF",
            &[with(Code::Home, With::NONE), with(Code::End, With::NONE), with(Code::End, With::NONE)],
        ),
        (b"\x1b[3~", &[with(Code::Delete, With::NONE)]),
        (b"\x1b[Z", &[with(Code::BackTab, With::NONE)]),
        (b"\x1b[13;2u", &[with(Code::Enter, SHIFT)]),
        (b"\x1b[27;2;13~", &[with(Code::Enter, SHIFT)]),
        (b"\x1b[99;5u", &[with(Code::Char('c'), With::CTRL)]),
        (b"\x1b[27u", &[with(Code::Esc, With::NONE)]),
        (b"\x1b[97;2u", &[with(Code::Char('A'), SHIFT)]),
        (b"\x1b[97;1:3u\x1b[1;1:3A\x1b[97;1:1u", &[with(Code::Char('a'), With::NONE)]),
        (b"\x1bOM", &[with(Code::Enter, With::NONE)]),
        (b"\x1b[<64;10;5M\x1b[<0;1;1m\x1b[M !!a", &[with(Code::Char('a'), With::NONE)]),
        (b"\x1b[I\x1b[O", &[Input::Focus(Focus::Gained), Input::Focus(Focus::Lost)]),
        (
            b"\x1b[200~a\rb\x1b[31m\x1b[201~c",
            &[Input::Paste("a\nb\x1b[31m".into()), with(Code::Char('c'), With::NONE)],
        ),
        (
            b"\x1b]11;rgb:ffff/8080/0000\x07x",
            &[Input::Background([255, 128, 0]), with(Code::Char('x'), With::NONE)],
        ),
        (b"\x1b]11;rgb:1e/1e/2e\x1b\\", &[Input::Background([30, 30, 46])]),
        (b"\x1b[?62;4c\x1b[?0u\x1b[4;600;800t\x1b[8;0;0t", &[]),
        (
            b"\x1b[8;24;80t\x1b[5;1R",
            &[Input::Window(Size { columns: 80, rows: 24 }), Input::Cursor(Place { row: 4, column: 0 })],
        ),
        (b"\xff\xfea", &[with(Code::Char('a'), With::NONE)]),
    ];
    for (bytes, expected) in cases {
        assert_eq!(&all(bytes), expected, "{:?}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn a_lone_escape_waits_for_what_may_follow() {
    let mut decoder = Decoder::default();
    assert_eq!(decoder.push(b"\x1b"), []);
    assert_eq!(decoder.patience(), Some(AFTER_ESCAPE));
    assert_eq!(decoder.push(b"["), []);
    assert_eq!(decoder.patience(), Some(INSIDE), "what has begun may take longer");
    assert_eq!(decoder.push(b"A"), [with(Code::Up, With::NONE)]);
    assert_eq!(decoder.patience(), None);
}

#[test]
fn a_paste_that_never_ends_is_given_in_parts_and_left_with_ctrl_c() {
    let paste = |text: &str| Input::Paste(text.to_owned());
    let mut decoder = Decoder::default();
    assert_eq!(decoder.push("\x1b[200~one\ntwo é".as_bytes()), []);
    assert_eq!(decoder.push(&[0xe6, 0xbc]), []);
    assert_eq!(decoder.settle(), [paste("one\ntwo é")], "without the half of a character");
    assert_eq!(decoder.push(&[0xa2, b'\r']), []);
    assert_eq!(decoder.push(b"\x03"), [], "no silence, no key");
    assert_eq!(decoder.settle(), [paste("漢\n\x03")]);
    assert_eq!(decoder.push(b"\x03"), [with(Code::Char('c'), With::CTRL)]);
    assert_eq!(decoder.push(b"a"), [with(Code::Char('a'), With::NONE)]);
}

proptest! {
    #[test]
    fn however_the_bytes_are_cut_the_keys_are_the_same(cuts in proptest::collection::vec(0usize..90, 0..12)) {
        let bytes = "ab\x1b[A漢\x1b[200~p\r\nq\x1b[20\x1b[201~\x1b]11;rgb:00/00/00\x07é\x1b[1;5C\x7fz".as_bytes();
        let mut decoder = Decoder::default();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
        cuts.sort_unstable();
        let mut from = 0;
        let mut found = Vec::new();
        for to in cuts.into_iter().chain([bytes.len()]) {
            found.extend(decoder.push(&bytes[from..to]));
            from = to;
        }
        found.extend(decoder.settle());
        prop_assert_eq!(found, all(bytes));
    }

    #[test]
    fn no_bytes_are_a_problem(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        all(&bytes);
    }
}
