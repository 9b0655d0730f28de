//! What a person types, key by key, and what is submitted and shown.

use super::*;
use crate::keys::With;
use crate::style::Palette;

fn typed(prompt: &mut Prompt, text: &str) -> Vec<String> {
    let mut decoder = crate::keys::Decoder::default();
    let mut inputs = decoder.push(text.as_bytes());
    inputs.extend(decoder.settle());
    let mut submitted = Vec::new();
    for input in inputs {
        match input {
            crate::keys::Input::Key(key) => {
                if let Act::Submit(text) = prompt.key(key, 40) {
                    submitted.push(text);
                }
            }
            crate::keys::Input::Paste(text) => prompt.paste(&text),
            _ => {}
        }
    }
    submitted
}

#[test]
fn what_is_typed_is_submitted() {
    for (keys, submitted) in [
        ("hello\r", vec!["hello"]),
        ("one\rtwo\r", vec!["one", "two"]),
        ("  \r", vec![]),
        ("a\nb\r", vec!["a\nb"]),
        ("a\x1b\rb\r", vec!["a\nb"]),
        ("a\x1b[13;2ub\r", vec!["a\nb"]),
        ("\x1b[200~x\ry\x1b[201~\r", vec!["x\ny"]),
        ("helo\x1b[D\x7f\x01>\x05!\r", vec![">heo!"]),
        ("one two\x17three\r", vec!["one three"]),
        ("one two\x01\x0b\x19\x19\r", vec!["one twoone two"]),
        ("/qu\r", vec!["/quit"]),
        ("/\x1b[A\r", vec!["/quit"]),
        ("/mo\topenai/x\r", vec!["/model openai/x"]),
        ("/nothing\r", vec!["/nothing"]),
        ("é漢👨‍👩‍👧\x7f\r", vec!["é漢"]),
    ] {
        assert_eq!(typed(&mut Prompt::default(), keys), submitted, "{keys:?}");
    }
}

#[test]
fn enter_takes_what_is_chosen_where_what_was_typed_names_nothing() {
    let said =
        [Item::labelled("18", "third question", "before 18"), Item::labelled("1", "first", "before 1")];
    for (argument, items, keys, submitted) in [
        (Argument::Profile, vec![Item::new("web", ""), Item::new("w", "")], "/profile we\r", "/profile web"),
        (Argument::Profile, vec![Item::new("web", ""), Item::new("w", "")], "/profile w\r", "/profile w"),
        (Argument::Profile, vec![Item::new("web", "")], "/profile other\r", "/profile other"),
        (Argument::Prompt, said.to_vec(), "/fork third\r", "/fork 18"),
        (Argument::Prompt, said.to_vec(), "/fork 8\r", "/fork 8"),
        (Argument::Prompt, said.to_vec(), "/fork \r", "/fork "),
        (Argument::Model, vec![Item::new("openai/gpt-third", "")], "/model gt\r", "/model gt"),
        (Argument::File, vec![Item::new("docs/", "")], "/export do\r", "/export do"),
        (Argument::File, vec![Item::new("docs/", "")], "/export do\tx.md\r", "/export docs/x.md"),
    ] {
        let mut prompt = Prompt::default();
        prompt.supply(Kind::Argument(argument), items);
        assert_eq!(typed(&mut prompt, keys), [submitted], "{keys:?}");
    }
}

#[test]
fn up_and_down_walk_the_history_and_keep_the_draft() {
    let mut prompt = Prompt::default();
    ["one", "two\nlines"].iter().for_each(|text| prompt.remember(text));
    typed(&mut prompt, "draft\x1b[A");
    assert_eq!(prompt.whole(), "two\nlines");
    // Up moves inside before it goes on.
    typed(&mut prompt, "\x1b[A");
    assert_eq!(prompt.whole(), "two\nlines");
    typed(&mut prompt, "\x1b[A");
    assert_eq!(prompt.whole(), "one");
    typed(&mut prompt, "\x1b[B\x1b[B\x1b[B");
    assert_eq!(prompt.whole(), "draft");
}

#[test]
fn paths_are_completed_and_a_finished_one_is_sent() {
    let mut prompt = Prompt::default();
    typed(&mut prompt, "see @ma");
    assert_eq!(prompt.lacks(), Some(Kind::Path));
    prompt.supply(Kind::Path, ["src/main.rs", "README.md"].map(|path| Item::new(path, "")).to_vec());
    assert!(prompt.has_list());
    assert_eq!(typed(&mut prompt, "\t"), Vec::<String>::new());
    assert_eq!(prompt.whole(), "see @src/main.rs ");
    assert_eq!(typed(&mut prompt, "\r"), ["see @src/main.rs "]);
    prompt.supply(Kind::Path, vec![Item::new("src/main.rs", "")]);
    assert_eq!(typed(&mut prompt, "@src/main.rs\r"), ["@src/main.rs"]);
}

#[test]
fn a_name_that_was_typed_wins_over_one_that_fits() {
    let mut prompt = Prompt::default();
    prompt.supply(Kind::Argument(Argument::Model), vec![Item::new("openai/gpt-5", "")]);
    assert_eq!(typed(&mut prompt, "/model gpt\r"), ["/model gpt"]);
    prompt.supply(Kind::Argument(Argument::Model), vec![Item::new("openai/gpt-5", "")]);
    assert_eq!(typed(&mut prompt, "/model gpt\x1b[B\r"), ["/model openai/gpt-5"]);
}

#[test]
fn a_large_paste_is_folded_and_sent_whole() {
    let mut prompt = Prompt::default();
    let long = "line\n".repeat(312);
    typed(&mut prompt, &format!("before \x1b[200~{long}\x1b[201~ after"));
    let (lines, cursor) = prompt.lines(60, 10, &Palette::none());
    assert_eq!(lines[0].text(), "❯ before [pasted 312 lines] after");
    assert_eq!((cursor.row, cursor.column), (0, 33));
    assert_eq!(typed(&mut prompt, "\r"), [format!("before {long} after")]);
}

#[test]
fn the_rows_around_the_cursor_are_shown() {
    let mut prompt = Prompt::default();
    let text: Vec<String> = (0..30).map(|n| format!("row {n}")).collect();
    prompt.set(&text.join("\n"));
    let (lines, cursor) = prompt.lines(40, 5, &Palette::none());
    assert_eq!((lines.len(), cursor.row), (5, 4));
    assert_eq!(lines[4].text(), "  row 29");
    for _ in 0..29 {
        prompt.key(Key { code: Code::Up, with: With::NONE }, 40);
    }
    let (lines, cursor) = prompt.lines(40, 5, &Palette::none());
    assert_eq!((lines[0].text().as_str(), cursor.row), ("❯ row 0", 0));
    assert!(lines.iter().all(|line| line.width() <= 40));
}

#[test]
fn nothing_pasted_is_obeyed_when_it_is_shown() {
    let mut prompt = Prompt::default();
    prompt.paste("a\x1b[2Jb\u{202e}c\td");
    let (lines, _) = prompt.lines(60, 5, &Palette::none());
    assert!(lines.iter().all(|line| !line.text().chars().any(char::is_control)));
    assert_eq!(typed(&mut prompt, "\r"), ["a\x1b[2Jb\u{202e}c\td"]);
}

#[test]
fn what_is_typed_is_seen_as_it_will_be_read() {
    let many = format!("e{}", "\u{301}".repeat(40));
    for (words, shown) in [
        ("a漢é", "❯ a漢é"),
        ("👩\u{200d}💻!", "❯ 👩\u{200d}💻!"),
        ("I ❤\u{fe0f} it", "❯ I ❤ it"),
        ("a\u{202e}b\u{200b}", "❯ a<U+202E>b<U+200B>"),
        ("a\u{200d}b", "❯ a<U+200D>b"),
    ] {
        let mut prompt = Prompt::new(History::new(None));
        prompt.paste(words);
        let (lines, cursor) = prompt.lines(60, 5, &Palette::none());
        assert_eq!(lines[0].text(), shown);
        assert_eq!(cursor.column, lines[0].width());
    }
    let mut prompt = Prompt::new(History::new(None));
    prompt.paste(&many);
    assert!(prompt.lines(600, 5, &Palette::none()).0[0].text().contains("<U+0301>"));
}
