//! A figure: what is measured, how often, and what is aimed at. Start from [`Figure`].

use std::time::{Duration, Instant};

use crate::Effort;
use crate::program::{Fault, Program};
use crate::samples::median;

/// One row of the table.
pub struct Figure {
    /// What a filter and the JSON output call it.
    pub name: &'static str,
    pub title: &'static str,
    pub unit: Unit,
    pub goal: Goal,
    pub rounds: Rounds,
    pub sample: Sample,
}

/// What takes one sample.
#[derive(Clone, Copy)]
pub enum Sample {
    /// Of the program and of the floor, in turns.
    Compared(fn(&Program) -> Result<f64, Fault>),
    /// Of the program alone: the floor has no such thing.
    Alone(fn(&Program) -> Result<f64, Fault>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Milliseconds,
    Microseconds,
    Megabytes,
    Kilobytes,
    Bytes,
    /// Millions of instructions.
    Instructions,
    /// One time divided by another.
    Times,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    AtMost(f64),
    /// At most this much more than the floor.
    OverFloor(f64),
    /// At most so many times the floor.
    TimesFloor(f64),
    /// Shown, not judged.
    None,
}

/// How many samples are taken.
#[derive(Debug, Clone, Copy)]
pub struct Rounds {
    pub full: usize,
    pub quick: usize,
}

/// A figure with its medians.
#[derive(Debug)]
pub struct Measured {
    pub name: &'static str,
    pub title: &'static str,
    pub unit: Unit,
    pub goal: Goal,
    pub value: Result<f64, Fault>,
    pub floor: Result<f64, Fault>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Met,
    Missed,
    /// There is no goal.
    Shown,
    /// It could not be measured.
    Unknown,
}

impl Figure {
    /// Takes samples of both in turns, so that what else the machine does meets both alike.
    ///
    /// No round is begun after `share`, and no run lasts beyond twice of it: a program that hangs in one
    /// figure shall not keep the others from being measured.
    pub fn measure(
        &self,
        program: &mut Program,
        floor: &mut Program,
        effort: Effort,
        share: Duration,
    ) -> Measured {
        let rounds = match effort {
            Effort::Full => self.rounds.full,
            Effort::Quick => self.rounds.quick,
        };
        let end = Instant::now() + share;
        program.end_runs_at(end + share);
        floor.end_runs_at(end + share);
        let (mut values, mut floors) = (Series::default(), Series::default());
        for round in 0..rounds {
            let late = round > 0 && Instant::now() >= end;
            let goes_on = match self.sample {
                _ if late => false,
                Sample::Compared(take) => floors.add(take(floor)) && values.add(take(program)),
                Sample::Alone(take) => values.add(take(program)),
            };
            if !goes_on {
                break;
            }
        }
        Measured {
            name: self.name,
            title: self.title,
            unit: self.unit,
            goal: self.goal,
            value: values.middle(),
            floor: match self.sample {
                Sample::Compared(_) => floors.middle(),
                Sample::Alone(_) => Err(Fault::NoFloor),
            },
        }
    }
}

/// The samples of one program.
#[derive(Default)]
pub(super) struct Series {
    values: Vec<f64>,
    fault: Option<Fault>,
}

impl Series {
    /// Says whether to go on: what failed once is not worth the time of a second try.
    pub(super) fn add(&mut self, sample: Result<f64, Fault>) -> bool {
        match sample {
            Ok(value) => self.values.push(value),
            // What was measured before the time was over is good.
            Err(Fault::NoTime) if !self.values.is_empty() => return false,
            Err(fault) => self.fault = Some(fault),
        }
        self.fault.is_none()
    }

    pub(super) fn middle(self) -> Result<f64, Fault> {
        match self.fault {
            Some(fault) => Err(fault),
            None => median(&self.values).ok_or(Fault::NoTime),
        }
    }
}

impl Measured {
    /// The value over the floor's.
    pub fn to_floor(&self) -> Option<f64> {
        ratio(self.value.as_ref().ok().copied()?, self.floor.as_ref().ok().copied()?)
    }

    /// The most that the value may be.
    pub fn bound(&self) -> Option<f64> {
        match self.goal {
            Goal::AtMost(bound) => Some(bound),
            Goal::OverFloor(more) => Some(self.floor.as_ref().ok()? + more),
            Goal::TimesFloor(times) => Some(self.floor.as_ref().ok()? * times),
            Goal::None => None,
        }
    }

    /// The value over its bound.
    pub fn to_goal(&self) -> Option<f64> {
        ratio(self.value.as_ref().ok().copied()?, self.bound()?)
    }

    pub fn verdict(&self) -> Verdict {
        match (&self.value, self.goal, self.bound()) {
            (Ok(_), Goal::None, _) => Verdict::Shown,
            (Ok(value), _, Some(bound)) if *value <= bound => Verdict::Met,
            (Ok(_), _, Some(_)) => Verdict::Missed,
            (Err(_), ..) | (_, _, None) => Verdict::Unknown,
        }
    }
}

impl Verdict {
    pub fn is_good(self) -> bool {
        matches!(self, Self::Met | Self::Shown)
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Missed => "missed",
            Self::Shown => "shown",
            Self::Unknown => "unknown",
        }
    }
}

fn ratio(value: f64, base: f64) -> Option<f64> {
    (base > 0.0).then(|| value / base)
}
