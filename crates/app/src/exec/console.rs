//! The person at the terminal: questions, answers and interrupts. Start at [`ask`].

use crate::aside;
use crate::exit::Fault;
use crate::paint::{Paint, reveal, visible};
use agent::view::CallState;
use agent::{Id, OpenCall};
use host::tools::is_edit;
use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal};

/// Longer than this, the beginning of what is asked about is said once more beside the question.
const LONG: usize = 15;

/// Interrupts from the keyboard or from whoever runs this program.
pub struct Signals {
    #[cfg(unix)]
    others: [tokio::signal::unix::Signal; 3],
}

impl Signals {
    #[cfg(unix)]
    pub fn listen() -> Result<Signals, Fault> {
        use tokio::signal::unix::{SignalKind, signal};
        let listen = |kind| signal(kind).map_err(Fault::error);
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let [interrupt, terminate, hangup] = kinds.map(listen);
        Ok(Signals { others: [interrupt?, terminate?, hangup?] })
    }

    #[cfg(unix)]
    pub async fn next(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.others;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }

    #[cfg(not(unix))]
    pub fn listen() -> Result<Signals, Fault> {
        Ok(Signals {})
    }

    #[cfg(not(unix))]
    pub async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}

/// What a person decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Yes,
    No,
    /// Now, and without asking from now on.
    Always,
}

/// Shows exactly what would run and asks. `rule` is what "always" would save, where it can. `None` when nobody is there
/// to answer.
///
/// Every line of what the model wrote is marked as such, so that none of it can pass for a line of ours.
pub async fn ask(open: &OpenCall, rule: Option<&str>) -> Option<Answer> {
    if !std::io::stderr().is_terminal() {
        return None;
    }
    let mut terminal = Terminal::open()?;
    let CallState::Pending { reason, .. } = &open.state else { return Some(Answer::No) };
    show(open, reason);
    if rule.is_some() {
        aside!("  y: this once, n: no, a: always, which shows a rule to save first");
    }
    terminal.forget_typed();
    loop {
        let (letter, back) = terminal.letter("Let it run? [y/n] ").await?;
        terminal = back;
        match (letter, rule) {
            ('y', _) => return Some(Answer::Yes),
            ('n', _) => return Some(Answer::No),
            ('a', Some(rule)) => {
                // A rule for edits names the folder that it is for.
                let place = if is_edit(&open.call.name) { "" } else { ", in every folder" };
                aside!("  From now on this would run without asking{place}:");
                rule.lines().for_each(|line| aside!("  │ {}", reveal(line)));
                let (letter, back) = terminal.letter("Save this rule? [y/n] ").await?;
                terminal = back;
                if letter == 'y' {
                    return Some(Answer::Always);
                }
            }
            ('a', None) => aside!("  there is no rule for this: it must be decided each time"),
            _ => {}
        }
    }
}

fn show(open: &OpenCall, reason: &str) {
    let paint = Paint::for_stderr();
    aside!("{}: {}", paint.bold(&visible(&open.call.name)), visible(reason));
    let shown = reveal(&readable(&open.call.arguments));
    shown.lines().for_each(|line| aside!("  │ {line}"));
    let count = shown.lines().count();
    if count > LONG {
        aside!("  ({count} lines; the first is: {})", shown.lines().next().unwrap_or_default());
    }
}

/// Where a person types: stdin, or the terminal itself when stdin is a pipe.
enum Terminal {
    Stdin,
    Own(BufReader<File>),
}

impl Terminal {
    /// Keys pressed before the question was there are no answer to it.
    fn forget_typed(&self) {
        let queue = rustix::termios::QueueSelector::IFlush;
        // A terminal that cannot do this is asked all the same.
        let _ = match self {
            Terminal::Stdin => rustix::termios::tcflush(std::io::stdin(), queue),
            Terminal::Own(file) => rustix::termios::tcflush(file.get_ref(), queue),
        };
    }

    fn open() -> Option<Terminal> {
        if std::io::stdin().is_terminal() {
            return Some(Terminal::Stdin);
        }
        File::open("/dev/tty").ok().map(|file| Terminal::Own(BufReader::new(file)))
    }

    /// The first letter of the answer to a question; a blank where there is none.
    async fn letter(self, question: &str) -> Option<(char, Terminal)> {
        aside::write(question);
        let (line, back) = self.line().await?;
        let letter = match line.trim().to_lowercase().as_str() {
            "y" | "yes" => 'y',
            "n" | "no" => 'n',
            "a" | "always" => 'a',
            _ => ' ',
        };
        Some((letter, back))
    }

    /// One line, read on a thread of its own: a read of a terminal cannot be given up.
    async fn line(mut self) -> Option<(String, Terminal)> {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        std::thread::spawn(move || {
            let mut line = String::new();
            let read = match &mut self {
                Terminal::Stdin => std::io::stdin().lock().read_line(&mut line),
                Terminal::Own(file) => file.read_line(&mut line),
            };
            let _ = sender.send(read.is_ok_and(|count| count > 0).then_some((line, self)));
        });
        let line = receiver.await.ok().flatten();
        if line.is_none() {
            aside!("");
        }
        line
    }
}

/// What was shown, so that an approval serves for nothing else.
pub fn digest(open: &OpenCall) -> Option<String> {
    match &open.state {
        CallState::Pending { digest, .. } => Some(digest.clone()),
        _ => None,
    }
}

pub fn tell_how_to_go_on(go_on: &str, id: &Id, pending: &[OpenCall]) {
    let paint = Paint::for_stderr();
    aside!("{}", paint.bold("Waiting for a decision:"));
    for OpenCall { call, state } in pending {
        aside!("  {}: {} {}", visible(&call.id.0), visible(&call.name), visible(&call.arguments));
        if let CallState::Pending { reason, .. } = state {
            aside!("  {}", paint.dim(&visible(reason)));
        }
    }
    aside!("Go on with --approve-call or --decline-call for each:");
    for OpenCall { call, .. } in pending {
        aside!("  {go_on} {id} --approve-call {}", visible(&call.id.0));
    }
}

/// Arguments for people: strings as they are, line by line.
pub fn readable(arguments: &str) -> String {
    match serde_json::from_str::<serde_json::Value>(arguments) {
        Ok(serde_json::Value::Object(fields)) => {
            let is_long = |value: &serde_json::Value| value.as_str().is_some_and(|text| text.contains('\n'));
            let field = |(name, value): (&String, &serde_json::Value)| match value.as_str() {
                Some(text) if is_long(value) => format!("{name}:\n{text}"),
                Some(text) => format!("{name}: {text}"),
                None => format!("{name}: {value}"),
            };
            // What is short, such as a path, first: it must not scroll away behind a long text.
            let (long, short): (Vec<_>, Vec<_>) = fields.iter().partition(|(_, value)| is_long(value));
            short.into_iter().chain(long).map(field).collect::<Vec<_>>().join("\n")
        }
        _ => arguments.to_owned(),
    }
}
