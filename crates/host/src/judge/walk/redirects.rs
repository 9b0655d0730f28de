//! Redirections: the files that they read and write, and what a command then finds on its input. Part of
//! the walk.

use super::*;

impl Walk<'_> {
    /// Judges redirections; gives what the command finds on its input.
    pub(super) fn redirects(&mut self, redirects: &[Redirect], input: &Output) -> Output {
        let mut input = input.clone();
        for redirect in redirects {
            if let Some(name) = &redirect.variable {
                self.assigned(name);
            }
            match &redirect.target {
                Target::Here(body) => {
                    if let Some(word) = body.get() {
                        self.word(word);
                        input = self.spoken(word);
                    }
                }
                Target::Text(word) => {
                    self.word(word);
                    input = self.spoken(word);
                }
                Target::Word(word) => {
                    self.word(word);
                    let arg = expand::text(word, &self.scope);
                    self.file(&arg, redirect.mode);
                    if redirect.mode == Mode::Read {
                        let from = processed(word).map(listing::said).unwrap_or_default();
                        input = Output { given: true, opaque: brings_opaque(word), ..from };
                    }
                }
            }
        }
        input
    }

    fn spoken(&self, word: &Word) -> Output {
        let mut text = String::new();
        let mut exact = true;
        for piece in &word.pieces {
            match piece {
                Piece::Text { text: part, .. } => text.push_str(part),
                _ => exact = false,
            }
        }
        Output { text: exact.then_some(text), given: true, opaque: brings_opaque(word), ..Output::default() }
    }

    fn file(&mut self, arg: &Arg, mode: Mode) {
        let text = arg.text.as_str();
        if mode == Mode::Copy
            && (text == "-" || text.trim_end_matches('-').chars().all(|c| c.is_ascii_digit()))
        {
            return;
        }
        if look::is_other_home(text) {
            self.findings.ask(format!("where `{}` leads is only known when it runs", shown(text)));
        }
        let places = self.places(text);
        if places.contains(&Place::Socket) {
            self.findings.network = true;
        }
        if self.is_secret(text) {
            self.findings.secret = true;
            self.findings.ask(format!("it touches credentials: `{text}`"));
        }
        if mode == Mode::Read {
            if places.contains(&Place::Socket) {
                self.findings.forbid(format!("a redirection would open a connection: `{text}`"));
            }
            if places.contains(&Place::Device) {
                self.findings.ask(format!("it reads a device: `{text}`"));
            }
            if self.judge.strictness == Strictness::Solve && solve::names_environment(text) {
                self.findings.forbid("it looks at the environment");
            }
            if text.contains(UNKNOWN) {
                self.findings.ask("it reads a file whose name is only known when it runs");
            }
            return;
        }
        self.findings.made.push(text.to_owned());
        let refused = {
            let places = |text: &str| self.places(text);
            danger::written("a redirection", text, &places)
        };
        if let Some(reason) = refused {
            self.findings.forbid(reason);
        } else if places.iter().any(|place| *place != Place::Harmless) {
            self.findings.ask(format!("it writes a file: `{}`", shown(text)));
        }
    }
}
