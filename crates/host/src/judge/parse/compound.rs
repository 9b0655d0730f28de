//! Compound commands: groups, conditions, loops, functions, tests. Part of the parser.

use super::*;

impl Parser<'_> {
    /// A compound command, if one starts here.
    pub(super) fn compound(&mut self) -> Result<Option<Kind>> {
        if self.eat("((") {
            return self.arithmetic().map(Kind::Arithmetic).map(Some);
        }
        if self.eat("(") {
            return self.body(")").map(Kind::Subshell).map(Some);
        }
        if self.eat_reserved("{") {
            return self.body("}").map(Kind::Group).map(Some);
        }
        if self.eat_reserved("if") {
            return self.conditional().map(Some);
        }
        for (word, until) in [("while", false), ("until", true)] {
            if self.eat_reserved(word) {
                let condition = self.body("do")?;
                let body = self.body("done")?;
                return Ok(Some(Kind::Loop { condition, until, body }));
            }
        }
        if self.eat_reserved("for") {
            return self.counted().map(Some);
        }
        if self.eat_reserved("select") {
            return self.chosen().map(Some);
        }
        if self.eat_reserved("case") {
            return self.case().map(Some);
        }
        if self.eat_reserved("[[") {
            return self.test().map(Some);
        }
        if self.eat_reserved("function") {
            return self.keyword_function().map(Some);
        }
        if self.at_reserved("coproc") {
            return Err(ParseError::Syntax("coprocesses are not judged"));
        }
        Ok(None)
    }

    /// A list that must not be empty, and the word that ends it.
    fn body(&mut self, end: &'static str) -> Result<Script> {
        let script = self.list()?;
        let ended = if end == ")" { self.eat(end) } else { self.eat_reserved(end) };
        if !ended || script.pipelines.is_empty() {
            return Err(ParseError::Syntax("a construct without its body or its end"));
        }
        Ok(script)
    }

    fn conditional(&mut self) -> Result<Kind> {
        let mut parts = vec![self.body("then")?];
        loop {
            parts.push(self.list()?);
            if self.eat_reserved("elif") {
                parts.push(self.body("then")?);
            } else if self.eat_reserved("else") {
                parts.push(self.body("fi")?);
                return Ok(Kind::If(parts));
            } else if self.eat_reserved("fi") {
                return Ok(Kind::If(parts));
            } else {
                return Err(ParseError::Syntax("`if` without `fi`"));
            }
        }
    }

    fn counted(&mut self) -> Result<Kind> {
        self.blanks();
        if self.eat("((") {
            let head = self.arithmetic()?;
            let text: String = head.pieces.iter().map(text_of).collect();
            let endless = text.split(';').nth(1).is_none_or(|test| matches!(test.trim(), "" | "1"));
            let body = self.loop_body()?;
            return Ok(Kind::Count { head, endless, body });
        }
        let name = self.name();
        if name.is_empty() || !self.at_word_end() {
            return Err(ParseError::Syntax("a loop without a variable"));
        }
        self.newlines()?;
        let words = if self.eat_reserved("in") { Some(self.words()?) } else { None };
        let body = self.loop_body()?;
        Ok(Kind::For { name, words, body })
    }

    /// `select`: a loop whose variable is empty when the answer fits no word.
    fn chosen(&mut self) -> Result<Kind> {
        let mut kind = self.counted()?;
        if let Kind::For { words: Some(words), .. } = &mut kind {
            let reply = Piece::Parameter {
                name: "REPLY".to_owned(),
                quoted: true,
                form: Form::Plain,
                inner: Vec::new(),
            };
            words.push(Word { pieces: vec![reply] });
        }
        Ok(kind)
    }

    fn words(&mut self) -> Result<Vec<Word>> {
        let mut words = Vec::new();
        loop {
            self.blanks();
            if self.at_word_end() && !self.at_process() {
                return Ok(words);
            }
            words.push(self.word()?);
        }
    }

    fn loop_body(&mut self) -> Result<Script> {
        self.blanks();
        if !self.looking_at(";;") {
            self.eat(";");
        }
        self.newlines()?;
        if self.eat_reserved("do") {
            self.body("done")
        } else if self.eat_reserved("{") {
            self.body("}")
        } else {
            Err(ParseError::Syntax("a loop without `do`"))
        }
    }

    fn case(&mut self) -> Result<Kind> {
        self.blanks();
        let mut words = vec![self.word()?];
        let mut bodies = Vec::new();
        self.newlines()?;
        if !self.eat_reserved("in") {
            return Err(ParseError::Syntax("`case` without `in`"));
        }
        loop {
            self.newlines()?;
            if self.eat_reserved("esac") {
                return Ok(Kind::Case { words, bodies });
            }
            self.eat("(");
            loop {
                self.blanks();
                words.push(self.word()?);
                self.blanks();
                if !self.eat("|") {
                    break;
                }
            }
            if !self.eat(")") {
                return Err(ParseError::Syntax("a case pattern without `)`"));
            }
            bodies.push(self.list()?);
            if !(self.eat(";;&") || self.eat(";;") || self.eat(";&") || self.at_reserved("esac")) {
                return Err(ParseError::Syntax("a case without `;;`"));
            }
        }
    }

    /// `[[ … ]]`: only its words matter, for the commands in them.
    fn test(&mut self) -> Result<Kind> {
        let mut words = Vec::new();
        let mut after_match = false;
        loop {
            self.newlines()?;
            if self.eat_reserved("]]") {
                return Ok(Kind::Test(words));
            }
            if self.eat("&&") || self.eat("||") {
                continue;
            }
            if after_match {
                after_match = false;
                words.push(self.pattern()?);
                continue;
            }
            match self.peek() {
                None => return Err(ParseError::Syntax("`[[` without `]]`")),
                Some('<' | '>') if !self.at_process() => self.at += 1,
                Some('(' | ')') => self.at += 1,
                Some(';' | '&' | '|') => return Err(ParseError::Syntax("an operator inside `[[`")),
                Some(_) => {
                    let word = self.word()?;
                    after_match = matches!(word.bare(), Some("=~" | "==" | "=" | "!="));
                    words.push(word);
                }
            }
        }
    }

    pub(super) fn at_parameters(&self) -> bool {
        let mut offset = 0;
        while matches!(self.ahead(offset), Some(' ' | '\t')) {
            offset += 1;
        }
        self.ahead(offset) == Some('(')
    }

    /// The rest of a definition, from its `()` on.
    pub(super) fn function(&mut self, name: Word) -> Result<Command> {
        self.blanks();
        self.eat("(");
        self.blanks();
        if !self.eat(")") {
            return Err(ParseError::Syntax("an unexpected `(`"));
        }
        self.newlines()?;
        Ok(Command { kind: self.function_body(name)?, redirects: Vec::new() })
    }

    fn keyword_function(&mut self) -> Result<Kind> {
        self.blanks();
        let name = self.word()?;
        if self.at_parameters() {
            return self.function(name).map(|command| command.kind);
        }
        self.newlines()?;
        self.function_body(name)
    }

    fn function_body(&mut self, name: Word) -> Result<Kind> {
        let Some(name) = name.bare().map(str::to_owned) else {
            return Err(ParseError::Syntax("a function whose name is not plain"));
        };
        let body = Box::new(self.deeper(Self::command)?);
        if matches!(body.kind, Kind::Simple(_) | Kind::Function { .. }) {
            return Err(ParseError::Syntax("a function without a body"));
        }
        Ok(Kind::Function { name, body })
    }
}

fn text_of(piece: &Piece) -> &str {
    match piece {
        Piece::Text { text, .. } => text,
        _ => "$",
    }
}
