//! A small project with a mistake, and the recording of a model that mends it. Start at [`Project`].

use crate::exit::Fault;
use crate::outfile::unwritten;
use host::replay::Replay;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The recorded model, where a conversation of another door has it.
pub const MODEL: &str = "demo/recording";
pub const PROMPT: &str = "The test fails. Find out why and mend it.";
/// How the names of the project's copies begin.
const COPY: &str = "cinque-demo-";
const RECORDING: &str = include_str!("sample/recording.jsonl");
const PROJECT: [(&str, &str); 3] = [
    ("roman.sh", include_str!("sample/project/roman.sh")),
    ("test.sh", include_str!("sample/project/test.sh")),
    ("README.md", include_str!("sample/project/README.md")),
];

/// A copy of the sample project, removed when it is dropped unless it is to be kept.
pub struct Project {
    pub folder: PathBuf,
    pub keep: bool,
}

impl Project {
    pub fn lay_out() -> Result<Project, Fault> {
        let folder = std::env::temp_dir().join(format!("{COPY}{}", uuid::Uuid::now_v7().simple()));
        std::fs::create_dir(&folder).map_err(|error| unwritten(&folder, &error))?;
        let folder = folder.canonicalize().map_err(Fault::error)?;
        let project = Project { folder, keep: false };
        for (name, content) in PROJECT {
            let path = project.folder.join(name);
            std::fs::write(&path, content).map_err(|error| unwritten(&path, &error))?;
        }
        Ok(project)
    }

    /// Runs the project's test once more, outside the agent.
    pub fn passes(&self) -> Result<bool, Fault> {
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

/// What the model said, from the beginning.
pub fn recording() -> Result<Replay, Fault> {
    Replay::read("demo", RECORDING).map_err(Fault::error)
}

/// The recorded model, if that is what the name says. It goes on where the conversation is.
pub fn model(name: &str) -> Option<Arc<dyn agent::Model>> {
    let replay = (name == MODEL).then(|| recording().ok())??;
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
