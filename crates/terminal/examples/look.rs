//! Shows a Markdown file or a diff as the door would: `cargo run -p terminal --example look -- FILE [COLUMNS] [PALETTE]`.

use std::process::ExitCode;

use terminal::diff::{self, Purpose, View};
use terminal::markdown;
use terminal::style::Palette;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(path) = arguments.first() else {
        eprintln!("usage: look FILE [COLUMNS] [dark|light|sixteen|marks|none]");
        return ExitCode::from(2);
    };
    let columns = arguments.get(1).and_then(|columns| columns.parse().ok()).unwrap_or(80);
    let palette = match arguments.get(2).map(String::as_str) {
        Some("light") => Palette::light(),
        Some("sixteen") => Palette::sixteen(),
        Some("marks") => Palette::marks(),
        Some("none") => Palette::none(),
        _ => Palette::dark(),
    };
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let lines = if path.ends_with(".diff") {
        diff::render(&text, View { columns, most: usize::MAX, purpose: Purpose::Decide }, &palette)
    } else {
        markdown::render(&text, columns, &palette)
    };
    for line in lines {
        println!("{}", line.to_ansi());
    }
    ExitCode::SUCCESS
}
