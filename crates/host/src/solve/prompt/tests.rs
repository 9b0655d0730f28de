//! Prompts as data, and the bound that holds whatever was printed.

use super::*;
use proptest::prelude::*;

fn entry(tool: &str, subject: &str, output: &str, error: &str) -> Entry {
    Entry {
        tool: tool.into(),
        subject: subject.into(),
        role: Role::Action,
        success: error.is_empty(),
        output: output.into(),
        error: error.into(),
    }
}

fn prompt<'a>(description: &'a str, memory: &'a str, results: &'a [Entry]) -> Prompt<'a> {
    Prompt { instructions: "system", description, directory: "/src/x", iteration: 3, memory, results }
}

#[test]
fn the_skeleton() {
    assert_eq!(
        prompt(" mend it\n", "", &[]).render(),
        "TASK: mend it\n\nWORKING DIRECTORY: /src/x\n\nITERATION: 3\n\nGenerate your plan as JSON:"
    );
    let test =
        Entry { role: Role::Test, ..entry("run", "make test", "1 failed", "Command exited with code 2") };
    let results = [entry("read_file", "a.txt", "one\ntwo", ""), entry("git_status", "", "", "bad"), test];
    assert_eq!(
        prompt("mend it", "Iteration 1:\n- Ran `ls`: succeeded", &results).render(),
        "TASK: mend it\n\nWORKING DIRECTORY: /src/x\n\nITERATION: 3\n\n\
         MEMORY SUMMARY:\nIteration 1:\n- Ran `ls`: succeeded\n\n\
         PREVIOUS RESULTS:\n\
         Tool: read_file\nPath: a.txt\nSuccess: true\nOutput: one\ntwo\n\n\
         Tool: git_status\nSuccess: false\nError: bad\n\n\
         Tool: run\nCommand: make test (the test command)\nSuccess: false\nOutput: 1 failed\n\
         Error: Command exited with code 2\n\n\
         Generate your plan as JSON:"
    );
}

#[test]
fn a_second_try_is_told_what_was_wrong() {
    let reply = "ä".repeat(300);
    assert_eq!(
        again("PROMPT", &reply, &Unusable::NotJson("why".into())),
        format!(
            "PROMPT\n\nPREVIOUS ATTEMPT WAS INVALID JSON:\n{}\n\nTry again with VALID JSON only.",
            "ä".repeat(200)
        )
    );
    assert_eq!(
        again("PROMPT", "{}", &Unusable::Invalid("run requires 'command' parameter".into())),
        "PROMPT\n\nVALIDATION ERROR:\nrun requires 'command' parameter\n\nFix the error and output valid JSON."
    );
}

#[test]
fn what_is_short_stays_whole_beside_what_is_long() {
    let results = [
        entry("read_file", "short", "all of it", ""),
        entry("read_file", "long", &"x".repeat(1 << 20), ""),
        entry("run", "c", &"line\n".repeat(100_000), "Command exited with code 1"),
    ];
    let shown = prompt("d", "", &results).render();
    assert!(shown.contains("Output: all of it\n"), "{shown}");
    assert!(shown.contains("characters trimmed") && shown.contains("lines trimmed"));
    assert!(shown.contains("Error: Command exited with code 1") && shown.len() > 40_000, "{}", shown.len());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn a_prompt_stays_under_its_bound(
        sizes in prop::collection::vec((0usize..40_000, 0usize..8_000, 0usize..300), 0..60),
        description in 1usize..100_000,
        system in 0usize..36_000,
    ) {
        let results: Vec<Entry> = sizes
            .iter()
            .map(|(output, error, subject)| {
                entry("run", &"s".repeat(*subject), &"o\n".repeat(output / 2), &"ü".repeat(error / 2))
            })
            .collect();
        let (system, description) = ("i".repeat(system), "d".repeat(description));
        let memory = "- m\n".repeat(2000);
        let prompt = Prompt { instructions: &system, ..prompt(&description, &memory, &results) }.render();
        let whole = again(&prompt, &"x".repeat(500), &Unusable::Invalid("f".repeat(5000)));
        prop_assert!(whole.chars().count() + system.len() < 60_000, "{}", whole.len());
        prop_assert!(prompt.ends_with("\nGenerate your plan as JSON:"));
    }
}
