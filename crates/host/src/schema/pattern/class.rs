//! Character classes: `[…]` of ECMAScript to `[…]` of Rust. Start from `Translation::class`.
//! Every character is written by its code, so that none of Rust's set operators can arise.

use super::{Escape, Translation, code_of};

impl Translation<'_> {
    /// After the opening bracket, up to and with the closing one.
    pub(super) fn class(&mut self) -> Result<(), String> {
        let negated = self.rest.next_if_eq(&'^').is_some();
        let mut inside = String::new();
        loop {
            match self.rest.next_if_eq(&']') {
                Some(_) => break,
                None => self.member(&mut inside)?,
            }
        }
        // `[]` matches nothing and `[^]` anything; Rust would read the bracket as a member.
        let all = r"\x{0}-\x{10FFFF}";
        self.out.push_str(&match (negated, inside.is_empty()) {
            (false, false) => format!("[{inside}]"),
            (true, false) => format!("[^{inside}]"),
            (false, true) => format!("[^{all}]"),
            (true, true) => format!("[{all}]"),
        });
        Ok(())
    }

    /// One character, set or range.
    fn member(&mut self, inside: &mut String) -> Result<(), String> {
        let first = self.atom()?;
        if self.rest.peek() != Some(&'-') || self.rest.clone().nth(1) == Some(']') {
            inside.push_str(&source_of(&first));
            return Ok(());
        }
        self.rest.next();
        let last = self.atom()?;
        // A set at either end makes the dash an ordinary character.
        let dash = match (&first, &last) {
            (Escape::One(_), Escape::One(_)) => "-",
            _ => r"\-",
        };
        inside.push_str(&[&source_of(&first), dash, &source_of(&last)].concat());
        Ok(())
    }

    fn atom(&mut self) -> Result<Escape, String> {
        match self.rest.next() {
            Some('\\') if self.rest.next_if_eq(&'b').is_some() => Ok(Escape::One('\u{8}')),
            Some('\\') => self.escape(),
            Some(letter) => Ok(Escape::One(letter)),
            None => Err("has a `[` that is not closed".into()),
        }
    }
}

fn source_of(atom: &Escape) -> String {
    match atom {
        Escape::One(letter) => code_of(*letter),
        Escape::Set(set) => set.clone(),
    }
}
