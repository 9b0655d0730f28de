//! Runs the sanitiser against a folder of cases: `cargo run -p terminal --example corpus-terminal -- DIR`.
//!
//! A case is a line of JSON with `id`, `function`, `input` and `expected`. Some wishes of the corpus are not the contract's: raw tabs,
//! returns and DEL do not pass here, and what is made visible is written otherwise. Those are compared with what the
//! contract makes of them and counted apart.

use std::path::Path;
use std::process::ExitCode;

use serde::Deserialize;
use terminal::safe;

#[derive(Deserialize)]
struct Case {
    id: String,
    function: String,
    input: String,
    expected: String,
}

#[derive(Default)]
struct Tally {
    same: usize,
    ours: usize,
    /// The case wishes for text that it does not give.
    broken: usize,
    wrong: usize,
}

fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("usage: corpus-terminal DIR");
        return ExitCode::from(2);
    };
    match run(Path::new(&folder)) {
        Ok(tally) => {
            let Tally { same, ours, broken, wrong } = tally;
            println!("{same} as wished, {ours} as the contract has it, {broken} broken cases, {wrong} wrong");
            ExitCode::from(u8::from(tally.wrong > 0 || tally.same == 0))
        }
        Err(error) => {
            eprintln!("{folder}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(folder: &Path) -> std::io::Result<Tally> {
    let mut tally = Tally::default();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            for line in std::fs::read_to_string(&path)?.lines() {
                check(&serde_json::from_str(line)?, &mut tally);
            }
        }
    }
    Ok(tally)
}

fn check(case: &Case, tally: &mut Tally) {
    let (got, contract) = match case.function.as_str() {
        "escapeAnsiCtrlCodes" => (safe::reveal(&case.input), case.expected.replace("\\u001b", "␛")),
        _ => (safe::plain(&case.input).into_owned(), level(&case.expected)),
    };
    if got == case.expected {
        tally.same += 1;
    } else if got == contract {
        tally.ours += 1;
        println!("{}: {:?}, where the corpus has {:?}", case.id, got, case.expected);
    } else if case.expected.len() > case.input.len() {
        tally.broken += 1;
        println!("{}: {:?} cannot become {:?}", case.id, case.input, case.expected);
    } else {
        tally.wrong += 1;
        println!("{}: WRONG {:?}, where the corpus has {:?}", case.id, got, case.expected);
    }
}

/// What the contract makes of a wish: line ends are line feeds, tabs are blanks, DEL is gone, and so are joiners behind
/// ASCII, where no script needs them.
fn level(wish: &str) -> String {
    let mut out = String::new();
    for line in wish.replace("\r\n", "\n").replace('\r', "\n").replace('\x7f', "").split_inclusive('\n') {
        let start = out.len();
        for c in line.chars() {
            if matches!(c, '\u{200c}' | '\u{200d}') && out.chars().last().is_none_or(|last| last.is_ascii()) {
                continue;
            }
            let blanks = safe::TAB - (out.len() - start) % safe::TAB;
            if c == '\t' { out.push_str(&" ".repeat(blanks)) } else { out.push(c) }
        }
    }
    out
}
