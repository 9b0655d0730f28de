//! The person at the terminal: questions, answers and interrupts. Start at [`ask`].

use crate::exit::Fault;
use crate::paint::{Paint, exact, visible};
use agent::event::CallId;
use agent::view::CallState;
use agent::{Id, OpenCall};
use std::io::{BufRead, IsTerminal, Write};

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

pub fn somebody_is_there() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Shows exactly what would run and asks. `None` when the terminal is gone.
pub async fn ask(open: &OpenCall) -> Option<bool> {
    let paint = Paint::for_stderr();
    let CallState::Pending { reason, .. } = &open.state else { return Some(false) };
    eprintln!("{} {}", paint.bold(&visible(&open.call.name)), paint.dim(&visible(reason)));
    eprintln!("{}", exact(&readable(&open.call.arguments)));
    loop {
        eprint!("Let it run? [y/n] ");
        let _ = std::io::stderr().flush();
        match read_line().await?.trim().to_lowercase().as_str() {
            "y" | "yes" => return Some(true),
            "n" | "no" => return Some(false),
            _ => {}
        }
    }
}

/// What was shown, so that an approval serves for nothing else.
pub fn digest(open: &OpenCall) -> Option<String> {
    match &open.state {
        CallState::Pending { digest, .. } => Some(digest.clone()),
        _ => None,
    }
}

pub fn tell_how_to_go_on(id: &Id, pending: &[OpenCall]) {
    let paint = Paint::for_stderr();
    eprintln!("{}", paint.bold("Waiting for a decision:"));
    for open in pending {
        let OpenCall { call, state } = open;
        eprintln!("  {}: {} {}", call.id, visible(&call.name), visible(&call.arguments));
        if let CallState::Pending { reason, .. } = state {
            eprintln!("  {}", paint.dim(&visible(reason)));
        }
    }
    let first = pending.first().map_or_else(|| CallId("CALL".into()), |open| open.call.id.clone());
    eprintln!("Go on with one of:");
    eprintln!("  cinque exec --resume {id} --approve-call {first}");
    eprintln!("  cinque exec --resume {id} --decline-call {first}");
}

/// One line from stdin, read on a thread of its own: a read of a terminal cannot be given up.
async fn read_line() -> Option<String> {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        let _ = sender.send(read.is_ok_and(|count| count > 0).then_some(line));
    });
    receiver.await.ok().flatten()
}

/// Arguments for people: strings as they are, line by line.
pub fn readable(arguments: &str) -> String {
    match serde_json::from_str::<serde_json::Value>(arguments) {
        Ok(serde_json::Value::Object(fields)) => {
            let field = |(name, value): (&String, &serde_json::Value)| match value.as_str() {
                Some(text) if text.contains('\n') => format!("  {name}:\n{text}"),
                Some(text) => format!("  {name}: {text}"),
                None => format!("  {name}: {value}"),
            };
            fields.iter().map(field).collect::<Vec<_>>().join("\n")
        }
        _ => format!("  {arguments}"),
    }
}
