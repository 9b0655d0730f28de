//! Patches that name their files: envelopes and unified diffs.

use super::super::{Change, Creation, Intent, PatchError};
use super::{Outcome, carried_out, check, files, planned, planned_file};

fn envelope(sections: &str) -> String {
    format!("*** Begin Patch\n{sections}\n*** End Patch\n")
}

#[test]
fn envelopes_change_several_files_or_none() {
    let before = [("a", "1\n2\n"), ("b", "x\n"), ("d/c", "y\n")];
    let cases: &[(&str, Outcome<'_>)] = &[
        (
            "*** Add File: new/n\n+n\n*** Update File: a\n@@\n-2\n+3\n*** Delete File: b",
            Ok(&[("a", "1\n3\n"), ("d/c", "y\n"), ("new/n", "n\n")]),
        ),
        ("*** Add File: n\n+n\n*** Update File: gone\n@@\n-2\n+3", Err("Cannot update missing file: gone")),
        ("*** Add File: n\n+n\n*** Delete File: gone", Err("Cannot delete missing file: gone")),
        ("*** Add File: n\n+n\nm", Err("Invalid Add File Line: m")),
        ("*** Add File: n\n+n\n\n\n*** Delete File: a\n", Ok(&[("b", "x\n"), ("d/c", "y\n"), ("n", "n\n")])),
        ("*** Add File: b\n+new", Ok(&[("a", "1\n2\n"), ("b", "new\n"), ("d/c", "y\n")])),
        ("*** Add File: e", Ok(&[("a", "1\n2\n"), ("b", "x\n"), ("d/c", "y\n"), ("e", "")])),
        ("*** Update File: a", Err("has no lines")),
        ("*** Update File: ./a\n@@\n+3", Ok(&[("a", "1\n2\n3\n"), ("b", "x\n"), ("d/c", "y\n")])),
        ("*** Rename File: a", Err("starts no section")),
        ("*** Add File: \n+a", Err("names no file")),
        ("*** Add File: n\n+n\n*** Add File: n/m\n+m", Err("needs n as a file")),
    ];
    for (sections, expected) in cases {
        check(&before, &envelope(sections), *expected);
    }
}

#[test]
fn sections_compose() {
    let before = [("a", "1\n2\n"), ("b", "x\n")];
    let cases: &[(&str, Outcome<'_>)] = &[
        (
            "*** Update File: a\n-1\n+one\n*** Update File: a\n-2\n+two",
            Ok(&[("a", "one\ntwo\n"), ("b", "x\n")]),
        ),
        ("*** Add File: c\n+c\n*** Delete File: c", Ok(&before)),
        ("*** Delete File: a\n*** Add File: a\n+new", Ok(&[("a", "new\n"), ("b", "x\n")])),
        ("*** Delete File: a\n*** Delete File: a", Err("Cannot delete missing file: a")),
        ("*** Add File: c\n+1\n*** Add File: c\n+2", Ok(&[("a", "1\n2\n"), ("b", "x\n"), ("c", "2\n")])),
        (
            "*** Add File: c\n+1\n*** Update File: c\n-1\n+2",
            Ok(&[("a", "1\n2\n"), ("b", "x\n"), ("c", "2\n")]),
        ),
        ("*** Update File: a\n*** Move to: a\n-1", Ok(&[("a", "2\n"), ("b", "x\n")])),
        ("*** Update File: a\n*** Move to: b", Ok(&[("b", "1\n2\n")])),
        (
            "*** Update File: a\n*** Move to: c\n-1\n*** Update File: c\n*** Move to: d\n-2\n+3",
            Ok(&[("b", "x\n"), ("d", "3\n")]),
        ),
        (
            "*** Update File: a\n*** Move to: t\n*** Update File: b\n*** Move to: a\n*** Update File: t\n*** Move to: b",
            Ok(&[("a", "x\n"), ("b", "1\n2\n")]),
        ),
        ("*** Update File: a\n*** Move to: c\n*** Update File: a\n-1", Err("missing file: a")),
        (
            "*** Update File: a\n*** Move to: c\n*** Add File: a\n+n",
            Ok(&[("a", "n\n"), ("b", "x\n"), ("c", "1\n2\n")]),
        ),
    ];
    for (sections, expected) in cases {
        check(&before, &envelope(sections), *expected);
    }
}

#[test]
fn a_move_is_told_as_one_change() {
    let before = files(&[("a", "1\n")]);
    let patch = envelope("*** Update File: a\n*** Move to: b/c\n@@\n-1\n+2");
    let plan = planned(&before, &patch, Creation::Refuse).expect("plan");
    let expected = Change::Move {
        from: "a".into(),
        to: "b/c".into(),
        content: b"2\n".to_vec(),
        before: b"1\n".to_vec(),
        replaced: None,
    };
    assert_eq!(plan.changes, [expected]);
}

#[test]
fn wrappers_and_sloppy_markers_are_tolerated() {
    let body = "*** Begin Patch\n*** Update File: a\n@@\n-1\n+2\n*** End Patch";
    let cases = [
        format!("```\n{body}\n```"),
        format!("\n```diff\n{body}\n```\n\n"),
        format!("apply_patch <<'EOF'\n{body}\nEOF\n"),
        format!("apply_patch <<\"PATCH\"\n{body}\nPATCH"),
        format!("<<EOF\n{body}\nEOF"),
        format!("```sh\napply_patch <<EOF\n{body}\nEOF\n```"),
        format!("Here is the patch:\n\n{body}\n"),
        format!("Here is the patch:\n```\n{body}\n```"),
        body.replace('\n', "\r\n"),
        format!("\u{feff}{body}"),
        body.replace("*** Begin", "  *** Begin").replace("*** Update", " *** Update"),
        body.replace("*** End Patch", " *** End Patch  "),
        body.replace("@@\n", "\n@@\n"),
    ];
    for patch in cases {
        check(&[("a", "1\n")], &patch, Ok(&[("a", "2\n")]));
    }
    let broken = [
        (body.replace("*** End Patch", ""), "`*** End Patch` is missing"),
        (format!("{body}\nand more"), "Nothing but another"),
        (format!("rm -rf x <<EOF\n{body}\nEOF"), "Nothing but another"),
        (format!("cd d && apply_patch <<EOF\n{body}\nEOF"), "Nothing but another"),
        ("hello".to_owned(), "names no file"),
        (String::new(), "names no file"),
        ("@@\n-1\n+2".to_owned(), "names no file"),
    ];
    for (patch, words) in broken {
        check(&[("a", "1\n")], &patch, Err(words));
    }
}

#[test]
fn lines_are_counted_from_what_the_caller_sent() {
    let patch = "```\n*** Begin Patch\n*** Oops\n*** End Patch\n```\n";
    check(&[], patch, Err("line 3: `*** Oops`"));
    let before = files(&[("a", "1\n")]);
    let patch = "apply_patch <<EOF\n*** Begin Patch\n*** Update File: a\n@@\n-2\n*** End Patch\nEOF\n";
    let error = planned(&before, patch, Creation::Refuse).expect_err("mismatch");
    assert!(error.as_diff_failure().contains("a, hunk 1 (line 4 of the diff)"));
}

#[test]
fn a_patch_that_changes_nothing_plans_nothing() {
    let before = files(&[("a", "1\n")]);
    let patch = envelope("*** Update File: a\n@@\n-1\n+1");
    assert!(planned(&before, &patch, Creation::Refuse).expect("plan").is_empty());
}

#[test]
fn context_that_reads_like_a_header_is_context() {
    check(
        &[("doc", "*** End Patch\n*** Add File: x\nold\n")],
        &envelope("*** Update File: doc\n@@\n *** End Patch\n *** Add File: x\n-old\n+new"),
        Ok(&[("doc", "*** End Patch\n*** Add File: x\nnew\n")]),
    );
}

/// Ten numbered lines, with some replaced.
fn ten(changes: &[(usize, &str)]) -> String {
    let line = |i| match changes.iter().find(|(at, _)| *at == i) {
        Some((_, text)) => (*text).to_owned(),
        None => format!("{i}\n"),
    };
    (1..=10).map(line).collect()
}

#[test]
fn unified_hunks_find_their_place() {
    let head = "--- a/f\n+++ b/f\n";
    let cases = [
        ("@@ -1,2 +1,2 @@\n 1\n-2\n+two\n", Ok(ten(&[(2, "two\n")]))),
        ("@@ -2 +2 @@\n-2\n+two\n@@ -9 +9 @@\n-9\n+nine\n", Ok(ten(&[(2, "two\n"), (9, "nine\n")]))),
        // Wrong numbers, wrong counts, none at all.
        ("@@ -7,2 +7,2 @@\n 1\n-2\n+two\n", Ok(ten(&[(2, "two\n")]))),
        ("@@ -1,9 +1,1 @@\n 1\n-2\n+two\n 3\n", Ok(ten(&[(2, "two\n")]))),
        ("@@ -1,1 +1,1 @@\n 1\n-2\n+two\n 3\n", Ok(ten(&[(2, "two\n")]))),
        ("@@ -1,1 +1,1 @@\n 1\n-2\n+two\n 3\n\n@@ -9,5 +9,5 @@\n-9\n", Ok(ten(&[(2, "two\n"), (9, "")]))),
        ("@@ ... @@\n 1\n-2\n+two\n", Ok(ten(&[(2, "two\n")]))),
        ("@@ @@\n 1\n-2\n+two\n", Ok(ten(&[(2, "two\n")]))),
        (" 1\n-2\n+two\n", Ok(ten(&[(2, "two\n")]))),
        ("@@ -3,0 +4 @@\n+new\n", Ok(ten(&[(3, "3\nnew\n")]))),
        ("@@ -99999999999,1 +1 @@\n-2\n", Ok(ten(&[(2, "")]))),
        ("@@ -3,1 +3,1 @@\n-x\n+y\n", Err("Invalid Context 0:\nx")),
        ("@@ -0,0 +1 @@\n+y\n", Err("nothing says where")),
        ("@@ -9 +9 @@\n-9\n@@ -2 +2 @@\n-2\n", Err("only at line 2")),
        ("@@ -1,2 +1,2 @@\n 1\n-2\n+two\nlost its space\n", Ok(ten(&[(2, "two\n")]))),
        ("@@ -1,3 +1,3 @@\n 1\n-2\n+two\nlost its space\n", Err("Invalid Line: lost its space")),
        ("", Err("no hunks")),
    ];
    for (hunks, expected) in cases {
        let after = expected.clone().unwrap_or_default();
        let expected: Outcome<'_> = match expected {
            Ok(_) => Ok(&[("f", &after)]),
            Err(words) => Err(words),
        };
        check(&[("f", &ten(&[]))], &format!("{head}{hunks}"), expected);
    }
}

#[test]
fn offsets_carry_over_to_the_next_hunk() {
    // Six equal blocks; the diff was made before four lines were put on top.
    let block = |n: usize| format!("begin\n{n}\nx\nend\n");
    let blocks: String = (0..6).map(block).collect();
    let before = format!("new\nnew\nnew\nnew\n{blocks}");
    let diff = "--- f\n+++ f\n@@ -6,3 +6,3 @@\n 1\n-x\n+y\n end\n@@ -15 +15 @@\n-x\n+z\n";
    let after = before.replacen("1\nx", "1\ny", 1).replacen("3\nx", "3\nz", 1);
    check(&[("f", &before)], diff, Ok(&[("f", &after)]));
}

#[test]
fn unified_diffs_create_delete_and_rename() {
    let before = [("a/x", "1\n"), ("o", "1\n2"), ("e", "")];
    let with = |list: &[(&'static str, &'static str)]| -> Vec<(&'static str, &'static str)> {
        let mut all: Vec<_> = before.to_vec();
        all.retain(|(path, _)| !list.iter().any(|(other, _)| path == other));
        all.extend(list.iter().filter(|(_, text)| *text != "-"));
        all
    };
    let cases = [
        ("--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+1\n+2\n", Ok(with(&[("n", "1\n2\n")]))),
        (
            "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+1\n\\ No newline at end of file\n",
            Ok(with(&[("n", "1")])),
        ),
        ("--- /dev/null\n+++ b/o\n@@ -0,0 +1 @@\n+1\n", Err("Cannot create existing file: o")),
        (
            "--- a/o\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-1\n-2\n\\ No newline at end of file\n",
            Ok(with(&[("o", "-")])),
        ),
        ("--- a/o\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n", Err("more lines than the diff removes")),
        ("--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n", Err("Cannot delete missing file: gone")),
        ("diff --git a/n b/n\nnew file mode 100644\nindex 0000000..e69de29\n", Ok(with(&[("n", "")]))),
        ("diff --git a/e b/e\ndeleted file mode 100644\nindex e69de29..0000000\n", Ok(with(&[("e", "-")]))),
        (
            "diff --git a/o b/p q\nsimilarity index 100%\nrename from o\nrename to p q\n",
            Ok(with(&[("o", "-"), ("p q", "1\n2")])),
        ),
        (
            "diff --git a/o b/p\nrename from o\nrename to p\n--- a/o\n+++ b/p\n@@ -1,2 +1,2 @@\n-1\n+one\n 2\n\\ No newline at end of file\n",
            Ok(with(&[("o", "-"), ("p", "one\n2")])),
        ),
        ("diff --git a/o b/p\ncopy from o\ncopy to p\n", Ok(with(&[("p", "1\n2")]))),
        (
            "diff --git a/o b/o\nold mode 100644\nnew mode 100755\n--- a/o\n+++ b/o\n@@ -1 +1 @@\n-1\n+3\n",
            Ok(with(&[("o", "3\n2")])),
        ),
        (
            "diff --git a/i.png b/i.png\nindex 1..2 100644\nBinary files a/i.png and b/i.png differ\n",
            Err("Binary patches"),
        ),
        // A real directory called `a`, in git's words and in diff's.
        ("diff --git a/a/x b/a/x\n--- a/a/x\n+++ b/a/x\n@@ -1 +1 @@\n-1\n+2\n", Ok(with(&[("a/x", "2\n")]))),
        ("--- a/x\n+++ a/x\n@@ -1 +1 @@\n-1\n+2\n", Ok(with(&[("a/x", "2\n")]))),
        ("--- a/o\n+++ a/o\n@@ -1 +1 @@\n-1\n+2\n", Ok(with(&[("o", "2\n2")]))),
        (
            "diff --git a/y a/y\nnew file mode 100644\n--- /dev/null\n+++ a/y\n@@ -0,0 +1 @@\n+1\n",
            Ok(with(&[("a/y", "1\n")])),
        ),
        (
            "--- o.orig\t2024-01-01 00:00:00\n+++ o\t2024-01-02 00:00:00\n@@ -1 +1 @@\n-1\n+2\n",
            Ok(with(&[("o", "2\n2")])),
        ),
        ("--- /dev/null\n+++ \"b/\\303\\244\\t\\\"\"\n@@ -0,0 +1 @@\n+1\n", Ok(with(&[("ä\t\"", "1\n")]))),
        ("--- a/n\n+++ b/n\n@@ -0,0 +1 @@\n+1\n", Ok(with(&[("n", "1\n")]))),
        ("--- a/n\n+++ b/n\n@@ -1 +1 @@\n-1\n+2\n", Err("Cannot update missing file: n")),
        (
            "From: x\nSubject: y\n\n---\n o | 2 +-\n\ndiff --git a/o b/o\n--- a/o\n+++ b/o\n@@ -1 +1 @@\n-1\n+3\n-- \n2.40.0\n",
            Ok(with(&[("o", "3\n2")])),
        ),
        (
            "Try this:\n```diff\n--- a/o\n+++ b/o\n@@ -1,5 +1,5 @@\n-1\n+3\n```\nDone.\n",
            Ok(with(&[("o", "3\n2")])),
        ),
    ];
    for (patch, expected) in cases {
        match expected {
            Ok(after) => check(&before, patch, Ok(&after)),
            Err(words) => check(&before, patch, Err(words)),
        }
    }
}

#[test]
fn removed_lines_that_look_like_headers_are_lines() {
    check(
        &[("f", "-- old\nsame\n")],
        "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n same\n",
        Ok(&[("f", "++ new\nsame\n")]),
    );
}

#[test]
fn the_open_end_of_a_file_is_as_the_diff_says() {
    let cases = [
        ("a", "-a\n\\ No newline at end of file\n+a\n", "a\n"),
        ("a\n", "-a\n+a\n\\ No newline at end of file\n", "a"),
        ("a\nb", " a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n", "a\nc"),
        ("a\r\nb\r\n", "-a\r\n+A\r\n b\r\n", "A\r\nb\r\n"),
        ("a\r\nb\r\n", "-a\n+A\n b\n", "A\r\nb\r\n"),
        ("a\r\nb\n", "-a\r\n+a\n b\n", "a\nb\n"),
        ("x\r\na\nb\n", "-a\n+A\n b\n", "x\r\nA\nb\n"),
    ];
    for (before, rows, after) in cases {
        let patch = format!("--- f\n+++ f\n@@ ... @@\n{rows}");
        check(&[("f", before)], &patch, Ok(&[("f", after)]));
    }
    let patch = "--- f\n+++ f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n";
    check(&[("f", "a\nb\n")], patch, Err("do not end the file"));
}

#[test]
fn a_creation_may_replace_if_the_caller_says_so() {
    let before = files(&[("o", "1\n")]);
    let patch = "--- /dev/null\n+++ b/o\n@@ -0,0 +1 @@\n+2\n";
    let plan = planned(&before, patch, Creation::Replace).expect("plan");
    assert_eq!(carried_out(&before, &plan), files(&[("o", "2\n")]));
}

#[test]
fn undecodable_bytes_are_left_alone() {
    let mut before = files(&[]);
    before.insert("f".into(), b"\xff\xfe odd\nb\n\x80\n".to_vec());
    let patch = envelope("*** Update File: f\n@@\n-b\n+B");
    let plan = planned(&before, &patch, Creation::Refuse).expect("plan");
    let after = carried_out(&before, &plan);
    assert_eq!(after["f"], b"\xff\xfe odd\nB\n\x80\n");
    let patch = envelope("*** Update File: f\n@@\n-\u{fffd}\u{fffd} odd\n+B");
    assert!(planned(&before, &patch, Creation::Refuse).is_err());
}

#[test]
fn the_diff_of_one_named_file_may_be_in_any_format() {
    let before = files(&[("src/f.rs", "1\n2\n"), ("g", "g\n")]);
    let unified = "@@ -1,2 +1,2 @@\n 1\n-2\n+3\n";
    let changed = Ok("1\n3\n");
    let cases = [
        (Intent::Update, "src/f.rs", "-2\n+3".to_owned(), changed),
        (Intent::Update, "src/f.rs", unified.to_owned(), changed),
        (Intent::Update, "src/f.rs", format!("--- a/src/f.rs\n+++ b/src/f.rs\n{unified}"), changed),
        (Intent::Update, "src/f.rs", format!("--- f.rs\n+++ f.rs\n{unified}"), changed),
        (Intent::Update, "src/f.rs", format!("--- original\n+++ modified\n{unified}"), changed),
        (Intent::Update, "src/f.rs", format!("```diff\n{unified}```\n"), changed),
        (Intent::Update, "src/f.rs", envelope("*** Update File: src/f.rs\n-2\n+3"), changed),
        (
            Intent::Update,
            "src/f.rs",
            format!("--- a/g.rs\n+++ b/g.rs\n{unified}"),
            Err("The diff is for g.rs, not for src/f.rs."),
        ),
        (
            Intent::Update,
            "src/f.rs",
            format!("--- a/b\n+++ b/b\n{unified}"),
            Err("The diff is for b, not for src/f.rs."),
        ),
        (
            Intent::Update,
            "g",
            format!("--- Makefile\n+++ Makefile\n{unified}"),
            Err("The diff is for Makefile, not for g."),
        ),
        (Intent::Update, "src/f.rs", format!("--- a\n+++ b\n{unified}"), changed),
        (Intent::Update, "gone", "-2\n+3".to_owned(), Err("Cannot update missing file: gone")),
        (Intent::Create, "new", "+a\n+".to_owned(), Ok("a\n")),
        (Intent::Create, "new", "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+a\n".to_owned(), Ok("a\n")),
        (Intent::Create, "new", "@@ -0,0 +1 @@\n+a\n+".to_owned(), Ok("a\n")),
        (Intent::Create, "new", "a".to_owned(), Err("Invalid Add File Line: a")),
        (Intent::Update, "new", "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+a\n".to_owned(), Ok("a\n")),
        (
            Intent::Update,
            "g",
            "--- /dev/null\n+++ b/g\n@@ -0,0 +1 @@\n+a\n".to_owned(),
            Err("existing file: g"),
        ),
        (Intent::Delete, "gone", String::new(), Err("Cannot delete missing file: gone")),
    ];
    for (intent, path, diff, expected) in cases {
        match (planned_file(&before, path, intent, &diff), expected) {
            (Ok(plan), Ok(text)) => {
                let mut expected = before.clone();
                expected.insert(path.into(), text.into());
                assert_eq!(carried_out(&before, &plan), expected, "{diff}");
            }
            (Err(error), Err(words)) => assert!(error.to_string().contains(words), "{error}"),
            (outcome, _) => panic!("{outcome:?}\n-- of --\n{diff}"),
        }
    }
    let plan = planned_file(&before, "g", Intent::Delete, "").expect("plan");
    assert_eq!(carried_out(&before, &plan), files(&[("src/f.rs", "1\n2\n")]));
}

#[test]
fn solve_words_start_as_agreed_and_say_where() {
    let before = files(&[("f", "1\n2\n")]);
    let fails = |diff: &str| planned_file(&before, "f", Intent::Update, diff).expect_err("mismatch");
    let error = fails("@@ -1,2 +1,2 @@\n 1\n-3\n+4\n");
    let text = error.as_diff_failure();
    let start = "Failed to apply diff - patch did not match: f, hunk 1 (line 1 of the diff): these lines are not in the file";
    assert!(text.starts_with(start), "{text}");
    assert!(text.contains("wanted: 3\n  found:  2"), "{text}");
    assert!(matches!(error, PatchError::Mismatch(_)));
    let error = fails("@@ -1,2 +1,2 @@\nfoo");
    assert!(error.as_diff_failure().starts_with("Failed to apply diff - patch did not match: "));
}
