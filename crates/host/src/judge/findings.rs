//! What a walk over a script has found so far. Start from [`Findings`]. It only ever gets worse.

use super::expand::{Arg, UNKNOWN};
use super::{Judgement, Strictness, Verdict};

const MAX_REASONS: usize = 8;

#[derive(Debug, Clone, Default)]
pub struct Findings {
    pub verdict: Verdict,
    /// Nobody can be asked.
    unattended: bool,
    reasons: Vec<(Verdict, String)>,
    /// Commands that ask by themselves, for which a rule could be saved.
    pub asked: Vec<Vec<Arg>>,
    pub runs_git: bool,
    /// Credentials are read somewhere in the script.
    pub secret: bool,
    /// Files that the script writes, and files that it runs as scripts.
    pub made: Vec<String>,
    pub executed: Vec<String>,
    /// Something in the script talks to another machine.
    pub network: bool,
}

/// `./x` is `x`.
fn plain(file: &str) -> &str {
    file.trim_start_matches("./")
}

impl Findings {
    pub fn new(strictness: Strictness) -> Findings {
        Findings { unattended: strictness == Strictness::Solve, ..Findings::default() }
    }

    /// Somebody should agree to this. Where nobody can, the sandbox holds it.
    pub fn ask(&mut self, reason: impl Into<String>) {
        if !self.unattended {
            self.note(Verdict::Ask, reason.into());
        }
    }

    /// It cannot be told what this would do.
    pub fn unsure(&mut self, reason: impl Into<String>) {
        self.note(Verdict::Ask, reason.into());
    }

    pub fn forbid(&mut self, reason: impl Into<String>) {
        self.note(Verdict::Forbid, reason.into());
    }

    pub fn note(&mut self, verdict: Verdict, reason: String) {
        self.verdict = self.verdict.max(verdict);
        let full = self.reasons.len() >= MAX_REASONS && verdict < Verdict::Forbid;
        if !full && !self.reasons.iter().any(|(_, known)| *known == reason) {
            self.reasons.push((verdict, reason));
        }
    }

    /// Takes back everything since `before` that a rule of the user's allows; what is forbidden, and
    /// what was learnt about credentials and the network, stays.
    pub fn excuse_since(&mut self, before: Findings) {
        if self.verdict == Verdict::Forbid {
            return;
        }
        *self = Findings {
            runs_git: self.runs_git,
            secret: self.secret,
            network: self.network,
            made: std::mem::take(&mut self.made),
            executed: std::mem::take(&mut self.executed),
            ..before
        };
    }

    /// What only the script as a whole shows.
    pub fn conclude(&mut self) {
        if self.secret && self.network {
            self.forbid("it would read credentials and talk to another machine");
        }
        let runs_fetched = |file: &String| {
            file.contains("/fd/")
                || file.contains(UNKNOWN)
                || self.made.iter().any(|made| plain(made) == plain(file))
        };
        if self.network && self.executed.iter().any(runs_fetched) {
            self.forbid("it would run what it has fetched, which nobody has read");
        }
    }

    /// The outcome, and only the reasons that led to it.
    pub fn finish(mut self) -> (Judgement, Vec<Vec<Arg>>) {
        // What merely asks does not matter to somebody who cannot agree.
        if self.verdict == Verdict::Forbid {
            self.reasons.retain(|(verdict, _)| *verdict == Verdict::Forbid);
        }
        self.reasons.truncate(MAX_REASONS);
        let judgement = Judgement {
            verdict: self.verdict,
            reasons: self.reasons.into_iter().map(|(_, reason)| reason).collect(),
            runs_git: self.runs_git,
        };
        (judgement, self.asked)
    }
}
