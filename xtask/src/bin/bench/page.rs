//! Figures of the page, which a script of the page measures in a browser. Start from [`paint`].

use std::path::Path;
use std::process::{Command, Stdio};

use crate::program::{Fault, Program};

/// Kilobytes of compressed JavaScript, everything that is loaded when needed included.
pub fn script(program: &Program) -> Result<f64, Fault> {
    figure(program, "script")
}

/// Milliseconds from the request to the first paint, in a browser that has nothing of the page yet: a median.
pub fn paint(program: &Program) -> Result<f64, Fault> {
    figure(program, "paint")
}

fn figure(program: &Program, name: &str) -> Result<f64, Fault> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../page");
    let mut node = Command::new("node");
    node.args(["tools/figures.mjs", name]).current_dir(page).env("CINQUE_PROGRAM", program.path());
    let output = node.stdin(Stdio::null()).output();
    let output = output.map_err(|error| Fault::NotStarted(format!("node: {error}")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Fault::Ended(output.status.code(), said));
    }
    let said = String::from_utf8_lossy(&output.stdout);
    said.trim().parse().map_err(|_| Fault::Senseless("the script of the page gave no number"))
}
