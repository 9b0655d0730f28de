//! The contract of `readFile`.

use super::{check, links, numbered, told};
use kit::Scratch;
use serde_json::{Value, json};

#[test]
fn read_file() {
    let scratch = Scratch::new();
    scratch.write("a.txt", "one\ntwo\nthree");
    scratch.write("empty", "");
    scratch.write("crlf", "one\r\ntwo\r\n");
    scratch.write("wide", numbered(12));
    scratch.write("binary", b"a\0b");
    scratch.write("latin", b"caf\xe9\n");
    scratch.write("uni", "日本 🙂\n");
    scratch.write("two\nlines", "x");
    scratch.directory("dir");
    links(&scratch);
    let outside =
        |path: &str| format!("Error: Security violation - Path '{path}' is outside repository root '$ROOT'");
    let failed = |why: &str| format!("Error: Failed to read file - {why}");
    let cases: Vec<(Value, String)> = vec![
        (
            json!({"filePath":"a.txt"}),
            "Read a.txt (lines 1-3 of 3 total)\n\n1 | one\n2 | two\n3 | three".into(),
        ),
        (
            json!({"filePath":"a.txt","startLine":2,"endLine":2}),
            "Read a.txt (lines 2-2 of 3 total)\n\n2 | two".into(),
        ),
        (
            json!({"filePath":"a.txt","endLine":99}),
            "Read a.txt (lines 1-3 of 3 total)\n\n1 | one\n2 | two\n3 | three".into(),
        ),
        (
            json!({"filePath":"./dir/../a.txt","startLine":3}),
            "Read ./dir/../a.txt (lines 3-3 of 3 total)\n\n3 | three".into(),
        ),
        (
            json!({"filePath":"inside","startLine":3}),
            "Read inside (lines 3-3 of 3 total)\n\n3 | three".into(),
        ),
        (
            json!({"filePath":"wide","startLine":9,"endLine":10}),
            "Read wide (lines 9-10 of 12 total)\n\n 9 | line 9\n10 | line 10".into(),
        ),
        (json!({"filePath":"crlf"}), "Read crlf (lines 1-2 of 2 total)\n\n1 | one\n2 | two".into()),
        (json!({"filePath":"uni"}), "Read uni (lines 1-1 of 1 total)\n\n1 | 日本 🙂".into()),
        (json!({"filePath":"latin"}), "Read latin (lines 1-1 of 1 total)\n\n1 | caf\u{fffd}".into()),
        (json!({"filePath":"two\nlines"}), "Read \"two\\nlines\" (lines 1-1 of 1 total)\n\n1 | x".into()),
        (json!({"filePath":"empty"}), "Read empty (empty file: 0 lines)".into()),
        (json!({"filePath":"empty","startLine":2}), failed("Start line 2 exceeds file length (0 lines)")),
        (json!({"filePath":"no"}), failed("File not found: no")),
        (json!({"filePath":"no/such/../file"}), failed("File not found: no/such/../file")),
        (json!({"filePath":"dir"}), failed("Path is not a regular file: dir")),
        (json!({"filePath":"a.txt","startLine":0}), failed("Line numbers must be >= 1")),
        (json!({"filePath":"a.txt","endLine":-3}), failed("Line numbers must be >= 1")),
        (json!({"filePath":"a.txt","startLine":4}), failed("Start line 4 exceeds file length (3 lines)")),
        (json!({"filePath":"a.txt","startLine":3,"endLine":2}), failed("End line must be >= start line")),
        (
            json!({"filePath":"binary"}),
            failed("binary is a binary file: it cannot be shown or edited as text"),
        ),
        (json!({"filePath":" "}), "Error: Path cannot be null or empty".into()),
        (json!({"filePath":null}), "Error: Path cannot be null or empty".into()),
        (json!({}), "Error: Path cannot be null or empty".into()),
        (json!({"filePath":"../x"}), outside("../x")),
        (json!({"filePath":"dir/../../x"}), outside("dir/../../x")),
        (json!({"filePath":"/etc/passwd"}), outside("/etc/passwd")),
        (json!({"filePath":"outside"}), outside("outside")),
        (json!({"filePath":"folder/passwd"}), outside("folder/passwd")),
    ];
    let cases: Vec<(&str, Value, &str)> =
        cases.iter().map(|(arguments, text)| ("readFile", arguments.clone(), text.as_str())).collect();
    check(&scratch, &cases);
    let own = told(&scratch, "readFile", json!({"filePath": scratch.join("a.txt")}));
    assert!(own.starts_with("Error: Security violation"), "an absolute path, though inside: {own}");
    scratch.write(".cinque/token", "secret");
    let token = told(&scratch, "readFile", json!({"filePath": ".cinque/token"}));
    assert!(token.starts_with("Error: Failed to read file - ") && !token.contains("secret"), "{token}");
}

#[test]
fn read_file_at_its_limit() {
    let scratch = Scratch::new();
    for (count, header) in [
        (499, "(lines 1-499 of 499 total)"),
        (500, "(lines 1-500 of 500 total)"),
        (501, "(lines 1-500 of 501 total) [TRUNCATED: showing first 500 lines, 1 more available]"),
        (1500, "(lines 1-500 of 1500 total) [TRUNCATED: showing first 500 lines, 1000 more available]"),
    ] {
        scratch.write("f", numbered(count));
        let text = told(&scratch, "readFile", json!({"filePath":"f"}));
        assert_eq!(text.lines().next(), Some(format!("Read f {header}").as_str()));
        assert_eq!(text.lines().count(), 2 + count.min(500));
        assert!(text.contains("\n\n  1 | line 1\n"));
    }
    let text = told(&scratch, "readFile", json!({"filePath":"f","startLine":1000,"endLine":1500}));
    assert!(text.starts_with("Read f (lines 1000-1499 of 1500 total) [TRUNCATED: showing first 500 lines, 1 more available]\n\n1000 | "));
    scratch.write("long", format!("{}\n", "x".repeat(20_000)).repeat(400));
    let text = told(&scratch, "readFile", json!({"filePath":"long"}));
    assert!(text.starts_with("Read long (lines 1-400 of 400 total)\n\n"), "{}", &text[..80]);
}
