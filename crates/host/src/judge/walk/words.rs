//! What runs inside words: substitutions, and arithmetic, which evaluates more than it shows. Part of the
//! walk.

use super::*;

impl Walk<'_> {
    /// Judges whatever runs inside a word.
    pub(super) fn word(&mut self, word: &Word) {
        for piece in &word.pieces {
            match piece {
                Piece::Text { .. } => {}
                Piece::Parameter { name, form, inner, .. } => {
                    if *form == Form::Evaluated {
                        self.findings.ask("an expansion with `@` can run commands");
                    }
                    if *form == Form::Assigning {
                        self.assigned(name);
                    }
                    if let [subscript, _] = inner.as_slice() {
                        self.arithmetic(subscript);
                    }
                    inner.iter().for_each(|word| self.word(word));
                    if name == "env" && self.judge.strictness == Strictness::Solve {
                        self.powershell_environment(word);
                    }
                }
                Piece::Command { script, .. } | Piece::Process(script) => self.inside(script),
                Piece::Arithmetic(inner) => self.arithmetic(inner),
            }
        }
    }

    /// `$env:NAME` is how PowerShell reads the environment; to bash it is `$env` and text.
    fn powershell_environment(&mut self, word: &Word) {
        let colon = word
            .pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Text { text, .. } if text.starts_with(':')));
        if colon {
            self.findings.forbid("it looks at the environment");
        }
    }

    /// Arithmetic evaluates the values of variables as well, and a subscript in one can run commands.
    pub(super) fn arithmetic(&mut self, word: &Word) {
        self.word(word);
        let mut unsure = scope::arithmetic_names(word).iter().any(|name| self.is_code(name));
        for piece in &word.pieces {
            unsure |= match piece {
                Piece::Text { text, .. } => text.contains("$(") || text.contains('`'),
                Piece::Parameter { name, form, .. } => *form == Form::Plain && self.is_code(name),
                Piece::Command { script, .. } => listing::value(script) == Value::Unknown,
                _ => false,
            };
        }
        if unsure {
            self.findings.ask("arithmetic on a value that is only known when it runs can run commands");
        }
    }

    /// Whether a variable may hold something else than a number.
    fn is_code(&self, name: &str) -> bool {
        let given =
            self.scope.is_set(name) || name.chars().all(|c| c.is_ascii_digit()) || "@*".contains(name);
        given
            && match self.scope.value(name) {
                Value::Known(text) => text.contains(|c: char| !c.is_ascii_alphanumeric() && c != '-'),
                Value::Name => false,
                Value::Unknown => true,
            }
    }

    /// `[[ … ]]`: its comparisons of numbers are arithmetic.
    pub(super) fn test(&mut self, words: &[Word]) {
        const NUMERIC: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v", "-R"];
        let numeric = words.iter().any(|word| word.bare().is_some_and(|text| NUMERIC.contains(&text)));
        for word in words {
            if numeric && word.bare().is_none_or(|text| !text.starts_with('-')) {
                self.arithmetic(word);
            } else {
                self.word(word);
            }
        }
    }
}
