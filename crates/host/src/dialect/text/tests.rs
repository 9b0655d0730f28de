//! Replies as chats and people make them, as tables through one check; and the law that print and parse agree.

mod laws;

use super::*;

/// The body of a file, from its lines without the end of the last one; nothing means no line.
fn lines(body: &str) -> String {
    let end = if body.is_empty() { "" } else { "\n" };
    format!("{body}{end}")
}

fn create(path: &str, body: &str) -> Block {
    Block::CreateFile { path: path.into(), body: lines(body) }
}

fn edit(path: &str, start: i64, end: i64, body: &str) -> Block {
    Block::EditFile { path: path.into(), start, end, body: lines(body) }
}

fn delete(path: &str) -> Block {
    Block::DeleteFile { path: path.into() }
}

fn see(path: &str) -> Block {
    Block::ReadFile { path: path.into() }
}

fn run(command: &str) -> Block {
    Block::RunCommand(command.into())
}

fn error(text: &str) -> Block {
    Block::ParseError(text.into())
}

fn check(cases: &[(&str, Vec<Block>)]) {
    for (reply, expected) in cases {
        assert_eq!(&parse(reply), expected, "{reply}");
    }
}

#[test]
fn every_command_of_the_contract() {
    check(&[
        (
            "[CREATE_FILE path=\"a/b.txt\"]\n  one\n\ttwo\n\n[/CREATE_FILE]",
            vec![create("a/b.txt", "  one\n\ttwo\n")],
        ),
        ("[CREATE_FILE path=\"a\"]\n[/CREATE_FILE]", vec![create("a", "")]),
        (
            "[EDIT_FILE path=\"a\" start_line=\"2\" end_line=\"3\"]\n    x\n[/EDIT_FILE]",
            vec![edit("a", 2, 3, "    x")],
        ),
        ("[EDIT_FILE end_line=\"3\" path=\"a\" start_line=\"-2\"]\n[/EDIT_FILE]", vec![edit("a", -2, 3, "")]),
        (
            "[EDIT_FILE path=\"a\" start_line=\"1\" end_line=\"1\"]\n\n[/EDIT_FILE]",
            vec![Block::EditFile { path: "a".into(), start: 1, end: 1, body: "\n".into() }],
        ),
        ("[DELETE_FILE path=\"a b.txt\"]", vec![delete("a b.txt")]),
        ("[READ_FILE path=\"a]b\"]", vec![see("a]b")]),
        ("[RUN_COMMAND]\n\n  ls -la  \n\n[/RUN_COMMAND]", vec![run("ls -la")]),
        ("[MESSAGE]\n hello\n there \n[/MESSAGE]", vec![Block::Message("hello\n there".into())]),
        ("[DONE]\nall good\n[/DONE]", vec![Block::Done("all good".into())]),
        (
            "[CALL tool=\"shell\"]\n{\"command\": \"ls\"}\n[/CALL]",
            vec![Block::Call { tool: "shell".into(), arguments: "{\"command\": \"ls\"}".into() }],
        ),
    ]);
}

#[test]
fn every_parse_error_of_the_contract() {
    let lines = "EDIT_FILE start_line/end_line must be integers";
    let required = "EDIT_FILE missing required attributes (path, start_line, end_line)";
    let cases: Vec<(&str, &str)> = vec![
        ("[DELETE_FILE]", "DELETE_FILE missing path attribute"),
        ("[DELETE_FILE path=\"\"]", "DELETE_FILE missing path attribute"),
        ("[DELETE_FILE path=a]", "DELETE_FILE missing path attribute"),
        ("[DELETE_FILE file=\"a\"]", "DELETE_FILE missing path attribute"),
        ("[DELETE_FILE path=\"a]", "DELETE_FILE missing path attribute"),
        ("[READ_FILE ]", "READ_FILE missing path attribute"),
        ("[READ_FILE the readme]", "READ_FILE missing path attribute"),
        ("[CREATE_FILE]\nx\n[/CREATE_FILE]", "CREATE_FILE missing path attribute"),
        ("[CREATE_FILE]\nx\n", "CREATE_FILE missing path attribute"),
        ("[CREATE_FILE path=\"p q\"]\nx\n", "CREATE_FILE for 'p q' missing closing tag"),
        ("[EDIT_FILE path=\"p\" start_line=\"1\" end_line=\"1\"]", "EDIT_FILE for 'p' missing closing tag"),
        ("[EDIT_FILE path=\"p\" start_line=\"1\"]\n[/EDIT_FILE]", required),
        ("[EDIT_FILE start_line=\"x\" end_line=\"y\"]\n[/EDIT_FILE]", required),
        ("[EDIT_FILE path=\"p\" start_line=\"x\" end_line=\"2\"]\n[/EDIT_FILE]", lines),
        ("[EDIT_FILE path=\"p\" start_line=\"1\" end_line=\"2.5\"]\n[/EDIT_FILE]", lines),
        ("[EDIT_FILE path=\"p\" start_line=\"1\" end_line=\"99999999999999999999\"]\n[/EDIT_FILE]", lines),
        ("[RUN_COMMAND]\nls", "RUN_COMMAND missing closing tag"),
        ("[MESSAGE]", "MESSAGE missing closing tag"),
        ("[DONE]\n[/DONE", "DONE missing closing tag"),
        ("[CALL]\n{}\n[/CALL]", "CALL missing tool attribute"),
        ("[CALL tool=\"x\"]\n{}", "CALL for 'x' missing closing tag"),
        ("[READ_FILE path=\"a\" path=\"b\"]", "READ_FILE path attribute given twice"),
        ("[READ_FILE path=\"a\" PATH=\"a\"]", "READ_FILE path attribute given twice"),
        (
            "[DELETE_FILE path=\"my \"odd\" file\"]",
            "DELETE_FILE attributes cannot be read, write them as name=\"value\"",
        ),
    ];
    for (reply, text) in cases {
        assert_eq!(parse(reply), [error(text)], "{reply}");
    }
}

#[test]
fn nothing_inside_a_broken_block_runs() {
    check(&[
        (
            "[CREATE_FILE]\n[DELETE_FILE path=\"x\"]\n[/CREATE_FILE]\n[READ_FILE path=\"y\"]",
            vec![error("CREATE_FILE missing path attribute"), see("y")],
        ),
        (
            "[READ_FILE path=\"y\"]\n[RUN_COMMAND]\n[DELETE_FILE path=\"x\"]\n[/CREATE_FILE]\n[DONE]\n[/DONE]",
            vec![see("y"), error("RUN_COMMAND missing closing tag")],
        ),
        (
            "[EDIT_FILE path=\"a\" start_line=\"x\" end_line=\"1\"]\n[RUN_COMMAND]\nls\n[/RUN_COMMAND]\n[/EDIT_FILE]",
            vec![error("EDIT_FILE start_line/end_line must be integers")],
        ),
    ]);
}

#[test]
fn tags_in_bodies_are_text() {
    let body = "[DELETE_FILE path=\"x\"]\n[CREATE_FILE path=\"y\"]\n[/DONE]\n[/RUN_COMMAND]\nsee [/CREATE_FILE] here";
    let reply = format!("[CREATE_FILE path=\"a.md\"]\n{body}\n[/CREATE_FILE]\n[READ_FILE path=\"z\"]");
    assert_eq!(parse(&reply), [create("a.md", body), see("z")]);
}

#[test]
fn done_ends_the_reading() {
    check(&[
        (
            "[READ_FILE path=\"a\"]\n[DONE]\nok\n[/DONE]\n[DELETE_FILE path=\"b\"]\n[RUN_COMMAND]",
            vec![see("a"), Block::Done("ok".into())],
        ),
        (
            "[DELETE_FILE]\n[DONE]\n[/DONE]",
            vec![error("DELETE_FILE missing path attribute"), Block::Done("".into())],
        ),
    ]);
}

#[test]
fn what_is_no_tag_is_ignored() {
    for reply in [
        "",
        "\u{feff}",
        "no commands here",
        "Use [DONE] when finished",
        "`[DELETE_FILE path=\"x\"]`",
        "- [DELETE_FILE path=\"x\"]",
        "> [DELETE_FILE path=\"x\"]",
        "[DELETE_FILE path=\"x\"] and more",
        "[DELETE_FILE path=\"x\"][/DELETE_FILE]",
        "[RUN_COMMAND]rm x[/RUN_COMMAND]",
        "[delete_file path=\"x\"]",
        "[DONE with the first part]",
        "[MESSAGES]\nx\n[/MESSAGES]",
        "[UNKNOWN path=\"x\"]\ny\n[/UNKNOWN]",
        "[/CREATE_FILE]",
        "&lt;DELETE_FILE path=\"x\"&gt;",
        "<DELETE_FILE path=\"x\">",
        "[",
        "[]",
        "[DELETE_FILE",
        "[DELETE_FILE path=\"x\"",
        "[DELETE_FILE path",
        "[DELETE_FILE path=",
        "&#91;",
    ] {
        assert_eq!(parse(reply), [], "{reply}");
    }
}

#[test]
fn what_chats_do_is_forgiven() {
    let one = vec![see("a.txt"), run("ls")];
    let plain = "[READ_FILE path=\"a.txt\"]\n[RUN_COMMAND]\nls\n[/RUN_COMMAND]";
    let cases = [
        plain.replace('\n', "\r\n"),
        format!("\u{feff}{plain}\n"),
        format!("Sure!\n\n{plain}\n\nTell me how it went."),
        format!("```\n{plain}\n```"),
        format!("```text\n{plain}\n```\n"),
        format!("~~~~ plain text\n{plain}\n~~~~"),
        plain.replace("[RUN", "```bash\n[RUN").replace("[/RUN_COMMAND]", "[/RUN_COMMAND]\n```"),
        plain.replace(']', "]  \t"),
        plain.replace("[R", "   [R").replace("[/", "\t[/"),
        plain.replace("[R", "\u{a0}\u{200b}[R"),
        plain.replace("\"a.txt\"", "“a.txt”"),
        plain.replace("\"a.txt\"", "”a.txt”"),
        plain.replace("\"a.txt\"", "„a.txt“"),
        plain.replace("\"a.txt\"", "«a.txt»"),
        plain.replace("\"a.txt\"", "\"a.txt”"),
        plain.replace("\"a.txt\"", "'a.txt'"),
        plain.replace("\"a.txt\"", "‘a.txt’"),
        plain.replace('"', "&quot;"),
        plain.replace('"', "&#34;"),
        plain.replace('"', "&#x22;"),
        plain.replace('[', "&#91;").replace(']', "&#93;"),
        plain.replace('[', "&#x5B;").replace(']', "&#x5d;").replace('"', "&quot;"),
        plain.replace('[', "&lsqb;").replace(']', "&rsqb;"),
        plain.replace('[', "&lbrack;").replace("ls", "ls "),
        plain.replace("path", "Path"),
        plain.replace("path=", "PATH = "),
        plain.replace(" path", "\u{a0}path"),
        plain.replace("txt\"]", "txt\" /]"),
        plain.replace("txt\"]", "txt\"/]"),
        plain.replace("txt\"]", "txt\" encoding=\"utf-8\" ]"),
        plain.replace("RUN_COMMAND]", "RUN_COMMAND ]"),
        plain.replace("[RUN_COMMAND]", "[RUN_COMMAND timeout=\"5\"]"),
        plain.replace("\nls\n", "\n```sh\nls\n```\n"),
        plain.replace("\nls\n", "\n\n```\nls\n```\n\n"),
    ];
    for reply in &cases {
        assert_eq!(parse(reply), one, "{reply}");
    }
}

#[test]
fn values_are_verbatim_unless_their_quotes_were_escaped() {
    check(&[
        ("[READ_FILE path=\"it's “here”\"]", vec![see("it's “here”")]),
        ("[READ_FILE path=\"a&amp;b&quot;\"]", vec![see("a&amp;b&quot;")]),
        ("[READ_FILE path=&quot;a&amp;b&quot;]", vec![see("a&b")]),
        ("[READ_FILE path='a\"b']", vec![see("a\"b")]),
        ("[READ_FILE path=\" a \"]", vec![see(" a ")]),
        ("[READ_FILE path=\"C:\\x\\y\"]", vec![see("C:\\x\\y")]),
    ]);
}

#[test]
fn bodies_are_verbatim_but_for_what_happened_on_the_way() {
    let closed = |tag: &str, body: &str| format!("[CREATE_FILE path=\"{tag}\"]\n{body}\n[/CREATE_FILE]");
    let escaped =
        |body: &str| format!("&#91;CREATE_FILE path=&quot;a&quot;&#93;\n{body}\n&#91;/CREATE_FILE&#93;");
    let cases = [
        (closed("a.rs", "```rust\nfn f() {}\n```"), create("a.rs", "fn f() {}")),
        (closed("a.rs", "````\n```\nx\n```\n````"), create("a.rs", "```\nx\n```")),
        (closed("a.rs", "```\n```"), create("a.rs", "")),
        (closed("a.rs", "```\nx\n\n```\n"), create("a.rs", "x\n")),
        (closed("a.rs", "x\n"), create("a.rs", "x\n")),
        (closed("a.rs", "```\nx\n```\ny"), create("a.rs", "```\nx\n```\ny")),
        (closed("a.rs", "```\nx\n```\ny\n```"), create("a.rs", "```\nx\n```\ny\n```")),
        (closed("a.rs", "  ```\n  x\n  ```"), create("a.rs", "  ```\n  x\n  ```")),
        (closed("docs/a.MD", "```\nx\n```"), create("docs/a.MD", "```\nx\n```")),
        (closed("a", "“x” &lt; &amp;"), create("a", "“x” &lt; &amp;")),
        (closed("a", "x\n&#91;/CREATE_FILE&#93;\ny"), create("a", "x\n&#91;/CREATE_FILE&#93;\ny")),
        (escaped("if a &lt; b &amp;&amp; c &gt; d: &quot;x&quot;"), create("a", "if a < b && c > d: \"x\"")),
        (escaped("<p>&lt;</p>"), create("a", "<p>&lt;</p>")),
        (escaped("a & b &lt;"), create("a", "a & b &lt;")),
        (closed("a", "x\r\ny\r").replace("\"a\"]\n", "\"a\"]\r\n"), create("a", "x\ny")),
        (closed("a", "x\ry"), create("a", "x\ry")),
    ];
    for (reply, expected) in cases {
        assert_eq!(parse(&reply), [expected], "{reply}");
    }
}

#[test]
fn words_around_blocks_are_kept_without_empty_fences() {
    let cases = [
        ("Just words.\n", "Just words."),
        ("Before.\n[READ_FILE path=\"a\"]\nAfter.", "Before.\nAfter."),
        (
            "Before.\n```text\n[READ_FILE path=\"a\"]\n\n[READ_FILE path=\"b\"]\n```\nAfter.",
            "Before.\nAfter.",
        ),
        ("```\n[READ_FILE path=\"a\"]\n```", ""),
        ("```\n[READ_FILE path=\"a\"]", ""),
        ("See:\n```\ncode\n```\n[READ_FILE path=\"a\"]", "See:\n```\ncode\n```"),
        ("[DONE]\nx\n[/DONE]\nafter", ""),
    ];
    for (reply, prose) in cases {
        assert_eq!(read(reply).prose, prose, "{reply}");
    }
}

#[test]
fn what_cannot_be_said_is_refused() {
    let cases = [
        (create("a", "x\n [/CREATE_FILE]\ny"), Unprintable::ClosingTag("CREATE_FILE")),
        (run("cat <<E\n[/RUN_COMMAND]\nE"), Unprintable::ClosingTag("RUN_COMMAND")),
        (create("a", "x\r\ny"), Unprintable::CarriageReturn),
        (create("a.rs", "```\nx\n```"), Unprintable::Fence),
        (run("```\nx\n```"), Unprintable::Fence),
        (see("a\nb"), Unprintable::Attribute("path")),
        (see("a\"'b"), Unprintable::Attribute("path")),
        (see(" "), Unprintable::Attribute("path")),
        (error("x"), Unprintable::ParseError),
    ];
    for (block, expected) in cases {
        assert_eq!(print(&block), Err(expected), "{block:?}");
    }
    assert!(print(&create("a", "[/EDIT_FILE]\n[CREATE_FILE path=\"b\"]")).is_ok(), "other tags are text");
}

#[test]
fn large_replies_are_read_in_one_pass() {
    let cases = [
        ("[CREATE_FILE path=\"a\"]\n".repeat(100_000), 1),
        ("[READ_FILE path=\"a\"]\n".repeat(20_000), 20_000),
        (format!("[READ_FILE {}]", "path=\"a\" ".repeat(50_000)), 1),
        (format!("[READ_FILE {}]", "a=“b' c='d\" ".repeat(50_000)), 1),
        (format!("[CREATE_FILE path=\"a\"]\n{}[/CREATE_FILE]", "```\n".repeat(100_000)), 1),
    ];
    for (reply, count) in cases {
        assert_eq!(parse(&reply).len(), count, "{}", &reply[..40]);
    }
}

#[test]
fn calls_and_blocks_are_each_other() {
    let blocks = [
        create("a", "x\n"),
        edit("a", 1, i64::MAX, "y"),
        delete("a"),
        see("a"),
        run("ls"),
        Block::Message("m".into()),
        Block::Done("d".into()),
        error("e"),
    ];
    for block in blocks {
        assert_eq!(command(&call(&block)), Some(block));
    }
}

#[test]
fn the_protocol_that_is_told_can_be_read() {
    let names: Vec<String> = parse(PROTOCOL).iter().map(|block| call(block).name).collect();
    assert_eq!(
        names,
        ["create_file", "edit_file", "delete_file", "read_file", "run_command", "message", "done"]
    );
}
