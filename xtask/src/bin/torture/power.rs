//! K3: the power goes in the middle of a run, or while a patch is applied. Start from [`cut`].
//!
//! The program is watched from outside up to some change and killed there. Then the disk is put into a state in which a
//! power cut at this moment may leave it: what was synced is there, and of the rest whatever luck leaves.

use kit::Random;
use rusqlite::{Connection, OpenFlags};

use crate::errand::{self, Allowed, Errand, FIRST};
use crate::fault::Seen;
use crate::trace::{self, Plan};
use crate::trial::{Bench, Trial};

/// A step through the changes of a run that has no divisor in common with their number, so that few runs are spread over
/// all.
const STRIDE: u64 = 1009;

/// Three files that change together.
const PATCH: &str = "--- a/one\n+++ b/one\n@@ -1 +1 @@\n-old\n+new\n--- a/two\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n\
                     --- /dev/null\n+++ b/made/three\n@@ -0,0 +1 @@\n+new\n";

pub fn cut(trial: &Trial) -> Seen {
    if let Some(why) = trace::impossible() {
        return Seen::Skipped(why);
    }
    if trial.seed.is_multiple_of(3) {
        patch(trial)
    } else {
        run(trial)
    }
    Seen::Held
}

/// The power goes once in a run, and in half of them once more while the next process mends what it found.
fn run(trial: &Trial) {
    let errand = Errand::new(trial);
    let moments = Errand::moments(trial);
    let mut random = trial.random();
    let mut when = lose_power(&errand, FIRST, trial.seed.wrapping_mul(STRIDE) % (moments + 1), &mut random);
    if random.within(0..2) == 0 {
        let at = random.within(0..moments / 2);
        let again = lose_power(&errand, errand.next(), at, &mut random);
        when = format!("{when}, then {again}");
    }
    errand.finish();
    errand.check_calls(Allowed::Unsynced, &when);
}

/// The power goes while several files change; they have changed together, and surely so if that was told.
fn patch(trial: &Trial) {
    let server = errand::model();
    let prepared = || {
        let bench = trial.bench(&server);
        bench.work.write("one", "old\n");
        bench.work.write("two", "old\n");
        bench
    };
    let apply = |bench: &Bench, plan| {
        let (command, report) = bench.traced(plan, &["apply", "-"]);
        (command.stdin(PATCH).run(), trace::report(&report))
    };
    let moments = apply(&prepared(), Plan::Count).1.len() as u64;
    let bench = prepared();
    let mut random = trial.random();
    let plan = Plan::PowerCut(random.within(0..moments + 1), (random.draw() >> 40) as i32);
    let (outcome, changes) = apply(&bench, plan);
    assert!(!outcome.stderr.contains("torture: "), "{outcome:?}");
    // Whoever changes something next mends what was left, also if nothing comes of the change.
    let _ = bench.cinque.command(["apply", "-"]).stdin("--- a/no\n+++ b/no\n@@ -1 +1 @@\n-a\n+b\n").run();
    let found =
        ["one", "two", "made/three"].map(|name| bench.work.exists(name).then(|| bench.work.read(name)));
    let found = found.each_ref().map(Option::as_deref);
    let is_new = found == [Some("new\n"), None, Some("new\n")];
    let is_old = found == [Some("old\n"), Some("old\n"), None];
    let told = outcome.code() == Some(0);
    assert!(is_new || is_old && !told, "{plan:?} after {:?}: {found:?}, {outcome:?}", changes.last());
}

fn lose_power(errand: &Errand, arguments: &[&str], at: u64, random: &mut Random) -> String {
    let plan = Plan::PowerCut(at, (random.draw() >> 40) as i32);
    let (command, report) = errand.bench.traced(plan, arguments);
    let outcome = command.run();
    assert!(!outcome.stderr.contains("torture: "), "{outcome:?}");
    check_database(&errand.bench, &format!("{plan:?}"));
    errand.check_kept(&outcome);
    format!("{plan:?} after {:?}", trace::report(&report).last())
}

/// SQLite itself finds nothing wrong with the database, if it has come to be.
fn check_database(bench: &Bench, when: &str) {
    let path = bench.work.join(".cinque/app.db");
    if !path.exists() {
        return;
    }
    let found = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE).and_then(|database| {
        database.pragma_query_value(None, "integrity_check", |row| row.get::<_, String>(0))
    });
    assert_eq!(found.as_deref(), Ok("ok"), "{when}");
}
