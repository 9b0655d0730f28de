//! The files that a run leaves for others: JUnit XML, Markdown, a patch, a predictions line. Start at [`Report::write`].

use crate::arguments::Solve;
use crate::exit::{Exit, Fault};
use crate::outfile::{self, unwritten};
use host::solve::Solved;
use std::fs;
use std::io::Write;
use std::time::Duration;

pub struct Report<'a> {
    pub solved: &'a Solved,
    pub solve: &'a Solve,
    pub exit: Exit,
    pub took: Duration,
    pub patch: Option<String>,
}

impl Solve {
    /// Whether anybody wants to know what changed in the folder.
    pub fn wants_patch(&self) -> bool {
        self.patch.is_some() || self.predictions.is_some()
    }

    /// Whether all files that were asked for can be written.
    pub fn check_files(&self) -> Result<(), Fault> {
        let files = [&self.junit, &self.summary, &self.patch, &self.predictions];
        files.into_iter().flatten().try_for_each(|path| outfile::check(path))
    }
}

impl Report<'_> {
    /// Writes all files that were asked for.
    pub fn write(&self, model: &str) -> Result<(), Fault> {
        let patch = self.patch.as_deref().unwrap_or_default();
        let files = [
            (&self.solve.junit, self.junit()),
            (&self.solve.summary, self.markdown()),
            (&self.solve.patch, patch.into()),
        ];
        for (path, text) in files {
            if let Some(path) = path {
                fs::write(path, text).map_err(|error| unwritten(path, &error))?;
            }
        }
        if let (Some(path), Some(instance)) = (&self.solve.predictions, &self.solve.instance_id) {
            let line = serde_json::json!({
                "instance_id": instance, "model_name_or_path": model, "model_patch": patch,
            });
            let file = fs::File::options().create(true).append(true).open(path);
            file.and_then(|mut file| writeln!(file, "{line}")).map_err(|error| unwritten(path, &error))?;
        }
        Ok(())
    }

    fn description(&self) -> &str {
        self.solve.description.as_deref().unwrap_or_default()
    }

    /// One test case, which failed if the task was not solved and could not be run if the model or the setup was at fault.
    fn junit(&self) -> String {
        let Solved { summary, error, memory_summary, success, .. } = self.solved;
        let seconds = self.took.as_secs_f64();
        let broken = matches!(self.exit, Exit::Model | Exit::Interrupted | Exit::Refused | Exit::Error);
        let (failures, errors) = (u8::from(!success && !broken), u8::from(!success && broken));
        let outcome = match error {
            Some(error) if !success => {
                let kind = if broken { "error" } else { "failure" };
                format!("\n      <{kind} message=\"{}\">{}</{kind}>", xml(error), xml(summary))
            }
            _ => String::new(),
        };
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <testsuites tests=\"1\" failures=\"{failures}\" errors=\"{errors}\" time=\"{seconds:.3}\">\n  \
             <testsuite name=\"cinque solve\" tests=\"1\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"0\" time=\"{seconds:.3}\">\n    \
             <testcase classname=\"cinque.solve\" name=\"{}\" time=\"{seconds:.3}\">{outcome}\n      \
             <system-out>{}</system-out>\n    </testcase>\n  </testsuite>\n</testsuites>\n",
            xml(self.description()),
            xml(memory_summary),
        )
    }

    fn markdown(&self) -> String {
        let Solved { success, iterations, summary, memory_summary, error, .. } = self.solved;
        let mark = if *success { "✅" } else { "❌" };
        let mut out = format!("## {mark} {}\n\n{}\n", markdown_line(summary), quote(self.description()));
        let took = self.took.as_secs_f64();
        out.push_str(&format!(
            "\n| success | iterations | seconds |\n|---|---|---|\n| {success} | {iterations} | {took:.1} |\n"
        ));
        if let Some(error) = error {
            out.push_str(&format!("\n**Error:** {}\n", markdown_line(error)));
        }
        if !memory_summary.is_empty() {
            out.push_str(&format!("\n### What happened\n\n{}\n", fenced(memory_summary, "text")));
        }
        if let Some(patch) = self.patch.as_ref().filter(|patch| !patch.is_empty()) {
            let shown = &patch[..patch.floor_char_boundary(SHOWN)];
            out.push_str(&format!("\n### What changed\n\n{}\n", fenced(shown, "diff")));
        }
        out
    }
}

/// So much of a patch is shown; a job summary may hold a mebibyte.
const SHOWN: usize = 64 << 10;

fn markdown_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn quote(text: &str) -> String {
    text.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n")
}

/// A code block whose fence is longer than any run of backticks in it.
fn fenced(text: &str, language: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}", text.trim_end())
}

/// A text as XML 1.0 can hold it: characters that it has no way to write are replaced.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(c),
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests;
