//! The sed language, as far as telling whether a script writes files or runs programs. Start from
//! [`judge`]. A script that is not understood asks.

use super::expand::Arg;
use super::options;
use super::program::Effect;

pub fn judge(args: &[Arg]) -> Effect {
    const DENY: &[&str] = &["-i", "-I", "-f", "-W", "--in-place", "--file", "--sandbox-off"];
    if let Some(option) = options::denied(args, DENY, "el") {
        return Effect::Asks(format!("{option} makes `sed` change files or read its script from one"));
    }
    let strange = args.iter().take_while(|arg| arg.text != "--").find(|arg| {
        let name = arg.text.split('=').next().unwrap_or("");
        name.starts_with("--") && !LONG.contains(&name)
    });
    if let Some(option) = strange {
        return Effect::Asks(format!("the option `{}` of `sed` is not known to be harmless", option.text));
    }
    let scripts = scripts(args);
    if scripts.is_empty() {
        return Effect::Speaks;
    }
    for script in scripts {
        if script.has_marks() {
            return Effect::Asks("the sed script is only known when it runs".to_owned());
        }
        if let Some(reason) = (Script { rest: &script.text }).danger() {
            return Effect::Asks(format!("the sed script {reason}"));
        }
    }
    Effect::Reads
}

/// Abbreviations are left out on purpose: they ask.
#[rustfmt::skip]
const LONG: &[&str] = &[
    "--expression", "--quiet", "--silent", "--regexp-extended", "--null-data", "--separate", "--unbuffered",
    "--posix", "--debug", "--line-length", "--zero-terminated", "--sandbox",
];

/// The scripts among the arguments: each `-e`, or else the first operand.
fn scripts(args: &[Arg]) -> Vec<Arg> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        let text = arg.text.as_str();
        if text == "--" {
            break;
        }
        if let Some(script) = text.strip_prefix("--expression=") {
            found.push(Arg::literal(script));
        } else if is_expression(text) || text == "--expression" {
            found.extend(args.get(at).cloned());
            at += 1;
        } else if text.starts_with('-') && !text.starts_with("--") {
            // `-es/a/b/`: the script is attached.
            if let Some((_, script)) = text.split_once('e').filter(|(_, script)| !script.is_empty()) {
                found.push(Arg::literal(script));
            }
        }
    }
    if found.is_empty() {
        found.extend(options::operands(args).next().cloned());
    }
    found
}

fn is_expression(text: &str) -> bool {
    text.starts_with('-') && !text.starts_with("--") && text.ends_with('e') && text.matches('e').count() == 1
}

/// What stands between delimiters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Expression,
    Text,
}

struct Script<'a> {
    rest: &'a str,
}

impl Script<'_> {
    /// Why the script does more than print, or `None`.
    fn danger(&mut self) -> Option<&'static str> {
        const STRANGE: Option<&str> = Some("is not understood");
        loop {
            self.rest =
                self.rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ';' | '{' | '}'));
            if self.rest.is_empty() {
                return None;
            }
            if self.rest.starts_with('#') {
                self.line();
                continue;
            }
            if self.address().is_none() {
                return STRANGE;
            }
            let Some(command) = self.take() else {
                return STRANGE;
            };
            match command {
                '{' | '}' => {}
                '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => {}
                'q' | 'Q' | 'l' | 'L' => {
                    self.rest = self.rest.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit());
                }
                'b' | 't' | 'T' | ':' => {
                    if self.label().is_none() {
                        return STRANGE;
                    }
                }
                'a' | 'i' | 'c' => {
                    if self.text().is_none() {
                        return STRANGE;
                    }
                }
                'y' => {
                    if self.delimited(Part::Text, 1).is_none() {
                        return STRANGE;
                    }
                }
                's' => match self.delimited(Part::Expression, 1).map(|()| self.flags()) {
                    None => return STRANGE,
                    Some(Some(reason)) => return Some(reason),
                    Some(None) => {}
                },
                'r' | 'R' => return Some("reads another file"),
                'w' | 'W' => return Some("writes a file"),
                'e' => return Some("runs a command"),
                _ => return STRANGE,
            }
        }
    }

    fn take(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn line(&mut self) {
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        self.rest = &self.rest[end..];
    }

    /// Skips `1`, `$`, `/re/I`, `\cREc`, `1,5`, `0~4`, `/a/,+3`, and `!`.
    fn address(&mut self) -> Option<()> {
        loop {
            let plain = |c: char| c.is_ascii_digit() || matches!(c, '$' | ',' | '~' | '+' | '!' | ' ' | '\t');
            self.rest = self.rest.trim_start_matches(plain);
            let opened = if self.rest.starts_with('/') {
                true
            } else if self.rest.starts_with('\\') {
                self.take();
                true
            } else {
                false
            };
            if !opened {
                return Some(());
            }
            self.delimited(Part::Expression, 0)?;
            self.rest = self.rest.trim_start_matches(['I', 'M']);
        }
    }

    /// Skips a delimiter and the parts it closes: an expression, then `texts` plain ones.
    fn delimited(&mut self, first: Part, texts: usize) -> Option<()> {
        let delimiter = self.take()?;
        if delimiter == '\n' || delimiter == '\\' {
            return None;
        }
        self.part(delimiter, first)?;
        for _ in 0..texts {
            self.part(delimiter, Part::Text)?;
        }
        Some(())
    }

    fn part(&mut self, delimiter: char, part: Part) -> Option<()> {
        loop {
            match self.take()? {
                '\\' => {
                    self.take()?;
                }
                c if c == delimiter => return Some(()),
                '[' if part == Part::Expression => self.bracket(delimiter)?,
                _ => {}
            }
        }
    }

    /// Skips a bracket, in which the delimiter is a character like others. Brackets that seds read
    /// in different ways are not understood.
    fn bracket(&mut self, delimiter: char) -> Option<()> {
        self.rest = self.rest.strip_prefix('^').unwrap_or(self.rest);
        let (mut escapes, mut delimits) = (false, false);
        let mut empty = true;
        loop {
            if let Some(class) = self.rest.strip_prefix("[:") {
                self.rest = &class[class.find(":]")? + 2..];
                empty = false;
                continue;
            }
            match self.take()? {
                ']' if empty => return None,
                ']' => return (!(escapes && delimits)).then_some(()),
                '[' | '\n' => return None,
                '\\' if self.rest.starts_with(']') => return None,
                c => {
                    escapes |= c == '\\';
                    delimits |= c == delimiter;
                }
            }
            empty = false;
        }
    }

    /// Skips a label. A blank ends it for some seds and not for others, so nothing may follow one.
    fn label(&mut self) -> Option<()> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        self.rest = self.rest.trim_start_matches([' ', '\t']).trim_start_matches(plain);
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        matches!(self.rest.chars().next(), None | Some('\n' | ';' | '}')).then_some(())
    }

    fn flags(&mut self) -> Option<&'static str> {
        loop {
            match self.rest.chars().next() {
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {
                    self.take();
                }
                Some('w') => return Some("writes a file"),
                Some('e') => return Some("runs a command"),
                None | Some(' ' | '\t' | '\n' | ';' | '}' | '#') => return None,
                Some(_) => return Some("is not understood"),
            }
        }
    }

    /// Skips the text of `a`, `i` or `c`, with its continued lines.
    fn text(&mut self) -> Option<()> {
        loop {
            match self.take() {
                None | Some('\n') => return Some(()),
                Some('\\') => {
                    self.take()?;
                }
                Some(_) => {}
            }
        }
    }
}
