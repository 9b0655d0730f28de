//! What a terminal shows after the bytes of a screen, and how many those are.

use super::*;
use proptest::prelude::*;

struct Fake {
    screen: Screen<Vec<u8>>,
    terminal: vt100::Parser,
}

impl Fake {
    fn new(columns: usize, rows: usize) -> Fake {
        let size = Size { columns, rows };
        let terminal = vt100::Parser::new(rows as u16, columns as u16, 10_000);
        Fake { screen: Screen::new(Vec::new(), size, Reflow::Cuts), terminal }
    }

    /// Draws and gives how many bytes it took.
    fn frame(&mut self, finished: &[&str], live: &[&str], cursor: Cursor) -> usize {
        let lines = |texts: &[&str]| texts.iter().map(|text| Line::from(*text)).collect::<Vec<_>>();
        self.screen.frame(&lines(finished), &lines(live), cursor).unwrap();
        self.process()
    }

    fn process(&mut self) -> usize {
        let bytes = std::mem::take(&mut self.screen.out);
        self.terminal.process(&bytes);
        bytes.len()
    }

    /// Everything, scrollback first, without the blank rows at the end.
    fn all(&mut self) -> Vec<String> {
        let (rows, columns) = self.terminal.screen().size();
        self.terminal.screen_mut().set_scrollback(usize::MAX);
        let above = self.terminal.screen().scrollback();
        let mut lines = Vec::new();
        for offset in (1..=above).rev() {
            self.terminal.screen_mut().set_scrollback(offset);
            lines.extend(self.terminal.screen().rows(0, columns).next());
        }
        self.terminal.screen_mut().set_scrollback(0);
        lines.extend(self.terminal.screen().rows(0, columns).take(rows as usize));
        let mut lines: Vec<String> = lines.iter().map(|line| line.trim_end().to_owned()).collect();
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines
    }
}

#[test]
fn finished_lines_are_printed_once_and_the_live_area_stays_below() {
    let mut fake = Fake::new(20, 6);
    let cursor = Cursor { row: 1, column: 2 };
    fake.frame(&["hello"], &["", "> "], cursor);
    assert_eq!(fake.all(), ["hello", "", ">"]);
    for n in 0..20 {
        fake.frame(&[&format!("line {n}")], &["busy", "> x"], cursor);
    }
    let mut expected = vec!["hello".to_owned()];
    expected.extend((0..20).map(|n| format!("line {n}")));
    expected.extend(["busy".to_owned(), "> x".to_owned()]);
    assert_eq!(fake.all(), expected);
    assert_eq!(fake.terminal.screen().cursor_position(), (5, 2));
    fake.frame(&[], &["> x"], Cursor::default());
    expected.remove(expected.len() - 2);
    assert_eq!(fake.all(), expected);
}

#[test]
fn nothing_new_writes_nothing_and_a_key_writes_little() {
    let mut fake = Fake::new(80, 24);
    let cursor = |column| Cursor { row: 1, column };
    fake.frame(&["some text"], &["", "> hello", "  a long line below that does not change"], cursor(7));
    assert_eq!(fake.frame(&[], &["", "> hello", "  a long line below that does not change"], cursor(7)), 0);
    let bytes = fake.frame(&[], &["", "> hello!", "  a long line below that does not change"], cursor(8));
    assert!(bytes <= 4, "{bytes}");
}

#[test]
fn a_growing_tail_costs_little_more_than_its_text() {
    let mut fake = Fake::new(80, 24);
    let below = ["> ", "  footer footer footer footer footer footer footer footer"];
    let rows: Vec<String> = (0..200).map(|n| format!("{n:<70}|")).collect();
    let mut bytes = 0;
    for n in 1..=rows.len() {
        let tail = &rows[n.saturating_sub(8)..n];
        let status = format!("status {n}");
        let tail_rows = [""].into_iter().chain(tail.iter().map(String::as_str));
        let live: Vec<&str> = tail_rows.chain(["", &status]).chain(below).collect();
        bytes += fake.frame(&[], &live, Cursor { row: tail.len() + 3, column: 2 });
    }
    let text: usize = rows.iter().map(String::len).sum();
    assert!(bytes < 2 * text, "{bytes} bytes for {text} bytes of text");
}

#[test]
fn a_live_area_taller_than_the_window_shows_its_end() {
    let mut fake = Fake::new(10, 3);
    fake.frame(&[], &["a", "b", "c", "d", "> "], Cursor { row: 4, column: 2 });
    assert_eq!(fake.all(), ["c", "d", ">"]);
}

#[test]
fn another_size_repeats_nothing() {
    let mut fake = Fake::new(30, 8);
    fake.frame(&["finished one", "finished two"], &["", "> typed"], Cursor { row: 1, column: 7 });
    for (columns, rows) in [(20, 8), (40, 10), (15, 6)] {
        fake.terminal.screen_mut().set_size(rows, columns);
        fake.screen.resize(Size { columns: columns as usize, rows: rows as usize }).unwrap();
        fake.process();
        fake.frame(&[], &["", "> typed"], Cursor { row: 1, column: 7 });
        assert_eq!(fake.all(), ["finished one", "finished two", "", "> typed"]);
    }
}

#[test]
fn what_was_is_scrolled_away_and_kept() {
    let mut fake = Fake::new(20, 4);
    fake.frame(&["old"], &["> "], Cursor::default());
    fake.screen.scroll_away().unwrap();
    fake.process();
    fake.frame(&["new"], &["> "], Cursor::default());
    assert_eq!(fake.terminal.screen().contents().trim_end(), "new\n>");
    assert_eq!(fake.all().first().map(String::as_str), Some("old"));
}

fn rows(most: usize) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[ab漢 ]{0,9}x?", 0..most)
}

proptest! {
    /// Whatever frames follow one another, the terminal shows all finished lines in order and the last live area.
    #[test]
    fn the_terminal_shows_what_was_asked_for(frames in prop::collection::vec((rows(5), rows(7)), 1..12)) {
        let mut fake = Fake::new(22, 9);
        let mut printed = Vec::new();
        let mut last = Vec::new();
        for (finished, live) in &frames {
            let mut live = live.clone();
            live.push("end".into());
            let texts = |lines: &[String]| lines.to_vec();
            let (one, two) = (texts(finished), texts(&live));
            let one: Vec<&str> = one.iter().map(String::as_str).collect();
            let two: Vec<&str> = two.iter().map(String::as_str).collect();
            fake.frame(&one, &two, Cursor { row: live.len() - 1, column: 1 });
            printed.extend(finished.iter().cloned());
            last = live;
        }
        let trimmed = |lines: Vec<String>| lines.into_iter().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
        printed.extend(last);
        prop_assert_eq!(trimmed(fake.all()), trimmed(printed));
    }
}
