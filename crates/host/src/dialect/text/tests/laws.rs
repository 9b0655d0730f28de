//! Laws of the text dialect: what is printed is read again, and nothing hostile breaks the reader.

use super::*;
use proptest::prelude::*;

/// Pieces that are likely to confuse the reader when they meet.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "[CREATE_FILE path=\"a\"]",
            "[/CREATE_FILE]",
            "[RUN_COMMAND]",
            "[/RUN_COMMAND]",
            "[DONE]",
            "[/DONE]",
            "[READ_FILE path=",
            "[EDIT_FILE path='a' start_line=\"1\" end_line=“2”]",
            "[/EDIT_FILE]",
            "[MESSAGE]",
            "[/MESSAGE]",
            "[CALL tool=\"x\"]",
            "[/CALL]",
            "\n",
            "\n",
            "\n",
            "\r\n",
            "```",
            "```sh",
            "~~~",
            "&quot;",
            "&#91;",
            "&#93;",
            "&amp;",
            "\"",
            "'",
            "“",
            "”",
            "]",
            "[",
            "=",
            " ",
            "\t",
            "\u{feff}",
            "\u{200b}",
            "/",
        ])
        .prop_map(String::from),
        "\\PC{0,6}",
    ]
}

fn hostile() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..24).prop_map(|pieces| pieces.concat())
}

fn block() -> impl Strategy<Value = Block> {
    let lines = || hostile().prop_map(|text| if text.is_empty() { text } else { text + "\n" });
    let trimmed = || hostile().prop_map(|text| text.trim().to_owned());
    prop_oneof![
        (hostile(), lines()).prop_map(|(path, body)| Block::CreateFile { path, body }),
        ("[a-z/]{1,8}(\\.md)?", lines()).prop_map(|(path, body)| Block::CreateFile { path, body }),
        ("[a-z/ .&\"]{1,8}", any::<i64>(), any::<i64>(), lines())
            .prop_map(|(path, start, end, body)| Block::EditFile { path, start, end, body }),
        hostile().prop_map(|path| Block::DeleteFile { path }),
        "\\PC{1,12}".prop_map(|path| Block::ReadFile { path }),
        trimmed().prop_map(Block::RunCommand),
        trimmed().prop_map(Block::Message),
        trimmed().prop_map(Block::Done),
        ("[a-z_]{1,8}", trimmed()).prop_map(|(tool, arguments)| Block::Call { tool, arguments }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printing_and_reading_gives_the_same(block in block()) {
        if let Ok(text) = print(&block) {
            prop_assert_eq!(parse(&text), std::slice::from_ref(&block));
            let wrapped = format!("Words.\r\n```\n{text}\n```\nMore.");
            prop_assert_eq!(parse(&wrapped), [block]);
        }
    }

    #[test]
    fn whatever_was_read_can_be_printed_or_is_refused_for_a_reason(reply in hostile()) {
        for block in parse(&reply) {
            match print(&block) {
                Ok(text) => prop_assert_eq!(parse(&text), [block]),
                // An escaped block may hold what a plain one cannot.
                Err(Unprintable::ParseError) => prop_assert!(matches!(block, Block::ParseError(_))),
                Err(_) => {}
            }
        }
    }

    #[test]
    fn line_ends_do_not_matter(reply in hostile()) {
        let unix = reply.replace('\r', "");
        prop_assert_eq!(parse(&unix.replace('\n', "\r\n")), parse(&unix));
    }

    #[test]
    fn nothing_after_an_unclosed_block_or_done_runs(reply in hostile()) {
        let blocks = parse(&format!("{reply}\n[DONE]\n[/DONE]\n[DELETE_FILE path=\"x\"]"));
        prop_assert_ne!(blocks.last(), Some(&delete("x")));
    }
}
