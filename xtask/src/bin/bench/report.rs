//! The figures for people and for programs. Start from [`table`] and [`json_lines`].

use kit::serde_json::{Value, json};

use crate::figure::{Goal, Measured, Unit, Verdict};
use crate::history::History;
use crate::program::Fault;

const HEADINGS: [&str; 8] = ["figure", "value", "floor", "to floor", "goal", "to goal", "to last", "verdict"];

pub fn table(measured: &[Measured], history: &History) -> String {
    let mut rows = vec![HEADINGS.map(str::to_owned)];
    rows.extend(measured.iter().map(|one| cells(one, history)));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; HEADINGS.len()] = std::array::from_fn(width);
    let mut table = String::new();
    for row in &rows {
        let mut line = format!("{:<1$}", row[0], widths[0]);
        for (cell, width) in row.iter().zip(widths).skip(1).take(HEADINGS.len() - 2) {
            line.push_str(&format!("  {cell:>width$}"));
        }
        table.push_str(&format!("{line}  {}\n", row[HEADINGS.len() - 1]));
    }
    for one in measured {
        for (whose, result) in [("", &one.value), ("the floor ", &one.floor)] {
            let fault = result.as_ref().err().filter(|fault| !matches!(fault, Fault::NoFloor));
            if let Some(fault) = fault {
                table.push_str(&format!("\n{}: {whose}{fault}\n", one.title));
            }
        }
    }
    table
}

pub fn json_lines(measured: &[Measured]) -> String {
    measured.iter().map(|one| format!("{}\n", json(one))).collect()
}

fn json(one: &Measured) -> Value {
    let mut object = json!({
        "figure": one.name,
        "title": one.title,
        "unit": symbol(one.unit),
        "value": one.value.as_ref().ok(),
        "floor": one.floor.as_ref().ok(),
        "to_floor": one.to_floor(),
        "goal": one.bound(),
        "to_goal": one.to_goal(),
        "verdict": one.verdict().word(),
    });
    if let Err(fault) = &one.value {
        object["fault"] = Value::from(fault.to_string());
    }
    object
}

fn cells(one: &Measured, history: &History) -> [String; HEADINGS.len()] {
    let amount = |result: Option<f64>| result.map_or_else(|| "-".to_owned(), |value| shown(value, one.unit));
    let ratio = |ratio: Option<f64>| ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"));
    let goal = match one.goal {
        Goal::AtMost(bound) => shown(bound, one.unit),
        Goal::TimesFloor(times) => format!("floor x {times:.2}"),
        Goal::OverFloor(more) => format!("floor + {}", shown(more, one.unit)),
        Goal::None => "-".to_owned(),
    };
    let verdict = match one.verdict() {
        Verdict::Met => "met",
        Verdict::Missed => "MISSED",
        Verdict::Shown => "",
        Verdict::Unknown => "NOT MEASURED, see below",
    };
    [
        one.title.to_owned(),
        amount(one.value.as_ref().ok().copied()),
        amount(one.floor.as_ref().ok().copied()),
        ratio(one.to_floor()),
        goal,
        ratio(one.to_goal()),
        ratio(history.ratio(one)),
        verdict.to_owned(),
    ]
}

fn shown(value: f64, unit: Unit) -> String {
    let symbol = symbol(unit);
    match unit {
        Unit::Bytes => format!("{value:.0} {symbol}"),
        Unit::Milliseconds | Unit::Microseconds | Unit::Instructions | Unit::Times => {
            format!("{value:.2} {symbol}")
        }
        Unit::Megabytes | Unit::Kilobytes => format!("{value:.1} {symbol}"),
    }
}

fn symbol(unit: Unit) -> &'static str {
    match unit {
        Unit::Milliseconds => "ms",
        Unit::Microseconds => "µs",
        Unit::Megabytes => "MB",
        Unit::Kilobytes => "KB",
        Unit::Bytes => "B",
        Unit::Instructions => "M instr",
        Unit::Times => "x",
    }
}
