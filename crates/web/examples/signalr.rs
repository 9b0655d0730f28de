//! Runs a folder of recorded hub messages against the parser: `cargo run -p web --example signalr -- FOLDER`.
//!
//! Each line of the `.jsonl` files has `json`, a message, and `valid`. Messages that only fit no method are bound to the
//! parameters that their origin expects, a number and a text.

use serde_json::Value;
use std::path::Path;
use std::process::ExitCode;
use web::frame::{Message, bind, parse};

fn main() -> ExitCode {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let (mut cases, mut wrong) = (0, 0);
    for case in read(Path::new(&folder)) {
        cases += 1;
        let valid = case["valid"] == true;
        let found = check(&case);
        if found.is_ok() != valid {
            wrong += 1;
            let found = found.err().unwrap_or_else(|| "taken".to_owned());
            println!("{} {}: {found}", case["id"], case["json"]);
        }
    }
    println!("{cases} messages, {wrong} wrong");
    ExitCode::from(u8::from(wrong > 0 || cases == 0))
}

fn check(case: &Value) -> Result<(), String> {
    let message = parse(case["json"].as_str().unwrap_or_default()).map_err(|error| error.to_string())?;
    let about_arguments = case["error"].as_str().is_some_and(|error| error.contains("argument"));
    match message {
        Message::Invocation { arguments, .. } | Message::StreamInvocation { arguments, .. }
            if about_arguments =>
        {
            bind::<(i64, String)>(arguments).map(drop)
        }
        _ => Ok(()),
    }
}

fn read(folder: &Path) -> Vec<Value> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let texts = files
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .filter_map(|path| std::fs::read_to_string(path).ok());
    let lines =
        |text: String| text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect::<Vec<_>>();
    texts.flat_map(lines).collect()
}
