//! H1: the law of the history, where there is no process to interrupt. Start from [`history`].

use std::env;
use std::path::PathBuf;
use std::process::Command;

use crate::fault::Seen;
use crate::trial::Trial;

/// The property of the turn machine that every call gets one outcome.
const LAW: &str = "turn::tests::laws::every_call_gets_one_outcome_whatever_happens";

/// 10,000 random interruptions of the turn machine. From outside, every request of every other fault is looked at.
pub fn history(trial: &Trial) -> Seen {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let Some(package) = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from) else {
        return Seen::Skipped(
            "start it with `cargo xtask torture`: it runs a test of the repository".to_owned(),
        );
    };
    let mut command = Command::new(cargo);
    command.args(["test", "-q", "-p", "agent", "--lib", LAW]).current_dir(package);
    let output =
        command.env("PROPTEST_RNG_SEED", trial.seed.to_string()).output().expect("cargo can be started");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
    Seen::Held
}
