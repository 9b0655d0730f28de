//! Where the repository and its build products are, and how cargo is called in it. Start from [`Workspace`].

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;

/// The repository that this program was built from.
pub struct Workspace {
    root: PathBuf,
    /// The directory that holds `debug` and `release`.
    products: PathBuf,
}

impl Workspace {
    pub fn find() -> Result<Self, Failure> {
        // Cargo names the place at run time; a repository that was moved after the build is found by it.
        let package = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let package = package.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
        let root = package.parent().filter(|root| root.join("Cargo.toml").is_file());
        let root = root.ok_or_else(|| {
            Failure::new(format!("no workspace around {}: start it with `cargo xtask`", package.display()))
        })?;
        // Asking cargo costs a process; this program lies in `debug` itself, wherever a target directory,
        // a configuration or a target triple has put that.
        let program = env::current_exe().ok();
        let products = program.as_deref().and_then(|program| program.parent()?.parent());
        let products = products.map_or_else(|| root.join("target"), Path::to_owned);
        Ok(Self { root: root.to_owned(), products })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The target directory, with `debug` and `release` in it.
    pub fn products(&self) -> &Path {
        &self.products
    }

    /// The path of a program of the release profile.
    pub fn release(&self, program: &str) -> PathBuf {
        self.products.join("release").join(program)
    }

    /// The path of a program of the profile for development.
    pub fn debug(&self, program: &str) -> PathBuf {
        self.products.join("debug").join(program)
    }

    /// Cargo in the root of the repository, as if it were called from the shell with these words.
    pub fn cargo(&self, arguments: &str) -> Command {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(arguments.split(' ')).current_dir(&self.root);
        // `cargo run` describes this package in the environment. Some build scripts watch these variables
        // and would build again each time that calls from the shell and from here take turns.
        for (name, _) in env::vars_os() {
            if name.to_str().is_some_and(describes_a_package) {
                command.env_remove(name);
            }
        }
        command
    }

    /// Runs cargo with its output on the screen, and fails unless it succeeds.
    pub fn build(&self, arguments: &str) -> Result<(), Failure> {
        match self.cargo(arguments).status() {
            Ok(status) if status.success() => Ok(()),
            Ok(_) => Err(Failure::new(format!("`cargo {arguments}` failed, see above"))),
            Err(error) => Err(Failure::new(format!("`cargo {arguments}` could not be started: {error}"))),
        }
    }
}

fn describes_a_package(variable: &str) -> bool {
    variable.starts_with("CARGO_PKG_") || variable.starts_with("CARGO_MANIFEST_")
}
