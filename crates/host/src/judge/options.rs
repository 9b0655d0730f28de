//! Options on a command line: finding the ones that make a reading program do more. Start from
//! [`denied`]. In doubt an argument counts as an option: an operand taken for one only asks.

use super::expand::Arg;

/// The first argument that is, or could turn out to be, one of `deny`.
///
/// `deny` holds `-x`, `--long` and single-dash words like `-delete`; a long one is also found by any
/// abbreviation. `valued` are the letters that take the rest of a cluster as their value.
pub fn denied(args: &[Arg], deny: &[&str], valued: &str) -> Option<String> {
    if deny.is_empty() {
        return None;
    }
    for arg in args {
        if arg.text == "--" {
            return None;
        }
        if arg.may_hide_option() {
            return Some("an argument that is only known when it runs".to_owned());
        }
        if deny.iter().any(|option| is_option(&arg.text, option, valued)) {
            return Some(format!("`{}`", arg.text));
        }
    }
    None
}

/// Whether any of `args` is one of `wanted`, abbreviations and clusters included.
pub fn any(args: &[Arg], wanted: &[&str]) -> bool {
    args.iter()
        .take_while(|arg| arg.text != "--")
        .any(|arg| wanted.iter().any(|option| is_option(&arg.text, option, "")))
}

/// Whether `text` gives `option`.
fn is_option(text: &str, option: &str, valued: &str) -> bool {
    if !text.starts_with('-') {
        return false;
    }
    if text == option {
        return true;
    }
    if option.starts_with("--") {
        let name = text.split('=').next().unwrap_or(text);
        return name.len() > 2 && name.starts_with("--") && option.starts_with(name);
    }
    let mut letters = option.chars().skip(1);
    let (Some(letter), None) = (letters.next(), letters.next()) else {
        return false;
    };
    if text.starts_with("--") {
        return false;
    }
    text.chars()
        .skip(1)
        .scan(false, |ended, c| {
            let go_on = !*ended;
            *ended = valued.contains(c);
            go_on.then_some(c)
        })
        .any(|c| c == letter)
}

/// The arguments that are not options; a value after its option counts too.
pub fn operands(args: &[Arg]) -> impl Iterator<Item = &Arg> {
    let end = args.iter().position(|arg| arg.text == "--").unwrap_or(args.len());
    args.iter()
        .enumerate()
        .filter(move |(at, arg)| {
            *at > end || (*at < end && !(arg.text.len() > 1 && arg.text.starts_with('-')))
        })
        .map(|(_, arg)| arg)
}
