//! Finds the functions of a file and how long they are. Start from [`functions`].

use super::source::{Source, is_word};

pub(super) struct Function {
    pub(super) name: String,
    /// Where the word `fn` stands; attributes and documentation do not count.
    pub(super) line: usize,
    /// From there to the closing brace, both included.
    pub(super) lines: usize,
    pub(super) test: bool,
}

/// All functions with a body, nested ones too.
pub(super) fn functions(source: &Source<'_>) -> Vec<Function> {
    let code = &source.code;
    let keyword = |at: &usize| {
        code[*at..].starts_with(b"fn ") && (*at == 0 || !is_word(code[*at - 1]) && code[*at - 1] != b'#')
    };
    (0..code.len()).filter(keyword).filter_map(|at| function(source, at)).collect()
}

fn function(source: &Source<'_>, at: usize) -> Option<Function> {
    let rest = source.code[at + 3..].trim_ascii_start();
    let name: Vec<u8> = rest.iter().copied().take_while(|byte| is_word(*byte)).collect();
    if name.is_empty() {
        return None;
    }
    let end = source.closing(body(&source.code, at)?)?;
    let line = source.line(at);
    Some(Function {
        name: String::from_utf8_lossy(&name).into_owned(),
        line,
        lines: source.line(end) - line + 1,
        test: source.is_test(at),
    })
}

/// The brace that opens the body, unless a semicolon says that there is none. Both may also stand in
/// brackets, as in `[u8; { 2 * N }]`.
fn body(code: &[u8], from: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in code.iter().enumerate().skip(from) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b'{' if depth == 0 => return Some(at),
            b';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}
