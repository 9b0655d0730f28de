//! Hits, their order, the limit, and what is never looked at.

use std::sync::atomic::AtomicUsize;

use super::*;
use crate::workspace::tests::kind;
use crate::workspace::tests::tree::Tree;

fn query(pattern: &str) -> Query {
    Query {
        pattern: pattern.to_owned(),
        syntax: Syntax::Regex,
        case: Case::Sensitive,
        include: Vec::new(),
        exclude: Vec::new(),
        ignored: Ignored::Skip,
        limit: 50,
    }
}

fn run(tree: &Tree, query: &Query, path: &str) -> Result<Found, Error> {
    search(&tree.open(), query, path, &|| false)
}

/// Shows hits as `path:line:text`, and whether there are more.
fn shown(found: Result<Found, Error>) -> String {
    let found = match found {
        Ok(found) => found,
        error => return kind(&error),
    };
    let mut lines: Vec<String> =
        found.hits.iter().map(|hit| format!("{}:{}:{}", hit.path, hit.line, hit.text)).collect();
    if found.coverage == Coverage::Stopped {
        lines.push("stopped".into());
    }
    lines.join(" ")
}

fn tree() -> Tree {
    Tree::new(&[
        "a.rs = one\ntwo\nOne\n",
        "a-b.rs = one",
        "a/c.rs = x\r\none\r\n",
        "a/d.md = one.\n",
        ".hidden/e.rs = one\n",
        ".git/f.rs = one\n",
        ".cinque/g.rs = one\n",
        "target/h.rs = one\n",
        "binary = one\n\0one\n",
        "link.rs => a.rs",
        "a/loop => ..",
        "out => ../outside",
        ".gitignore = target/\n",
    ])
}

#[test]
fn hits_in_order_and_nothing_else() {
    let pipe_tree = tree();
    let made = std::process::Command::new("mkfifo").arg(pipe_tree.root().join("pipe")).status();
    assert!(made.expect("mkfifo").success());
    let check = |query: Query, path: &str, expected: &str| {
        assert_eq!(shown(run(&pipe_tree, &query, path)), expected, "{query:?} in {path}");
    };
    let all = ".hidden/e.rs:1:one a-b.rs:1:one a.rs:1:one a/c.rs:2:one a/d.md:1:one.";
    check(query("one"), ".", all);
    check(query("^one$"), ".", ".hidden/e.rs:1:one a-b.rs:1:one a.rs:1:one a/c.rs:2:one");
    check(query("one."), ".", "a/d.md:1:one.");
    check(Query { syntax: Syntax::Literal, ..query("one.") }, ".", "a/d.md:1:one.");
    check(Query { syntax: Syntax::Literal, ..query("o.e") }, ".", "");
    check(Query { case: Case::Insensitive, ..query("ONE") }, "a.rs", "a.rs:1:one a.rs:3:One");
    check(query("one"), "a", "a/c.rs:2:one a/d.md:1:one.");
    check(query("one"), "link.rs", "a.rs:1:one");
    check(query("one"), "target", "target/h.rs:1:one");
    check(Query { ignored: Ignored::Show, ..query("one") }, "target/h.rs", "target/h.rs:1:one");
    check(Query { include: vec!["*.md".into()], ..query("one") }, ".", "a/d.md:1:one.");
    check(Query { include: vec!["a/*.rs".into()], ..query("one") }, ".", "a/c.rs:2:one");
    check(
        Query { include: vec!["**/*.rs".into()], exclude: vec!["a/".into(), ".*".into()], ..query("one") },
        ".",
        "a-b.rs:1:one a.rs:1:one",
    );
    check(query("binary"), ".", "");
    check(query("("), ".", "Pattern");
    check(query("a\nb"), ".", "Pattern");
    check(query("((a{1000}){1000}){1000}"), ".", "Pattern");
    check(Query { include: vec!["[".into()], ..query("x") }, ".", "Pattern");
    check(query("x"), "nothing", "Missing");
    check(query("x"), "../outside", "Outside");
    check(query("x"), "out", "Outside");
    check(query("x"), "pipe", "NotAFile Pipe");
    check(query("x"), "", "Blank");
}

#[test]
fn exactly_the_limit_is_not_stopped() {
    for (limit, expected) in [
        (6, ".hidden/e.rs:1:one a-b.rs:1:one a.rs:1:one a/c.rs:2:one a/d.md:1:one."),
        (5, ".hidden/e.rs:1:one a-b.rs:1:one a.rs:1:one a/c.rs:2:one a/d.md:1:one."),
        (4, ".hidden/e.rs:1:one a-b.rs:1:one a.rs:1:one a/c.rs:2:one stopped"),
        (1, ".hidden/e.rs:1:one stopped"),
        (0, "stopped"),
    ] {
        assert_eq!(shown(run(&tree(), &Query { limit, ..query("one") }, ".")), expected, "{limit}");
    }
}

#[test]
fn threads_do_not_show_in_the_result() {
    let tree = Tree::new(&[]);
    for folder in 0..20 {
        for file in 0..20 {
            tree.add(&format!("d{folder}/e{}/f{file} = no\nhit\nhit\n", file % 3));
        }
    }
    let whole = run(&tree, &Query { limit: 10_000, ..query("hit") }, ".").expect("found");
    assert_eq!((whole.hits.len(), whole.coverage), (800, Coverage::Whole));
    assert!(whole.hits.is_sorted_by_key(|hit| (hit.path.clone(), hit.line)));
    for limit in [1, 7, 50, 333, 799] {
        for _ in 0..5 {
            let found = run(&tree, &Query { limit, ..query("hit") }, ".").expect("found");
            assert_eq!(found.hits, whole.hits[..limit], "{limit}");
            assert_eq!(found.coverage, Coverage::Stopped);
        }
    }
}

#[test]
fn a_search_can_be_cancelled_at_any_moment() {
    let tree = tree();
    for patience in 0..12 {
        let asked = AtomicUsize::new(0);
        let cancelled = || asked.fetch_add(1, Ordering::Relaxed) >= patience;
        assert_eq!(kind(&search(&tree.open(), &query("one"), ".", &cancelled)), "Cancelled", "{patience}");
    }
}

#[test]
fn very_long_lines_are_cut_between_characters() {
    let tree = Tree::new(&[]);
    std::fs::write(tree.root().join("long"), format!("hit{}\n", "é".repeat(10_000))).expect("a file");
    let found = run(&tree, &query("hit"), "long").expect("found");
    let text = &found.hits[0].text;
    assert!(text.len() <= LONGEST && text.len() > LONGEST - 4 && text.ends_with('é'), "{} bytes", text.len());
}

#[test]
fn credentials_are_searched_only_where_they_are_named() {
    let tree = Tree::new(&[
        ".env = KEY=one\n",
        ".env.example = KEY=one\n",
        "a/id_rsa = one\n",
        "a/server.pem = one\n",
        "keys/.ssh/config = one\n",
        "z.rs = one\n",
    ]);
    let found = run(&tree, &query("one"), ".").expect("found");
    let withheld: Vec<String> = found.withheld.iter().map(ToString::to_string).collect();
    assert_eq!(withheld, [".env", "a/id_rsa", "a/server.pem", "keys/.ssh/config"]);
    assert_eq!(shown(Ok(found)), ".env.example:1:KEY=one z.rs:1:one");
    assert_eq!(shown(run(&tree, &query("one"), ".env")), ".env:1:KEY=one");
    assert_eq!(shown(run(&tree, &query("one"), "keys/.ssh")), "keys/.ssh/config:1:one");
    let only = Query { include: vec!["*.rs".into()], ..query("one") };
    assert!(run(&tree, &only, ".").expect("found").withheld.is_empty());
}
