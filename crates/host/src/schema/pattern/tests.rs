//! Patterns: where ECMAScript and Rust differ, and what is refused.

use super::Pattern;

#[test]
fn patterns_match_as_ecmascript_says() {
    let cases = [
        // (pattern, what it matches, what it does not)
        (r"^a*$", vec!["", "aaa"], vec!["b", "a\n"]),
        ("b", vec!["abc"], vec!["ac"]),
        (r"^\d+$", vec!["42"], vec!["٤٢", ""]),
        (r"^\w$", vec!["a", "_"], vec!["é", "-"]),
        (r"^\W$", vec!["é"], vec!["a"]),
        (r"^\s$", vec![" ", "\u{feff}", "\u{2029}"], vec!["\u{200b}"]),
        (r"^\S\D$", vec!["ab"], vec!["a1", " b"]),
        (r"^.$", vec!["a", "🐉"], vec!["\n", "\r", "\u{2028}"]),
        (r"^[[]$", vec!["["], vec!["]"]),
        (r"^[a&&b]$", vec!["a", "&", "b"], vec!["c"]),
        (r"^[+--]$", vec!["+", ",", "-"], vec!["."]),
        (r"^[a-]$", vec!["a", "-"], vec!["b"]),
        (r"^[\w-.]+$", vec!["a-b.c"], vec!["a b"]),
        (r"^[^\d\s]+$", vec!["ab"], vec!["a1", "a b"]),
        (r"^[\]\\]$", vec!["]", "\\"], vec!["["]),
        (r"^[^]$", vec!["a", "\n"], vec![""]),
        (r"^[]$", vec![], vec!["", "a"]),
        (r"^[\b]$", vec!["\u{8}"], vec!["b"]),
        (r"\bcat\b", vec!["a cat.", "écat"], vec!["cats"]),
        (r"^{x}$", vec!["{x}"], vec!["x"]),
        (r"^a{2,3}$", vec!["aa", "aaa"], vec!["a", "aaaa"]),
        (r"^a{2,}b{1}$", vec!["aab", "aaaab"], vec!["ab"]),
        (r"^\u00e9\x41\u{1F432}\cA\0$", vec!["éA🐲\u{1}\0"], vec!["eA"]),
        (r"^\ud83d\udc32$", vec!["🐲"], vec!["🐉"]),
        (r"^\p{L}+\P{L}$", vec!["é1"], vec!["11"]),
        (r"^[\p{Letter}_]$", vec!["ß", "_"], vec!["1"]),
        (r"^(?<year>\d{4})-(?:0|1)\d$", vec!["2024-01"], vec!["24-01"]),
        (r"^a\/b\-c\.d$", vec!["a/b-c.d"], vec!["a/b-cxd"]),
        (
            r"^(a+)+$",
            vec!["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"],
            vec!["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"],
        ),
    ];
    for (source, matching, others) in cases {
        let pattern = Pattern::new(source).unwrap_or_else(|error| panic!("{source} {error}"));
        matching.iter().for_each(|text| assert!(pattern.matches(text), "{source} should match {text:?}"));
        others.iter().for_each(|text| assert!(!pattern.matches(text), "{source} should not match {text:?}"));
    }
}

#[test]
fn what_cannot_be_done_is_refused() {
    let cases = [
        ("^(?=a)", "look-around"),
        ("(?!a)b", "look-around"),
        ("(?<=a)b", "look-around"),
        (r"(a)\1", "back-reference"),
        (r"(?<x>a)\k<x>", "back-reference"),
        ("(?i)a", "inline flags"),
        ("(?P<x>a)", "group"),
        (r"a\Z", r"\Z"),
        (r"a\", "backslash"),
        ("[a", "not closed"),
        ("(a", "regular expression"),
        ("*a", "regular expression"),
        (r"\pL", "braces"),
        (r"\p{Nonsense}", "regular expression"),
        (r"\x4", "digits"),
        (r"\ud800", "U+D800"),
        (r"\u{110000}", "not a character"),
        ("((a{999}){999}){999}", "regular expression"),
    ];
    for (source, word) in cases {
        let error = Pattern::new(source).expect_err(source);
        assert!(error.contains(word), "{source}: {error}");
    }
}
