//! The table at the end of `cargo xtask test`. Start from [`table`].

use super::{Line, Outcome, Skips, passes};

pub(super) fn table(lines: &[Line], skips: Skips) -> String {
    let mut table = String::from("step        time  result\n");
    for Line { step, outcome, took } in lines {
        let result = match outcome {
            Outcome::Passed => "passed".to_owned(),
            Outcome::Failed => "FAILED".to_owned(),
            Outcome::Skipped(why) if skips == Skips::Refused => {
                format!("FAILED: skipped, which CI refuses ({why})")
            }
            Outcome::Skipped(why) => format!("SKIPPED: {why}"),
            Outcome::NotReached => "not run, because what is above failed".to_owned(),
        };
        table.push_str(&format!("{step:<8} {:>5.1} s  {result}\n", took.as_secs_f64()));
    }
    let bad = lines.iter().filter(|line| !passes(&line.outcome, skips)).count();
    let skipped = lines.iter().filter(|line| matches!(line.outcome, Outcome::Skipped(_))).count();
    table.push_str(&match (bad, skipped) {
        (0, 0) => "All is well.\n".to_owned(),
        (0, skipped) => format!("All is well, but {skipped} of {} steps did not run.\n", lines.len()),
        (bad, _) => format!("{bad} of {} steps did not pass.\n", lines.len()),
    });
    table
}
