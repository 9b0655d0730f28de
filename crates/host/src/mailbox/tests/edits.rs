//! Edits by line numbers, alone and several in one reply.

use super::*;
use crate::mailbox::edits::{annotate, told};
use crate::mailbox::reply::Files;
use crate::workspace::{Hash, Tail, Text};
use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Files in memory, changed as the tools would.
#[derive(Default)]
struct Shelf(RefCell<BTreeMap<String, Vec<u8>>>);

impl Files for Shelf {
    fn key(&self, path: &str) -> Option<String> {
        Some(path.trim_start_matches("./").to_owned())
    }

    fn text(&self, path: &str) -> Option<Text> {
        let bytes = self.0.borrow().get(&self.key(path)?)?.clone();
        Text::decode(bytes, Path::new(path)).ok()
    }
}

impl Shelf {
    fn with(path: &str, content: &str) -> Shelf {
        Shelf(RefCell::new(BTreeMap::from([(path.to_owned(), content.into())])))
    }

    /// Carries calls out; says which were.
    fn carry_out(&self, calls: &[Call]) -> Vec<bool> {
        calls.iter().map(|call| self.carry_out_one(call).is_some()).collect()
    }

    fn carry_out_one(&self, call: &Call) -> Option<()> {
        let arguments: serde_json::Value = serde_json::from_str(&call.arguments).ok()?;
        let (path, content) =
            (arguments["path"].as_str()?, arguments["content"].as_str().unwrap_or_default());
        let key = self.key(path)?;
        let bytes = match call.name.as_str() {
            "create_file" => crate::mailbox::file_of(content),
            "edit_file" => {
                let (earlier, expect) = told(&arguments);
                let file = self.text(path).filter(|file| expect.is_none_or(|hash| hash == file.hash()))?;
                let range = (arguments["start_line"].as_i64()?, arguments["end_line"].as_i64()?);
                file.encode(&replace(file.body(), range, content, &earlier).ok()?, Tail::AsBefore)
            }
            _ => return None,
        };
        self.0.borrow_mut().insert(key, bytes);
        Some(())
    }

    fn content(&self, path: &str) -> String {
        String::from_utf8(self.0.borrow()[path].clone()).unwrap()
    }
}

fn calls(reply: &str, shelf: &Shelf) -> Vec<Call> {
    let mut calls: Vec<Call> = text::parse(reply).iter().map(text::call).collect();
    annotate(&mut calls, shelf);
    calls
}

fn edit(path: &str, start: i64, end: i64, body: &str) -> String {
    let tag = format!("[EDIT_FILE path=\"{path}\" start_line=\"{start}\" end_line=\"{end}\"]");
    // Nothing means that the lines are removed, and that is no line between the tags.
    let line_end = if body.is_empty() { "" } else { "\n" };
    format!("{tag}\n{body}{line_end}[/EDIT_FILE]\n")
}

#[test]
fn one_edit() {
    let body = "a\nb\nc\n";
    for (range, new, expected) in [
        ((1, 1), "x", Ok("x\nb\nc\n")),
        ((2, 3), "x\ny\nz", Ok("a\nx\ny\nz\n")),
        ((1, 3), "", Ok("")),
        ((3, 3), "c\n", Ok("a\nb\nc\n")),
        ((0, 1), "x", Err(3)),
        ((-5, -1), "x", Err(3)),
        ((2, 1), "x", Err(3)),
        ((3, 4), "x", Err(3)),
        ((1, i64::MAX), "x", Err(3)),
        ((i64::MIN, i64::MAX), "x", Err(3)),
    ] {
        let expected = expected.map(str::to_owned).map_err(|lines| BadRange::Outside { lines });
        assert_eq!(replace(body, range, new, &[]), expected, "{range:?}");
    }
    assert_eq!(replace("", (1, 1), "x", &[]), Err(BadRange::Outside { lines: 0 }));
}

#[test]
fn numbers_of_several_edits_mean_the_file_as_it_was_shown() {
    for (reply, expected, carried) in [
        (edit("f", 1, 1, "1\n1") + &edit("f", 3, 3, "3"), "1\n1\nb\n3\nd\n", vec![true, true]),
        (edit("f", 3, 4, "3") + &edit("f", 1, 2, "1"), "1\n3\n", vec![true, true]),
        (edit("f", 1, 2, "") + &edit("./f", 4, 4, "4"), "c\n4\n", vec![true, true]),
        (edit("f", 1, 1, "\n") + &edit("f", 3, 3, "3\n"), "\n\nb\n3\n\nd\n", vec![true, true]),
        (edit("f", 1, 2, "x") + &edit("f", 2, 3, "y"), "x\nc\nd\n", vec![true, false]),
        (edit("f", 9, 9, "x") + &edit("f", 4, 4, "4"), "a\nb\nc\n4\n", vec![false, true]),
        (edit("f", 1, 1, "1\n1") + &edit("f", 5, 5, "x"), "1\n1\nb\nc\nd\n", vec![true, false]),
        (
            "[CREATE_FILE path=\"f\"]\n1\n2\n[/CREATE_FILE]\n".to_owned()
                + &edit("f", 1, 1, "x\nx")
                + &edit("f", 2, 2, "y"),
            "x\nx\ny\n",
            vec![true, true, true],
        ),
    ] {
        let shelf = Shelf::with("f", "a\nb\nc\nd\n");
        let calls = calls(&reply, &shelf);
        assert_eq!((shelf.carry_out(&calls), shelf.content("f").as_str()), (carried, expected), "{reply}");
    }
}

#[test]
fn an_edit_that_finds_another_file_than_the_reply_made_is_not_made() {
    let shelf = Shelf::with("f", "a\nb\nc\n");
    let calls = calls(&(edit("f", 1, 1, "x\ny") + &edit("f", 3, 3, "z")), &shelf);
    // The program died in the first edit, before it was made: the second would hit another line.
    assert_eq!(shelf.carry_out(&calls[1..]), [false]);
    assert_eq!(shelf.carry_out(&calls), [true, true], "if it was made after all, the second fits");
    assert_eq!(shelf.content("f"), "x\ny\nb\nz\n");
    let hash = Hash::of(b"x\ny\nb\nc\n").to_string();
    assert!(calls[1].arguments.contains(&hash), "{}", calls[1].arguments);
}

proptest! {
    /// Whatever the order, edits that do not touch each other do what they would do from the last line to the first.
    #[test]
    fn the_order_of_edits_does_not_matter(
        cuts in proptest::collection::btree_set(1..30i64, 2..12),
        sizes in proptest::collection::vec(0..4usize, 12),
        shuffle in proptest::collection::vec(any::<u32>(), 12),
    ) {
        let original: String = (1..=30).map(|line| format!("line {line}\n")).collect();
        let cuts: Vec<i64> = cuts.into_iter().collect();
        let body = |at: usize| (0..sizes[at]).map(|part| format!("new {at}.{part}")).collect::<Vec<_>>().join("\n");
        let edits: Vec<(i64, i64, String)> = cuts
            .chunks_exact(2)
            .enumerate()
            .map(|(at, range)| (range[0], range[1], body(at)))
            .collect();
        let mut expected = original.clone();
        for (start, end, new) in edits.iter().rev() {
            expected = replace(&expected, (*start, *end), new, &[]).unwrap();
        }
        let mut order: Vec<usize> = (0..edits.len()).collect();
        order.sort_by_key(|at| shuffle[*at]);
        let reply: String = order.iter().map(|at| edit("f", edits[*at].0, edits[*at].1, &edits[*at].2)).collect();
        let shelf = Shelf::with("f", &original);
        let calls = calls(&reply, &shelf);
        prop_assert!(shelf.carry_out(&calls).into_iter().all(|carried| carried));
        prop_assert_eq!(shelf.content("f"), expected);
    }
}
