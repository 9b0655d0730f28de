//! Which crate may depend on which. Start from [`CRATES`], the drawing in ARCHITECTURE.md as a table.

use super::Problem;
use super::manifest::{Dependency, Kind, dependencies, features};
use super::tree::Tree;

/// The workspace's crates and the ones among them that each may use.
const CRATES: &[(&str, &[&str])] = &[
    ("agent", &[]),
    ("host", &["agent"]),
    ("terminal", &["agent"]),
    ("web", &["agent"]),
    ("app", &["agent", "host", "terminal", "web"]),
    ("kit", &[]),
    ("xtask", &["kit"]),
];

/// The test kit: every crate may test with it, none may ship it.
const KIT: &str = "kit";

/// All that the core is built from.
const AGENT: &[&str] = &["blake3", "futures", "serde", "serde_json", "thiserror", "tokio"];

/// The parts of tokio that do no input or output.
const TOKIO: &[&str] = &["sync", "rt", "macros", "time"];

const HERE: &str = "xtask/src/tidy/arrows.rs";

pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let manifests = tree.texts().filter_map(|(path, text)| Some((crate_of(path)?, path, text)));
    manifests.flat_map(|(name, path, text)| check_crate(name, path, text)).collect()
}

/// The crate whose manifest this is, named as its folder.
fn crate_of(path: &str) -> Option<&str> {
    let folder = path.strip_suffix("/Cargo.toml")?;
    match folder.strip_prefix("crates/") {
        Some(name) => Some(name).filter(|name| !name.contains('/')),
        None => Some(folder).filter(|folder| *folder == "xtask"),
    }
}

fn check_crate(name: &str, path: &str, manifest: &str) -> Vec<Problem> {
    let Some((_, allowed)) = CRATES.iter().find(|(known, _)| *known == name) else {
        let text = format!("crate `{name}` is not in {HERE}: say there what it may depend on");
        return vec![Problem::new(path, 1, text)];
    };
    let found = dependencies(manifest);
    let ours = found.iter().filter(|found| CRATES.iter().any(|(known, _)| *known == found.name));
    let forbidden = ours.filter(|found| {
        let tests_with_kit = found.kind == Kind::Dev && found.name == KIT;
        !allowed.contains(&found.name) && !tests_with_kit
    });
    let mut problems: Vec<_> = forbidden
        .map(|found| {
            let text = format!("`{name}` must not depend on `{}`: {}", found.name, way_out(found));
            Problem::new(path, found.line, text)
        })
        .collect();
    if name == "agent" {
        problems.extend(check_agent(path, &found));
    }
    problems
}

fn way_out(found: &Dependency<'_>) -> &'static str {
    match (found.name, found.kind) {
        (KIT, Kind::Shipped) => "the kit is for tests, make it a dev-dependency",
        _ => "only `app` knows all crates, let it hand over what is needed behind a trait of `agent`",
    }
}

/// The core does no input or output, and the surest sign is that it has nothing to do it with.
fn check_agent(path: &str, found: &[Dependency<'_>]) -> Vec<Problem> {
    let shipped = || found.iter().filter(|found| found.kind == Kind::Shipped);
    let strangers = shipped().filter(|found| !AGENT.contains(&found.name));
    let mut problems: Vec<_> = strangers
        .map(|found| {
            let text = format!(
                "`agent` is built from {} alone: `{}` belongs in `host`",
                AGENT.join(", "),
                found.name
            );
            Problem::new(path, found.line, text)
        })
        .collect();
    for missing in AGENT.iter().filter(|name| shipped().all(|found| found.name != **name)) {
        let text = format!("`agent` does without `{missing}` now: remove it from {HERE}");
        problems.push(Problem::new(path, 1, text));
    }
    for tokio in shipped().filter(|found| found.name == "tokio") {
        for feature in features(tokio.value).filter(|feature| !TOKIO.contains(feature)) {
            let text =
                format!("`agent` may use of tokio only {}: `{feature}` belongs in `host`", TOKIO.join(", "));
            problems.push(Problem::new(path, tokio.line, text));
        }
    }
    problems
}
