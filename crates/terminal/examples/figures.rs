//! Measures what rendering costs: `cargo run --release -p terminal --example figures`.

use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

use terminal::stream::Stream;
use terminal::style::{Palette, Style};
use terminal::{block, code, diff, markdown, safe};

fn main() {
    let palette = Palette::dark();
    let coloured = "\x1b[32mok\x1b[0m test passed in 3 ms\tü漢 ".repeat(25_000);
    let ascii = "x".repeat(1_000_000);
    let escapes = "\x1b]".repeat(500_000);
    let marks = "\u{301}".repeat(500_000);
    println!("per {} bytes of coloured output", coloured.len());
    for (name, text) in
        [("coloured", &coloured), ("ascii", &ascii), ("open escapes", &escapes), ("marks", &marks)]
    {
        time(&format!("plain, {name}"), || safe::plain(text).len());
        time(&format!("ansi, {name}"), || safe::ansi(text, &palette).len());
        time(&format!("reveal, {name}"), || safe::reveal(text).len());
    }
    let output = block::Block { command: "cat", output: &ascii, state: block::State::Succeeded, note: None };
    time("block of a 1 MB line, folded", || output.folded(block::FOLD, 80, &palette).len());
    time("block of a 1 MB line, whole", || output.whole(80, &palette).len());
    time("grammars and first highlight", || code::highlight("fn main() {}", "rust", &palette).len());
    let document = document();
    time(&format!("Markdown of {} bytes", document.len()), || {
        markdown::render(&document, 80, &palette).len()
    });
    let written: usize =
        markdown::render(&document, 80, &palette).iter().map(|line| line.to_ansi().len() + 1).sum();
    println!("{:>10.2}     bytes written per byte of that", ratio(written, document.len()));
    let prose = "Some **bold** words, `code` and a [link](https://example.com).\n\n".repeat(1_700);
    time(&format!("Markdown prose of {} bytes", prose.len()), || {
        markdown::render(&prose, 80, &palette).len()
    });
    let changes = format!("@@ -1,9999 +1,9999 @@\n{}", "-let a = foo(1);\n+let a = foo(2);\n".repeat(5_000));
    let view = diff::View { columns: 80, most: usize::MAX, purpose: diff::Purpose::Decide };
    time("diff of 10,000 lines", || diff::render(&changes, view, &palette).len());
    time("20,000 tokens, a frame each", || streamed("word and ", &palette));
    time("20,000 tokens of one line", || streamed("漢字word", &palette));
    time("20,000 tokens, settled", || settled(&palette));
}

fn time<T>(name: &str, work: impl FnOnce() -> T) {
    let start = Instant::now();
    black_box(work());
    println!("{:>10.2} ms  {name}", start.elapsed().as_secs_f64() * 1_000.0);
}

fn ratio(written: usize, read: usize) -> f64 {
    f64::from(u32::try_from(written).unwrap_or(u32::MAX)) / f64::from(u32::try_from(read).unwrap_or(u32::MAX))
}

fn document() -> String {
    let mut text = String::new();
    while text.len() < 100_000 {
        let number = text.len();
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "## Section {number}\n\nA paragraph with **bold**, `code` and a [link](https://example.com/{number}) that goes on for a while.\n\n\
             - one\n- two\n  - three\n\n```rust\nfn f{number}(x: u32) -> u32 {{\n    // comment\n    x + {number}\n}}\n```\n\n\
             | a | b |\n|---|---|\n| {number} | text |\n\n"
        );
    }
    text
}

fn streamed(token: &str, palette: &Palette) -> usize {
    let mut stream = Stream::default();
    let mut rows = 0;
    for _ in 0..20_000 {
        stream.push(token);
        rows += stream.tail(10, 80, Style::PLAIN).len();
    }
    rows + stream.finish(80, palette).len()
}

fn settled(palette: &Palette) -> usize {
    let mut stream = Stream::default();
    let mut rows = 0;
    for token in 0..20_000 {
        stream.push(if token % 100 == 0 { "end.\n\n" } else { "word " });
        rows += stream.settle(80, palette).len() + stream.tail(10, 80, Style::PLAIN).len();
    }
    rows + stream.finish(80, palette).len()
}
