//! Commands run for real behind every wall that this machine can build: what they may do works, what they may not
//! fails, and nothing of them is left. Start at [`jobs`], which lists everything.
//!
//! It has a `main` of its own because a test binary that confines must say so first. Where a wall cannot be built,
//! its cases are skipped loudly, and with `REFUSE_SKIPS` or `CI` set that is a failure.

mod cases;
mod endings;
mod reach;
mod tools;
mod world;

use host::run::probe;
use host::sandbox::{Wall, confine_if_asked};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use world::confiner;

/// More than the machine has cores: many jobs wait for a clock, and all wait for processes to start.
const THREADS: usize = 4;

/// What a test found wrong.
type Verdict = Result<(), String>;

/// What a table of commands cannot say, by its name.
type Test = (&'static str, fn(Wall) -> Verdict);

/// What one wall is tried with.
struct Job {
    wall: Wall,
    name: String,
    test: Box<dyn Fn(Wall) -> Verdict + Send + Sync>,
    company: Company,
}

/// Whether other jobs may run at the same time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Company {
    Welcome,
    /// It takes so much of the machine that the others would miss their time limits.
    Unwelcome,
}

fn main() -> ExitCode {
    confine_if_asked();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [mark, wall, source] = arguments.as_slice()
        && mark == endings::AGENT
    {
        endings::be_agent(wall, source);
        return ExitCode::SUCCESS;
    }
    if arguments.iter().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    // As with other test binaries, words are parts of the names to run, and options are the harness's.
    let words: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let (walls, missing) = walls();
    let mut jobs: Vec<Job> = walls.into_iter().flat_map(jobs).collect();
    jobs.retain(|job| words.is_empty() || words.iter().any(|word| job.name.contains(word.as_str())));
    let mut failures = run(&jobs);
    let passed = jobs.len() - failures.len();
    if refuses_skips() {
        failures.extend(missing);
    }
    failures.iter().for_each(|failure| println!("FAILED: {failure}"));
    println!("{passed} passed, {} failed", failures.len());
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(101) }
}

/// The walls that stand here, and what to say of those that do not.
fn walls() -> (Vec<Wall>, Vec<String>) {
    let probe = probe(&confiner());
    let (mut standing, mut missing) = (Vec::new(), Vec::new());
    for wall in [Wall::Full, Wall::Landlock, Wall::None] {
        // The cases speak of `/proc` and of Linux's calls.
        if cfg!(target_os = "linux") && wall <= probe.wall {
            standing.push(wall);
            continue;
        }
        let refusal = probe.refusals.iter().find(|(refused, _)| *refused == wall);
        let why = refusal.map_or("no reason given", |(_, why)| why.as_str());
        println!("SKIPPED: no {wall:?} wall on this machine, its cases did not run: {why}");
        missing.push(format!("{wall:?} wall: it cannot be built here, and skips are refused: {why}"));
    }
    (standing, missing)
}

fn refuses_skips() -> bool {
    let set = |name: &str| {
        let value = std::env::var_os(name).unwrap_or_default();
        !["", "0", "false", "no"].iter().any(|no| value.eq_ignore_ascii_case(no))
    };
    set("REFUSE_SKIPS") || set("CI")
}

/// Everything that is tried behind one wall: the table of cases, and what a table cannot say.
fn jobs(wall: Wall) -> Vec<Job> {
    let cases = cases::ALL.iter().filter(move |case| case.walls.contains(&wall));
    let cases = cases.map(move |case| Job {
        wall,
        name: case.name.to_owned(),
        test: Box::new(|wall| case.check(wall)),
        company: case.company,
    });
    let limits = endings::ENDLESS.iter().map(move |source| Job {
        wall,
        name: format!("time limit: {source}"),
        test: Box::new(|wall| endings::time_limit(wall, source)),
        company: Company::Welcome,
    });
    let tests = [endings::TESTS, reach::TESTS, tools::TESTS].concat().into_iter().map(move |(name, test)| {
        Job { wall, name: name.to_owned(), test: Box::new(test), company: Company::Welcome }
    });
    // What takes longest goes first, so that no thread is left alone with it.
    tests.chain(limits).chain(cases).collect()
}

/// Runs the jobs, most of them several at a time, and gives what failed.
fn run(jobs: &[Job]) -> Vec<String> {
    let (alone, together): (Vec<&Job>, Vec<&Job>) =
        jobs.iter().partition(|job| job.company == Company::Unwelcome);
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let attempt = |job: &Job| {
        let start = Instant::now();
        let verdict = (job.test)(job.wall);
        let took = start.elapsed().as_secs_f64();
        println!(
            "{:?} {}: {} in {took:.2} s",
            job.wall,
            job.name,
            if verdict.is_ok() { "ok" } else { "FAILED" }
        );
        if let Err(why) = verdict {
            failures.lock().unwrap().push(format!("{:?} {}: {why}", job.wall, job.name));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some(job) = together.get(next.fetch_add(1, Ordering::Relaxed)) {
                    attempt(job);
                }
            });
        }
    });
    alone.into_iter().for_each(attempt);
    failures.into_inner().unwrap()
}
