//! The benchmark from outside, with the floor in the place of the program.

use std::process::{Command, Output};

use kit::serde_json::{self, Value};

const FLOOR: &str = env!("CARGO_BIN_EXE_floor");

fn bench(program: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    command.args(["--program", program, "--floor", FLOOR, "--quick", "--json"]).args(arguments);
    command.output().expect("the benchmark was built")
}

fn lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

#[test]
fn the_floor_is_measured_against_itself() {
    // These figures do not depend on how busy the machine is.
    for (filter, unit) in [("request", "B"), ("memory", "MB")] {
        let output = bench(FLOOR, &[filter]);
        let lines = lines(&output);
        assert_eq!(lines.len(), 1, "{output:?}");
        let line = &lines[0];
        assert_eq!((&line["figure"], &line["unit"]), (&Value::from(filter), &Value::from(unit)));
        assert_eq!(line["verdict"], "met", "{line}");
        let ratio = line["to_floor"].as_f64().expect("a ratio");
        assert!((0.5..2.0).contains(&ratio), "{line}");
        assert!(output.status.success());
    }
}

#[test]
fn a_program_that_makes_no_requests_is_told() {
    let output = bench("true", &["request"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("true does not work: made 0 requests instead of 2"), "{said}");
}

#[test]
fn a_program_that_fails_is_told_with_its_words() {
    // It takes `exec`, the first argument, for a program to start.
    let output = bench("env", &["request"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("env does not work: ended with exit code 127, saying:\n"), "{said}");
    assert!(said.contains("No such file or directory"), "{said}");
}

#[test]
fn an_unknown_figure_is_refused_with_the_known_ones() {
    let output = bench(FLOOR, &["beauty"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("no figure is called `beauty`; there are start, call"), "{said}");
}
