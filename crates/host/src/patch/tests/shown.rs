//! Diffs as people see them.

use super::super::unified;

#[test]
fn a_change_is_shown_as_git_would() {
    let cases: [(Option<&str>, Option<&str>, &str); 6] = [
        (Some("a\n"), Some("a\n"), ""),
        (
            Some("1\n2\n3\n4\n5\n6\n"),
            Some("1\n2\n3\n4\nfive\n6\n"),
            "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n+five\n 6\n",
        ),
        (
            None,
            Some("a\n"),
            "diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n",
        ),
        (
            Some("a\n"),
            None,
            "diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
        ),
        (
            Some("a"),
            Some("a\n"),
            "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n",
        ),
        (Some("\0"), Some("a"), "Binary files a/f and b/f differ\n"),
    ];
    for (before, after, expected) in cases {
        let shown = unified("f", before.map(str::as_bytes), after.map(str::as_bytes));
        assert_eq!(shown, expected);
    }
}

#[test]
fn a_long_diff_is_cut_after_a_whole_hunk() {
    let line = "x".repeat(1000);
    let before = format!("{line}\n\n\n\n\n\n\n\n").repeat(3000);
    let after = before.replace("xx", "yy");
    let shown = unified("f", Some(before.as_bytes()), Some(after.as_bytes()));
    assert!(shown.len() < (4 << 20) + 100, "{}", shown.len());
    assert!(shown.ends_with("hunks not shown)\n"));
}
