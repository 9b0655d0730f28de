//! The awk language, as far as telling whether a program writes, pipes or runs anything. Start from
//! [`judge`]. What is not understood asks.

use super::expand::Arg;
use super::options;
use super::program::Effect;

pub fn judge(args: &[Arg]) -> Effect {
    const DENY: &[&str] = &[
        "-f",
        "-i",
        "-l",
        "-E",
        "-D",
        "-W",
        "-o",
        "-d",
        "-p",
        "--file",
        "--include",
        "--load",
        "--exec",
        "--debug",
        "--pretty-print",
        "--dump-variables",
        "--profile",
        "--gen-pot",
    ];
    if let Some(option) = options::denied(before_program(args), DENY, "vFe") {
        return Effect::Asks(format!("{option} makes `awk` load code or write files"));
    }
    const LONG: &[&str] =
        &["--", "--source", "--assign", "--field-separator", "--posix", "--csv", "--traditional"];
    let strange = before_program(args).iter().find(|arg| {
        let name = arg.text.split('=').next().unwrap_or("");
        name.starts_with("--") && !LONG.contains(&name)
    });
    if let Some(option) = strange {
        return Effect::Asks(format!("the option `{}` of `awk` is not known to be harmless", option.text));
    }
    let programs = programs(args);
    if programs.is_empty() {
        return Effect::Speaks;
    }
    for program in programs {
        if program.has_marks() {
            return Effect::Asks("the awk program is only known when it runs".to_owned());
        }
        if let Some(reason) = danger(&program.text) {
            return Effect::Asks(format!("the awk program {reason}"));
        }
    }
    Effect::Reads
}

/// The options, up to the program or the operands.
fn before_program(args: &[Arg]) -> &[Arg] {
    &args[..program_at(args)]
}

/// Where the first operand stands.
fn program_at(args: &[Arg]) -> usize {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        match arg.text.as_str() {
            "--" => return at + 1,
            "-v" | "-F" | "-e" | "--source" | "--assign" | "--field-separator" => at += 2,
            text if text.starts_with('-') && text.len() > 1 => at += 1,
            _ => return at,
        }
    }
    args.len()
}

fn programs(args: &[Arg]) -> Vec<Arg> {
    let end = program_at(args).min(args.len());
    let mut found: Vec<Arg> = Vec::new();
    for (at, arg) in args[..end].iter().enumerate() {
        if matches!(arg.text.as_str(), "-e" | "--source") {
            found.extend(args.get(at + 1).cloned());
        } else if let Some(source) = arg.text.strip_prefix("--source=").or(arg.text.strip_prefix("-e")) {
            found.push(Arg::literal(source));
        }
    }
    if found.is_empty() {
        found.extend(args.get(end).cloned());
    }
    found
}

/// Why the program does more than print, or `None`.
fn danger(program: &str) -> Option<&'static str> {
    let mut lexer = Lexer { rest: program, operand_before: false, after_parenthesis: false };
    let mut printing = false;
    while let Some(token) = lexer.token() {
        match token {
            Token::Broken => return Some("is not understood"),
            Token::Name("system") => return Some("runs commands with `system`"),
            Token::Name("ARGV" | "ARGC") => return Some("chooses the files it reads"),
            Token::Name("getline") => return Some("reads files or commands with `getline`"),
            Token::Name("print" | "printf") => printing = true,
            Token::Sign('@') => return Some("loads or calls code indirectly"),
            Token::Sign(';' | '{' | '}' | '\n') => printing = false,
            Token::Sign('>') if printing => return Some("may write a file with `>`"),
            Token::Sign('|') if printing => return Some("may pipe into a command with `|`"),
            Token::Sign('&') => {}
            Token::Sign('|') => return Some("may pipe with `|`"),
            _ => {}
        }
    }
    None
}

enum Token<'a> {
    Name(&'a str),
    Sign(char),
    /// A string, a regular expression, a number, or a two-character operator.
    Other,
    Broken,
}

struct Lexer<'a> {
    rest: &'a str,
    /// After an operand a slash divides; elsewhere it starts a regular expression.
    operand_before: bool,
    after_parenthesis: bool,
}

impl<'a> Lexer<'a> {
    fn token(&mut self) -> Option<Token<'a>> {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        if let Some(rest) = self.rest.strip_prefix("\\\n") {
            self.rest = rest;
            return Some(Token::Other);
        }
        let first = self.rest.chars().next()?;
        if first == '#' {
            let end = self.rest.find('\n').unwrap_or(self.rest.len());
            self.rest = &self.rest[end..];
            return Some(Token::Other);
        }
        if first == '_' || first.is_ascii_alphanumeric() {
            let end =
                self.rest.find(|c: char| !(c == '_' || c.is_ascii_alphanumeric())).unwrap_or(self.rest.len());
            let (name, rest) = self.rest.split_at(end);
            self.rest = rest;
            const KEYWORDS: &[&str] =
                &["print", "printf", "return", "in", "else", "do", "exit", "delete", "case"];
            self.operand_before = !KEYWORDS.contains(&name);
            self.after_parenthesis = false;
            return Some(Token::Name(name));
        }
        // After a parenthesis a slash may divide or start an expression; a second one leaves it open.
        if first == '/' && self.operand_before && self.after_parenthesis && self.rest[1..].contains('/') {
            return Some(Token::Broken);
        }
        if first == '"' || (first == '/' && !self.operand_before) {
            self.operand_before = true;
            self.after_parenthesis = false;
            return Some(self.quoted(first));
        }
        for operator in
            ["||", "&&", "|&", ">=", "<=", "==", "!=", "!~", "+=", "-=", "*=", "/=", "%=", "^=", "++", "--"]
        {
            if let Some(rest) = self.rest.strip_prefix(operator) {
                self.rest = rest;
                self.operand_before = matches!(operator, "++" | "--") && self.operand_before;
                return Some(if operator == "|&" { Token::Sign('|') } else { Token::Other });
            }
        }
        self.rest = &self.rest[first.len_utf8()..];
        self.operand_before = matches!(first, ')' | ']' | '$');
        self.after_parenthesis = first == ')';
        Some(Token::Sign(first))
    }

    /// Skips a string or a regular expression.
    fn quoted(&mut self, end: char) -> Token<'a> {
        let mut in_class = false;
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => {
                    chars.next();
                }
                // Awks differ on a slash inside brackets, so it is not taken for either.
                '[' if end == '/' => in_class = true,
                ']' if end == '/' => in_class = false,
                '\n' => return Token::Broken,
                c if c == end && in_class => return Token::Broken,
                c if c == end => {
                    self.rest = &self.rest[at + c.len_utf8()..];
                    return Token::Other;
                }
                _ => {}
            }
        }
        Token::Broken
    }
}
