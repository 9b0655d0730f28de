//! `cinque doctor`: what is configured, what is missing, what the sandbox can do. Start at [`run`].

mod terminal;

use crate::arguments::Here;
use crate::exec::WITHOUT_KEY;
use crate::exit::{Exit, Fault, print};
use crate::paint::Paint;
use crate::start::Start;
use crate::wiring;
use host::models::Offer;
use host::run;
use host::sandbox::Wall;
use host::tools::World;

/// One line of the report.
struct Finding {
    good: bool,
    what: &'static str,
    words: String,
    hint: String,
}

pub fn run(here: Here) -> Result<Exit, Fault> {
    let start = Start::new(&here)?;
    let mut findings = vec![model(&start)?, database(&here)];
    let world = start.world()?;
    findings.extend(sandbox(&world));
    findings.push(git());
    findings.extend(terminal::look(&|name| start.variable(name), terminal::Size::of_stdout()));
    let paint = Paint::for_stdout();
    for Finding { good, what, words, hint } in &findings {
        let mark = if *good { paint.green("ok  ") } else { paint.red("miss") };
        print(&format!("{mark} {what:<9} {words}"))?;
        if !hint.is_empty() {
            print(&format!("     {:<9} {hint}", ""))?;
        }
    }
    Ok(Exit::Done)
}

/// Whether the chosen model can be asked, and what else could be: providers with keys, servers on this machine.
fn model(start: &Start) -> Result<Finding, Fault> {
    let models = start.models();
    let name = models.default_model();
    let chosen = name.split('/').next().unwrap_or_default().to_owned();
    let offers = wiring::runtime()?.block_on(models.offers());
    let reached = |offer: &&Offer| offer.models.is_ok();
    let others = offers.iter().filter(reached).filter(|offer| offer.provider != chosen);
    let others: Vec<&str> = others.map(|offer| offer.provider.as_str()).collect();
    let others = match others.is_empty() {
        true => String::new(),
        false => format!("also there: {} (`cinque models` lists their models)", others.join(", ")),
    };
    let offer = offers.into_iter().find(|offer| offer.provider == chosen);
    let unlisted = offer.as_ref().is_some_and(Offer::is_unlisted);
    let unreached = offer.and_then(|offer| offer.models.err());
    let finding = |good, words, hint| Finding { good, what: "model", words, hint };
    Ok(match models.missing(&name).or(unreached.filter(|_| !unlisted)) {
        None if unlisted => {
            let hint = "if asking it fails too, check the base URL: most end in /v1".to_owned();
            finding(true, format!("{name}: the server answers, but lists no models"), lines([hint, others]))
        }
        None => finding(true, format!("{name}: reachable"), others),
        Some(failure) => {
            let without_key = if models.lacks_key(&name) { WITHOUT_KEY } else { "" };
            let hints = lines([failure.hint, without_key.to_owned(), others]);
            finding(false, format!("{name}: {}", failure.message), hints)
        }
    })
}

/// The hints that there are, one below the other.
fn lines(hints: impl IntoIterator<Item = String>) -> String {
    let hints = hints.into_iter().filter(|hint| !hint.is_empty());
    hints.collect::<Vec<_>>().join("\n               ")
}

fn database(here: &Here) -> Finding {
    let (good, words, hint) = match wiring::store_to_read(here) {
        Ok(Some(_)) => (true, "conversations can be read and written".to_owned(), String::new()),
        Ok(None) => (true, "no conversations in this folder yet".to_owned(), String::new()),
        Err(fault) => (false, fault.message, fault.hints.join("; ")),
    };
    Finding { good, what: "database", words, hint }
}

fn sandbox(world: &World) -> Vec<Finding> {
    let shell = match world.shell() {
        Ok(shell) => shell,
        Err(why) => return vec![Finding { good: false, what: "bash", words: why, hint: String::new() }],
    };
    let bash =
        Finding { good: true, what: "bash", words: shell.bash.display().to_string(), hint: String::new() };
    let probe = run::probe(&shell.confiner);
    let refused = |(wall, why): &(Wall, String)| format!("{}: {why}", wall.words());
    let hints = probe.refusals.iter().map(refused).chain(probe.wall.gaps().iter().map(ToString::to_string));
    let wall = Finding {
        good: probe.refusals.is_empty() && probe.wall != Wall::None,
        what: "sandbox",
        words: probe.wall.words().to_owned(),
        hint: lines(hints),
    };
    vec![bash, wall]
}

fn git() -> Finding {
    let found = std::process::Command::new("git").arg("--version").output();
    match found.ok().filter(|output| output.status.success()) {
        Some(output) => {
            let words = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            Finding { good: true, what: "git", words, hint: String::new() }
        }
        None => Finding {
            good: false,
            what: "git",
            words: "not found".into(),
            hint: "Cinque works without it; undo does not need it".into(),
        },
    }
}
