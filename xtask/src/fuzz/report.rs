//! What libFuzzer says, and what is worth telling of it. Start from [`Line`].

use std::fmt::Write as _;

/// How lines begin that help nobody: statistics are told at the end, nobody keeps a dictionary, functions have no names
/// here, and without a sanitiser there is none to be found.
const NOISE: &[&str] = &["stat::", "INFO:", "\"", "######", "\tNEW_FUNC", "WARNING: Failed to find function"];

/// How one target went.
#[derive(Debug, PartialEq, Default)]
pub(super) struct Line {
    target: String,
    executions: u64,
    /// Edges of the program that were reached.
    coverage: u64,
    /// Inputs that each reach something the others do not.
    inputs: u64,
    /// Where the input lies that breaks a law.
    pub(super) broken: Option<String>,
}

impl Line {
    pub(super) fn new(target: &str) -> Self {
        Self { target: target.to_owned(), ..Self::default() }
    }

    /// Takes a line of libFuzzer's; says whether a person should see it too.
    pub(super) fn hear(&mut self, text: &str) -> bool {
        if let Some(count) = text.strip_prefix("stat::number_of_executed_units:") {
            self.executions = count.trim().parse().unwrap_or(self.executions);
        }
        if let Some((_, path)) = text.split_once("Test unit written to ") {
            self.broken = Some(path.to_owned());
        }
        let Some((step, figures)) = text.strip_prefix('#').and_then(|rest| rest.split_once("cov: ")) else {
            return !NOISE.iter().any(|start| text.starts_with(start));
        };
        self.coverage = leading(figures).unwrap_or(self.coverage);
        let inputs = figures.split_once("corp: ").and_then(|(_, inputs)| leading(inputs));
        self.inputs = inputs.unwrap_or(self.inputs);
        // One line for each input that is new or shorter would be thousands.
        step.contains("pulse") || step.contains("DONE")
    }
}

/// The number that a text begins with.
fn leading(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

pub(super) fn table(lines: &[Line]) -> String {
    let mut table = format!("{:<10} {:>12} {:>9} {:>7}\n", "target", "executions", "coverage", "inputs");
    for line in lines {
        let Line { target, executions, coverage, inputs, broken } = line;
        let verdict = broken.as_ref().map_or_else(String::new, |path| format!("  BROKEN: {path}"));
        // Writing to a string cannot fail.
        let _ = writeln!(table, "{target:<10} {executions:>12} {coverage:>9} {inputs:>7}{verdict}");
    }
    table
}
