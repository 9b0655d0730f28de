//! Every rule against small trees: what it finds, and what it leaves alone.

use super::exceptions::Exception;
use super::*;

const NONE: Exceptions = Exceptions { files: &[], functions: &[], places: &[] };
/// A file that no rule has anything to say about.
const GOOD: &str = "//! Something useful.\n";
const AGENT: &str = "[dependencies]\nblake3.workspace = true\nfutures.workspace = true\nserde.workspace = true
serde_json.workspace = true\nthiserror.workspace = true\ntokio = { workspace = true, features = [\"sync\"] }\n";

/// What tidy says about these files, with the documents that every tree must have.
fn found(files: &[(&str, &str)], exceptions: &Exceptions) -> Vec<String> {
    let mut all = vec![("README.md", ""), ("ARCHITECTURE.md", "")];
    all.extend_from_slice(files);
    check(&Tree::of(&all), exceptions).iter().map(Problem::to_string).collect()
}

/// Each expected text must begin or stand in the problem at its place, and there must be no others.
#[track_caller]
fn expect(files: &[(&str, &str)], exceptions: &Exceptions, expected: &[&str]) {
    let found = found(files, exceptions);
    let fits = found.len() == expected.len()
        && found.iter().zip(expected).all(|(found, expected)| found.contains(expected));
    assert!(fits, "found {found:#?}\nexpected {expected:#?}");
}

fn lines(count: usize) -> String {
    GOOD.to_owned() + &"const A: u8 = 0;\n".repeat(count - 1)
}

fn function(signature: &str, count: usize) -> String {
    format!("{signature} {{\n{}}}\n", "    work();\n".repeat(count - 2))
}

#[test]
fn headers_and_layout() {
    let cases: &[(&str, &str, &[&str])] = &[
        ("crates/a/src/x.rs", GOOD, &[]),
        ("xtask/src/x.rs", GOOD, &[]),
        ("crates/a/src/x.rs", "fn main() {}\n", &["crates/a/src/x.rs:1: no `//!` header"]),
        ("crates/a/src/x.rs", "", &["crates/a/src/x.rs:1: no `//!` header"]),
        ("crates/a/src/x.rs", "//!\n//! Late.\n", &["no `//!` header"]),
        ("crates/a/src/x.rs", "// Wrong kind.\n", &["no `//!` header"]),
        ("crates/a/tests/x.rs", "use a::b;\n", &["no `//!` header"]),
        ("page/x.rs", "fn elsewhere() {}\n", &[]),
        ("crates/a/src/x/mod.rs", GOOD, &["crates/a/src/x/mod.rs:1: a `mod.rs`: name it crates/a/src/x.rs"]),
    ];
    for (path, text, expected) in cases {
        expect(&[(path, text)], &NONE, expected);
    }
}

#[test]
fn files_are_ratcheted() {
    const LISTED: Exceptions =
        Exceptions { files: &[Exception { name: "crates/a/src/x.rs", lines: 450 }], ..NONE };
    let cases: &[(usize, &Exceptions, &[&str])] = &[
        (400, &NONE, &[]),
        (401, &NONE, &["x.rs:1: file `crates/a/src/x.rs` has 401 lines, at most 400"]),
        (450, &LISTED, &[]),
        (451, &LISTED, &["grew from 450 to 451"]),
        (449, &LISTED, &["shrank from 450 to 449 lines: lower its number"]),
        (400, &LISTED, &["fits now with 400 lines: remove it"]),
    ];
    for (count, exceptions, expected) in cases {
        expect(&[("crates/a/src/x.rs", &lines(*count))], exceptions, expected);
    }
    expect(&[], &LISTED, &["xtask/src/tidy/exceptions.rs:1: file `crates/a/src/x.rs` does not exist"]);
}

#[test]
fn functions_are_ratcheted() {
    const LISTED: Exceptions =
        Exceptions { functions: &[Exception { name: "crates/a/src/x.rs::long", lines: 80 }], ..NONE };
    let (plain, turn, tests) = ("crates/a/src/x.rs", "crates/agent/src/turn.rs", "crates/a/src/x/tests.rs");
    let cases: &[(&str, &str, usize, &Exceptions, &[&str])] = &[
        (plain, "fn long()", 70, &NONE, &[]),
        (
            plain,
            "fn long()",
            71,
            &NONE,
            &["x.rs:2: function `crates/a/src/x.rs::long` has 71 lines, at most 70"],
        ),
        (plain, "pub async fn long<T>(a: [u8; 3]) -> T", 71, &NONE, &["has 71 lines"]),
        (plain, "fn long()", 80, &LISTED, &[]),
        (plain, "fn long()", 81, &LISTED, &["grew from 80 to 81"]),
        (plain, "fn long()", 79, &LISTED, &["shrank from 80 to 79"]),
        (plain, "fn long()", 9, &LISTED, &["fits now with 9 lines"]),
        (turn, "fn on()", 60, &NONE, &[]),
        (turn, "fn on()", 61, &NONE, &["has 61 lines, at most 60"]),
        (tests, "fn case()", 120, &NONE, &[]),
        (tests, "fn case()", 121, &NONE, &["has 121 lines, at most 120"]),
    ];
    for (path, signature, count, exceptions, expected) in cases {
        let text = GOOD.to_owned() + &function(signature, *count);
        expect(&[(path, &text)], exceptions, expected);
    }
}

#[test]
fn tests_inside_a_file_have_their_own_limit() {
    let test = function("fn case()", 100);
    let inside = format!("{GOOD}#[cfg(test)]\nmod tests {{\n{test}}}\n");
    expect(&[("crates/a/src/x.rs", &inside)], &NONE, &[]);
    let after = format!("{GOOD}#[cfg(test)]\nmod tests;\n{test}");
    expect(&[("crates/a/src/x.rs", &after)], &NONE, &["x.rs:4: function"]);
}

#[test]
fn the_longest_of_a_name_counts() {
    let text =
        format!("{GOOD}{}{}{}", function("fn new()", 3), function("fn new()", 71), function("fn new()", 5));
    expect(&[("crates/a/src/x.rs", &text)], &NONE, &["x.rs:5: function `crates/a/src/x.rs::new` has 71"]);
}

#[test]
fn braces_in_text_do_not_count() {
    let hiding = [
        r#"let a = "}";"#,
        r#"let a = "\"}";"#,
        r##"let a = r#"}"}"#;"##,
        r#"let a = br"}\";"#,
        r#"let a = b'}';"#,
        r"let a = '}';",
        r"let a = '\'';let b = '}';",
        "// a } b",
        "/* } /* } */ } */",
        "let a: &'static str = \"}\";",
        "let a = 'é'; let b = '}';",
        "let r#fn = 1; if r#fn > 0 { work() }",
        "type F = fn(u8) -> u8; fn no_body(a: [u8; { 1 }]);",
    ];
    for line in hiding {
        let body = format!("    {line}\n{}", "    work();\n".repeat(68));
        let text = format!("{GOOD}fn long() {{\n{body}}}\nfn short() {{}}\n");
        expect(&[("crates/a/src/x.rs", &text)], &NONE, &["::long` has 71 lines"]);
    }
}

#[test]
fn words() {
    let flagged = [
        ("// TODO: later", "`TODO` in a comment"),
        ("/// FIXME in documentation", "`FIXME`"),
        ("let a = 1; // XXX", "`XXX`"),
        ("/* a\n HACK */", "x.rs:3: `HACK`"),
        ("let a = dbg!(b);", "`dbg!` in finished code"),
        ("todo!()", "`todo!`"),
        ("// let a = b();", "code in a comment"),
        ("// work();", "code in a comment"),
        ("//work(a, b);", "code in a comment"),
        ("// if a {", "code in a comment"),
        ("// }", "code in a comment"),
        ("// #[test]", "code in a comment"),
        ("// return a;", "code in a comment"),
        ("// count += 1;", "code in a comment"),
    ];
    for (line, expected) in flagged {
        expect(&[("crates/a/src/x.rs", &format!("{GOOD}{line}\n"))], &NONE, &[expected]);
    }
    let fine = [
        "// Todo lists are a feature.",
        "let a = \"TODO: dbg!(a);\";",
        "// The first one wins;",
        "// the second (see above) waits;",
        "// Use `let a = b;` for this.",
        "/// let a = b();",
        "//! work();",
        "let todos = AXXXB;",
        "// One, two (three).",
        "let a = 1; // Twice, because of b().",
        "let url = \"http://a/b{c;\";",
    ];
    for line in fine {
        expect(&[("crates/a/src/x.rs", &format!("{GOOD}{line}\n"))], &NONE, &[]);
    }
}

#[test]
fn arrows_between_crates() {
    let cases: &[(&str, &str, &[&str])] = &[
        ("crates/host/Cargo.toml", "[dependencies]\nagent.workspace = true\nrusqlite = \"1\"\n", &[]),
        (
            "crates/host/Cargo.toml",
            "[dependencies]\nweb = { path = \"../web\" }\n",
            &["toml:2: `host` must not depend on `web`"],
        ),
        (
            "crates/web/Cargo.toml",
            "[dependencies]\nhost.workspace = true\n",
            &["`web` must not depend on `host`"],
        ),
        ("crates/web/Cargo.toml", "[dev-dependencies]\nhost.workspace = true\n", &["`web` must not"]),
        ("crates/web/Cargo.toml", "[target.'cfg(unix)'.dependencies]\nhost = \"1\"\n", &["`web` must not"]),
        ("crates/web/Cargo.toml", "[dependencies.host]\npath = \"../host\"\n", &["toml:1: `web` must not"]),
        (
            "crates/web/Cargo.toml",
            "[dependencies]\nh = { package = \"host\", path = \"x\" }\n",
            &["on `host`"],
        ),
        ("crates/web/Cargo.toml", "[dependencies.h]\npackage = \"host\"\n", &["on `host`"]),
        ("crates/web/Cargo.toml", "[dependencies]\n# host.workspace = true\n\n[features]\nhost = []\n", &[]),
        (
            "crates/app/Cargo.toml",
            "[dependencies]\nagent = \"1\"\nhost = \"1\"\nterminal = \"1\"\nweb = \"1\"\n",
            &[],
        ),
        (
            "crates/app/Cargo.toml",
            "[dependencies]\nkit = \"1\"\n",
            &["the kit is for tests, make it a dev-dependency"],
        ),
        ("crates/app/Cargo.toml", "[dev-dependencies]\nkit = \"1\"\n", &[]),
        ("xtask/Cargo.toml", "[dependencies]\nkit = { path = \"../crates/kit\", optional = true }\n", &[]),
        ("xtask/Cargo.toml", "[dependencies]\nhost = \"1\"\n", &["`xtask` must not depend on `host`"]),
        ("crates/new/Cargo.toml", "[package]\n", &["crate `new` is not in xtask/src/tidy/arrows.rs"]),
    ];
    for (path, manifest, expected) in cases {
        expect(&[(path, manifest)], &NONE, expected);
    }
}

#[test]
fn the_core_has_an_exact_list() {
    let path = "crates/agent/Cargo.toml";
    let with = |line: &str| format!("{AGENT}{line}\n");
    expect(&[(path, AGENT)], &NONE, &[]);
    expect(&[(path, &with("[dev-dependencies]\nproptest = \"1\""))], &NONE, &[]);
    expect(&[(path, &with("uuid = \"1\""))], &NONE, &["toml:8: `agent` is built from blake3, futures"]);
    expect(&[(path, &with("[build-dependencies]\ncc = \"1\""))], &NONE, &["`cc` belongs in `host`"]);
    expect(
        &[(path, &AGENT.replace("\"sync\"", "\"sync\", \"fs\""))],
        &NONE,
        &["toml:7: `agent` may use of tokio"],
    );
    let own =
        AGENT.replace("workspace = true, features", "version = \"1\", default-features = false, features");
    expect(&[(path, &own)], &NONE, &[]);
    expect(&[(path, &own.replace("sync", "net"))], &NONE, &["`net` belongs in `host`"]);
    let without = AGENT.replace("blake3.workspace = true\n", "");
    expect(&[(path, &without)], &NONE, &["`agent` does without `blake3` now"]);
}

#[test]
fn paths_of_machines() {
    let place = |name: &str| format!("/{name}/ada/x");
    let cases: &[(String, bool)] = &[
        (format!("see {}", place("home")), true),
        (format!("\"{}\"", place("work")), true),
        (format!("a={}", place("root")), true),
        (format!("~{}", place("work")), false),
        (format!("target{}", place("work")), false),
        (format!("https://host{}", place("home")), false),
        (format!("{{folder}}{}", place("root")), false),
        ("/home/ is where homes are".to_owned(), false),
        ("/rooted/x".to_owned(), false),
    ];
    for (line, flagged) in cases {
        let expected: &[&str] = if *flagged { &["is a path of one machine"] } else { &[] };
        expect(&[("docs/x.md", line)], &NONE, expected);
        expect(&[("crates/a/src/x.rs", &format!("{GOOD}const A: &str = r#\"{line}\"#;\n"))], &NONE, expected);
        expect(&[("crates/a/tests/data/x.json", line)], &NONE, &[]);
        let inside = format!("{GOOD}#[cfg(test)]\nmod tests {{\n    const A: &str = r#\"{line}\"#;\n}}\n");
        expect(&[("crates/a/src/x.rs", &inside)], &NONE, &[]);
    }
}

#[test]
fn places_can_be_excepted_as_long_as_needed() {
    const LISTED: Exceptions = Exceptions { places: &["crates/a/src/x.rs"], ..NONE };
    let speaking = format!("{GOOD}/// Beneath /{}/ada/.ssh.\n", "home");
    expect(&[("crates/a/src/x.rs", &speaking)], &LISTED, &[]);
    expect(&[("crates/a/src/x.rs", GOOD)], &LISTED, &["no path of a machine is left"]);
    expect(&[], &LISTED, &["`crates/a/src/x.rs` does not exist"]);
}

#[test]
fn documents_lead_somewhere() {
    let files = [("docs/log.md", ""), ("crates/a/src/x.rs", GOOD)];
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "README.md",
            "[log](docs/log.md), [part](docs/log.md#part), [web](https://a.b/c), [here](#part)",
            &[],
        ),
        ("README.md", "[folder](docs) and [other](./docs/)", &[]),
        ("README.md", "\n[gone](docs/gone.md)", &["README.md:2: `docs/gone.md` leads nowhere"]),
        ("README.md", "[out](../elsewhere.md)", &["leads nowhere"]),
        ("docs/a.md", "[log](log.md) [source](../crates/a/src/x.rs) [root](/README.md)", &[]),
        ("docs/a.md", "[log](docs/log.md)", &["docs/a.md:1: `docs/log.md` leads nowhere"]),
        (
            "ARCHITECTURE.md",
            "`crates/a/src/x.rs`, `crates/a/`, `crates/*/src`, `x.rs`, `crates/a is`, src/x.rs.",
            &[],
        ),
        (
            "ARCHITECTURE.md",
            "```\n  x.rs gone.rs  words\n```\n",
            &["ARCHITECTURE.md:2: `gone.rs` names no file"],
        ),
        ("ARCHITECTURE.md", "`b/x.rs`, `*.rs`, `<name>.rs`", &["ARCHITECTURE.md:1: `b/x.rs` names no file"]),
        ("CHANGELOG.md", "`gone.rs` is now `x.rs`", &[]),
        ("ARCHITECTURE.md", "`crates/b/src`", &["ARCHITECTURE.md:1: `crates/b/src` leads nowhere"]),
        ("ARCHITECTURE.md", "```\n[a](b.md) `crates/b`\n```\n", &[]),
        ("crates/a/src/tools/edit.md", "[text for the model](nowhere.md)", &[]),
    ];
    for (path, text, expected) in cases {
        let mut all = files.to_vec();
        all.push((path, text));
        expect(&all, &NONE, expected);
    }
}

#[test]
fn the_architecture_is_short() {
    expect(&[("ARCHITECTURE.md", &"a\n".repeat(150))], &NONE, &[]);
    expect(
        &[("ARCHITECTURE.md", &"a\n".repeat(151))],
        &NONE,
        &["ARCHITECTURE.md:151: 151 lines, at most 150"],
    );
}

#[test]
fn newcomers_need_documents() {
    let problems = check(&Tree::of(&[("README.md", "")]), &NONE);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].to_string().starts_with("ARCHITECTURE.md:1: does not exist"));
}
