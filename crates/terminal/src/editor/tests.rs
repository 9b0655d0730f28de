//! Motions, deletions and rows, and the laws that hold after any of them.

use super::*;
use proptest::prelude::*;
use unicode_width::UnicodeWidthStr;

fn lay(editor: &Editor, width: usize) -> Layout {
    Layout::new(editor.text(), editor.cursor(), width, UnicodeWidthStr::width)
}

/// An editor with `|` where the cursor stands.
fn editor(marked: &str) -> Editor {
    let (before, after) = marked.split_once('|').unwrap();
    Editor { text: format!("{before}{after}"), cursor: before.len(), ..Editor::default() }
}

fn marked(editor: &Editor) -> String {
    format!("{}|{}", &editor.text[..editor.cursor], &editor.text[editor.cursor..])
}

#[test]
fn motions_and_deletions() {
    type Act = fn(&mut Editor);
    let cases: &[(&str, Act, &str)] = &[
        ("ab|c", |e| e.go(Reach::Left), "a|bc"),
        ("e\u{301}|x", |e| e.delete(Reach::Left), "|x"),
        ("👨‍👩‍👧|", |e| e.delete(Reach::Left), "|"),
        ("|🇩🇪x", |e| e.delete(Reach::Right), "|x"),
        ("one two|", |e| e.go(Reach::WordLeft), "one |two"),
        ("one, two|", |e| e.kill(Reach::WordLeft), "one, |"),
        ("|one two", |e| e.go(Reach::WordRight), "one| two"),
        ("a/b-c d|", |e| e.kill(Reach::BlankLeft), "a/b-c |"),
        ("a/b-c  |", |e| e.kill(Reach::BlankLeft), "|"),
        ("x\nab|c", |e| e.go(Reach::LineStart), "x\n|abc"),
        ("x\na|bc\ny", |e| e.go(Reach::LineEnd), "x\nabc|\ny"),
        ("x\nab|c\ny", |e| e.kill(Reach::LineEnd), "x\nab|\ny"),
        ("x|\ny", |e| e.kill(Reach::LineEnd), "x|y"),
        ("x\nab|c", |e| e.kill(Reach::LineStart), "x\n|c"),
        (
            "one two|",
            |e| {
                e.kill(Reach::BlankLeft);
                e.kill(Reach::BlankLeft);
                e.yank();
            },
            "one two|",
        ),
        (
            "one|",
            |e| {
                e.kill(Reach::LineStart);
                e.undo();
            },
            "one|",
        ),
        (
            "|",
            |e| {
                e.insert("a");
                e.insert("b");
                e.insert(" ");
                e.undo();
            },
            "ab|",
        ),
        (
            "|",
            |e| {
                e.insert("a");
                e.insert("b");
                e.undo();
            },
            "|",
        ),
        ("@sr|c", |e| e.replace(0..3, "@src/"), "@src/|c"),
    ];
    for (before, act, after) in cases {
        let mut editor = editor(before);
        act(&mut editor);
        assert_eq!(marked(&editor), *after, "{before}");
    }
}

#[test]
fn up_and_down_move_inside_before_they_reach_the_edge() {
    let mut editor = editor("first\nse|cond\nx");
    assert_eq!(editor.up(&lay(&editor, 40)), Moved::Yes);
    assert_eq!(marked(&editor), "fi|rst\nsecond\nx");
    assert_eq!(editor.up(&lay(&editor, 40)), Moved::AtEdge);
    for (moved, after) in [
        (Moved::Yes, "first\nse|cond\nx"),
        (Moved::Yes, "first\nsecond\nx|"),
        (Moved::AtEdge, "first\nsecond\nx|"),
    ] {
        assert_eq!(editor.down(&lay(&editor, 40)), moved);
        assert_eq!(marked(&editor), after);
    }
    assert_eq!(editor.up(&lay(&editor, 40)), Moved::Yes);
    assert_eq!(marked(&editor), "first\nse|cond\nx");
}

#[test]
fn rows_break_at_blanks() {
    let rows = |text: &str, width| -> Vec<String> {
        let layout = Layout::new(text, text.len(), width, UnicodeWidthStr::width);
        layout.rows.iter().map(|row| text[row.bytes.clone()].to_owned()).collect()
    };
    assert_eq!(rows("", 10), [""]);
    assert_eq!(rows("hello big world", 10), ["hello big ", "world"]);
    assert_eq!(rows("aaaaaaaaaaaa", 5), ["aaaaa", "aaaaa", "aa"]);
    assert_eq!(rows("漢字漢字", 5), ["漢字", "漢字"]);
    assert_eq!(rows("a\n\nb", 5), ["a", "", "b"]);
    assert_eq!(rows("abcde", 5), ["abcde"]);
}

#[derive(Debug, Clone)]
enum Act {
    Insert(String),
    Go(Reach),
    Delete(Reach),
    Kill(Reach),
    Yank,
    Undo,
    Up,
    Down,
}

fn reach() -> impl Strategy<Value = Reach> {
    use Reach::*;
    prop::sample::select(vec![Left, Right, WordLeft, WordRight, BlankLeft, LineStart, LineEnd, Start, End])
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        prop::sample::select(vec![
            "a",
            "é",
            "e\u{301}",
            "漢",
            "👨‍👩‍👧",
            "\n",
            " ",
            "\u{200d}",
            "\u{301}",
            "word two"
        ])
        .prop_map(|text| Act::Insert(text.to_owned())),
        reach().prop_map(Act::Go),
        reach().prop_map(Act::Delete),
        reach().prop_map(Act::Kill),
        Just(Act::Yank),
        Just(Act::Undo),
        Just(Act::Up),
        Just(Act::Down),
    ]
}

proptest! {
    #[test]
    fn the_cursor_never_stands_inside_a_grapheme(acts in prop::collection::vec(act(), 0..60), width in 2usize..20) {
        let mut editor = Editor::default();
        for act in acts {
            match act {
                Act::Insert(text) => editor.insert(&text),
                Act::Go(reach) => editor.go(reach),
                Act::Delete(reach) => editor.delete(reach),
                Act::Kill(reach) => editor.kill(reach),
                Act::Yank => editor.yank(),
                Act::Undo => editor.undo(),
                Act::Up => drop(editor.up(&lay(&editor, width))),
                Act::Down => drop(editor.down(&lay(&editor, width))),
            }
            let edges: Vec<usize> = editor.text.grapheme_indices(true).map(|(at, _)| at).collect();
            prop_assert!(editor.cursor == editor.text.len() || edges.contains(&editor.cursor));
            if editor.text.len() > 2000 { break; }
        }
    }

    #[test]
    fn rows_hold_all_of_the_text_once_and_fit(text in "[a-c 漢é\n]{0,60}", width in 2usize..12, at in 0usize..60) {
        let cursor = text.char_indices().map(|(i, _)| i).nth(at).unwrap_or(text.len());
        let layout = Layout::new(&text, cursor, width, UnicodeWidthStr::width);
        let shown: String = layout.rows.iter().map(|row| &text[row.bytes.clone()]).collect();
        prop_assert_eq!(shown, text.replace('\n', ""));
        for row in &layout.rows {
            prop_assert!(text[row.bytes.clone()].width() <= width);
        }
        prop_assert!(layout.row < layout.rows.len());
        prop_assert!(layout.column <= width);
    }
}
