//! What a walk over a script has found so far. Start from [`Findings`]. It only ever gets worse.

use super::expand::{Arg, UNKNOWN};
use super::{Judgement, Rule, Strictness, Verdict};

const MAX_REASONS: usize = 8;
/// Nobody would read more rules before saving them.
const MAX_UNCOVERED: usize = 64;
const MAX_REPOSITORIES: usize = 4;

#[derive(Debug, Clone, Default)]
pub struct Findings {
    pub verdict: Verdict,
    /// Nobody can be asked.
    unattended: bool,
    reasons: Vec<(Verdict, String)>,
    /// Commands that ask by themselves, for which a rule could be saved.
    pub asked: Vec<Vec<Arg>>,
    /// Commands that no rule allows, whether they ask or not, and how many there are that one does.
    pub uncovered: Vec<Vec<Arg>>,
    pub covered: usize,
    pub runs_git: bool,
    /// An editor would be opened and wait for keys.
    pub edits: bool,
    /// Where git may run beside the working directory.
    pub repositories: Vec<String>,
    /// Rules of the user's that took something back.
    rules: Vec<Rule>,
    /// Credentials are read somewhere in the script.
    pub secret: bool,
    /// Files that the script writes, and files that it runs as scripts.
    pub made: Vec<String>,
    pub executed: Vec<String>,
    /// Something in the script talks to another machine.
    pub network: bool,
}

/// What a walk came to.
pub struct Walked {
    pub judgement: Judgement,
    /// Commands that ask by themselves, for which a rule could be saved.
    pub asked: Vec<Vec<Arg>>,
    /// Commands that no rule allows.
    pub uncovered: Vec<Vec<Arg>>,
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

    /// Takes back everything since `before`, which a rule of the user's allows; what is forbidden, and
    /// what was learnt about credentials and the network, stays.
    pub fn excuse_since(&mut self, before: Findings, rule: &Rule) {
        if self.verdict == Verdict::Forbid {
            return;
        }
        let needed = self.verdict > before.verdict || self.reasons.len() > before.reasons.len();
        if needed && !self.rules.contains(rule) {
            self.rules.push(rule.clone());
        }
        *self = Findings {
            rules: std::mem::take(&mut self.rules),
            runs_git: self.runs_git,
            edits: self.edits,
            covered: before.covered + 1,
            repositories: std::mem::take(&mut self.repositories),
            secret: self.secret,
            network: self.network,
            made: std::mem::take(&mut self.made),
            executed: std::mem::take(&mut self.executed),
            ..before
        };
    }

    /// Notes a command that no rule allows.
    pub fn uncover(&mut self, args: &[Arg]) {
        if self.uncovered.len() < MAX_UNCOVERED {
            self.uncovered.push(args.to_vec());
        }
    }

    /// Git may run there: whoever runs the script looks at its settings first.
    pub fn repository(&mut self, place: String) {
        if !self.repositories.contains(&place) {
            self.repositories.push(place);
        }
    }

    /// What only the script as a whole shows.
    pub fn conclude(&mut self) {
        if self.secret && self.network {
            self.forbid("it would read credentials and talk to another machine");
        }
        if self.runs_git && self.repositories.len() > MAX_REPOSITORIES {
            self.ask("it leads git to more places than can be looked at first");
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
    pub fn finish(mut self) -> Walked {
        // What merely asks does not matter to somebody who cannot agree.
        if self.verdict == Verdict::Forbid {
            self.reasons.retain(|(verdict, _)| *verdict == Verdict::Forbid);
        }
        self.reasons.truncate(MAX_REASONS);
        let judgement = Judgement {
            verdict: self.verdict,
            reasons: self.reasons.into_iter().map(|(_, reason)| reason).collect(),
            rules: self.rules,
            runs_git: self.runs_git,
            edits: self.edits,
            agreed: self.verdict == Verdict::Allow && self.uncovered.is_empty() && self.covered > 0,
            repositories: self.repositories,
        };
        Walked { judgement, asked: self.asked, uncovered: self.uncovered }
    }
}
