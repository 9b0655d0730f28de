//! One call as a thread: it starts the confiner, moves output, watches the clock and the agent, and collects the end.
//! Start from [`start`]. The thread ends by itself whatever happens to the task that waits for it, and it alone waits
//! for the confiner, so no process is left uncollected.

use std::fs;
use std::io::{self, PipeReader, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::Sender;
use tokio::sync::mpsc::error::TrySendError;

use super::capture::Capture;
use super::clock::{Clock, Due};
use super::scratch::fresh;
use super::spare::{Confiner, Room, Waiting};
use super::{Command, Event, Finished, Outcome, Program, Shell, Stream};
use crate::sandbox::{Grants, Order, Report, Spec, TERMINATE, Wall};

/// As much as a pipe holds: what a command prints at once arrives at once.
const CHUNK: usize = 64 << 10;

/// Dropping it ends the call.
pub struct Stop(#[allow(dead_code, reason = "it is closed, never written")] io::PipeWriter);

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot run in {}: {source}", path.display())]
    Directory { path: PathBuf, source: io::Error },
    #[error("cannot start the confiner {}: {source}", path.display())]
    Confiner { path: PathBuf, source: io::Error },
    #[error("cannot prepare the call: {0}")]
    Prepare(#[from] io::Error),
}

/// Starts a call; its events, the last of which is its end, go to `events`.
pub fn start(shell: &Shell, command: &Command, events: Sender<Event>) -> Result<Stop, Error> {
    let (spec, order) = specify(shell, command)?;
    let (stopped, stop) = io::pipe()?;
    let begun = shell.spare.begin(&shell.confiner, &spec, &order)?;
    let usual = command.grants == Grants::default();
    let mut call =
        Call { shell: shell.clone(), spec, order, clock: Clock::new(Instant::now(), command.limit) };
    std::thread::Builder::new().name("command".into()).spawn(move || {
        let ended = call.run(begun, stopped, &events);
        let room = usual.then(|| call.shell.spare.room()).flatten();
        ended.tell(&events, room, &call);
    })?;
    Ok(Stop(stop))
}

/// One call, as its thread has it.
struct Call {
    shell: Shell,
    spec: Spec,
    order: Order,
    clock: Clock,
}

impl Call {
    /// Runs to the end. A wall that was built beforehand and no longer fits is replaced by a new one.
    fn run(&mut self, begun: Waiting, stopped: PipeReader, events: &Sender<Event>) -> Ended {
        let mut stop = Some(stopped);
        let mut running = Running::new(begun, &self.shell.scratch);
        running.watch(&mut self.clock, &mut stop, events);
        if running.report() == Some(Report::Stale) {
            running.confiner.end();
            let fresh = Waiting::fresh(&self.shell.confiner, &self.spec, &self.order);
            running = match fresh {
                Ok(begun) => Running::new(begun, &self.shell.scratch),
                Err(error) => {
                    return Ended { finished: Finished::failed(error.to_string()), wall: Remains::Nothing };
                }
            };
            running.watch(&mut self.clock, &mut stop, events);
        }
        running.finish(self.clock.outcome())
    }
}

/// A call that is over.
struct Ended {
    finished: Finished,
    wall: Remains,
}

/// What is left of a wall.
enum Remains {
    /// It takes the next command.
    AsNew(Waiting),
    /// It is falling, and need not be waited for before the end is told.
    Falling(Confiner),
    Nothing,
}

impl Ended {
    /// Tells the end, and sees to the wall of the next command. If none can be used again, one is begun: while the model
    /// thinks, not while a command runs, which would wait for it. The room for it is held meanwhile, so that whoever comes
    /// at once waits for that wall instead of building another beside it; but never while nobody takes what is told, who may
    /// be that very one.
    fn tell(self, events: &Sender<Event>, room: Option<Room<'_>>, call: &Call) {
        let told = Event::Finished(Box::new(self.finished));
        let (room, falling) = match (self.wall, room) {
            (Remains::AsNew(wall), Some(room)) => {
                room.keep(wall);
                (None, None)
            }
            (Remains::AsNew(wall), None) => (None, Some(wall.confiner)),
            (Remains::Falling(wall), room) => (room, Some(wall)),
            (Remains::Nothing, room) => (room, None),
        };
        match events.try_reserve() {
            Ok(place) => {
                place.send(told);
                room.into_iter().for_each(|room| room.fill(&call.shell.confiner, &call.spec));
            }
            Err(_) => {
                drop(room);
                // Nobody hears the end if the call was dropped.
                let _ = events.blocking_send(told);
            }
        }
        falling.into_iter().for_each(Confiner::end);
    }
}

/// Builds a wall around nothing, to see whether it stands.
pub fn try_wall(confiner: &Path, wall: Wall) -> Result<(), String> {
    let place = std::env::temp_dir();
    let shell = Shell {
        confiner: confiner.to_owned(),
        bash: PathBuf::new(),
        environment: super::Environment::default(),
        home: None,
        wall,
        workspace: place.clone(),
        scratch: place.clone(),
        spare: super::Spare::default(),
    };
    let program = Program::Argv(vec!["/bin/true".into()]);
    let limit = Duration::from_secs(5);
    let command =
        Command { program, directory: place, environment: Vec::new(), limit, grants: Grants::default() };
    let (events, mut heard) = tokio::sync::mpsc::channel(1);
    let _stop = start(&shell, &command, events).map_err(|error| error.to_string())?;
    while let Some(event) = heard.blocking_recv() {
        if let Event::Finished(finished) = event {
            return match finished.outcome {
                Outcome::Exit(0) => Ok(()),
                Outcome::Failed(why) => Err(why),
                other => Err(format!("the trial command ended with {other:?}")),
            };
        }
    }
    Err("the trial command gave no result".into())
}

fn specify(shell: &Shell, command: &Command) -> Result<(Spec, Order), Error> {
    let real = |path: &Path| {
        path.canonicalize().map_err(|source| Error::Directory { path: path.to_owned(), source })
    };
    let workspace = real(&shell.workspace)?;
    let directory = real(&command.directory)?;
    let temp = match shell.wall {
        Wall::Full => PathBuf::from("/tmp"),
        _ => private_temp(&shell.scratch)?,
    };
    let existing = |paths: &[PathBuf]| paths.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let found = fs::metadata(&workspace)?;
    let spec = Spec {
        wall: shell.wall,
        network: command.grants.network,
        identity: (found.dev(), found.ino()),
        workspace,
        home: shell.home.clone(),
        temp,
        writable: existing(&command.grants.writable),
        readable: command.grants.readable.clone(),
    }
    .settled();
    let mut environment = shell.environment.clone();
    environment.set("TMPDIR".into(), spec.temp.clone().into());
    // Else bash asks the system who its user is, at every start.
    environment.set("SHELL".into(), shell.bash.clone().into());
    environment.set("PWD".into(), directory.clone().into());
    for (name, value) in &command.environment {
        environment.set(name.clone(), value.clone());
    }
    let argv = match &command.program {
        Program::Source(source) => {
            environment.keep_from_editing(source);
            vec![shell.bash.clone().into(), "--noprofile".into(), "--norc".into(), "-c".into(), source.into()]
        }
        Program::Argv(argv) => argv.clone(),
    };
    let order = Order { argv, environment: environment.into_pairs(), directory };
    Ok((spec, order))
}

/// A directory for one call; the confiner removes it.
fn private_temp(scratch: &Path) -> io::Result<PathBuf> {
    let make = |path: &Path| fs::DirBuilder::new().mode(0o700).create(path);
    let ((), path) = fresh(&scratch.canonicalize()?, "temp", make)?;
    Ok(path)
}

/// A command that was started.
struct Running {
    confiner: Confiner,
    spec: Spec,
    pipes: [Option<(Stream, PipeReader)>; 2],
    captures: [Capture; 2],
    said: Vec<u8>,
}

impl Running {
    fn new(begun: Waiting, scratch: &Path) -> Self {
        let Waiting { confiner, stdout, stderr, spec } = begun;
        Self {
            confiner,
            spec,
            pipes: [Some((Stream::Stdout, stdout)), Some((Stream::Stderr, stderr))],
            captures: [Capture::new(scratch), Capture::new(scratch)],
            said: Vec::new(),
        }
    }

    /// Until everything is over.
    fn watch(&mut self, clock: &mut Clock, stop: &mut Option<PipeReader>, events: &Sender<Event>) {
        let mut waiting = None;
        while self.confiner.control.is_some() || self.pipes.iter().any(Option::is_some) {
            deliver(&mut waiting, events);
            let patience = self.patience(waiting.is_some(), clock);
            let ready = self.poll(stop.as_ref(), waiting.is_some(), patience);
            let over = self.confiner.control.is_none() || self.settled();
            if over && ready.nothing() && waiting.is_none() {
                break;
            }
            if ready.stopped {
                clock.cancel(Instant::now());
                *stop = None;
            }
            if ready.control {
                self.hear();
            }
            if waiting.is_none() {
                let mut ready = ready.pipes.into_iter().flatten();
                waiting = ready.find_map(|index| self.read(index));
            }
            match clock.due(Instant::now()) {
                Some(Due::Ask) => self.ask_to_end(),
                Some(Due::Force) => self.force(),
                Some(Due::GiveUp) => {
                    let _ = self.confiner.process.kill();
                    break;
                }
                None => {}
            }
        }
        deliver_last(waiting, events);
    }

    fn report(&self) -> Option<Report> {
        Report::parse(&self.said)
    }

    /// The command has ended and nobody of it is left: what it printed is here, and the wall need not be waited for.
    fn settled(&self) -> bool {
        matches!(self.report(), Some(Report::Exit(_) | Report::Spent(_)))
    }

    fn patience(&self, backlog: bool, clock: &Clock) -> Duration {
        match &self.confiner.control {
            // There is nothing to poll for the patience of a listener, so look again soon.
            _ if backlog => Duration::from_millis(2),
            Some(_) if self.settled() => Duration::ZERO,
            // Everything behind the wall is dead: what it printed is here already, and whoever else holds the pipe is
            // not waited for.
            None => Duration::from_millis(50),
            Some(_) => clock.remaining(Instant::now()),
        }
    }

    fn poll(&self, stop: Option<&PipeReader>, backlog: bool, patience: Duration) -> Ready {
        let none = libc::pollfd { fd: -1, events: 0, revents: 0 };
        let watch = |fd: i32| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        let pipe = |index: usize| match &self.pipes[index] {
            Some((_, pipe)) if !backlog => watch(pipe.as_raw_fd()),
            _ => none,
        };
        let control = self.confiner.control.as_ref().filter(|_| !self.settled());
        let control = control.map_or(none, |control| watch(control.as_raw_fd()));
        let mut fds = [stop.map_or(none, |stop| watch(stop.as_raw_fd())), control, pipe(0), pipe(1)];
        // Rounded up: a limit that has not quite come would be polled for over and over.
        let milliseconds = patience.as_micros().div_ceil(1000).min(60_000) as i32;
        // SAFETY: the array is valid; an interruption is as good as a time-out.
        unsafe { libc::poll(fds.as_mut_ptr(), fds.len() as libc::nfds_t, milliseconds) };
        let ready = |index: usize| fds[index].revents != 0;
        Ready { stopped: ready(0), control: ready(1), pipes: [ready(2).then_some(0), ready(3).then_some(1)] }
    }

    fn read(&mut self, index: usize) -> Option<(Stream, Vec<u8>)> {
        let (stream, pipe) = self.pipes[index].as_mut()?;
        let mut bytes = vec![0; CHUNK];
        match pipe.read(&mut bytes) {
            Ok(0) | Err(_) => {
                self.pipes[index] = None;
                None
            }
            Ok(count) => {
                bytes.truncate(count);
                self.captures[index].push(&bytes);
                Some((*stream, bytes))
            }
        }
    }

    /// Hears the report. The end of the connection is the end of every process behind the wall.
    fn hear(&mut self) {
        let mut bytes = [0; 4096];
        match self.confiner.control.as_mut().map(|control| control.read(&mut bytes)) {
            Some(Ok(count @ 1..)) => self.said.extend(&bytes[..count]),
            _ => self.confiner.control = None,
        }
    }

    fn ask_to_end(&mut self) {
        self.confiner.tell(&[TERMINATE]);
    }

    /// Half-closing the connection tells the wall to fall; its last words can still be heard.
    fn force(&mut self) {
        let _ = self.confiner.control.as_mut().map(|control| control.shutdown(std::net::Shutdown::Write));
    }

    fn finish(self, forced: Option<Outcome>) -> Ended {
        let report = self.report();
        // Who was asked to end may have been asked too late, and would hear it in the middle of the next order.
        let as_new = forced.is_none() && matches!(report, Some(Report::Exit(_)));
        let settled = self.settled();
        let outcome = forced.unwrap_or_else(|| match report {
            Some(Report::Exit(code) | Report::Spent(code) | Report::Left(code)) => Outcome::Exit(code),
            Some(Report::Failed(why)) => Outcome::Failed(format!("the sandbox could not be set up: {why}")),
            Some(Report::Stale) => Outcome::Failed("what the sandbox protects changes all the time".into()),
            None => Outcome::Failed("the sandbox was killed from outside".into()),
        });
        let [stdout, stderr] = self.captures.map(Capture::finish);
        let finished = Finished { outcome, stdout, stderr };
        let wall = match (self.pipes, self.confiner) {
            ([Some((_, stdout)), Some((_, stderr))], confiner) if as_new => {
                Remains::AsNew(Waiting { confiner, stdout, stderr, spec: self.spec })
            }
            (_, confiner) if settled => Remains::Falling(confiner),
            (_, confiner) => {
                // What left somebody behind is over only when the wall has fallen.
                confiner.end();
                Remains::Nothing
            }
        };
        Ended { finished, wall }
    }
}

/// What there is to do.
struct Ready {
    stopped: bool,
    control: bool,
    pipes: [Option<usize>; 2],
}

impl Ready {
    fn nothing(&self) -> bool {
        !self.control && self.pipes.iter().all(Option::is_none)
    }
}

/// Gives waiting output to its listener if there is room. Without a listener it is dropped: it was captured before.
fn deliver(waiting: &mut Option<(Stream, Vec<u8>)>, events: &Sender<Event>) {
    if let Some((stream, bytes)) = waiting.take()
        && let Err(TrySendError::Full(Event::Output(stream, bytes))) =
            events.try_send(Event::Output(stream, bytes))
    {
        *waiting = Some((stream, bytes));
    }
}

fn deliver_last(waiting: Option<(Stream, Vec<u8>)>, events: &Sender<Event>) {
    if let Some((stream, bytes)) = waiting {
        let _ = events.blocking_send(Event::Output(stream, bytes));
    }
}
