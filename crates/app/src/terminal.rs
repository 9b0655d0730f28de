//! `cinque` in a terminal: puts the terminal door together. Start at [`run`].
//!
//! Everything that the door may want to know of the environment is resolved here.

use crate::arguments::{Exec, Here};
use crate::desk::Machine;
use crate::exit::{Exit, Fault};
use crate::paint::visible;
use crate::start::{self, Start};
use crate::wiring::{self, Wiring};
use host::config::{self, Places, Snapshot, Standing, Trust};
use std::io::IsTerminal;
use std::sync::Arc;
use terminal::{Answer, Begin, Door, Guard, Mode, Settings, Theme};

/// The profile of conversations that begin here.
const PROFILE: &str = "terminal";

/// Whether a person is there to chat with: at a terminal, and not asking for what only `exec` gives.
pub fn fits(exec: &Exec) -> bool {
    let headless = exec.json
        || exec.output_last_message.is_some()
        || exec.output_schema.is_some()
        || !exec.approve_call.is_empty()
        || !exec.decline_call.is_empty()
        || exec.prompt.as_deref() == Some("-");
    !headless && std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

pub fn run(here: Here, exec: Exec, plain: bool) -> Result<Exit, Fault> {
    // First of all, so that no key is taken for a line of text.
    let guard = match mode(plain) {
        Mode::Live => Some(Guard::enter().map_err(Fault::error)?),
        Mode::Plain => None,
    };
    ask_for_trust(&here)?;
    let start = Start::with_flags(&here, exec.layer())?;
    let runtime = wiring::runtime()?;
    let ended = runtime.block_on(async {
        let wiring = Arc::new(Wiring::new(&start, start.models(), None)?);
        let settings = Settings {
            profile: PROFILE.into(),
            effort: exec.reasoning.clone().or_else(|| effort(&start)),
            begin: begin(&wiring, &exec).await?,
            model: here.model.clone(),
            prompt: exec.prompt.clone(),
            theme: Theme::read(|name| start.variable(name)),
            editor: ["VISUAL", "EDITOR"]
                .iter()
                .find_map(|name| start.variable(name))
                .filter(|name| !name.is_empty()),
        };
        let desk = Arc::new(Machine::new(start, wiring.clone()));
        let door = Door { hub: wiring.hub.clone(), desk, names: Arc::new(wiring::new_id), settings };
        terminal::run(door, guard).await.map_err(fault)?;
        wiring.tidy_up();
        Ok(Exit::Done)
    });
    // A command that was given up may still be ending; nobody waits for it.
    runtime.shutdown_background();
    ended
}

/// A terminal that says it can do nothing gets plain lines.
fn mode(plain: bool) -> Mode {
    let term = std::env::var("TERM").unwrap_or_default();
    if plain || term.is_empty() || term == "dumb" { Mode::Plain } else { Mode::Live }
}

/// What would act in a folder that is not trusted is put to the person first. Whoever says no goes on without it.
fn ask_for_trust(here: &Here) -> Result<(), Fault> {
    let folder = start::directory(here)?;
    let Some(list) = Places::find(&start::environment()).trusted else { return Ok(()) };
    let snapshot = Snapshot::take(&folder, &config::read_file).map_err(Fault::error)?;
    let standing = match Trust::read(&list, &config::read_file) {
        Ok(trust) => trust.standing(&folder, &snapshot),
        // What cannot be read is not trusted, and a warning says so later.
        Err(_) => return Ok(()),
    };
    let what = match standing {
        Standing::Empty | Standing::Trusted => return Ok(()),
        Standing::Changed => "has changed since you trusted it",
        Standing::Untrusted => "is not trusted yet",
    };
    let names: Vec<&str> = snapshot.names().collect();
    let mut question =
        format!("This folder brings settings of its own ({}), and {what}:\n", names.join(", "));
    for (name, setting) in config::preview(&folder, &snapshot).settings() {
        question.push_str(&format!("  {name} = {}\n", visible(&setting.value.to_string())));
    }
    question.push_str(&format!("Let them act in {}? [y/n] ", visible(&folder.to_string_lossy())));
    match terminal::ask(&question).map_err(Fault::error)? {
        Answer::Yes => Trust::trust(&list, &folder, &snapshot).map_err(Fault::error),
        Answer::No => Ok(()),
    }
}

async fn begin(wiring: &Wiring, exec: &Exec) -> Result<Begin, Fault> {
    Ok(match exec.resume.as_deref() {
        Some("") => Begin::Choose,
        Some(id) => Begin::Resume(wiring::named(&wiring.store, id).await?),
        None if exec.continue_newest => Begin::Resume(wiring.newest().await?),
        None => Begin::New,
    })
}

fn effort(start: &Start) -> Option<String> {
    start.config.reasoning.map(|effort| format!("{effort:?}").to_lowercase())
}

fn fault(error: terminal::Error) -> Fault {
    match error {
        terminal::Error::Store(error) => error.into(),
        other => Fault::error(other),
    }
}
