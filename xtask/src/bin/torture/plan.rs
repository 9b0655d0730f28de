//! The faults, one row each. Start from [`FAULTS`]; a new fault is a new row and a function.

use crate::fault::{Fault, Measure, Runs};
use crate::{commands, disk, kills, model};

pub const FAULTS: &[Fault] = &[
    Fault {
        id: "K1",
        injects: "kill -9 before, after and in the middle of every change to a file, and at random",
        promise: "what was recorded is there, nothing runs twice, no file is torn, and it goes on",
        runs: Runs { short: 6, long: 1000 },
        measure: Some(Measure { what: "restart", unit: "ms", most: 2000.0 }),
        run: kills::anywhere,
    },
    Fault {
        id: "K2",
        injects: "kill -9 between the approval of a call and its end",
        promise: "an approval serves once, and in the process that was given it",
        runs: Runs { short: 4, long: 1000 },
        measure: None,
        run: kills::at_approval,
    },
    Fault {
        id: "IO",
        injects: "any one write, sync, rename, ... fails, or it and all after it: full, broken, read-only, quota",
        promise: "it says so, no record is lost, no file is torn, and it goes on when the disk is well",
        runs: Runs { short: 6, long: 3200 },
        measure: None,
        run: disk::failing,
    },
    Fault {
        id: "D1",
        injects: "a disk that is full after 0 to 600 KB, and has room again later",
        promise: "it says so, no record is lost, no file is torn, and it goes on when there is room",
        runs: Runs { short: 2, long: 100 },
        measure: None,
        run: disk::full,
    },
    Fault {
        id: "M1",
        injects: "1 GB of output, one line of 500 MB, binary, both streams, an endless `yes`",
        promise: "memory does not grow with what a command prints",
        runs: Runs { short: 2, long: 5 },
        measure: Some(Measure { what: "growth", unit: "MiB", most: 64.0 }),
        run: commands::flood,
    },
    Fault {
        id: "P1",
        injects: "commands that never end: deaf to signals, stopped, waiting for a terminal or a pipe",
        promise: "each is ended at its limit, and the model is told",
        runs: Runs { short: 2, long: 60 },
        measure: Some(Measure { what: "late", unit: "ms", most: 2000.0 }),
        run: commands::stuck,
    },
    Fault {
        id: "P2",
        injects: "daemons, orphans, stopped and deaf children; kill -9, signals and time-outs of the program",
        promise: "no process of a command lives on after its call or the program",
        runs: Runs { short: 5, long: 180 },
        measure: Some(Measure { what: "survivors for", unit: "ms", most: 1000.0 }),
        run: commands::survivors,
    },
    Fault {
        id: "P3",
        injects: "a command that becomes 500 processes",
        promise: "no process of a command lives on after its call or the program",
        runs: Runs { short: 1, long: 20 },
        measure: Some(Measure { what: "survivors for", unit: "ms", most: 1000.0 }),
        run: commands::bomb,
    },
    Fault {
        id: "N1",
        injects: "429, 5xx, HTML, garbage, resets, silence, nobody there; and a person who stops it",
        promise: "a bounded number of tries, and an end at once when it is wanted",
        runs: Runs { short: 6, long: 240 },
        measure: Some(Measure { what: "cancel", unit: "ms", most: 200.0 }),
        run: model::refusing,
    },
    Fault {
        id: "N2",
        injects: "five replies a run that close, reset or fall silent at a random byte",
        promise: "each reply stands in the log once, each call runs once",
        runs: Runs { short: 1, long: 100 },
        measure: None,
        run: model::cut,
    },
];
