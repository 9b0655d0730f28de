//! What was found, for people and for programs. Start from [`table`] and [`json_lines`].

use kit::serde_json::{Value, json};

use crate::fault::{Broken, Found};

const HEADINGS: [&str; 6] = ["id", "injected", "runs", "figure", "goal", "verdict"];

pub fn table(found: &[Found]) -> String {
    let mut rows = vec![HEADINGS.map(str::to_owned)];
    rows.extend(found.iter().map(cells));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; HEADINGS.len()] = std::array::from_fn(width);
    let mut table = String::new();
    for row in &rows {
        let cells: Vec<_> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        table.push_str(cells.join("  ").trim_end());
        table.push('\n');
    }
    for one in found {
        for Broken { seed, why } in &one.broken {
            let id = one.fault.id;
            table.push_str(&format!("\n{id} broke: {}\n{why}\n", one.fault.promise));
            table.push_str(&format!("again with: cargo xtask torture {id} --seed {seed} --runs 1\n"));
        }
        if let Some(why) = &one.skipped {
            table.push_str(&format!("\n{} SKIPPED: {why}\n", one.fault.id));
        }
    }
    table
}

pub fn json_lines(found: &[Found]) -> String {
    found.iter().map(|one| format!("{}\n", json(one))).collect()
}

fn json(one: &Found) -> Value {
    let measure = one.fault.measure.as_ref();
    let broken: Vec<_> =
        one.broken.iter().map(|broken| json!({ "seed": broken.seed, "why": broken.why })).collect();
    json!({
        "id": one.fault.id,
        "injected": one.fault.injects,
        "promise": one.fault.promise,
        "runs": one.runs,
        "planned": one.planned,
        "broken": broken,
        "measure": measure.map(|measure| measure.what),
        "unit": measure.map(|measure| measure.unit),
        "value": one.largest,
        "goal": measure.map(|measure| measure.most),
        "skipped": one.skipped,
        "seconds": one.took.as_secs_f64(),
        "verdict": one.verdict().word().to_lowercase(),
    })
}

fn cells(one: &Found) -> [String; HEADINGS.len()] {
    let with = |count: usize, value: Option<f64>, what: &str| match (&one.fault.measure, value) {
        (Some(measure), Some(value)) => {
            let digits = usize::from(value < 10.0);
            format!("{count} broken, {} {what}{value:.digits$} {}", measure.what, measure.unit)
        }
        _ => format!("{count} broken"),
    };
    let runs = match one.runs == one.planned {
        true => one.runs.to_string(),
        false => format!("{} of {}", one.runs, one.planned),
    };
    [
        one.fault.id.to_owned(),
        one.fault.injects.to_owned(),
        runs,
        with(one.broken.len(), one.largest, ""),
        with(0, one.fault.measure.as_ref().map(|measure| measure.most), "<= "),
        one.verdict().word().to_owned(),
    ]
}
