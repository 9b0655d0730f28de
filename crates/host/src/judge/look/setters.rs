//! Commands that set variables named by their arguments. Start from [`Walk::sets`].
//!
//! A name may carry a subscript, and the shell evaluates that as arithmetic, which can run commands.

use super::super::expand::{Arg, NAME, UNKNOWN};
use super::super::walk::Walk;

/// Take `name=value`.
const ASSIGNING: &[&str] = &["declare", "typeset", "local", "export", "readonly"];
/// Take names.
const NAMING: &[&str] = &["read", "mapfile", "readarray", "unset", "getopts"];

/// Whether the command sets the variables that its arguments name.
pub fn declares(name: &str) -> bool {
    ASSIGNING.contains(&name) || NAMING.contains(&name)
}

impl Walk<'_> {
    pub(super) fn sets(&mut self, name: &str, args: &[Arg]) {
        if !declares(name) {
            return;
        }
        let arrays = self.scope.has_arrays();
        for arg in targets(name, args) {
            let (target, value) = arg.text.split_once('=').unwrap_or((&arg.text, ""));
            let end = arg.text.find(['=', '+', '[']).unwrap_or(arg.text.len());
            self.assigned(&arg.text[..end]);
            if target.contains([UNKNOWN, NAME]) || (arg.splits && self.wrapped > 1) || arg.glob {
                self.findings.ask(format!("which variables `{name}` sets is only known when it runs"));
            }
            let listed = value.starts_with('(') || (arrays && value.starts_with([UNKNOWN, NAME]));
            if target.contains('[') || (listed && ASSIGNING.contains(&name)) {
                self.findings.ask(format!("`{name}` with a subscript or a list can run commands"));
            }
        }
    }
}

/// The arguments that name variables.
fn targets<'a>(name: &str, args: &'a [Arg]) -> Vec<&'a Arg> {
    let rest = args.get(1..).unwrap_or_default();
    match name {
        "getopts" => rest.iter().skip(1).take(1).collect(),
        "read" => {
            // A letter before the last may only be a flag: else the rest is its value already.
            let prompts = |arg: &Arg| {
                arg.text.strip_prefix('-').is_some_and(|letters| {
                    letters.trim_start_matches(['r', 's']).len() == 1
                        && letters.ends_with(['p', 't', 'd', 'u', 'n', 'N'])
                })
            };
            let mut kept = Vec::new();
            let mut at = 0;
            while let Some(arg) = rest.get(at) {
                kept.push(arg);
                // What belongs to such an option is no name; with blanks it could become one.
                at += 1 + usize::from(prompts(arg) && rest.get(at + 1).is_some_and(|value| !value.splits));
            }
            kept
        }
        _ => rest.iter().collect(),
    }
}
