//! The conversation at the terminal: what the person does goes in, what happens comes out. Start at [`Chat::run`].
//!
//! One loop waits for keys, for the conversation, for work in the background and for time, and draws after each. It is
//! generic over where it writes, and its events may be fed, so that tests see what a person would see.

mod act;
mod ask;
mod away;
mod compose;
mod editor;
mod follow;
mod key;
mod pace;
mod pick;
mod plain;
mod query;
mod window;

use crate::commands::Argument;
use crate::guard::{self, Guard};
use crate::history::History;
use crate::keys::{Decoder, Input};
use crate::prompt::Prompt;
use crate::screen::{Cursor, Screen};
use crate::source::{Event, Source};
use crate::style::{Line, Palette};
use crate::talk::{Look, Talk};
use crate::wrap::{self, Hang};
use crate::{Begin, Door, Error, Mode, Names, Settings, theme};
use agent::{Command, Desk, Hub, Session, Updates, View};
use ask::Ask;
use follow::Own;
use pick::Picker;
use plain::Plain;
use query::News;
use std::collections::VecDeque;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;
use window::Window;

pub struct Chat<W> {
    hub: Hub,
    desk: Arc<dyn Desk>,
    names: Names,
    settings: Settings,
    screen: Screen<W>,
    source: Source,
    guard: Option<Guard>,
    decoder: Decoder,
    look: Look,
    talk: Talk,
    session: Option<Session>,
    updates: Option<Updates>,
    view: View,
    /// The last record that this person's commands made.
    sent: u64,
    /// The records after which a run was told to be left behind.
    left: Option<u64>,
    /// Whether a list to complete from is on its way.
    fetching: bool,
    /// The model of the next conversation, or of this one.
    model: String,
    profile: String,
    prompt: Prompt,
    picker: Option<Picker>,
    ask: Ask,
    own: Option<Own>,
    /// What is different without a live area.
    plain: Option<Plain>,
    /// What was typed while the conversation was busy, the oldest first.
    queue: VecDeque<String>,
    news: mpsc::Receiver<News>,
    tell: mpsc::Sender<News>,
    hint: Option<Hint>,
    clock: Times,
    focused: bool,
    title: String,
    /// The row of the live area where what is in progress begins.
    progress: usize,
    /// While the window changes nothing is drawn: what is written for one size and shown in another would stand where
    /// nobody expects it.
    window: Window,
    leaving: bool,
    greeted: bool,
    /// Whether the program has stopped itself, and went on.
    suspended: bool,
}

/// Words that go away by themselves.
struct Hint {
    text: &'static str,
    until: Instant,
}

struct Times {
    /// When the next frame is due.
    due: Option<Instant>,
    drawn: Instant,
    /// Since when a run is under way.
    busy: Option<Instant>,
    /// When the last key was pressed.
    key: Option<Instant>,
    /// When a lone Escape is no longer the beginning of something.
    settle: Option<Instant>,
    /// Until when somebody is taken to be typing, where it makes a difference.
    typing: Option<Instant>,
    /// Bytes of the reply that are not drawn yet.
    undrawn: usize,
}

const FAREWELL: Duration = Duration::from_secs(1);
/// News of the background that may wait.
const NEWS: usize = 64;
/// Updates that are taken before keys are looked at again.
const BATCH: usize = 256;

impl<W: Write> Chat<W> {
    pub fn new(
        door: Door,
        screen: Screen<W>,
        source: Source,
        history: History,
        guard: Option<Guard>,
        mode: Mode,
    ) -> Chat<W> {
        let Door { hub, desk, names, settings } = door;
        let (tell, news) = mpsc::channel(NEWS);
        let palette = match mode {
            Mode::Live => settings.theme.palette(None),
            Mode::Plain => Palette::none(),
        };
        let look = Look { palette, columns: screen.size().columns };
        let now = Instant::now();
        Chat {
            model: desk.model(),
            profile: settings.profile.clone(),
            hub,
            desk,
            names,
            screen,
            source,
            guard,
            decoder: Decoder::default(),
            look,
            talk: Talk::default(),
            session: None,
            updates: None,
            view: View::default(),
            sent: 0,
            left: None,
            fetching: false,
            prompt: Prompt::new(history),
            picker: None,
            ask: Ask::default(),
            own: None,
            plain: (mode == Mode::Plain).then(Plain::default),
            queue: VecDeque::new(),
            news,
            tell,
            hint: None,
            clock: Times {
                due: Some(now),
                drawn: now,
                busy: None,
                key: None,
                settle: None,
                typing: None,
                undrawn: 0,
            },
            focused: true,
            title: String::new(),
            progress: 0,
            window: Window::default(),
            leaving: false,
            greeted: false,
            suspended: false,
            settings,
        }
    }

    pub async fn run(mut self) -> Result<(), Error> {
        let outcome = self.talk_on().await;
        if outcome.is_ok() {
            self.stop_run().await?;
        }
        self.leaving = true;
        self.hear_out().await;
        let left = self.leave();
        outcome.and(left)
    }

    async fn talk_on(&mut self) -> Result<(), Error> {
        self.begin().await?;
        while !self.leaving {
            self.draw_if_due()?;
            let wake = self.next_wake();
            tokio::select! {
                biased;
                event = self.source.next() => self.take_event(event).await?,
                Some(news) = self.news.recv() => self.take_news(news).await?,
                update = follow::next(&mut self.updates) => self.take_updates(update)?,
                () = tokio::time::sleep_until(wake.unwrap_or_else(far)), if wake.is_some() => self.take_time().await?,
            }
            self.go_on().await?;
            if guard::panicked() {
                return Err(Error::Bug);
            }
        }
        Ok(())
    }

    async fn begin(&mut self) -> Result<(), Error> {
        if self.plain.is_none() && self.settings.theme.wants_background() {
            self.screen.pass(theme::ASK)?;
        }
        if self.plain.is_none() {
            self.screen.pass(window::LEARN)?;
        }
        match self.settings.begin.clone() {
            Begin::New => self.greet(),
            Begin::Resume(id) => {
                self.resume(&id).await?;
                if let Some(model) = self.settings.model.clone().filter(|model| *model != self.model) {
                    self.chosen(Argument::Model, &model).await?;
                }
            }
            Begin::Choose => self.pick(Argument::Conversation),
        }
        if let Some(prompt) = self.settings.prompt.take() {
            self.submit(prompt).await?;
        }
        Ok(())
    }

    /// The first line: which model answers.
    fn greet(&mut self) {
        let mut line = Line::from(format!("Using model: {}", self.model));
        if let Some(effort) = &self.settings.effort {
            line.push(&format!(" with reasoning effort: {effort}"), self.look.palette.text);
        }
        self.talk.print(vec![line]);
        self.greeted = true;
        self.draw_now();
    }

    /// Nothing was chosen to begin with, so a new conversation does.
    fn greet_once(&mut self) {
        if !self.greeted {
            self.greet();
        }
    }

    async fn take_event(&mut self, event: Event) -> Result<(), Error> {
        let mut next = Some(event);
        while let Some(event) = next {
            match event {
                Event::Bytes(bytes) => {
                    let inputs = self.decoder.push(&bytes);
                    self.take_inputs(inputs).await?;
                    self.clock.settle = self.decoder.patience().map(|pause| Instant::now() + pause);
                }
                Event::Resized(size) => self.take_size(size)?,
                Event::Line(line) => self.take_line(&line).await?,
                Event::Interrupt => self.take_interrupt().await?,
                Event::Suspend => self.suspend()?,
                Event::Resumed => self.come_back()?,
                Event::Closed => self.leaving = true,
            }
            next = if self.leaving { None } else { self.source.more() };
        }
        Ok(())
    }

    async fn take_inputs(&mut self, inputs: Vec<Input>) -> Result<(), Error> {
        for input in inputs {
            self.take_input(input).await?;
            if self.leaving {
                break;
            }
        }
        Ok(())
    }

    /// What is to be printed. Nothing of it is cut off, and nothing is wider than the window, which may have become
    /// narrower since it was made.
    fn finished(&mut self) -> Vec<Line> {
        let fitted = |line: Line| match line.width() <= self.look.columns {
            true => vec![line],
            false => wrap::words(&line, self.look.columns, &Hang::default()),
        };
        self.talk.paper.take().into_iter().flat_map(fitted).collect()
    }

    /// A run that is under way is stopped, so that its log does not end in the middle; but nobody waits for long. One that
    /// waits for the person goes on waiting: it can be decided later, or elsewhere.
    pub(crate) async fn stop_run(&mut self) -> Result<(), Error> {
        if !self.is_busy() || self.ask.current.is_some() {
            return Ok(());
        }
        self.send(Command::Cancel).await?;
        let end = Instant::now() + FAREWELL;
        while self.is_busy() {
            match tokio::time::timeout_at(end, follow::next(&mut self.updates)).await {
                Ok(Some(Ok(update))) => self.take_update(&update)?,
                _ => break,
            }
        }
        Ok(())
    }

    /// Leaves the terminal with everything printed and the cursor on a free line.
    fn leave(&mut self) -> Result<(), Error> {
        if let Some(session) = self.session.as_ref().filter(|_| self.view.prompts > 0) {
            let words = format!("To go on: cinque --resume {}", session.id());
            self.talk.note(&words, &self.look);
        }
        if self.plain.is_some() {
            return self.print_lines();
        }
        let finished = self.finished();
        self.screen.frame(&finished, &[Line::new()], Cursor::default())?;
        guard::set_below(0);
        Ok(())
    }
}

fn far() -> Instant {
    Instant::now() + Duration::from_secs(3600)
}

#[cfg(test)]
mod tests;
