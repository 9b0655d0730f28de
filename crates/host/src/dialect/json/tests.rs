//! Plans as planners write them, the contract's texts as data, and the published schema against both.

use super::*;
use crate::schema::Schema;
use proptest::prelude::*;
use serde_json::json;

const PLAN: &str = r#"{"thought": "t", "plan": ["a", "b"], "actions": [{"tool": "run", "command": "ls"}]}"#;

fn plan() -> Plan {
    let run = Action { tool: "run".into(), command: Some("ls".into()), ..Action::default() };
    Plan { thought: "t".into(), plan: vec!["a".into(), "b".into()], actions: vec![run] }
}

#[test]
fn tolerated_replies_are_plans() {
    for reply in [
        PLAN.to_owned(),
        format!("\u{feff}{PLAN}\r\n"),
        format!("```json\n{PLAN}\n```"),
        format!("```\r\n{PLAN}\r\n```\r\n"),
        format!("Here is my plan:\n{PLAN}\nShall I go on?"),
        PLAN.replace("thought", "Thought").replace("actions", "ACTIONS").replace("tool", "Tool"),
        PLAN.replace("\"b\"]", "\"b\",]").replace("}]}", ",},],}"),
        PLAN.replace("{\"thought\"", "{\"confidence\": {\"x\": [1]}, \"thought\""),
        PLAN.replace("{\"tool\"", "{\"why\": null, \"path\": null, \"diff\": null, \"tool\""),
    ] {
        assert_eq!(read(&reply), Ok(plan()), "{reply}");
    }
}

#[test]
fn what_is_no_plan_is_refused_in_words() {
    let cases = [
        ("Sorry, I cannot.", "expected one JSON object, found words"),
        ("{}", "thought: expected a string, found nothing"),
        (r#"{"thought": "t", "actions": []}"#, "plan: expected a list of strings, found nothing"),
        (r#"{"thought": "t", "plan": []}"#, "actions: expected a list of actions, found nothing"),
        (r#"{"thought": null, "plan": [], "actions": []}"#, "thought: expected a string, found null"),
        (
            r#"{"thought": "t", "plan": "x", "actions": []}"#,
            "plan: expected a list of strings, found a string",
        ),
        (
            r#"{"thought": "t", "plan": ["x", 2], "actions": []}"#,
            "plan[1]: expected a string, found a number",
        ),
        (
            r#"{"thought": "t", "plan": [], "actions": {}}"#,
            "actions: expected a list of actions, found an object",
        ),
        (
            r#"{"thought": "t", "plan": [], "actions": ["run"]}"#,
            "actions[0]: expected an object, found a string",
        ),
        (
            r#"{"thought": "t", "plan": [], "actions": [{}]}"#,
            "actions[0].tool: expected a string, found nothing",
        ),
        (
            r#"{"thought": "t", "plan": [], "actions": [{"tool": "git_diff"}, {"tool": "run", "command": ["ls"]}]}"#,
            "actions[1].command: expected a string or null, found a list",
        ),
        (r#"{"thought": "t", "Thought": "u", "plan": [], "actions": []}"#, "thought: given twice"),
        (
            r#"{"thought": "t", "plan": [], "actions": [], "plan": []}"#,
            "line 1, column 45: expected each property once, found 'plan' a second time",
        ),
        (
            r#"{"thought": "t", "plan": [], "actions": NaN}"#,
            "line 1, column 41: expected a JSON value, found 'NaN'",
        ),
    ];
    for (reply, expected) in cases {
        assert_eq!(read(reply).expect_err(reply).to_string(), expected, "{reply}");
    }
}

fn action(tool: &str, path: &str, diff: &str, command: &str) -> Action {
    let given = |text: &str| Some(text.to_owned()).filter(|text| text != "-");
    Action { tool: tool.into(), path: given(path), diff: given(diff), command: given(command) }
}

fn verdict(actions: Vec<Action>) -> Result<(), String> {
    validate(&Plan { actions, ..Plan::default() }, &|command| command.starts_with("rm"))
}

#[test]
fn every_validation_text_of_the_contract() {
    let cases = [
        (action("read_file", "a", "-", "-"), ""),
        (action("apply_diff", "a", "d", "-"), ""),
        (action("run", "-", "-", "ls"), ""),
        (action("git_status", "-", "-", "-"), ""),
        (action("git_diff", "", "rm", "rm"), ""),
        (
            action("delete", "a", "-", "-"),
            "Unknown tool: delete. Allowed tools: read_file, apply_diff, run, git_status, git_diff",
        ),
        (
            action("Run", "-", "-", "ls"),
            "Unknown tool: Run. Allowed tools: read_file, apply_diff, run, git_status, git_diff",
        ),
        (action("read_file", "-", "-", "-"), "read_file requires 'path' parameter"),
        (action("read_file", " ", "-", "-"), "read_file requires 'path' parameter"),
        (action("apply_diff", "-", "-", "-"), "apply_diff requires 'path' parameter"),
        (action("apply_diff", "a", "-", "-"), "apply_diff requires 'diff' parameter"),
        (action("run", "-", "-", "\n"), "run requires 'command' parameter"),
        (action("run", "-", "-", "rm -rf /"), "Destructive command not allowed: rm -rf /"),
    ];
    for (action, expected) in cases {
        let told = verdict(vec![action.clone()]).err().unwrap_or_default();
        assert_eq!(told, expected, "{action:?}");
    }
}

#[test]
fn the_first_failure_in_order_is_told() {
    let (fine, bad, worse) =
        (action("run", "-", "-", "ls"), action("run", "-", "-", "rm x"), action("nothing", "-", "-", "-"));
    let told = verdict(vec![fine.clone(), bad.clone(), worse.clone()]);
    assert_eq!(told, Err("Destructive command not allowed: rm x".to_owned()));
    assert!(verdict(vec![fine, worse, bad]).is_err_and(|text| text.starts_with("Unknown tool: nothing.")));
}

#[test]
fn too_many_actions_are_told() {
    let many = vec![action("git_status", "-", "-", "-"); MOST_ACTIONS + 1];
    assert_eq!(
        verdict(many.clone()),
        Err("Too many actions: 201. At most 200 are allowed in one plan".to_owned())
    );
    assert_eq!(verdict(many[1..].to_vec()), Ok(()));
}

/// OpenAI's rule for schemas that it enforces.
fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => {
            let closed = fields.get("properties").and_then(Value::as_object).is_none_or(|properties| {
                let names: Vec<&String> = properties.keys().collect();
                let mut required: Vec<&str> =
                    fields["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                required.sort_unstable();
                fields["additionalProperties"] == json!(false) && names == required
            });
            closed && fields.values().all(is_strict)
        }
        Value::Array(items) => items.iter().all(is_strict),
        _ => true,
    }
}

#[test]
fn the_schema_can_be_enforced() {
    assert!(serde_json::from_str::<Value>(SCHEMA).is_ok());
    assert!(is_strict(&schema()));
    let schema = Schema::compile(&schema()).unwrap();
    assert!(schema.check(&json!({ "thought": "", "plan": [], "actions": [] })).is_ok());
    assert!(schema.check(&json!({ "thought": "", "plan": [] })).is_err());
    let unknown = json!({ "tool": "rm", "path": null, "diff": null, "command": null });
    assert!(schema.check(&json!({ "thought": "", "plan": [], "actions": [unknown] })).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_plan_written_down_satisfies_the_schema_and_is_read_again(
        thought in ".{0,12}",
        steps in prop::collection::vec(".{0,12}", 0..3),
        actions in prop::collection::vec(
            (prop::sample::select(TOOLS.to_vec()), prop::option::of(".{0,8}"), prop::option::of(".{0,8}")), 0..4),
    ) {
        let actions = actions.into_iter().map(|(tool, path, command)| {
            Action { tool: tool.into(), path, diff: None, command }
        });
        let plan = Plan { thought, plan: steps, actions: actions.collect() };
        let written = serde_json::to_value(&plan).unwrap();
        prop_assert!(Schema::compile(&schema()).unwrap().check(&written).is_ok());
        prop_assert_eq!(read(&written.to_string()), Ok(plan));
    }
}
