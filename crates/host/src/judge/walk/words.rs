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
                    if *form == Form::Indirect {
                        self.indirect(name, inner);
                    }
                    if let [subscript, _] = inner.as_slice() {
                        self.arithmetic(subscript);
                    }
                    if let Some(range) = inner.last().filter(|word| is_range(word)) {
                        self.arithmetic(range);
                    }
                    inner.iter().for_each(|word| self.word(word));
                    if name.eq_ignore_ascii_case("env") && self.judge.strictness == Strictness::Solve {
                        self.powershell_environment(word, inner);
                    }
                }
                Piece::Command { script, .. } | Piece::Process(script) => self.inside(script),
                Piece::Arithmetic(inner) => self.arithmetic(inner),
            }
        }
    }

    /// `$env:NAME` and `${env:NAME}` are how PowerShell reads the environment; to bash they are `$env` and text, or a
    /// part of its value.
    fn powershell_environment(&mut self, word: &Word, inner: &[Word]) {
        let named = |piece: &Piece| match piece {
            Piece::Text { text, .. } => {
                text.strip_prefix(':').is_some_and(|rest| !rest.starts_with(['-', '=', '?', '+', ' ']))
            }
            _ => false,
        };
        if word.pieces.iter().chain(inner.iter().flat_map(|word| &word.pieces)).any(named) {
            self.findings.forbid("it looks at the environment");
        }
    }

    /// `${!x}` reads its value as a name, and a subscript in that can run commands.
    fn indirect(&mut self, name: &str, inner: &[Word]) {
        let plain = match self.scope.value(name) {
            Value::Known(text) => text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'),
            _ => false,
        };
        let alone = inner.iter().all(|word| word.pieces.is_empty());
        if !plain || !alone {
            self.findings.ask("an expansion with `!` on a value that is only known when it runs");
        }
    }

    /// Arithmetic evaluates the values of variables as well, and a subscript in one can run commands.
    pub(super) fn arithmetic(&mut self, word: &Word) {
        self.word(word);
        let all = matches!(word.bare(), Some("@" | "*"));
        let arg = expand::text(word, &self.scope);
        if let Some(name) = scope::names(&arg.text).find(|name| environment::acts(name)) {
            self.findings.ask(format!("arithmetic on `{name}`, which changes what other programs do"));
        }
        if !all && self.evaluates_code(&arg) {
            self.findings.ask(UNSURE);
        }
    }

    /// The subscript of an assignment, as it is written.
    pub(super) fn subscript(&mut self, text: &str) {
        let given = text.contains("$@") || text.contains("$*");
        let mut names = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let number = text.chars().all(|c| c.is_ascii_digit());
        if given || (!number && names.any(|name| !name.is_empty() && self.is_code(name))) {
            self.findings.ask(UNSURE);
        }
    }

    /// An element of an array; as `[…]=value` it has a subscript.
    pub(super) fn element(&mut self, word: &Word) {
        let arg = expand::text(word, &self.scope);
        let Some(rest) = arg.text.strip_prefix('[') else {
            return;
        };
        let end = rest.find("]=").or(rest.find("]+="));
        if let Some(end) = end
            && self.evaluates_code(&Arg::literal(&rest[..end]))
        {
            self.findings.ask(UNSURE);
        }
    }

    fn evaluates_code(&self, arg: &Arg) -> bool {
        arg.has_marks()
            || arg.text.contains(['$', '`'])
            || scope::names(&arg.text).any(|name| self.is_code(name))
    }

    /// Whether a variable may hold something else than a number.
    fn is_code(&self, name: &str) -> bool {
        let given = self.scope.is_set(name)
            || Scope::is_filled(name)
            || name.starts_with(|c: char| c.is_ascii_digit());
        given
            && match self.scope.value(name) {
                Value::Known(text) => !is_number(&text),
                Value::Name | Value::Unknown => true,
            }
    }

    /// `[[ … ]]`: its comparisons of numbers are arithmetic.
    pub(super) fn test(&mut self, words: &[Word]) {
        const COMPARES: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
        let is = |at: Option<usize>, names: &[&str]| {
            let word = at.and_then(|at| words.get(at)).and_then(Word::bare);
            word.is_some_and(|text| names.contains(&text))
        };
        for (at, word) in words.iter().enumerate() {
            let before = at.checked_sub(1);
            if is(Some(at + 1), COMPARES) || is(before, COMPARES) || is(before, &["-v", "-R"]) {
                self.arithmetic(word);
            } else {
                self.word(word);
            }
        }
    }
}

const UNSURE: &str = "arithmetic on a value that is only known when it runs can run commands";

/// Whether it is the `:offset` or `:offset:length` of an expansion, which is arithmetic.
fn is_range(word: &Word) -> bool {
    let Some(Piece::Text { text, .. }) = word.pieces.first() else {
        return false;
    };
    text.strip_prefix(':').is_some_and(|rest| !rest.starts_with(['-', '=', '?', '+']))
}

/// Whether arithmetic takes it for a number, which holds no name.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.chars().all(|c| c.is_ascii_alphanumeric())
        && !digits.starts_with(|c: char| c.is_ascii_alphabetic())
}
