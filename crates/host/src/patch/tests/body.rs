//! Headerless V4A diffs on plain text.

use super::super::{Mode, apply_body};

/// The text after a diff, or words of the error.
fn check(input: &str, diff: &str, expected: Result<&str, &str>) {
    match (apply_body(input, diff, Mode::Update), expected) {
        (Ok(text), Ok(expected)) => assert_eq!(text, expected, "{diff}"),
        (Err(error), Err(words)) => {
            assert!(error.to_string().contains(words), "{error}\n-- of --\n{diff}");
        }
        (outcome, expected) => panic!("{outcome:?} instead of {expected:?}\n-- of --\n{diff}"),
    }
}

#[test]
fn a_hunk_replaces_what_it_names() {
    let cases = [
        ("a\nb\nc\n", "@@\n a\n-b\n+B\n c", "a\nB\nc\n"),
        ("a\nb\nc\n", "-b\n+B", "a\nB\nc\n"),
        ("a\nb\nc\n", " b\n+b2\n", "a\nb\nb2\nc\n"),
        ("a\nb\nc\n", "@@\n-a\n@@\n-c\n", "b\n"),
        ("a\n", "-a\n", ""),
        ("", "@@\n+a\n+b", "a\nb\n"),
        ("a\nb\n", "", "a\nb\n"),
        ("a\nb\n", "@@\n b\n+c\n*** End of File", "a\nb\nc\n"),
        ("x\nb\nx\n", "@@\n x\n+y\n*** End of File", "x\nb\nx\ny\n"),
        ("a\nb\n", "@@ a\n+new", "a\nnew\nb\n"),
    ];
    for (input, diff, expected) in cases {
        check(input, diff, Ok(expected));
    }
}

#[test]
fn context_is_found_with_growing_lenience() {
    let cases = [
        ("a  \nb\n", " a\n-b\n+B", "a  \nB\n"),
        ("\ta\n  b\n", " a\n-b\n+B", "\ta\nB\n"),
        ("say “hi” — now\nb\n", " say \"hi\" - now\n-b\n+B", "say “hi” — now\nB\n"),
        ("a\u{a0}b\nc\n", " a b\n-c", "a\u{a0}b\n"),
        // A stricter match wins, wherever it is.
        ("  x\nx\n", "-x\n+y", "  x\ny\n"),
        ("“x”\n \"x\" \n", "-\"x\"\n+y", "“x”\ny\n"),
    ];
    for (input, diff, expected) in cases {
        check(input, diff, Ok(expected));
    }
}

#[test]
fn anchors_say_where() {
    let twice = "class A\n  def f\n    x\nclass B\n  def f\n    x\n";
    let second = "class A\n  def f\n    x\nclass B\n  def f\n    y\n";
    let both = "class A\n  def f\n    y\nclass B\n  def f\n    y\n";
    let cases = [
        (twice, "@@ class B\n-    x\n+    y", Ok(second)),
        (twice, "@@ class B\n@@   def f\n-    x\n+    y", Ok(second)),
        (twice, "@@ class B @@\n-    x\n+    y", Ok(second)),
        (twice, "@@ class B\n class B\n   def f\n-    x\n+    y", Ok(second)),
        (twice, "@@\n-    x\n+    y\n@@\n-    x\n+    y", Ok(both)),
        (twice, "@@   def f\n-    x\n+    y\n@@   def f\n-    x\n+    y", Ok(both)),
        (twice, "@@ class C\n@@   def f\n-    x\n+    y", Err("Invalid Anchor 0:\nclass C")),
        (twice, "@@ class A\n@@   def g\n-    x\n+    y", Err("Invalid Anchor 0:")),
        (twice, "@@ class C\n+    y", Err("nothing says where")),
        ("a\nb\n", "@@ nowhere\n-b\n+c", Ok("a\nc\n")),
    ];
    for (input, diff, expected) in cases {
        check(input, diff, expected);
    }
}

#[test]
fn two_equal_places_are_not_guessed_between() {
    let input = "x\na\nx\nb\n";
    let words = "at line 1 and at line 3";
    check(input, "-x\n+y", Err(words));
    check(input, "@@ nowhere\n-x\n+y", Err(words));
    check(input, "@@ -4,1 +4,1 @@\n-x\n+y", Ok("x\na\ny\nb\n"));
    check(input, "@@ -9,1 +9,1 @@\n-x\n+y", Err(words));
    // The strict match is far from where the number points, and a loose one is there.
    check("x\na\nb\nx \n", "@@ -4 +4 @@\n-x\n+y", Err("at line 1 and at line 4"));
    check(input, "@@ -1,1 +1,1 @@\n-x\n+y", Ok("y\na\nx\nb\n"));
    check(input, "@@ -2,1 +2,1 @@\n-x\n+y", Err(words));
    // Dropping either of two equal neighbours comes to the same text.
    check("a\nx\nx\nb\n", "-x", Ok("a\nx\nb\n"));
    // What follows can decide as well.
    check(input, "-x\n+y\n@@\n-a\n+A", Ok("y\nA\nx\nb\n"));
}

#[test]
fn endings_are_the_files_own() {
    let cases = [
        ("a\r\nb\r\n", "-b\n+B\n+C", "a\r\nB\r\nC\r\n"),
        ("a\nb\n", "-b\r\n+B\r\n", "a\nB\n"),
        ("", "@@\r\n+a\r\n", "a\r\n"),
        ("a\r\nb\nc\n", "-b\n+B", "a\r\nB\r\nc\n"),
        ("a\rb\rc", " a\n-b\n+B\n+C", "a\rB\rC\rc"),
        ("odd\rline\nb\n", " odd\rline\n-b\n+B", "odd\rline\nB\n"),
        ("\u{feff}a\nb\n", "-a\n+A\n b", "\u{feff}A\nb\n"),
        ("\u{feff}a\nb\n", "-\u{feff}a\n+A\n b", "A\nb\n"),
    ];
    for (input, diff, expected) in cases {
        check(input, diff, Ok(expected));
    }
}

#[test]
fn a_missing_final_newline_stays_missing() {
    let cases = [
        ("a\nb", "-b\n+B", "a\nB"),
        ("a\nb", " b\n+c", "a\nb\nc"),
        ("a\nb", "-b", "a"),
        ("a", "@@\n a\n+b\n*** End of File", "a\nb"),
        ("a\nb", "-a\n+A", "A\nb"),
    ];
    for (input, diff, expected) in cases {
        check(input, diff, Ok(expected));
    }
}

#[test]
fn a_blank_line_too_many_at_the_end_is_forgiven() {
    let cases = [
        ("a\nb\n", " a\n-b\n+B\n\n", "a\nB\n"),
        ("a\nb\n", " b\n \n+c", "a\nb\n\nc\n"),
        ("a\nb\n", "-b\n-\n+c", "a\nc\n"),
        ("a\nb\nc\nd\n", "-b\n+B\n\n\n@@\n-d\n+D\n\n", "a\nB\nc\nD\n"),
        ("a\n\nb\n", "-a\n+A\n\n", "A\n\nb\n"),
    ];
    for (input, diff, expected) in cases {
        check(input, diff, Ok(expected));
    }
    check("a\nb\nc\n", "-b\n-\n+B", Err("Invalid Context 0:\nb\n\n"));
}

#[test]
fn hunks_may_share_context() {
    check("a\nb\nc\nd\ne\n", "@@\n a\n-b\n+B\n c\n@@\n c\n-d\n+D\n e", Ok("a\nB\nc\nD\ne\n"));
    check("a\nb\n", "@@\n-a\n+A\n@@\n-a\n+B", Err("only at line 1"));
}

#[test]
fn what_does_not_fit_shows_the_nearest_text() {
    let input = "fn one() {\n    1\n}\n\nfn two() {\n    2\n}\n";
    let diff = "@@\n fn two() {\n-    3\n+    4\n }";
    let words = "Invalid Context 0:\nfn two() {\n    3\n}\n\nhunk 1: these lines are not in the file; \
                 read it again and copy them exactly.\nThe nearest text is at line 5 (2 of 3 lines agree):\n\
                 fn two() {\n    2\n}\nThe first difference is at line 6:\n  wanted:     3\n  found:      2";
    check(input, diff, Err(words));
    check(input, "-fn  tow() {\n", Err("nearest text is at line 5"));
    check(input, "-zzz", Err("nearest text is at line 1 (0 of 1"));
    check("", "-zzz", Err("Invalid Context 0:\nzzz"));
    check("a\nb\n", "@@\n-b\n+c\n@@\n-d\n", Err("Invalid Context 2:\nd"));
}

#[test]
fn lines_that_belong_to_no_hunk_are_refused() {
    let cases = [
        ("a\nb\n", "@@\nplain", "Invalid Line: plain"),
        ("a\nb\n", "@@\n", "nothing between this `@@`"),
        ("a\nb\n", "@@@ -1 -1 +1 @@@\n-a", "combined diff"),
        ("a\nb\n", "-a\n*** Add File: x\n+y", "holds no other files"),
    ];
    for (input, diff, words) in cases {
        check(input, diff, Err(words));
    }
}

#[test]
fn a_new_text_is_its_added_lines() {
    let cases = [
        ("+a\n+b", Ok("a\nb")),
        ("+a\n+b\n+", Ok("a\nb\n")),
        ("+a\r\n+", Ok("a\r\n")),
        ("```\n+a\n```", Ok("a")),
        ("", Ok("")),
        ("+a\nb", Err("Invalid Add File Line: b")),
        ("+a\n\n+b", Err("Invalid Add File Line: ")),
        (" a", Err("Invalid Add File Line:  a")),
    ];
    for (diff, expected) in cases {
        let outcome = apply_body("", diff, Mode::Create).map_err(|error| error.to_string());
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(outcome, expected, "{diff}");
    }
}
