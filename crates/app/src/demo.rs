//! `cinque demo`: a recorded model mends a small project with real tools and a real test run. Start at [`run`].

use crate::arguments::{Demo, Here};
use crate::exec;
use crate::exit::{Exit, Fault};
use crate::outfile::unwritten;
use crate::paint::Paint;
use crate::start::Start;
use crate::wiring::{self, Wiring};
use host::config::Layer;
use host::replay::Replay;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The recorded model, where a conversation of another door has it.
const MODEL: &str = "demo/recording";
/// How the names of the project's copies begin.
const COPY: &str = "cinque-demo-";
pub const PROMPT: &str = "The test fails. Find out why and mend it.";
const RECORDING: &str = include_str!("demo/recording.jsonl");
const PROJECT: [(&str, &str); 3] = [
    ("roman.sh", include_str!("demo/project/roman.sh")),
    ("test.sh", include_str!("demo/project/test.sh")),
    ("README.md", include_str!("demo/project/README.md")),
];

pub fn run(demo: Demo) -> Result<Exit, Fault> {
    let project = Project::lay_out(demo.keep)?;
    let paint = Paint::for_stderr();
    eprintln!("{}", paint.bold("This is a recording: the model's words were written down beforehand."));
    eprintln!("The tools, the files and the test run are real, in {}", project.folder.display());
    eprintln!("\n{} {PROMPT}\n", paint.bold("❯"));
    let replay = Arc::new(Replay::read("demo", RECORDING).map_err(Fault::error)?);
    let here = Here { model: None, dialect: None, directory: Some(project.folder.clone()) };
    let mut flags = Layer::default();
    flags.flag("demo", "approve", "auto");
    let start = Start::with_flags(&here, flags)?;
    let runtime = wiring::runtime()?;
    let exit = runtime.block_on(async {
        let wiring =
            Wiring::with_models(&start, None, "replay/demo".into(), Arc::new(move |_: &str| replay.clone()))?;
        let session = wiring.begin("standard").await?;
        exec::play(session, PROMPT).await
    })?;
    if exit == Exit::Done && !project.passes()? {
        return Err(Fault::new(Exit::Check, "the demo ended, but the project's test still fails"));
    }
    if demo.keep {
        eprintln!("\nThe project stays in {}; look at its log with:", project.folder.display());
        eprintln!("  cinque -C {} log list", project.folder.display());
    }
    Ok(exit)
}

/// The recorded model, if that is what the name says. It goes on where the conversation is.
pub fn model(name: &str) -> Option<Arc<dyn agent::Model>> {
    let replay = (name == MODEL).then(|| Replay::read("demo", RECORDING).ok())??;
    Some(Arc::new(replay.resuming()))
}

/// Whether a folder is a copy of the sample project.
pub fn is_copy(folder: &Path) -> bool {
    let named = folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with(COPY));
    let temporary = std::env::temp_dir();
    named
        && folder.parent().is_some_and(|parent| {
            parent == temporary || temporary.canonicalize().is_ok_and(|real| parent == real)
        })
}

/// Lays a copy out that stays, and says how a conversation in it opens.
pub fn opened(wiring: &Wiring) -> Result<agent::Opened, Fault> {
    let project = Project::lay_out(true)?;
    Ok(wiring.opened_in(&project.folder, "standard", MODEL))
}

/// A copy of the sample project, removed when it is dropped unless it is to be kept.
struct Project {
    folder: PathBuf,
    keep: bool,
}

impl Project {
    fn lay_out(keep: bool) -> Result<Project, Fault> {
        let folder = std::env::temp_dir().join(format!("{COPY}{}", uuid::Uuid::now_v7().simple()));
        std::fs::create_dir(&folder).map_err(|error| unwritten(&folder, &error))?;
        let folder = folder.canonicalize().map_err(Fault::error)?;
        let project = Project { folder, keep };
        for (name, content) in PROJECT {
            let path = project.folder.join(name);
            std::fs::write(&path, content).map_err(|error| unwritten(&path, &error))?;
        }
        Ok(project)
    }

    /// Runs the project's test once more, outside the agent.
    fn passes(&self) -> Result<bool, Fault> {
        let test = std::process::Command::new("bash").arg("test.sh").current_dir(&self.folder).output();
        Ok(test.map_err(|error| Fault::error(format!("bash cannot be run: {error}")))?.status.success())
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        if !self.keep {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}
