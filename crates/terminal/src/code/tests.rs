//! Tests of `code`.

use super::*;

fn painted(code: &str, language: &str) -> Vec<(String, Style)> {
    let lines = highlight(code, language, &Palette::dark());
    lines.into_iter().flat_map(|line| line.spans).map(|span| (span.text, span.style)).collect()
}

#[test]
fn languages_have_colours() {
    let palette = Palette::dark();
    for (language, code, part, wanted) in [
        ("rust", "fn main() {}", "fn", palette.keyword),
        ("rs", "// no", "// no", palette.comment),
        ("python", "x = 'a'", "'a'", palette.string),
        ("js", "const n = 42", "42", palette.number),
        ("typescript", "const n = 42", "42", palette.number),
        ("tsx", "const n = 42", "const", palette.keyword),
        ("json", "{\"a\": 1}", "1", palette.number),
        ("toml", "# c", "# c", palette.comment),
        ("kotlin", "val x = \"a\"", "val", palette.keyword),
        ("swift", "func main() {}", "func", palette.keyword),
        ("dart", "return 1;", "return", palette.keyword),
        ("zig", "return 1;", "return", palette.keyword),
        ("scss", "/* c */", "/* c */", palette.comment),
        ("tf", "a = \"x\" # c", "\"x\"", palette.string),
        ("elixir", "def a do", "def", palette.keyword),
        ("proto", "// c", "// c", palette.comment),
        ("Dockerfile", "RUN echo \"x\"", "\"x\"", palette.string),
        ("bash", "echo \"x\"", "\"x\"", palette.string),
        ("go", "func main() {}", "main", palette.function),
        ("Rust,ignore", "fn main() {}", "fn", palette.keyword),
        ("rust {.numbers}", "fn main() {}", "fn", palette.keyword),
        ("diff", "-a", "-a", palette.removed),
    ] {
        let spans = painted(code, language);
        assert!(spans.contains(&(part.to_owned(), wanted)), "{language}: {part} in {spans:?}");
    }
}

#[test]
fn whatever_the_language_the_text_stays() {
    let code = "fn main() {\n\n    let s = \"漢字\"; /* open\n still */ }\n'unclosed \u{1f44d}";
    for language in
        ["rust", "python", "html", "markdown", "no such language", "", "c++", "sql", "yaml", "css"]
    {
        let lines = highlight(code, language, &Palette::dark());
        assert_eq!(lines.iter().map(Line::text).collect::<Vec<_>>().join("\n"), code, "{language}");
    }
}

#[test]
fn what_is_beyond_the_bounds_is_plain() {
    let plain = |line: &Line| line.spans.iter().all(|span| span.style == Style::PLAIN);
    let many = "let x = 1;\n".repeat(LINES + 5);
    let lines = highlight(&many, "rust", &Palette::dark());
    assert_eq!(lines.len(), LINES + 5);
    assert!(!plain(&lines[LINES - 1]) && lines[LINES..].iter().all(plain));
    for data in ["y".repeat(WORD + 1), "y ".repeat(LONG), " ".repeat(WORD + 1)] {
        let code = format!("let x = 1;\nlet y = \"{data}\";\nlet z = 1;");
        let lines = highlight(&code, "rust", &Palette::dark());
        assert!(!plain(&lines[0]) && plain(&lines[1]) && !plain(&lines[2]), "{lines:?}");
    }
    let dear = format!("let x = \"{}\";\n", "y ".repeat(LONG / 2 - 10)).repeat(100);
    let lines = highlight(&dear, "rust", &Palette::dark());
    assert!(!plain(&lines[0]) && plain(&lines[99]));
}

#[test]
fn a_file_names_its_language() {
    for (path, name) in [("src/main.rs", "rs"), ("Makefile", "Makefile"), ("a.b/c", "c"), ("x.tar.gz", "gz")]
    {
        assert_eq!(language(path), name);
    }
}
