//! The judge of commands: the same words get the same verdict, blanks and a variable before them make nothing better,
//! and a rule that is offered allows no more than it was offered for.

use host::judge::{Judge, Rules, Strictness, Verdict};

/// What may stand before any command and changes nothing that it does.
const HARMLESS: &[&str] = &[" ", "\n", "\t ", "true; ", "true\n", "{ true; } && ", ": x\n", VARIABLE];
const VARIABLE: &str = "LC_ALL=C ";

pub fn check(data: &[u8]) {
    let source = String::from_utf8_lossy(data);
    let judge = Judge::new(Rules::default()).expect("no rules are no mistake");
    let judgement = judge.judge(&source);
    assert_eq!(judge.judge(&source), judgement, "the same source");
    assert_eq!(judgement.verdict == Verdict::Allow, judgement.reasons.is_empty(), "{judgement:?}");
    if judgement.verdict != Verdict::Allow {
        // What begins with a separator is no command by itself, and becomes one behind an assignment.
        let is_word = source.starts_with(|c: char| c.is_ascii_alphanumeric());
        for before in HARMLESS.iter().filter(|before| is_word || **before != VARIABLE) {
            let verdict = judge.judge(&format!("{before}{source}")).verdict;
            assert_ne!(verdict, Verdict::Allow, "{before:?} makes it allowed");
        }
    }
    for rules in [judge.always(&source), judge.agree(&source)].into_iter().flatten() {
        assert_ne!(judgement.verdict, Verdict::Forbid, "{rules:?} are offered for what is forbidden");
        let more = judge.with_allowed(rules).expect("what is offered can be used");
        assert_eq!(more.judge(&source).verdict, Verdict::Allow);
        assert_eq!(more.judge("rm -rf /").verdict, Verdict::Forbid);
    }
    let solve = judge.with_strictness(Strictness::Solve);
    assert_eq!(solve.judge(&source), solve.judge(&source));
}
