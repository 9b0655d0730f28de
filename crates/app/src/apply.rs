//! `cinque apply`: a patch from outside, all or nothing. Start at [`run`].

use crate::arguments::{Apply, Here};
use crate::exit::{Exit, Fault, print};
use crate::paint::visible;
use crate::start;
use host::patch::Failure;
use host::workspace::{Error, Workspace};
use std::io::Read;

pub fn run(here: Here, apply: Apply) -> Result<Exit, Fault> {
    let text = read(&apply)?;
    let workspace = Workspace::open(start::directory(&here)?).map_err(refused)?;
    workspace.recover().map_err(refused)?;
    let plan = host::tools::plan(&workspace, &text).map_err(unfit)?;
    let lines: Vec<String> = plan.changes.iter().map(host::tools::told).collect();
    let changes = host::tools::changes(plan);
    if apply.check {
        workspace.preview(&changes).map_err(refused)?;
        aside!("the patch fits; nothing was changed");
        return Ok(Exit::Done);
    }
    workspace.change(&changes).map_err(refused)?;
    lines.iter().try_for_each(|line| print(&visible(line)))?;
    Ok(Exit::Done)
}

fn read(apply: &Apply) -> Result<String, Fault> {
    let mut bytes = Vec::new();
    let (name, read) = match apply.patch.as_deref().filter(|path| *path != "-") {
        None => ("stdin".to_owned(), std::io::stdin().lock().read_to_end(&mut bytes)),
        Some(path) => {
            let file = std::fs::File::open(path);
            (path.display().to_string(), file.and_then(|mut file| file.read_to_end(&mut bytes)))
        }
    };
    read.map_err(|error| Fault::usage(format!("the patch cannot be read from {name}: {error}")))?;
    String::from_utf8(bytes)
        .map_err(|_| Fault::new(Exit::Check, "the patch is not valid UTF-8; nothing was changed"))
}

fn unfit(failure: Failure<Error>) -> Fault {
    match failure {
        Failure::Read(error) => refused(error),
        Failure::Patch(error) => Fault::new(Exit::Check, error.to_string()).hint("nothing was changed"),
    }
}

fn refused(error: Error) -> Fault {
    let exit = match error {
        Error::Outside { .. } | Error::Protected { .. } => Exit::Refused,
        Error::Missing { .. } | Error::Changed { .. } | Error::Exists { .. } | Error::NotAFile { .. } => {
            Exit::Check
        }
        _ => Exit::Error,
    };
    Fault::new(exit, error.to_string()).hint("nothing was changed")
}
