//! Programs of other people's that are written in Python, each job's in an environment of its own. Start from
//! [`environment`].

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;

/// A package, by the module that shows that it is there and what is asked of `pip install` for it.
pub struct Package {
    pub module: &'static str,
    pub install: &'static [&'static str],
}

/// The Python of an environment in `place` that has the packages, made if it is not there yet.
pub fn environment(place: &Path, packages: &[Package]) -> Result<PathBuf, Failure> {
    let (venv, python) = (place.join("venv"), place.join("venv/bin/python"));
    let has = |package: &Package| {
        let module = package.module;
        let check =
            format!("import importlib.util, sys; sys.exit(importlib.util.find_spec('{module}') is None)");
        Command::new(&python).args(["-c", &check]).status().is_ok_and(|status| status.success())
    };
    if packages.iter().all(has) {
        return Ok(python);
    }
    step(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    for package in packages {
        step(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(package.install))?;
    }
    Ok(python)
}

fn step(command: &mut Command) -> Result<(), Failure> {
    let shown = format!("{command:?}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure::new(format!("{shown} ended with {status}"))),
        Err(error) => Err(Failure::new(format!("{shown} could not be started: {error}"))),
    }
}
