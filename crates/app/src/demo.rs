//! `cinque demo`: a recorded model mends a small project with real tools and a real test run. Start at [`run`].

use crate::arguments::{Demo, Here};
use crate::exec;
use crate::exit::{Exit, Fault};
use crate::paint::Paint;
use crate::sample::{PROMPT, Project, recording};
use crate::start::Start;
use crate::wiring::{self, Wiring};
use host::config::Layer;
use std::sync::Arc;

pub fn run(demo: Demo) -> Result<Exit, Fault> {
    let mut project = Project::lay_out()?;
    project.keep = demo.keep;
    let paint = Paint::for_stderr();
    aside!("{}", paint.bold("This is a recording: the model's words were written down beforehand."));
    aside!("The tools, the files and the test run are real, in {}", project.folder.display());
    aside!("\n{} {PROMPT}\n", paint.bold("❯"));
    let replay = Arc::new(recording()?);
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
        aside!("\nThe project stays in {}; look at its log with:", project.folder.display());
        aside!("  cinque -C {} log list", project.folder.display());
    }
    Ok(exit)
}
