//! The result as a workflow command of GitHub's, which shows it beside the run. Start at [`line`].

use crate::arguments::Solve;
use host::solve::Solved;

/// One line; what would end it or begin another is escaped.
pub fn line(solve: &Solve, solved: &Solved) -> String {
    let level = if solved.success { "notice" } else { "error" };
    let description = solve.description.as_deref().unwrap_or_default();
    let title: String =
        description.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(80).collect();
    let message = match &solved.error {
        Some(error) if *error != solved.summary => format!("{}: {error}", solved.summary),
        _ => solved.summary.clone(),
    };
    format!("::{level} title={}::{}", property(&format!("cinque solve: {title}")), data(&message))
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::solve::Ending;

    #[test]
    fn a_result_is_one_line_whatever_is_in_it() {
        let solve = Solve { description: Some("a: b,\nc 100%".into()), ..Solve::default() };
        let failed = Solved::not_begun(Ending::Bound, "one\r\n::error::two");
        let done = Solved { success: true, error: None, summary: "done".into(), ..failed.clone() };
        for (solved, expected) in [
            (done, "::notice title=cinque solve%3A a%3A b%2C c 100%25::done"),
            (failed, "::error title=cinque solve%3A a%3A b%2C c 100%25::one%0D%0A::error::two"),
        ] {
            assert_eq!(line(&solve, &solved), expected);
        }
    }
}
