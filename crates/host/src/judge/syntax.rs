//! The shape of a bash script, as far as judging it needs: what runs, under which words, with which
//! redirections. Start from [`Script`]. Nothing here is evaluated; that is `expand` and `walk`.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

/// Commands one after another, however they are joined.
#[derive(Debug, Default)]
pub struct Script {
    pub pipelines: Vec<Pipeline>,
}

#[derive(Debug)]
pub struct Pipeline {
    pub stages: Vec<Command>,
    pub background: bool,
    /// After `&&` or `||`: it may not run at all, so what it assigns is not certain.
    pub conditional: bool,
}

#[derive(Debug)]
pub struct Command {
    pub kind: Kind,
    pub redirects: Vec<Redirect>,
}

#[derive(Debug)]
pub enum Kind {
    Simple(Simple),
    Subshell(Script),
    Group(Script),
    /// Conditions and branches alike: any of them may run.
    If(Vec<Script>),
    Loop {
        condition: Script,
        until: bool,
        body: Script,
    },
    For {
        name: String,
        words: Option<Vec<Word>>,
        body: Script,
    },
    /// `for ((…))`; the head is arithmetic, an empty middle never ends.
    Count {
        head: Word,
        endless: bool,
        body: Script,
    },
    Case {
        words: Vec<Word>,
        bodies: Vec<Script>,
    },
    Function {
        name: String,
        body: Box<Command>,
    },
    /// `[[ … ]]`
    Test(Vec<Word>),
    /// `(( … ))`
    Arithmetic(Word),
}

#[derive(Debug, Default)]
pub struct Simple {
    pub assigns: Vec<Assign>,
    pub words: Vec<Word>,
}

#[derive(Debug)]
pub struct Assign {
    pub name: String,
    /// A plain `name=value`: neither `+=`, nor an element, nor an array.
    pub plain: bool,
    /// What stands in the brackets of `name[…]=value`, as it is written.
    pub subscript: Option<String>,
    pub words: Vec<Word>,
}

#[derive(Debug)]
pub struct Redirect {
    /// `{name}>file` stores the descriptor in a variable.
    pub variable: Option<String>,
    pub mode: Mode,
    pub target: Target,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Read,
    Write,
    /// `<&` and `>&`: a descriptor is copied, unless the target turns out to be a file name.
    Copy,
}

#[derive(Debug)]
pub enum Target {
    Word(Word),
    /// A here-document; its body is filled in when the parser reaches the end of the line.
    Here(Rc<OnceCell<Word>>),
    /// `<<<`
    Text(Word),
}

#[derive(Debug, Default)]
pub struct Word {
    pub pieces: Vec<Piece>,
}

#[derive(Debug)]
pub enum Piece {
    Text {
        text: String,
        quoted: bool,
    },
    Parameter {
        name: String,
        quoted: bool,
        form: Form,
        /// What follows the name inside the braces: it may hold commands of its own.
        inner: Vec<Word>,
    },
    Command {
        script: Script,
        quoted: bool,
    },
    Process(Script),
    Arithmetic(Word),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `$x` or `${x}`
    Plain,
    /// `${x:-…}`, `${x%…}` and the like: the value is not known.
    Changed,
    /// `${#x}`: a number.
    Length,
    /// `${!x}`: the value of the variable that the value of `x` names.
    Indirect,
    /// `${x:=…}`: also assigns.
    Assigning,
    /// `${x@P}` evaluates the value as a prompt, which can run commands.
    Evaluated,
}

impl Word {
    /// The text, if nothing in the word is expanded.
    pub fn literal(&self) -> Option<Cow<'_, str>> {
        let part = |piece: &'_ Piece| match piece {
            Piece::Text { text, .. } => Some(text.clone()),
            _ => None,
        };
        match self.pieces.as_slice() {
            [Piece::Text { text, .. }] => Some(Cow::Borrowed(text)),
            pieces => pieces.iter().map(part).collect::<Option<String>>().map(Cow::Owned),
        }
    }

    /// The text, if the word is one unquoted literal: what a reserved word or a name must be.
    pub fn bare(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [Piece::Text { text, quoted: false }] => Some(text),
            _ => None,
        }
    }
}
