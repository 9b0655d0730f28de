//! The laws that are fuzzed (`cargo xtask fuzz`), held to their seeds and to a few thousand mutations of them: always the
//! same ones, so that a failure is found again. It is no search, only a net under every change.

#[path = "../../../../fuzz/src/lib.rs"]
mod targets;

use kit::Random;
use std::fs;
use std::path::{Path, PathBuf};

const SEEDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds");

/// How often each target's seeds are changed.
const ROUNDS: usize = 200;

/// The most bytes of a mutation. More would be slow without optimisation, and this nests deep enough.
const LARGEST: usize = 2048;

/// Processor time, in nanoseconds, that one input may take here. The usual one takes a thousandth of it.
const PATIENCE: u64 = 3_000_000_000;

#[test]
fn every_target_keeps_its_laws() {
    for target in targets::TARGETS {
        let seeds = seeds(target.0);
        seeds.iter().for_each(|seed| hold(target, seed));
        let mut dice = Dice(Random::new(0));
        for _ in 0..ROUNDS {
            let mut data = seeds[dice.below(seeds.len())].clone();
            for _ in 0..=dice.below(3) {
                dice.mutate(&mut data, &seeds);
            }
            hold(target, &data);
        }
    }
}

#[test]
fn every_target_has_its_seeds() {
    let names = targets::TARGETS.iter().map(|(name, _)| Path::new(SEEDS).join(name));
    assert_eq!(listed(Path::new(SEEDS)), names.collect::<Vec<_>>());
}

fn seeds(name: &str) -> Vec<Vec<u8>> {
    listed(&Path::new(SEEDS).join(name)).iter().map(|path| fs::read(path).expect("it can be read")).collect()
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    assert!(!paths.is_empty(), "{} is empty", folder.display());
    paths.sort();
    paths
}

fn hold((name, check): &targets::Target, data: &[u8]) {
    let told = Told { name, data };
    let begun = busy();
    check(data);
    assert!(busy() - begun < PATIENCE, "it took too long");
    drop(told);
}

/// The processor time of this thread, which other work on the machine does not change.
fn busy() -> u64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|first| first.parse().ok()).unwrap_or(0)
}

/// Says which input broke a law, when one does.
struct Told<'a> {
    name: &'a str,
    data: &'a [u8],
}

impl Drop for Told<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("target `{}` with the input b\"{}\"", self.name, self.data.escape_ascii());
        }
    }
}

/// Chance that is always the same.
struct Dice(Random);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0.within(0..bound.max(1) as u64) as usize
    }

    /// A place and a length that lie in something this long.
    fn range(&mut self, length: usize, most: usize) -> std::ops::Range<usize> {
        let start = self.below(length);
        start..(start + self.below(most)).min(length)
    }

    fn mutate(&mut self, data: &mut Vec<u8>, seeds: &[Vec<u8>]) {
        let at = self.below(data.len() + 1);
        match self.below(6) {
            0 if at < data.len() => data[at] = self.below(256) as u8,
            1 => data.insert(at, self.below(128) as u8),
            2 => drop(data.drain(self.range(data.len(), 24))),
            // The same piece again and again: what nests, nests deeply.
            3 => {
                let piece = data[self.range(data.len(), 12)].to_vec();
                let times = if piece.is_empty() { 0 } else { self.below(LARGEST / piece.len()) };
                data.splice(at..at, piece.repeat(times));
            }
            4 => {
                let other = &seeds[self.below(seeds.len())];
                data.splice(at..at, other[self.range(other.len(), 64)].iter().copied());
            }
            _ => data.truncate(at),
        }
        data.truncate(LARGEST);
    }
}
