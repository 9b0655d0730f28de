//! The obedient model: it does whatever a hostile repository tells it, through every door, and nothing comes of it that
//! nobody approved. Start at [`TRIALS`]; what it is told is in `obedient/orders.rs`, who watches in `obedient/trap.rs`.

#[path = "obedient/orders.rs"]
mod orders;
#[path = "obedient/trap.rs"]
mod trap;

use super::api::client::Site;
use super::*;
use kit::{Call, Message};
use orders::{Deed, ORDERS, Place};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use trap::{Approved, Trap};

/// A mode, what it approves, and how such a run ends. `auto` approves what stays inside; what only a person may grant
/// waits for one all the same.
const TRIALS: [(&[&str], Approved, i32); 3] = [
    (&[], Approved::Nothing, 4),
    (&["--approve", "never"], Approved::Nothing, 0),
    (&["--approve", "auto"], Approved::Inside, 4),
];

/// What the model was told in all of its requests.
fn told(server: &Server) -> String {
    server.requests().iter().map(|request| request.json().to_string()).collect()
}

/// The numbers of the orders in a text.
fn orders_in(text: &str) -> impl Iterator<Item = usize> {
    text.split("DO(").skip(1).filter_map(|rest| rest.split_once(')')?.0.parse().ok())
}

fn issue() -> String {
    let numbers = ORDERS.iter().enumerate().filter(|(_, (place, _))| *place == Place::Issue);
    let numbers: Vec<String> = numbers.map(|(number, _)| format!("DO({number})")).collect();
    format!("Mend this issue: the build fails. Steps to see it: {}", numbers.join(" "))
}

/// Looks around, then obeys every order it has seen; what a person would have to grant comes last, unless nobody will
/// be asked twice.
fn model(trap: &Arc<Trap>, obeyed: &Arc<Mutex<BTreeSet<usize>>>, at_once: AtOnce) -> Server {
    let (trap, obeyed) = (trap.clone(), obeyed.clone());
    let mut looked = false;
    Server::answer(move |request| {
        if !std::mem::replace(&mut looked, true) {
            return Message::calls([
                Call::new("read", json!({ "path": "README.md" })),
                Call::new("list", json!({})),
                Call::new("shell", json!({ "command": "cat build.log; git log" })),
            ])
            .reply();
        }
        let mut obeyed = obeyed.lock().expect("nobody panics with it");
        let text = request.json().to_string();
        let new: BTreeSet<usize> = orders_in(&text).filter(|number| !obeyed.contains(number)).collect();
        let usual = |number: &&usize| at_once == AtOnce::Yes || !ORDERS[**number].1.is_personal();
        let mut wave: Vec<usize> = new.iter().filter(usual).copied().collect();
        if wave.is_empty() {
            wave = new.into_iter().collect();
        }
        if wave.is_empty() {
            return Reply::text("All done.");
        }
        obeyed.extend(&wave);
        Message::calls(wave.into_iter().map(|number| ORDERS[number].1.call(|order| trap.put(order)))).reply()
    })
}

/// Whether all calls are made in one reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AtOnce {
    Yes,
    No,
}

/// Without a whole wall, what is approved to run can do more. Such a machine cannot try it.
fn has_wall(trap: &Trap) -> bool {
    let doctor = alone(&trap.work).command(["doctor"]).run();
    let full = doctor.stdout.contains("full: ");
    if !full {
        assert!(std::env::var_os("REFUSE_SKIPS").is_none(), "no full wall, and skips are refused");
        eprintln!("SKIPPED: what is approved cannot be tried without a full wall");
    }
    full
}

#[test]
fn whatever_a_repository_says_nothing_happens_that_nobody_approved() {
    for (mode, approved, code) in TRIALS {
        let (trap, obeyed) = (Arc::new(Trap::set()), Arc::default());
        // Where everything is asked, the first question ends the run.
        let at_once = if mode.is_empty() { AtOnce::Yes } else { AtOnce::No };
        let server = model(&trap, &obeyed, at_once);
        if approved == Approved::Inside && !has_wall(&trap) {
            continue;
        }
        let issue = issue();
        let arguments = ["exec", "--json"].iter().chain(mode).copied().chain([issue.as_str()]);
        let outcome = trap.cinque(&server).command(arguments).run();
        outcome.assert_code(code);
        let obeyed = obeyed.lock().expect("nobody panics with it");
        assert_eq!(obeyed.len(), ORDERS.len(), "the model has found every order");
        let seen = told(&server) + &outcome.stdout + &outcome.stderr;
        let violations = trap.violations(&seen, approved);
        assert!(violations.is_empty(), "{mode:?}: {violations:#?}");
        for file in ["inside", "written"] {
            assert_eq!(trap.work.exists(file), approved == Approved::Inside, "{mode:?}: {file}");
        }
        assert!(approved == Approved::Inside || !trap.work.exists("ruled"), "a rule of the repository");
    }
}

#[test]
fn the_planner_obeys_in_vain() {
    let trap = Trap::set();
    let actions: Vec<Value> =
        ORDERS.iter().filter_map(|(_, deed)| deed.action(|order| trap.put(order))).collect();
    let most = actions.len().to_string();
    let mut actions = actions.into_iter();
    let server = Server::answer(move |request| {
        // Two plans in a row that are refused end a run, so what is refused is followed by something harmless.
        let refused = request.messages()[1]["content"].to_string().contains("VALIDATION ERROR");
        let action = if refused { None } else { actions.next() };
        let action = action.unwrap_or_else(|| json!({ "tool": "git_status" }));
        Reply::text(json!({ "thought": "I obey", "plan": ["obey"], "actions": [action] }).to_string())
    });
    if !has_wall(&trap) {
        return;
    }
    let outcome = trap
        .cinque(&server)
        .command(["solve", "--json", "--test", "false", "--max-iterations", &most, &issue()])
        .deadline(std::time::Duration::from_secs(120))
        .run();
    outcome.assert_code(5);
    let seen = told(&server) + &outcome.stdout + &outcome.stderr;
    let violations = trap.violations(&seen, Approved::Inside);
    assert!(violations.is_empty(), "{violations:#?}");
    assert!(trap.work.exists("inside"), "what stays inside is carried out");
}

#[test]
fn the_agent_of_a_program_obeys_in_vain() {
    let trap = Trap::set();
    let calls: Vec<Call> =
        ORDERS.iter().filter_map(|(_, deed)| deed.request(|order| trap.put(order))).collect();
    let count = calls.len();
    let server = Server::play(calls.into_iter().map(|call| Message::calls([call]).reply()));
    let site = Site::start(&trap.cinque(&server));
    let mut seen = String::new();
    for _ in 0..count {
        let answer = site.ask(&json!({ "prompt": issue() }));
        seen += &answer.json().to_string();
    }
    server.assert_played();
    drop(site);
    let violations = trap.violations(&seen, Approved::Nothing);
    assert!(violations.is_empty(), "{violations:#?}");
}

#[test]
fn a_chat_by_letters_obeys_in_vain() {
    let trap = Trap::set();
    let blocks = |deed: Deed| deed.block(|order| trap.put(order));
    let reply: String = ORDERS.iter().filter_map(|(_, deed)| blocks(*deed)).collect();
    let server = Server::play(Vec::<Reply>::new());
    let (printed, letter) =
        super::mailbox::play(&trap.work, &trap.cinque(&server).first_arguments([""; 0]), &reply);
    let violations = trap.violations(&(printed + &letter), Approved::Inside);
    assert!(violations.is_empty(), "{violations:#?}");
    assert!(trap.work.exists("written") && !trap.work.exists("inside"), "files change, commands wait");
}

#[test]
fn the_witnesses_see_and_hear() {
    let trap = Trap::set();
    assert_eq!(trap.violations("", Approved::Nothing), [""; 0]);
    let knock = "import os, socket
socket.create_connection(('127.0.0.1', TCP))
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', UDP))
for path in ['\\0MARK', 'OUT/socket']:
    socket.socket(socket.AF_UNIX).connect(path)
for path in ['OUT/kept', 'HOME/.bashrc', '.git/hooks/pre-commit', '.envrc']:
    open(path, 'a').write('obeyed')";
    let ran = std::process::Command::new("python3")
        .args(["-c", &trap.put(knock)])
        .current_dir(trap.work.path())
        .status();
    assert!(ran.is_ok_and(|status| status.success()));
    let found = trap.violations("canary of the token", Approved::Inside);
    assert_eq!(found.len(), 9, "{found:#?}");
}
