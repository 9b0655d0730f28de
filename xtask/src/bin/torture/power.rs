//! K3: the power goes in the middle of a run, or while a file is written whole. Start from [`cut`].
//!
//! The program is watched from outside up to some change and killed there. Then the disk is put into a state in which a
//! power cut at this moment may leave it: what was synced is there, and of the rest whatever luck leaves.

use kit::Random;
use rusqlite::{Connection, OpenFlags};

use crate::belongings;
use crate::errand::{Allowed, Errand, FIRST};
use crate::fault::Seen;
use crate::trace::{self, Plan};
use crate::trial::{Bench, Trial};

/// A step through the changes of a run that has no divisor in common with their number, so that few runs are spread over
/// all.
const STRIDE: u64 = 1009;

pub fn cut(trial: &Trial) -> Seen {
    if let Some(why) = trace::impossible() {
        return Seen::Skipped(why);
    }
    if trial.seed.is_multiple_of(2) {
        write(trial);
    } else {
        run(trial);
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

/// The power goes while a file of the program's own is written, or several of a person's.
fn write(trial: &Trial) {
    let number = (trial.seed / 2) as usize % belongings::all().count();
    let (belonging, earlier) = belongings::all().nth(number).expect("it is one of them");
    let moments = belonging.moments(trial, earlier);
    let mut random = trial.random();
    let plan = Plan::PowerCut(random.within(0..moments + 1), (random.draw() >> 40) as i32);
    belonging.disturb(trial, earlier, plan);
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
