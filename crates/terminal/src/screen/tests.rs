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

    fn resize(&mut self, columns: usize, rows: usize) {
        resize(&mut self.terminal, columns, rows);
        self.screen.resize(Size { columns, rows }, None).unwrap();
        self.process();
    }

    fn all(&mut self) -> Vec<String> {
        all(&mut self.terminal)
    }
}

fn spot(row: usize, column: usize) -> Cursor {
    Cursor { row, column, ..Cursor::default() }
}

/// Everything, scrollback first, without the blank rows at the end.
pub(crate) fn all(terminal: &mut vt100::Parser) -> Vec<String> {
    let (rows, columns) = terminal.screen().size();
    terminal.screen_mut().set_scrollback(usize::MAX);
    let above = terminal.screen().scrollback();
    let mut lines = Vec::new();
    for offset in (1..=above).rev() {
        terminal.screen_mut().set_scrollback(offset);
        lines.extend(terminal.screen().rows(0, columns).next());
    }
    terminal.screen_mut().set_scrollback(0);
    lines.extend(terminal.screen().rows(0, columns).take(rows as usize));
    let mut lines: Vec<String> = lines.iter().map(|line| line.trim_end().to_owned()).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// Gives the window another size as terminals do: rows below the cursor are lost first, then those at the top go into
/// the scrollback. The model alone would only cut off rows at the bottom.
pub(crate) fn resize(terminal: &mut vt100::Parser, columns: usize, rows: usize) {
    let (old, (row, column)) = (terminal.screen().size().0, terminal.screen().cursor_position());
    let pushed = (row + 1).saturating_sub(rows as u16);
    if pushed > 0 {
        terminal.process(format!("\x1b[{old};1H{}", "\n".repeat(pushed as usize)).as_bytes());
        terminal.process(format!("\x1b[{};{}H", row - pushed + 1, column + 1).as_bytes());
    }
    terminal.screen_mut().set_size(rows as u16, columns as u16);
}

#[test]
fn finished_lines_are_printed_once_and_the_live_area_stays_below() {
    let mut fake = Fake::new(20, 6);
    let cursor = spot(1, 2);
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
    let cursor = |column| spot(1, column);
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
        bytes += fake.frame(&[], &live, spot(tail.len() + 3, 2));
    }
    let text: usize = rows.iter().map(String::len).sum();
    assert!(bytes < 2 * text, "{bytes} bytes for {text} bytes of text");
}

#[test]
fn a_live_area_taller_than_the_window_shows_its_end() {
    let mut fake = Fake::new(10, 3);
    fake.frame(&[], &["a", "b", "c", "d", "> "], spot(4, 2));
    assert_eq!(fake.all(), ["c", "d", ">"]);
}

#[test]
fn another_size_repeats_nothing() {
    let mut fake = Fake::new(30, 8);
    fake.frame(&["finished one", "finished two"], &["", "> typed"], spot(1, 7));
    for (columns, rows) in [(20, 8), (40, 10), (15, 6)] {
        fake.resize(columns, rows);
        fake.frame(&[], &["", "> typed"], spot(1, 7));
        assert_eq!(fake.all(), ["finished one", "finished two", "", "> typed"]);
    }
}

#[test]
fn the_beginning_of_the_live_area_is_found_in_broken_rows() {
    // The cursor is in or behind a row of so many columns; how far up the live area begins in a window of 10.
    for (width, column, up) in
        [(5, 5, 1), (10, 10, 1), (11, 11, 2), (20, 20, 2), (20, 3, 1), (20, 12, 2), (25, 25, 3)]
    {
        let mut screen = Screen::new(Vec::new(), Size { columns: 40, rows: 20 }, Reflow::Breaks);
        screen.frame(&[], &[Line::new(), Line::from("x".repeat(width))], spot(1, column)).unwrap();
        screen.out.clear();
        screen.resize(Size { columns: 10, rows: 20 }, None).unwrap();
        let moved = if up == 1 { "\x1b[A".to_owned() } else { format!("\x1b[{up}A") };
        assert_eq!(String::from_utf8_lossy(&screen.out), format!("{moved}\r{ERASE}"), "{width} {column}");
    }
}

#[test]
fn what_of_the_live_area_is_out_of_reach_is_told() {
    let live: Vec<Line> = ["", "abcdefghijkl", "漢漢漢漢漢漢", "> "].into_iter().map(Line::from).collect();
    // The row that the cursor is in after a change to so many columns, and what is above the window then.
    for (columns, row, rows, part) in [
        (20, 3, 0, 0),
        (20, 1, 2, 0),
        (20, 0, 3, 0),
        (12, 3, 0, 0),
        (10, 5, 0, 0),
        (10, 3, 1, 10),
        (10, 2, 2, 0),
        // Five columns hold two wide characters.
        (5, 7, 0, 0),
        (5, 5, 1, 5),
        (5, 2, 2, 5),
    ] {
        let mut screen = Screen::new(Vec::new(), Size { columns: 20, rows: 20 }, Reflow::Breaks);
        screen.frame(&[], &live, spot(3, 2)).unwrap();
        let gone = screen.resize(Size { columns, rows: 9 }, Some(Place { row, column: 2 })).unwrap();
        assert_eq!(gone, Gone { rows, columns: part }, "{columns} {row}");
    }
}

#[test]
fn a_row_that_gets_shorter_holds_nothing_any_more_that_could_be_broken() {
    let mut screen = Screen::new(Vec::new(), Size { columns: 20, rows: 20 }, Reflow::Breaks);
    screen.frame(&[], &[Line::from("> a long draft")], spot(0, 14)).unwrap();
    screen.out.clear();
    screen.frame(&[], &[Line::from("> a")], spot(0, 3)).unwrap();
    assert_eq!(String::from_utf8_lossy(&screen.out), "\r\x1b[K> a");
}

#[test]
fn a_window_shorter_than_the_live_area_keeps_nothing_of_it() {
    let live: Vec<String> = (0..12).map(|n| format!("live {n}")).chain(["> typed".into()]).collect();
    let live: Vec<&str> = live.iter().map(String::as_str).collect();
    let cursor = Cursor { row: 12, column: 3, rests: Rests::AtTop };
    let mut fake = Fake::new(30, 20);
    fake.frame(&["one", "two", "three", "four", "five", "six", "seven", "eight"], &live, cursor);
    assert!(fake.terminal.screen().hide_cursor());
    let drawn = fake.terminal.screen().cell(19, 3).map(|cell| (cell.contents(), cell.inverse()));
    assert_eq!(drawn, Some(("y", true)));
    for (columns, rows) in [(30, 8), (30, 3), (12, 3), (40, 30), (20, 2), (30, 1), (30, 20)] {
        fake.resize(columns, rows);
        fake.frame(&[], &live, cursor);
        let mut expected = vec!["one", "two", "three", "four", "five", "six", "seven", "eight"];
        expected.extend(&live[live.len().saturating_sub(rows)..]);
        assert_eq!(fake.all(), expected, "{columns} x {rows}");
    }
    fake.frame(&["done"], &["> "], Cursor::default());
    assert!(!fake.terminal.screen().hide_cursor());
    assert_eq!(fake.all()[8..], ["done", ">"]);
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

#[test]
fn a_row_is_emptied_where_a_blank_one_takes_its_place() {
    for (next, erased) in [("", true), ("c", false)] {
        let mut fake = Fake::new(20, 9);
        fake.frame(&[], &["a", "b", next, "end"], Cursor::default());
        fake.screen.frame(&[], &["a", next, "end"].map(Line::from), Cursor::default()).unwrap();
        let bytes = String::from_utf8_lossy(&fake.screen.out).into_owned();
        assert_eq!(bytes.contains("\x1b[K\x1b[1M"), erased, "{bytes:?}");
        fake.process();
        assert_eq!(fake.all(), ["a", next, "end"]);
    }
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
            fake.frame(&one, &two, spot(live.len() - 1, 1));
            printed.extend(finished.iter().cloned());
            last = live;
        }
        let trimmed = |lines: Vec<String>| lines.into_iter().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
        printed.extend(last);
        prop_assert_eq!(trimmed(fake.all()), trimmed(printed));
    }
}
