//! Budgets and results, as data. What the loop does is seen from outside, by the tests of the binary.

use super::*;

#[test]
fn a_result_is_five_fields() {
    let solved = Solved::not_begun(Ending::Usage, "Task description is required");
    let expected = r#"{"success":false,"iterations":0,"summary":"Task description is required","memorySummary":"","error":"Task description is required"}"#;
    assert_eq!(serde_json::to_string(&solved).unwrap(), expected);
    let done = Solved { success: true, error: None, ..solved };
    assert!(serde_json::to_string(&done).unwrap().ends_with(r#""error":null}"#));
}

#[test]
fn a_budget_says_what_of_it_is_used_up() {
    let used = Usage { input: 900_000, output: 100_000, ..Usage::default() };
    let price = Some(Price { input: 1.0, output: 10.0, cached: None });
    for (budget, expected) in [
        (Budget::default(), None),
        (Budget { tokens: Some(1_000_001), ..Budget::default() }, None),
        (Budget { tokens: Some(1_000_000), ..Budget::default() }, Some("Token budget (1000000) reached")),
        (Budget { cost: Some(1.5), price, ..Budget::default() }, Some("Cost budget ($1.5) reached")),
        (Budget { cost: Some(2.0), price, ..Budget::default() }, None),
        (Budget { cost: Some(0.1), ..Budget::default() }, None),
    ] {
        assert_eq!(budget.spent(&used).as_deref(), expected);
    }
}
