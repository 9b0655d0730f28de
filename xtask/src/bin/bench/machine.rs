//! What explains figures that are worse than elsewhere: a busy machine, a slow disk. Start from [`described`].

use std::fs::{self, File};
use std::io::{self, Write};
use std::thread;
use std::time::Instant;

use kit::Scratch;

use crate::samples::{median, milliseconds};

/// How often the disk is tried.
const WRITES: usize = 15;

/// The processors, the load on them, and what one durable write costs where conversations are kept.
pub fn described() -> String {
    let processors = thread::available_parallelism().map_or(1, |count| count.get());
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().and_then(|load| load.parse::<f64>().ok());
    let scratch = Scratch::new();
    let times = durable_writes(&scratch).unwrap_or_default();
    let write = median(&times).map_or_else(|| "unknown".to_owned(), |time| format!("{time:.2} ms"));
    let busy = match load {
        Some(load) if load > processors as f64 => ": BUSY, so that times are upper bounds",
        _ => "",
    };
    let load = load.map_or_else(|| "unknown".to_owned(), |load| load.to_string());
    format!("{processors} processors, a durable write takes {write}, load {load}{busy}")
}

fn durable_writes(scratch: &Scratch) -> io::Result<Vec<f64>> {
    let mut file = File::create(scratch.join("log"))?;
    let one = |_| {
        let begun = Instant::now();
        file.write_all(&[b'a'; 512])?;
        file.sync_data()?;
        Ok(milliseconds(begun.elapsed()))
    };
    (0..WRITES).map(one).collect()
}
