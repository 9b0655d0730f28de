//! What is asked of the machine without making the person wait: lists, undo, a command of their own.

use super::Chat;
use super::follow::{Own, Printed};
use super::plain::Plain;
use crate::Error;
use crate::commands::Argument;
use crate::complete::Kind;
use crate::menu::Item;
use agent::desk::{Changed, PutBack, Restored, Since};
use agent::event::{Event, Outcome};
use agent::{Session, Summary, Update};
use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// What came of it.
pub(super) enum News {
    Items(Kind, Vec<Item>),
    Undone(Result<Restored, String>),
    Exported(Result<String, String>),
    Changes(Result<Vec<Changed>, String>),
    /// The person's own command has printed something.
    Printed,
    OwnEnded(Outcome),
}

impl<W: Write> Chat<W> {
    pub(super) async fn take_news(&mut self, news: News) -> Result<(), Error> {
        if !matches!(news, News::Printed | News::OwnEnded(_)) {
            self.plain.iter_mut().for_each(Plain::got_one);
        }
        match news {
            News::Items(Kind::Argument(what), items) if self.plain.is_some() => self.list(what, &items),
            News::Items(kind, items) => {
                if let (Some(picker), Kind::Argument(what)) = (&mut self.picker, kind)
                    && picker.what == what
                {
                    picker.fill(items);
                } else {
                    self.prompt.supply(kind, items);
                }
            }
            News::Undone(undone) => self.undone(undone),
            News::Exported(Ok(path)) => self.talk.note(&format!("Written to {path}"), &self.look),
            News::Exported(Err(why)) => self.talk.error(&why, "", &self.look),
            News::Changes(changes) => self.show_changes(changes),
            News::Printed => {
                self.draw_soon(1);
                return Ok(());
            }
            News::OwnEnded(outcome) => self.own_ended(&outcome),
        }
        self.draw_now();
        Ok(())
    }

    /// Fetches what the input needs to complete what is being typed.
    pub(super) fn supply(&mut self) {
        match self.prompt.lacks() {
            Some(Kind::Path) if !self.fetching => {
                self.fetching = true;
                let (desk, tell) = (self.desk.clone(), self.tell.clone());
                tokio::spawn(async move {
                    let paths = desk.paths().await;
                    let items = paths.into_iter().map(|path| Item::new(path, "")).collect();
                    let _ = tell.send(News::Items(Kind::Path, items)).await;
                });
            }
            Some(Kind::Argument(argument)) if !self.fetching => {
                self.fetching = true;
                self.fetch(argument);
            }
            Some(_) => {}
            None => self.fetching = false,
        }
    }

    /// Fetches what may follow a command.
    pub(super) fn fetch(&mut self, argument: Argument) {
        self.plain.iter_mut().for_each(Plain::await_one);
        let (desk, hub, tell) = (self.desk.clone(), self.hub.clone(), self.tell.clone());
        let (session, own) = (self.session.clone(), self.model.clone());
        tokio::spawn(async move {
            let items = match argument {
                Argument::Model => models(desk.models().await, &own),
                Argument::Profile => desk.profiles().into_iter().map(|name| Item::new(name, "")).collect(),
                Argument::Conversation => {
                    let listed = hub.list().await.unwrap_or_default();
                    listed.iter().filter(|summary| summary.prompts > 0).map(conversation).collect()
                }
                Argument::Prompt => match &session {
                    Some(session) => said(session).await,
                    None => Vec::new(),
                },
                Argument::File => folders(&desk.paths().await),
                Argument::None => Vec::new(),
            };
            let _ = tell.send(News::Items(Kind::Argument(argument), items)).await;
        });
    }

    pub(super) fn undo(&mut self) {
        let Some(session) = self.session.clone() else { return };
        self.plain.iter_mut().for_each(Plain::await_one);
        let (desk, tell) = (self.desk.clone(), self.tell.clone());
        tokio::spawn(async move {
            let undone = desk.undo(&session, Since::LastRun, PutBack::Unchanged).await;
            let _ = tell.send(News::Undone(undone)).await;
        });
    }

    pub(super) fn export(&mut self, file: &str) {
        let Some(session) = self.session.clone() else { return };
        self.plain.iter_mut().for_each(Plain::await_one);
        let (desk, tell) = (self.desk.clone(), self.tell.clone());
        let file = (!file.is_empty()).then(|| file.to_owned());
        tokio::spawn(async move {
            let exported = desk.export(&session, file.as_deref()).await;
            let _ = tell.send(News::Exported(exported)).await;
        });
    }

    pub(super) fn collect_changes(&mut self) {
        let Some(session) = self.session.clone() else { return };
        self.plain.iter_mut().for_each(Plain::await_one);
        let (desk, tell) = (self.desk.clone(), self.tell.clone());
        tokio::spawn(async move {
            let changes = desk.changes(&session).await;
            let _ = tell.send(News::Changes(changes)).await;
        });
    }

    pub(super) fn run_own(&mut self, command: &str) {
        let (desk, tell) = (self.desk.clone(), self.tell.clone());
        let source = command.to_owned();
        let output = Arc::<Mutex<Printed>>::default();
        let kept = output.clone();
        let task = tokio::spawn(async move {
            let bell = tell.clone();
            let print = Box::new(move |text: &str| {
                kept.lock().unwrap_or_else(PoisonError::into_inner).push(text);
                // Where the bell rings already, there is no need to ring it twice.
                let _ = bell.try_send(News::Printed);
            });
            let outcome = desk.run(source, print).await;
            let _ = tell.send(News::OwnEnded(outcome)).await;
        });
        self.own = Some(Own { command: command.to_owned(), output, task });
        self.draw_now();
    }
}

/// Looks at all that stands in a log now.
async fn each_event(session: &Session, mut look: impl FnMut(u64, &Event)) {
    let (mut updates, end) = (session.follow(0), session.recorded());
    let mut next = 0;
    while next < end {
        match updates.next().await {
            Some(Ok(Update::Record(record))) => {
                next = record.seq + 1;
                look(record.seq, &record.event);
            }
            Some(Ok(_)) => {}
            _ => break,
        }
    }
}

async fn said(session: &Session) -> Vec<Item> {
    let mut items = Vec::new();
    each_event(session, |seq, event| {
        if let Event::Said(said) = event {
            items.push(Item::labelled(
                seq.to_string(),
                said.text.lines().next().unwrap_or_default(),
                format!("before {seq}"),
            ));
        }
    })
    .await;
    items.reverse();
    items
}

/// The models that can be had, the one in use first.
fn models(mut found: Vec<String>, own: &str) -> Vec<Item> {
    found.retain(|name| name != own);
    found.sort();
    let rest = found.into_iter().map(|name| Item::new(name, ""));
    std::iter::once(Item::new(own, "in use")).chain(rest).collect()
}

/// The folders that a new file can be written into. Not the files: none of them is replaced.
fn folders(paths: &[String]) -> Vec<Item> {
    let above =
        |path: &'_ str| path.match_indices('/').map(|(at, _)| path[..=at].to_owned()).collect::<Vec<_>>();
    let folders: BTreeSet<String> = paths.iter().flat_map(|path| above(path)).collect();
    folders.into_iter().map(|folder| Item::new(folder, "")).collect()
}

fn conversation(summary: &Summary) -> Item {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
    let age = now.saturating_sub(summary.updated) / 1000;
    let age = match age {
        0..60 => "just now".to_owned(),
        60..3600 => format!("{} min ago", age / 60),
        3600..86_400 => format!("{} h ago", age / 3600),
        _ => format!("{} days ago", age / 86_400),
    };
    let id = summary.conversation.as_str();
    Item::labelled(id, summary.topic.as_str(), format!("{age} · {id}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_those_above_the_files() {
        let paths = ["README.md", "src/main.rs", "src/a/b.rs", "docs/x.md"].map(str::to_owned);
        let names: Vec<String> = folders(&paths).into_iter().map(|item| item.name).collect();
        assert_eq!(names, ["docs/", "src/", "src/a/"]);
    }
}
