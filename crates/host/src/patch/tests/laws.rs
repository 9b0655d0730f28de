//! Laws that hold for every file and every patch.

use proptest::prelude::*;

use super::super::{Creation, Intent, Mode, apply_body, plan, plan_file, seek, unified};
use super::{Files, carried_out, planned};

/// A file of few different lines, so that places look alike, in any ending and with or without the last.
fn file() -> impl Strategy<Value = String> {
    let text = prop::sample::select(vec!["", "a", "b", "c", "  a", "é “q”", "-- x", "++ y", "@@", "\\ z"]);
    let end = prop::sample::select(vec!["\n", "\n", "\n", "\r\n"]);
    let lines = prop::collection::vec((text, end), 0..30);
    (lines, any::<bool>()).prop_map(|(lines, open)| {
        let mut file: String = lines.iter().map(|(text, end)| format!("{text}{end}")).collect();
        if open && file.ends_with('\n') {
            file.pop();
            if file.ends_with('\r') {
                file.pop();
            }
        }
        file
    })
}

/// A file of lines that all differ, and one made of it by dropping, replacing and adding lines.
fn edit() -> impl Strategy<Value = (Vec<String>, Vec<(u8, String)>)> {
    prop::collection::vec((0..6_u8, "[a-z]{1,3}"), 1..40).prop_map(|steps| {
        let lines = (0..steps.len()).map(|i| format!("line {i}")).collect();
        (lines, steps)
    })
}

/// The V4A body of an edit, and the text after it.
fn body(lines: &[String], steps: &[(u8, String)]) -> (String, String) {
    let (mut body, mut after) = (String::from("@@\n"), String::new());
    for (line, (step, word)) in lines.iter().zip(steps) {
        let (rows, text) = match step {
            0 => (format!("-{line}\n"), String::new()),
            1 => (format!("-{line}\n+{word}\n"), format!("{word}\n")),
            2 => (format!(" {line}\n+{word}\n"), format!("{line}\n{word}\n")),
            _ => (format!(" {line}\n"), format!("{line}\n")),
        };
        body.push_str(&rows);
        after.push_str(&text);
    }
    (body, after)
}

/// Text that looks like a patch in places.
fn hostile() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        prop::sample::select(vec![
            "*** Begin Patch",
            "*** End Patch",
            " *** End Patch",
            "*** Add File: f",
            "*** Update File: f",
            "*** Delete File: f",
            "*** Move to: g",
            "*** End of File",
            "@@",
            "@@ a",
            "@@ -1,2 +1,2 @@",
            "@@ -0,0 +1 @@",
            "@@ -18446744073709551615,18446744073709551615 +1,18446744073709551615 @@",
            "--- a/f",
            "+++ b/f",
            "--- /dev/null",
            "+++ /dev/null",
            "diff --git a/f b/f",
            "rename from f",
            "rename to g",
            "copy from f",
            "copy to g",
            "new file mode 100644",
            "deleted file mode 100644",
            "--- \"a/\\30",
            "\\ No newline at end of file",
            "```",
            "apply_patch <<EOF",
            "EOF",
            "",
            " ",
            "+",
            "-",
            " a",
            "-a",
            "+a",
            "-b",
            "\r",
        ])
        .prop_map(str::to_owned),
        "[ +@*-]?\\PC{0,8}",
    ];
    prop::collection::vec(line, 0..25).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn a_unified_diff_leads_from_one_file_to_the_other(before in file(), after in file()) {
        let mut files = Files::new();
        files.insert("d/f".into(), before.clone().into_bytes());
        let diff = unified("d/f", Some(before.as_bytes()), Some(after.as_bytes()));
        if before != after {
            let plan = planned(&files, &diff, Creation::Refuse).map_err(|error| TestCaseError::fail(error.to_string()))?;
            files = carried_out(&files, &plan);
        }
        prop_assert_eq!(&files["d/f"], after.as_bytes(), "{}", diff);
    }

    #[test]
    fn a_unified_diff_survives_lines_on_top((lines, steps) in edit(), top in 0..9_usize) {
        let (_, after) = body(&lines, &steps);
        let before: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let diff = unified("f", Some(before.as_bytes()), Some(after.as_bytes()));
        prop_assume!(!diff.is_empty() && !diff.contains("@@ -0,0"));
        let top = "top\n".repeat(top);
        let mut files = Files::new();
        files.insert("f".into(), format!("{top}{before}").into_bytes());
        let plan = planned(&files, &diff, Creation::Refuse).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(carried_out(&files, &plan)["f"].clone(), format!("{top}{after}").into_bytes());
    }

    #[test]
    fn a_body_leads_to_the_edited_text((lines, steps) in edit(), returned: bool, open: bool) {
        let (body, mut after) = body(&lines, &steps);
        let mut before = lines.join("\n") + "\n";
        if open && !after.is_empty() {
            before.pop();
            after.pop();
        }
        if returned && before.contains('\n') {
            (before, after) = (before.replace('\n', "\r\n"), after.replace('\n', "\r\n"));
        }
        prop_assert_eq!(apply_body(&before, &body, Mode::Update), Ok(after));
    }

    #[test]
    fn lines_that_no_hunk_touches_stay(file in file(), other in file(), changed in file()) {
        let diff = unified("f", Some(other.as_bytes()), Some(changed.as_bytes()));
        let mut files = Files::new();
        files.insert("f".into(), file.clone().into_bytes());
        let Ok(plan) = planned(&files, &diff, Creation::Refuse) else { return Ok(()) };
        let after = String::from_utf8(carried_out(&files, &plan)["f"].clone()).expect("UTF-8");
        let real = unified("f", Some(file.as_bytes()), Some(after.as_bytes()));
        let count = |diff: &str, mark| diff.lines().skip(3).filter(|line| line.starts_with(mark)).count();
        // One line more where the end of the file opens or closes.
        prop_assert!(count(&real, '-') <= count(&diff, '-') + 1, "{}\n{}", diff, real);
        prop_assert!(count(&real, '+') <= count(&diff, '+') + 1, "{}\n{}", diff, real);
    }

    #[test]
    fn nothing_panics(patch in hostile(), file in file()) {
        let mut read = |path: &str| Ok::<_, ()>((path == "f").then(|| file.clone().into_bytes()));
        let _ = plan(&patch, Creation::Replace, &mut read);
        for intent in [Intent::Create, Intent::Update] {
            if let Err(error) = plan_file("f", intent, &patch, Creation::Refuse, &mut read) {
                let _ = format!("{error:?}");
            }
        }
        let _ = apply_body(&file, &patch, Mode::Update).map_err(|error| error.as_diff_failure());
        let _ = apply_body(&file, &patch, Mode::Create);
    }
}

/// Patches made to cost much must be refused or applied within the budget of comparisons, which is for all of a file.
#[test]
fn hostile_sizes_cost_no_more_than_the_budget() {
    let many = |line: &str, count: usize| line.repeat(count);
    let alike = many("x\n", 20_000);
    let cases = [
        (alike.clone(), format!("@@\n{}-y\n", many(" x\n", 10_000))),
        (alike.clone(), format!("@@\n{} z\n{}", many(" x\n", 5_000), many(" x\n", 5_000))),
        (format!("{alike}z\n{alike}"), format!("@@\n{} z\n-x\n-y\n", many(" x\n", 10_000))),
        (alike.clone(), many("@@ -9 +9 @@\n-x\n+y\n", 10_000)),
        (alike.clone(), many("@@ x\n@@ x\n-x\n+y\n", 5_000)),
        (many("x\ny\n", 10_000), many("@@\n-x\n y\n-x\n y\n x\n-z\n", 2_000)),
        (many("\r", 20_000), many("@@\n-x\n", 5_000)),
        (
            many("long line of text that looks alike\n", 20_000),
            "-long line of text that locks alike\n".into(),
        ),
        (alike.clone(), many("\n", 100_000)),
        (alike.clone(), many(" *** End Patch\n\n", 50_000)),
        (alike, many("```\n", 100_000)),
    ];
    for (i, (file, diff)) in cases.iter().enumerate() {
        seek::spent::take();
        let _ = apply_body(file, diff, Mode::Update);
        let spent = seek::spent::take();
        assert!(spent < 400_000, "case {i} took {spent} comparisons");
    }
}
