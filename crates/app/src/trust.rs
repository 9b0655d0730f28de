//! `cinque trust`: lets a folder's own configuration act. Start at [`run`].
//!
//! Trust binds bytes: when the files change, they must be trusted again.

use crate::arguments::{Here, Trust as Arguments};
use crate::exit::{Exit, Fault, print};
use crate::paint::visible;
use crate::start;
use host::config::{self, Places, Snapshot, Trust};

pub fn run(here: Here, arguments: Arguments) -> Result<Exit, Fault> {
    let here = Here { directory: arguments.folder.or(here.directory), ..here };
    let folder = start::directory(&here)?;
    let list = Places::find(&start::environment()).trusted;
    let list =
        list.ok_or_else(|| Fault::error("there is no home folder to keep the list of trusted folders in"))?;
    if arguments.remove {
        Trust::distrust(&list, &folder).map_err(Fault::error)?;
        aside!("{} is not trusted any more", folder.display());
        return Ok(Exit::Done);
    }
    let snapshot = Snapshot::take(&folder, &config::read_file).map_err(Fault::error)?;
    let layer = config::preview(&folder, &snapshot);
    for problem in layer.problems() {
        aside!("warning: {}", visible(&problem.to_string()));
    }
    Trust::trust(&list, &folder, &snapshot).map_err(Fault::error)?;
    for (name, setting) in layer.settings() {
        print(&format!("{name} = {}", visible(&setting.value.to_string())))?;
    }
    let names: Vec<&str> = snapshot.names().collect();
    match names.is_empty() {
        true => aside!("{} is trusted; it has no configuration yet", folder.display()),
        false => aside!("{} is trusted, with {} as they are now", folder.display(), names.join(" and ")),
    }
    Ok(Exit::Done)
}
