//! Highlighted code. Start from [`highlight`].
//!
//! The grammars are unpacked at the first block in a language they know, so that starting costs nothing. What no
//! grammar knows, and what is beyond the bounds, comes back plain: a slow grammar must not hold the screen.

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use crate::style::{Line, Palette, Style};

/// Lines of one block that are highlighted; further ones are plain.
const LINES: usize = 1_000;
/// Bytes of the longest line that is code and not data.
const LONG: usize = 400;
/// Bytes of the longest word, or run of blanks, in code.
const WORD: usize = 100;
/// Many patterns of a grammar look ahead from every place, so a line costs up to the square of its length. This is
/// what a block may cost: a thousand common lines, or about a second of the worst.
const COST: usize = 2_000_000;

static GRAMMARS: LazyLock<SyntaxSet> = LazyLock::new(SyntaxSet::load_defaults_newlines);
static ROLES: LazyLock<Vec<(Scope, Role)>> = LazyLock::new(|| {
    let role = |&(name, role): &(&str, Role)| Scope::new(name).ok().map(|scope| (scope, role));
    SCOPES.iter().filter_map(role).collect()
});

/// The lines of `code`, which is safe already, in the colours of `language` as a fence names it.
pub fn highlight(code: &str, language: &str, palette: &Palette) -> Vec<Line> {
    match grammar(language) {
        Some(grammar) => Painter::new(grammar, palette).paint(code),
        None => code.lines().map(Line::from).collect(),
    }
}

/// The language of a file, by its name.
pub fn language(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.rsplit('.').next().unwrap_or(name)
}

fn grammar(language: &str) -> Option<&'static SyntaxReference> {
    let word = language.split([' ', ',', '{', ':']).next().unwrap_or_default().to_ascii_lowercase();
    let token = match word.as_str() {
        "" | "text" | "txt" | "plain" | "plaintext" | "output" | "console" => return None,
        // The bundled grammars lack these; their nearest kin colours them well enough.
        "ts" | "tsx" | "mts" | "cts" | "jsx" | "mjs" | "cjs" | "typescript" | "graphql" => "js",
        "toml" | "ini" | "conf" | "env" | "cfg" | "lock" => "properties",
        "jsonc" | "json5" | "jsonl" | "ndjson" | "ipynb" => "json",
        // The grammar of makefiles takes most of a second for a line of 400 bytes, whatever is in it.
        "make" | "makefile" | "mak" | "mk" => "sh",
        "shell" | "zsh" | "ksh" | "fish" | "dockerfile" | "containerfile" | "sh-session" => "sh",
        "ps1" | "powershell" | "nix" | "just" | "justfile" => "sh",
        "kt" | "kotlin" | "kts" => "scala",
        "dart" => "java",
        "swift" => "go",
        "zig" => "rs",
        "proto" | "protobuf" | "glsl" | "wgsl" | "cuda" | "cu" => "c",
        "scss" | "sass" | "less" => "css",
        "ex" | "exs" | "elixir" | "hcl" | "tf" | "terraform" | "cr" => "rb",
        "jl" | "julia" | "gd" | "starlark" | "bzl" => "py",
        "mdx" => "md",
        "c#" | "csharp" => "cs",
        "golang" => "go",
        "vue" | "svelte" | "astro" => "html",
        word => word,
    };
    GRAMMARS.find_syntax_by_token(token)
}

/// Whether a line is rather data than code.
fn is_data(line: &str) -> bool {
    let word = |line: &str| {
        line.split(|c: char| c != '_' && c != '$' && !c.is_alphanumeric()).any(|word| word.len() > WORD)
    };
    let blank = |line: &str| line.split(|c: char| !c.is_whitespace()).any(|blanks| blanks.len() > WORD);
    line.len() > LONG || word(line) || blank(line)
}

struct Painter<'a> {
    palette: &'a Palette,
    parser: ParseState,
    scopes: ScopeStack,
}

impl<'a> Painter<'a> {
    fn new(grammar: &SyntaxReference, palette: &'a Palette) -> Painter<'a> {
        Painter { palette, parser: ParseState::new(grammar), scopes: ScopeStack::new() }
    }

    fn paint(mut self, code: &str) -> Vec<Line> {
        let mut left = COST;
        let mut lines = Vec::new();
        for source in code.split_inclusive('\n') {
            let text = source.strip_suffix('\n').unwrap_or(source);
            if left > 0 && lines.len() < LINES && !is_data(text) {
                left = left.saturating_sub(text.len().pow(2));
                match self.line(source, text) {
                    Some(line) => {
                        lines.push(line);
                        continue;
                    }
                    // A grammar that gives up on a line took long about it, and knows nothing of those after it.
                    None => left = 0,
                }
            }
            lines.push(Line::from(text));
        }
        lines
    }

    fn line(&mut self, source: &str, text: &str) -> Option<Line> {
        let mut line = Line::new();
        let changes = self.parser.parse_line(source, &GRAMMARS).ok()?;
        let mut at = 0;
        for (place, change) in &changes {
            let place = (*place).min(text.len());
            line.push(text.get(at..place).unwrap_or_default(), self.style());
            at = at.max(place);
            if self.scopes.apply(change).is_err() {
                self.scopes = ScopeStack::new();
            }
        }
        line.push(text.get(at..).unwrap_or_default(), self.style());
        Some(line)
    }

    /// The style of the innermost scope that has a role.
    fn style(&self) -> Style {
        let role = |scope: &Scope| ROLES.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope));
        match self.scopes.as_slice().iter().rev().find_map(role) {
            Some((_, role)) => role.style(self.palette),
            None => Style::PLAIN,
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Role {
    Plain,
    Comment,
    String,
    Number,
    Keyword,
    Function,
    Kind,
    Attribute,
    Added,
    Removed,
}

impl Role {
    fn style(self, palette: &Palette) -> Style {
        match self {
            Role::Plain => palette.text,
            Role::Comment => palette.comment,
            Role::String => palette.string,
            Role::Number => palette.number,
            Role::Keyword => palette.keyword,
            Role::Function => palette.function,
            Role::Kind => palette.kind,
            Role::Attribute => palette.attribute,
            Role::Added => palette.added,
            Role::Removed => palette.removed,
        }
    }
}

/// The first prefix that matches decides, so the more exact ones come first.
const SCOPES: &[(&str, Role)] = &[
    ("comment", Role::Comment),
    ("punctuation.definition.comment", Role::Comment),
    ("string", Role::String),
    ("punctuation.definition.string", Role::String),
    ("constant.character.escape", Role::Number),
    ("constant", Role::Number),
    ("keyword.operator", Role::Plain),
    ("keyword", Role::Keyword),
    ("storage", Role::Keyword),
    ("variable.language", Role::Keyword),
    ("entity.name.function", Role::Function),
    ("variable.function", Role::Function),
    ("support.function", Role::Function),
    ("entity.name.tag", Role::Keyword),
    ("entity.other.attribute-name", Role::Attribute),
    ("entity.name", Role::Kind),
    ("support.type", Role::Kind),
    ("support.class", Role::Kind),
    ("variable.annotation", Role::Attribute),
    ("meta.mapping.key", Role::Function),
    ("markup.inserted", Role::Added),
    ("markup.deleted", Role::Removed),
    ("markup.heading", Role::Function),
    ("meta.interpolation", Role::Plain),
    ("meta.template.expression", Role::Plain),
];
