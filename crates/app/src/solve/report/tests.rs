//! The files for CI, whatever a planner or a person wrote.

use super::*;
use host::solve::Ending;

fn report<'a>(solved: &'a Solved, solve: &'a Solve, exit: Exit) -> Report<'a> {
    Report { solved, solve, exit, took: Duration::from_millis(1500), patch: Some("+```\n".into()) }
}

#[test]
fn a_result_is_a_test_case() {
    let solve = Solve { description: Some("a <b> & \"c\"\u{1}\nd".into()), ..Solve::default() };
    let failed = Solved::not_begun(Ending::Bound, "Max iterations exceeded");
    let cases = [
        (
            Solved { success: true, error: None, ..failed.clone() },
            Exit::Done,
            "failures=\"0\" errors=\"0\"",
            "",
        ),
        (
            failed.clone(),
            Exit::Bound,
            "failures=\"1\" errors=\"0\"",
            "<failure message=\"Max iterations exceeded\">",
        ),
        (failed.clone(), Exit::Check, "failures=\"1\" errors=\"0\"", "<failure "),
        (failed.clone(), Exit::Model, "failures=\"0\" errors=\"1\"", "<error "),
        (failed.clone(), Exit::Refused, "failures=\"0\" errors=\"1\"", "<error "),
    ];
    for (solved, exit, counts, outcome) in cases {
        let xml = report(&solved, &solve, exit).junit();
        assert!(xml.contains(counts) && xml.contains(outcome), "{xml}");
        assert!(xml.contains("name=\"a &lt;b&gt; &amp; &quot;c&quot;\u{fffd}\nd\" time=\"1.500\""), "{xml}");
        assert_eq!(outcome.is_empty(), !xml.contains("message="), "{xml}");
    }
}

#[test]
fn nothing_ends_a_block_of_code_early() {
    let solve = Solve { description: Some("one\ntwo".into()), ..Solve::default() };
    let solved = Solved {
        memory_summary: "Iteration 1:\n- Ran `````: failed".into(),
        ..Solved::not_begun(Ending::Bound, "Max\niterations")
    };
    let shown = report(&solved, &solve, Exit::Bound).markdown();
    assert!(shown.starts_with("## ❌ Max iterations\n\n> one\n> two\n"), "{shown}");
    assert!(
        shown.contains("\n``````text\nIteration 1:") && shown.contains("\n````diff\n+```\n````\n"),
        "{shown}"
    );
    assert!(shown.contains("**Error:** Max iterations\n"), "{shown}");
}
