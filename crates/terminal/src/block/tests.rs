//! Tests of `block`.

use super::*;

fn block<'a>(command: &'a str, output: &'a str) -> Block<'a> {
    Block { command, output, state: State::Succeeded, note: None }
}

fn text(lines: &[Line]) -> String {
    lines.iter().map(Line::text).collect::<Vec<_>>().join("\n")
}

#[test]
fn folded_blocks() {
    let palette = Palette::none();
    for (command, output, wanted) in [
        ("ls", "", "$ ls\n  (no output)"),
        ("ls", "\n\n", "$ ls\n  (no output)"),
        ("ls", "\x1b[0m\x1b[K", "$ ls\n  (no output)"),
        ("ls", "a\nb\n", "$ ls\n  a\n  b"),
        ("ls", "a\nb\nc\nd\ne\n", "$ ls\n  a\n  b\n  c\n  ... (2 more lines)"),
        ("ls", "a\n\n\n\n\n\nb", "$ ls\n  a\n\n\n  ... (4 more lines)"),
        ("a\nb\nc\nd", "x", "$ a\n  b\n  c\n  ... (1 more lines)\n  x"),
        ("a\u{202e}b", "x\u{202e}y", "$ a<U+202E>b\n  xy"),
        ("curl", "1%\r2%\r3%\ndone", "$ curl\n  3%\n  done"),
        ("dos", "a\r\nb\r\n", "$ dos\n  a\n  b"),
    ] {
        assert_eq!(text(&block(command, output).folded(3, 40, &palette)), wanted, "{command:?} {output:?}");
    }
}

#[test]
fn a_long_line_is_short_when_folded_and_whole_when_not() {
    let output = "x".repeat(1_000_000);
    let block = block("cat", &output);
    let palette = Palette::none();
    let folded = block.folded(3, 20, &palette);
    assert_eq!(folded.len(), 1 + ROWS);
    assert!(text(&folded).ends_with('…'));
    let whole = block.whole(20, &palette);
    assert_eq!(text(&whole).matches('x').count(), output.len());
    assert_eq!(block.tail(3, 20, &palette).len(), 2);
    let mixed = format!("{output}\nsecond\nthird");
    let mixed = Block { output: &mixed, ..block };
    assert!(text(&mixed.folded(2, 20, &palette)).ends_with("…\n  second\n  ... (1 more lines)"));
    assert!(text(&mixed.tail(2, 20, &palette)).ends_with("$ cat\n  second\n  third"));
}

#[test]
fn failure_is_red() {
    let palette = Palette::sixteen();
    let failed = Block { state: State::Failed, note: Some("exit code 2"), ..block("false", "oops") };
    let lines = failed.folded(3, 40, &palette);
    assert_eq!(text(&lines), "$ false\n  oops\n  exit code 2");
    let red = |line: &Line| line.spans.iter().any(|span| span.style.fg == palette.bad.fg);
    assert!(lines.iter().all(red), "{lines:?}");
    assert!(!block("true", "fine").folded(3, 40, &palette).iter().any(red));
}

#[test]
fn how_a_failure_ends_is_seen() {
    let failed =
        |output| Block { state: State::Failed, note: Some("exit code 1"), ..block("seq; cat no", output) };
    for (output, wanted) in [
        ("", "  (no output)"),
        ("1\n2\n3\nno such file", "  1\n  2\n  3\n  no such file"),
        ("1\n2\n3\n4\nno such file\n", "  1\n  2\n  ... (1 more lines)\n  4\n  no such file"),
        ("1\n2\n3\n4\n5\n6\n\n7%\rno\r\n", "  1\n  2\n  ... (4 more lines)\n\n  no"),
    ] {
        let shown = text(&failed(output).folded(4, 40, &Palette::none()));
        assert_eq!(shown, format!("$ seq; cat no\n{wanted}\n  exit code 1"), "{output:?}");
    }
    assert_eq!(
        text(&failed("1\n2").answer(1, 40, &Palette::none())),
        "  ... (1 more lines)\n  2\n  exit code 1"
    );
}

#[test]
fn the_tail_is_the_end() {
    let palette = Palette::none();
    let running = |output| Block { state: State::Running, ..block("make", output) };
    for (output, wanted) in [
        ("", "$ make"),
        ("a\n", "$ make\n  a"),
        ("a\nb\nc\n", "$ make\n  b\n  c"),
        ("a\nb\nc", "$ make\n  b\n  c"),
        ("a\n10%\r20%", "$ make\n  a\n  20%"),
    ] {
        assert_eq!(text(&running(output).tail(2, 40, &palette)), wanted, "{output:?}");
    }
    assert_eq!(text(&running("").folded(2, 40, &palette)), "$ make");
}
