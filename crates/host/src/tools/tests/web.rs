//! The tools of the page.

use super::{call, ruled, world};
use kit::Scratch;
use serde_json::{Value, json};

fn check(scratch: &Scratch, name: &str, arguments: Value, expected: &str) {
    let text = call("web", &world(scratch), name, arguments.clone()).text;
    assert_eq!(text, expected, "{name} {arguments}");
}

#[test]
fn what_asks() {
    let scratch = Scratch::new();
    scratch.write("a", "x");
    let world = world(&scratch);
    let cases = [
        ("view_file", json!({"path":"a","from":1,"to":-1}), "allow"),
        ("final_output", json!({"output":"done"}), "allow"),
        ("write_file", json!({"path":"b","content":""}), "ask: changing files needs approval"),
        ("insert_text", json!({"path":"a","line":0,"content":""}), "ask: changing files needs approval"),
        (
            "replace_text",
            json!({"path":"a","oldText":"x","newText":"y"}),
            "ask: changing files needs approval",
        ),
    ];
    for (name, arguments, expected) in &cases {
        assert_eq!(ruled("web", &world, name, arguments.clone()), *expected);
    }
    let escape = ruled("web", &world, "write_file", json!({"path":"../b","content":""}));
    assert!(escape.starts_with("forbid: "), "{escape}");
    world.agree_to_edits();
    for (name, arguments, _) in &cases {
        assert_eq!(ruled("web", &world, name, arguments.clone()), "allow", "{name}");
    }
    for path in [".git/config", ".cinque/x", ".vscode/settings.json", "../b"] {
        let protected = ruled("web", &world, "write_file", json!({"path":path,"content":""}));
        assert!(protected.starts_with("forbid: "), "{path}: {protected}");
    }
}

#[test]
fn view_file() {
    let scratch = Scratch::new();
    scratch.write("a", "one\ntwo\nthree\n");
    let misused = "Error: the arguments of view_file cannot be used: ";
    let cases = [
        (json!({"path":"a","from":1,"to":-1}), "a (lines 1-3 of 3)\n1\tone\n2\ttwo\n3\tthree\n".to_owned()),
        (json!({"path":"a","from":2,"to":2}), "a (lines 2-2 of 3)\n2\ttwo\n".to_owned()),
        (json!({"path":"a"}), "a (lines 1-3 of 3)\n1\tone\n2\ttwo\n3\tthree\n".to_owned()),
        (json!({"path":"a","from":2,"to":99}), "a (lines 2-3 of 3)\n2\ttwo\n3\tthree\n".to_owned()),
        (json!({"path":"a","from":0}), format!("{misused}`from` must be 1 or more")),
        (
            json!({"path":"a","to":0}),
            format!("{misused}`to` must be 1 or more, or -1 for the end of the file"),
        ),
        (json!({"path":"a","from":9}), "Error: start line 9 exceeds the file's length (3 lines)".to_owned()),
        (json!({"path":"no"}), "Error: no does not exist".to_owned()),
    ];
    for (arguments, expected) in cases {
        check(&scratch, "view_file", arguments, &expected);
    }
}

#[test]
fn write_file() {
    let scratch = Scratch::new();
    check(&scratch, "write_file", json!({"path":"new/dir/a","content":"x\n"}), "Wrote new/dir/a");
    let exists = "Error: new/dir/a already exists; use replace_text or insert_text to change it";
    check(&scratch, "write_file", json!({"path":"new/dir/a","content":"y"}), exists);
    assert_eq!(scratch.read("new/dir/a"), "x\n");
}

#[test]
fn insert_text() {
    let cases = [
        ("a\nb\n", 0, "x", "x\na\nb\n"),
        ("a\nb\n", 1, "x\n", "a\nx\nb\n"),
        ("a\nb\n", 2, "x", "a\nb\nx\n"),
        ("a\nb\n", 99, "x\ny", "a\nb\nx\ny\n"),
        ("a\nb", 2, "x", "a\nb\nx"),
        ("a\nb", 1, "x", "a\nx\nb"),
        ("", 0, "x", "x\n"),
        ("", 5, "x", "x\n"),
        ("a\r\nb\r\n", 1, "x\ny", "a\r\nx\r\ny\r\nb\r\n"),
        ("a\n", 1, "", "a\n\n"),
    ];
    for (before, line, content, after) in cases {
        let scratch = Scratch::new();
        scratch.write("f", before);
        let arguments = json!({"path":"f","line":line,"content":content});
        check(&scratch, "insert_text", arguments, "Inserted text into f");
        assert_eq!(scratch.read("f"), after, "{before:?} {line} {content:?}");
    }
    let scratch = Scratch::new();
    check(&scratch, "insert_text", json!({"path":"no","line":0,"content":"x"}), "Error: no does not exist");
}

#[test]
fn replace_text() {
    let unique = "Error: The text to replace is not unique in the file. Aborting replacement to avoid unintended changes.";
    let cases = [
        ("a1b", r"\d", "2", "a2b"),
        ("one\ntwo\n", "^two$", "2", "one\n2\n"),
        ("f(x)\n", r"f\((\w+)\)", "g($1)", "g(x)\n"),
        ("f(x)\n", r"f\((?<arg>\w+)\)", "${arg}:${1}:$1a:$&:$$1:$9:${no}:$", "x:x:xa:f(x):$1:$9:${no}:$\n"),
        ("cost\n", "cost", "$5 and $1", "$5 and $1\n"),
        ("a\r\nb\r\n", "a\r\nb", "x\ny", "x\r\ny\r\n"),
        ("a\r\nb\r\n", r"a\r\nb", "x", "x\r\n"),
        ("a\r\nb\r\n", "^b$", "c", "a\r\nc\r\n"),
        ("日本", "本", "x", "日x"),
        ("ab ac\n", r"a(?=c)", "x", "ab xc\n"),
        ("ab cb\n", r"(?<!a)b", "x", "ab cx\n"),
        ("aa bc\n", r"(\w)\1", "$1", "a bc\n"),
    ];
    for (before, old, new, after) in cases {
        let scratch = Scratch::new();
        scratch.write("f", before);
        check(
            &scratch,
            "replace_text",
            json!({"path":"f","oldText":old,"newText":new}),
            "Replaced text in f",
        );
        assert_eq!(scratch.read("f"), after, "{before:?} {old:?} {new:?}");
    }
    let scratch = Scratch::new();
    scratch.write("f", "a a b");
    check(&scratch, "replace_text", json!({"path":"f","oldText":"a","newText":"x"}), unique);
    for (old, begins) in [
        ("nothing", "Error: The text to replace was not found"),
        ("(", "Error: the arguments of replace_text cannot be used: oldText is not a regular expression"),
        ("", "Error: the arguments of replace_text cannot be used: the text to replace is empty"),
        (r"(a+ ?)+(?!.)\1z", "Error: The text to replace was not found"),
        ("(((a{1000}){1000}){1000})", "Error: the arguments of replace_text cannot be used: oldText is not"),
    ] {
        let text =
            call("web", &world(&scratch), "replace_text", json!({"path":"f","oldText":old,"newText":"x"}))
                .text;
        assert!(text.starts_with(begins), "{text}");
    }
    assert_eq!(scratch.read("f"), "a a b");
    scratch.write("f", "a".repeat(60));
    let endless = json!({"path":"f","oldText":r"(?:a(?=a*)|a(?=a*))*z","newText":"x"});
    let text = call("web", &world(&scratch), "replace_text", endless).text;
    assert!(text.starts_with("Error: oldText takes too long to match"), "{text}");
}
