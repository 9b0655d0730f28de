//! Laws that hold for every script.

use proptest::prelude::*;

use super::*;

/// Commands of every verdict, and pieces to build stranger ones from.
#[rustfmt::skip]
fn command() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "ls", "cat f | head", "touch x", "rm -rf /", "echo $(touch x)", "git status", "git push -f", "x=1",
        "for i in a b; do ls $i; done", "curl x.y", "cat .env", "if ls; then pwd; fi", "$x",
        "echo \"a 'b' c\"", "(ls; pwd)", "f() { ls; }", "ls > f", "sed -n 1p f", "awk '{print $1}' f",
        "env A=1 ls", "echo 'it''s' \\' \\\"",
    ])
    .prop_map(str::to_owned)
}

#[rustfmt::skip]
fn soup() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec![
        "ls", "rm", "-rf", "/", "$(", ")", "(", "`", "'", "\"", "${", "}", "{", "<<EOF\n", "\nEOF\n", "|",
        "||", "&&", "&", ";", ";;", "\n", " ", " ", " ", "$((", "))", "((", "[[", "]]", "if", "then", "fi",
        "for", "in", "do", "done", "while", "case", "esac", "x=", "=(", ">", ">>", "2>&1", "<(", "#", "\\",
        "$'", "$x", "bash -c ", "xargs ", "find . -exec ", "{}", "\\;", "env ", "sed ", "awk ", "git ", "~",
        "*", "a[", "]", "!", "time ", "é", "\u{1}",
    ]);
    prop::collection::vec(token, 0..40).prop_map(|tokens| tokens.concat())
}

fn quoted(source: &str) -> String {
    format!("'{}'", source.replace('\'', "'\\''"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn never_panics(text in any::<String>(), soup in soup()) {
        judge().judge(&text);
        judge().judge(&soup);
        judge().always(&soup);
        let solve = judge().with_strictness(Strictness::Solve);
        solve.judge(&text);
        solve.judge(&soup);
    }

    #[test]
    fn a_list_is_as_bad_as_its_worst_part(a in command(), b in command()) {
        let worst = judge().judge(&a).verdict.max(judge().judge(&b).verdict);
        for joint in ["; ", " && ", " || ", "\n", " | ", " & "] {
            let source = format!("{a}{joint}{b}");
            prop_assert!(judge().judge(&source).verdict >= worst, "{source:?}");
        }
    }

    #[test]
    fn wrapping_never_lowers(a in command()) {
        let alone = judge().judge(&a).verdict;
        for source in [
            format!("bash -c {}", quoted(&a)), format!("bash -lc {}", quoted(&a)), format!("sh -c {}",
                quoted(&format!("bash -c {}", quoted(&a)))), format!("({a}\n)"), format!("{{ {a}\n}}"),
                format!("echo $({a}\n)"), format!("cat <({a}\n)"),
            format!("if true; then {a}\nfi"), format!("eval {}", quoted(&a)), format!("bash <<'END'\n{a}\nEND"),
                format!("true; {a}"), format!("trap {} EXIT", quoted(&a)),
        ] {
            prop_assert!(judge().judge(&source).verdict >= alone, "{source:?}");
        }
    }

    #[test]
    fn parsable_soup_in_a_list_keeps_its_verdict(a in soup(), b in soup()) {
        let both = judge().judge(&format!("{a}\n{b}")).verdict;
        // A piece that is read alone may be swallowed by an open quote or comment of the other only
        // if that one is not read alone.
        if super::super::parse::parse(&a).is_ok() && super::super::parse::parse(&b).is_ok() && !a.ends_with('\\') {
            prop_assert!(both >= judge().judge(&a).verdict.max(judge().judge(&b).verdict), "{a:?} {b:?}");
        }
    }
}
