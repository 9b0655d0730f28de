//! The built-in profiles by name: what makes one door's agent differ from another's, as data. Start at [`find`].

use crate::dialect::MISREAD;
use agent::profile::Calls;
use agent::{Profile, Recall, Stance};

/// The planner's profile.
pub const SOLVE: &str = "solve";
/// The profile of a person with a chat.
pub const MAILBOX: &str = "mailbox";
/// The model of that profile. It has no name of its own: which chat a person carries letters to is their business.
pub const MAILBOX_MODEL: &str = "mailbox/";
/// The built-in profiles that a conversation may have. `api` is not among them: its conversations are one request long.
pub const NAMES: [&str; 5] = ["standard", "web", "terminal", MAILBOX, SOLVE];

/// A built-in profile.
pub fn find(name: &str) -> Option<Profile> {
    match name {
        "standard" => Some(Profile::standard()),
        "web" => Some(web()),
        "terminal" => Some(terminal()),
        "api" => Some(api()),
        MAILBOX => Some(mailbox()),
        SOLVE => Some(solve()),
        _ => None,
    }
}

/// A person carries every reply and sees it, so files change without asking (they are confined and can be put back), and
/// the person is the bound on rounds. Commands are put to them as everywhere.
fn mailbox() -> Profile {
    let commands = ["create_file", "edit_file", "delete_file", "read_file", "run_command", "message", "done"];
    Profile {
        tools: commands.into_iter().chain([MISREAD]).map(String::from).collect(),
        text_ends: false,
        final_tool: Some("done".into()),
        calls: Calls::InOrder,
        write: Stance::Finding,
        ..named(MAILBOX)
    }
}

/// The page: every command and every change is a person's to decide, and only `final_output` ends a run.
fn web() -> Profile {
    Profile {
        tools: names(["shell", "view_file", "write_file", "insert_text", "replace_text", "final_output"]),
        text_ends: false,
        final_tool: Some("final_output".into()),
        run: Stance::Ask,
        ..named("web")
    }
}

/// The chat in a terminal: what only reads runs, every patch asks.
fn terminal() -> Profile {
    Profile { tools: names(["shell", "apply_patch", "search", "read"]), ..named("terminal") }
}

/// One request of a program: one reply, at most one call, nobody to ask.
fn api() -> Profile {
    Profile {
        tools: names(["readFile", "listFiles", "searchText", "replaceText"]),
        calls: Calls::First,
        write: Stance::Finding,
        ..named("api")
    }
}

fn named(name: &str) -> Profile {
    Profile { name: name.into(), ..Profile::standard() }
}

fn names<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(String::from).to_vec()
}

/// Plans in JSON and acts without asking: nobody is there, so what is not rejected runs behind the wall. The loop that
/// speaks says all that is worth knowing, and decides after each reply what comes next.
fn solve() -> Profile {
    Profile {
        tools: names(["read_file", "apply_diff", "run", "git_status", "git_diff"]),
        write: Stance::Finding,
        recall: Recall::LastPrompt,
        calls: Calls::UntilFailure,
        calls_end: true,
        ..named(SOLVE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_profile_of_that_name() {
        for name in NAMES.into_iter().chain(["api"]) {
            assert_eq!(find(name).map(|profile| profile.name).as_deref(), Some(name));
        }
        assert_eq!(find("none such"), None);
    }
}
