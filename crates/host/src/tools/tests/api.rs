//! The contract of the stateless API's tools: every text, and both sides of every limit.

mod read;

use super::{call, world};
use crate::workspace::Workspace;
use kit::Scratch;
use serde_json::{Value, json};

fn told(scratch: &Scratch, name: &str, arguments: Value) -> String {
    call("api", &world(scratch), name, arguments).text
}

/// `$ROOT` in an expected text stands for the repository root.
fn check(scratch: &Scratch, cases: &[(&str, Value, &str)]) {
    let root = Workspace::open(scratch.path()).expect("a folder").root().display().to_string();
    for (name, arguments, expected) in cases {
        let text = told(scratch, name, arguments.clone());
        assert_eq!(text, expected.replace("$ROOT", &root), "{name} {arguments}");
    }
}

/// Only how it begins: the rest is another program's words.
fn begins(scratch: &Scratch, cases: &[(&str, Value, &str)]) {
    for (name, arguments, expected) in cases {
        let text = told(scratch, name, arguments.clone());
        assert!(text.starts_with(expected), "{name} {arguments}: {text}");
    }
}

fn numbered(count: usize) -> String {
    (1..=count).map(|n| format!("line {n}\n")).collect()
}

fn links(scratch: &Scratch) {
    let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, scratch.join(at)).expect("a link");
    link("a.txt", "inside");
    link("/etc/passwd", "outside");
    link("/etc", "folder");
}

#[test]
fn credentials_are_not_shown_where_nobody_can_be_asked() {
    let scratch = Scratch::new();
    scratch.write(".env", "PASSWORD=hidden\n");
    std::os::unix::fs::symlink(".env", scratch.join("notes")).expect("a link");
    for path in [".env", "./.env", "notes"] {
        let refused = format!("{path} is protected from tools (credentials");
        begins(
            &scratch,
            &[
                ("readFile", json!({ "filePath": path }), &format!("Error: Failed to read file - {refused}")),
                (
                    "searchText",
                    json!({ "pattern": "hidden", "searchPath": path }),
                    &format!("Error: Search failed - {refused}"),
                ),
            ],
        );
    }
}

#[test]
fn list_files() {
    let scratch = Scratch::new();
    for file in
        ["README.md", "src/main.rs", "src/deep/notes.md", ".hidden.md", "b c.txt", "skip/x.md", "é.txt"]
    {
        scratch.write(file, "x");
    }
    scratch.write(".gitignore", "skip\n");
    scratch.write("two\nlines.txt", "x");
    links(&scratch);
    let outside = "Error: Security violation - Path '../' is outside repository root '$ROOT'";
    check(
        &scratch,
        &[
            ("listFiles", json!({"path":"src"}), "Found 2 items matching 'src'\n\nsrc/deep\nsrc/main.rs"),
            ("listFiles", json!({"path":"src/"}), "Found 2 items matching 'src/'\n\nsrc/deep\nsrc/main.rs"),
            ("listFiles", json!({"path":"skip"}), "Found 1 items matching 'skip'\n\nskip/x.md"),
            (
                "listFiles",
                json!({"path":"**/*.md"}),
                "Found 3 items matching '**/*.md'\n\n.hidden.md\nREADME.md\nsrc/deep/notes.md",
            ),
            ("listFiles", json!({"path":"*.md"}), "Found 2 items matching '*.md'\n\n.hidden.md\nREADME.md"),
            (
                "listFiles",
                json!({"path":"src/**"}),
                "Found 3 items matching 'src/**'\n\nsrc/deep\nsrc/deep/notes.md\nsrc/main.rs",
            ),
            ("listFiles", json!({"path":"s?c/*.rs"}), "Found 1 items matching 's?c/*.rs'\n\nsrc/main.rs"),
            (
                "listFiles",
                json!({"path":"*.txt"}),
                "Found 3 items matching '*.txt'\n\nb c.txt\n\"two\\nlines.txt\"\né.txt",
            ),
            ("listFiles", json!({"path":"*.zzz"}), "Found 0 items matching '*.zzz'"),
            ("listFiles", json!({"path":"no/*.rs"}), "Found 0 items matching 'no/*.rs'"),
            ("listFiles", json!({"path":"no"}), "Error: Failed to list files - Directory not found: no"),
            (
                "listFiles",
                json!({"path":"README.md"}),
                "Error: Failed to list files - Path is not a directory: README.md",
            ),
            ("listFiles", json!({"path":""}), "Error: Path cannot be null or empty"),
            ("listFiles", json!({}), "Error: Path cannot be null or empty"),
            ("listFiles", json!({"path":"../"}), outside),
            ("listFiles", json!({"path":"../*"}), &outside.replace("'../'", "'../*'")),
            ("listFiles", json!({"path":"folder"}), &outside.replace("'../'", "'folder'")),
            ("listFiles", json!({"path":"folder/*"}), &outside.replace("'../'", "'folder/*'")),
            ("listFiles", json!({"path":"/"}), &outside.replace("'../'", "'/'")),
        ],
    );
}

#[test]
fn list_files_at_its_limit() {
    for (count, mark) in [(199, ""), (200, ""), (201, " [TRUNCATED: first 200 items]")] {
        let scratch = Scratch::new();
        (0..count).for_each(|n| drop(scratch.write(format!("d/f{n:03}"), "")));
        for path in ["d", "d/*"] {
            let text = told(&scratch, "listFiles", json!({"path": path}));
            assert_eq!(
                text.lines().next(),
                Some(format!("Found {count} items matching '{path}'{mark}").as_str())
            );
            assert_eq!(text.lines().count(), 2 + count.min(200));
            assert!(text.lines().nth(2) == Some("d/f000"));
        }
    }
}

#[test]
fn search_text() {
    let scratch = Scratch::new();
    scratch.write("a.txt", "Alpha\n  beta (x)\nALPHA beta\n");
    scratch.write("sub/crlf.txt", "alpha\r\nlast alpha\r\n");
    scratch.write("binary", b"alpha\0");
    scratch.write("skip/x", "alpha");
    scratch.write(".gitignore", "skip\n");
    scratch.write("n\nl", "gamma");
    scratch.write("long", format!("   {}é{}\n", "y".repeat(99), "z".repeat(10)));
    scratch.write("exact", format!("{}\n", "w".repeat(100)));
    links(&scratch);
    let y = "y".repeat(99);
    check(
        &scratch,
        &[
            (
                "searchText",
                json!({"pattern":"alpha","searchPath":"."}),
                "Found 4 matches for 'alpha' in .\n\na.txt:1:Alpha\na.txt:3:ALPHA beta\nsub/crlf.txt:1:alpha\nsub/crlf.txt:2:last alpha",
            ),
            (
                "searchText",
                json!({"pattern":"ALPHA","searchPath":".","caseSensitive":true}),
                "Found 1 matches for 'ALPHA' in .\n\na.txt:3:ALPHA beta",
            ),
            (
                "searchText",
                json!({"pattern":"(x)","searchPath":"a.txt"}),
                "Found 1 matches for '(x)' in a.txt\n\na.txt:2:beta (x)",
            ),
            (
                "searchText",
                json!({"pattern":"^last.*a$","searchPath":"sub","isRegex":true}),
                "Found 1 matches for '^last.*a$' in sub\n\nsub/crlf.txt:2:last alpha",
            ),
            (
                "searchText",
                json!({"pattern":"gamma","searchPath":"."}),
                "Found 1 matches for 'gamma' in .\n\n\"n\\nl\":1:gamma",
            ),
            (
                "searchText",
                json!({"pattern":"yyy","searchPath":"."}),
                &format!("Found 1 matches for 'yyy' in .\n\nlong:1:{y}é..."),
            ),
            (
                "searchText",
                json!({"pattern":"www","searchPath":"."}),
                &format!("Found 1 matches for 'www' in .\n\nexact:1:{}", "w".repeat(100)),
            ),
            (
                "searchText",
                json!({"pattern":"none such","searchPath":"."}),
                "Found 0 matches for 'none such' in .",
            ),
            ("searchText", json!({"pattern":"x","searchPath":"no"}), "Error: Path not found: no"),
            ("searchText", json!({"pattern":"x","searchPath":""}), "Error: Path cannot be null or empty"),
            ("searchText", json!({"pattern":"x"}), "Error: Path cannot be null or empty"),
            (
                "searchText",
                json!({"pattern":"x","searchPath":".."}),
                "Error: Security violation - Path '..' is outside repository root '$ROOT'",
            ),
            (
                "searchText",
                json!({"pattern":"x","searchPath":"folder"}),
                "Error: Security violation - Path 'folder' is outside repository root '$ROOT'",
            ),
        ],
    );
    begins(
        &scratch,
        &[
            (
                "searchText",
                json!({"pattern":"(","searchPath":".","isRegex":true}),
                "Error: Invalid regex pattern - ",
            ),
            (
                "searchText",
                json!({"pattern":"(((a{1000}){1000}){1000})","searchPath":".","isRegex":true}),
                "Error: Invalid regex pattern - ",
            ),
            ("searchText", json!({"pattern":"","searchPath":"."}), "Error: Search failed - "),
            ("searchText", json!({"pattern":"x","searchPath":".cinque"}), "Error: "),
        ],
    );
}

/// The last line of the last file decides between "there were just as many" and "there is one more".
#[test]
fn search_text_at_its_limit() {
    for (count, mark) in [(49, ""), (50, ""), (51, " [TRUNCATED: reached limit 50 before completing search]")]
    {
        for spread in [1, 7, 50] {
            let scratch = Scratch::new();
            for file in 0..spread {
                let hits = (0..count).filter(|n| n % spread == file).map(|_| "filler\nhit\n");
                scratch.write(format!("f{file:02}"), hits.collect::<String>().trim_end());
            }
            let text = told(&scratch, "searchText", json!({"pattern":"hit","searchPath":"."}));
            let header = format!("Found {} matches for 'hit' in .{mark}", count.min(50));
            assert_eq!(text.lines().next(), Some(header.as_str()), "{count} in {spread} files");
            assert_eq!(text.lines().count(), 2 + count.min(50));
        }
    }
}

#[test]
fn replace_text() {
    let scratch = Scratch::new();
    let long = "x".repeat(60);
    scratch.write("long", format!("{long}\n"));
    scratch.write("twice", "one two one aaa");
    scratch.write("binary", b"a\0b");
    scratch.directory("dir");
    links(&scratch);
    let x = |count| "x".repeat(count);
    check(
        &scratch,
        &[
            (
                "replaceText",
                json!({"filePath":"twice","oldString":"two","newString":"2"}),
                "Replaced 'two' with '2' in twice",
            ),
            (
                "replaceText",
                json!({"filePath":"twice","oldString":"aa","newString":"b"}),
                "Replaced 'aa' with 'b' in twice",
            ),
            (
                "replaceText",
                json!({"filePath":"twice","oldString":"2","newString":""}),
                "Replaced '2' with '' in twice",
            ),
            (
                "replaceText",
                json!({"filePath":"twice","oldString":"one","newString":"1"}),
                "Error: Old string 'one' appears 2 times (must be unique for safety)",
            ),
            (
                "replaceText",
                json!({"filePath":"twice","oldString":"none","newString":"1"}),
                "Error: Old string 'none' not found in file",
            ),
            (
                "replaceText",
                json!({"filePath":"twice","oldString":"one","newString":"one"}),
                "Error: Old string and new string are identical - no replacement needed",
            ),
            (
                "replaceText",
                json!({"filePath":"twice","oldString":"","newString":"1"}),
                "Error: Old string cannot be null or empty",
            ),
            (
                "replaceText",
                json!({"filePath":"twice","oldString":x(51),"newString":"1"}),
                &format!("Error: Old string '{}' not found in file", x(50)),
            ),
            (
                "replaceText",
                json!({"filePath":"no","oldString":"a","newString":"b"}),
                "Error: File not found: no",
            ),
            (
                "replaceText",
                json!({"filePath":"dir","oldString":"a","newString":"b"}),
                "Error: Path is not a regular file: dir",
            ),
            (
                "replaceText",
                json!({"filePath":"","oldString":"a","newString":"b"}),
                "Error: Path cannot be null or empty",
            ),
            (
                "replaceText",
                json!({"filePath":"outside","oldString":"a","newString":"b"}),
                "Error: Security violation - Path 'outside' is outside repository root '$ROOT'",
            ),
            (
                "replaceText",
                json!({"filePath":"long","oldString":long,"newString":x(31)}),
                &format!("Replaced '{}' with '{}' in long", x(30), x(30)),
            ),
        ],
    );
    assert_eq!(scratch.read("twice"), "one  one ba");
    assert_eq!(scratch.read("long"), format!("{}\n", x(31)));
    begins(
        &scratch,
        &[
            (
                "replaceText",
                json!({"filePath":"binary","oldString":"a","newString":"b"}),
                "Error: Failed to replace text - ",
            ),
            (
                "replaceText",
                json!({"filePath":".git/config","oldString":"a","newString":"b"}),
                "Error: Failed to replace text - ",
            ),
        ],
    );
    scratch.write("crlf", "a\r\nb\r\nc");
    told(&scratch, "replaceText", json!({"filePath":"crlf","oldString":"a\nb","newString":"x\ny\nz"}));
    assert_eq!(scratch.read("crlf"), "x\r\ny\r\nz\r\nc");
}
