//! Tests of `diff`.

use super::*;
use proptest::prelude::*;

const ALL: View = View { columns: 60, most: usize::MAX, purpose: Purpose::Read };

fn text(diff: &str, view: View) -> String {
    render(diff, view, &Palette::none()).iter().map(Line::text).collect::<Vec<_>>().join("\n")
}

#[test]
fn diffs_read_well() {
    for (diff, wanted) in [
        ("", ""),
        (
            "--- a/x.rs\n+++ b/x.rs\n@@ -9,3 +9,4 @@ fn f\n a\n-b\n+c\n+d\n e\n",
            "[UPDATE] x.rs\n@@ -9,3 +9,4 @@ fn f\n  9  a\n 10 -b\n 10 +c\n 11 +d\n 12  e",
        ),
        ("--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n", "[CREATE] n\n@@ -0,0 +1 @@\n  1 +x"),
        ("--- a/o\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", "[DELETE] o\n@@ -1 +0,0 @@\n  1 -x"),
        // A removed line that looks like a heading is inside of its hunk.
        (
            "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a\n+++ b\n z\n",
            "[UPDATE] x\n@@ -1,2 +1,2 @@\n  1 --- a\n  1 +++ b\n  2  z",
        ),
        ("+one\n+two\n", "+one\n+two"),
        (
            "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@ f\n-x\n+y\n*** Add File: n\n+*** End\n*** Delete File: d\n*** End Patch",
            "[UPDATE] a\n*** Move to: b\n@@ f\n-x\n+y\n[CREATE] n\n+*** End\n[DELETE] d",
        ),
        ("*** Add File: n\n+x", "*** Add File: n\n+x"),
        ("@@ fn main\n a\n-b\n+c\n", "@@ fn main\n a\n-b\n+c"),
        (
            "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n",
            "@@ -1 +1 @@\n  1 -a\n\\ No newline at end of file\n  1 +a",
        ),
        ("diff --git a/x b/x\nindex 1..2 100644\nBinary files differ\n", "Binary files differ"),
        (
            "diff --git a/n b/n\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n",
            "[CREATE] n\n@@ -0,0 +1 @@\n  1 +x",
        ),
        ("diff --git a/e b/e\nnew file mode 100644\nindex 0..1\n", "[CREATE] e"),
        ("diff --git a/e b/e\ndeleted file mode 100644\n", "[DELETE] e"),
        ("diff --git a/e b/e\nnew file mode 100755\n", "new file mode 100755"),
        ("--- a/x\t2020-01-01\n+++ b/x\t2020-01-01\n", "[UPDATE] x"),
        ("@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n", "@@ -1,2 +1,2 @@\n  1  a\n  2 -b\n  2 +c"),
    ] {
        assert_eq!(text(diff, ALL), wanted, "{diff:?}");
    }
}

#[test]
fn bounds_say_what_they_hide() {
    let diff = "+x\n".repeat(10);
    assert_eq!(text(&diff, View { most: 2, ..ALL }), "+x\n+x\n... (8 more lines)");
    assert_eq!(text(&diff, View { most: 10, ..ALL }).lines().count(), 10);
    let long = format!("+{}", "x".repeat(LONG + 11));
    let wide = View { columns: 5_000, ..ALL };
    assert_eq!(
        text(&long, View { most: 5, ..wide }),
        format!("+{}… (12 more characters)", "x".repeat(LONG - 1))
    );
    assert_eq!(text(&long, wide), long);
}

#[test]
fn what_is_decided_hides_nothing() {
    let view = View { purpose: Purpose::Decide, ..ALL };
    // Blanks before a changed word are no blanks at the end of a line.
    assert_eq!(text("@@\n-(5 1) \n+(5 4 1)\n", view), "@@\n-(5 1)·\n+(5 4 1)");
    assert_eq!(text("+a\u{202e}b \n", view), "+a<U+202E>b·");
    assert_eq!(text("+a\u{202e}b \n", ALL), "+ab ");
    assert_eq!(heading(Change::Create, "a\nb\x1b", &Palette::none()).text(), "[CREATE] a<U+000A>b␛");
}

#[test]
fn what_differs_stands_out() {
    let palette = Palette::dark();
    let spans = |diff: &str| -> Vec<(String, Style)> {
        render(diff, ALL, &palette)
            .into_iter()
            .flat_map(|line| line.spans)
            .map(|s| (s.text, s.style))
            .collect()
    };
    let got = spans("-let a = foo(1);\n+let a = foo(22);\n+more\n");
    assert!(
        got.contains(&("1".into(), palette.removed_words))
            && got.contains(&("22".into(), palette.added_words)),
        "{got:?}"
    );
    let got = spans("-abc\n+xyz\n");
    assert_eq!(got, [("-abc".into(), palette.removed), ("+xyz".into(), palette.added)]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_shown_whole_and_fits(parts in prop::collection::vec(prop::sample::select(vec![
        "--- a\n", "+++ b\n", "@@ -1,2 +1,2 @@\n", "@@ -0 +9999999999999999999 @@\n", "@@\n", "-x\n", "+y\n", " z\n", "\n", "\\ No\n", "漢字漢字\n", "+\x1b[31m\n", "-é\n", "+e\n",
    ]), 0..30), columns in 2usize..40) {
        let diff = parts.concat();
        let view = View { columns, most: usize::MAX, purpose: Purpose::Decide };
        let lines = render(&diff, view, &Palette::dark());
        prop_assert!(lines.iter().all(|line| line.width() <= columns && !line.text().contains(char::is_control)));
        let letters = |text: &str| text.chars().filter(|c| matches!(c, 'x' | 'y' | 'z' | '漢')).count();
        let shown: String = lines.iter().map(Line::text).collect();
        prop_assert_eq!(letters(&shown), letters(&diff));
    }
}
