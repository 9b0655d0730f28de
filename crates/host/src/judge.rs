//! The shell judge: what one string of bash source would do, before it runs. Start from [`Judge`].
//!
//! Every command is judged, however deeply it is wrapped: in pipes, loops, substitutions, `bash -c`,
//! `xargs`. The worst verdict wins. It must never run anything or look at the disk, and in doubt it
//! asks: the sandbox is the wall, the judge is a courtesy that keeps people from being asked too often.

mod awk;
mod bomb;
mod danger;
mod editor;
mod environment;
mod expand;
mod findings;
mod git;
mod listing;
mod look;
mod network;
mod options;
mod parse;
mod paths;
mod program;
mod rules;
mod scope;
mod sed;
mod solve;
mod syntax;
#[cfg(test)]
mod tests;
mod walk;
mod wrappers;

use serde::{Deserialize, Serialize};

pub use git::{GIT_DRIVER_SCRIPT, git_drivers, git_hardening};
pub use rules::{Rule, RuleError, Rules};

/// What may happen to a command, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It only reads.
    #[default]
    Allow,
    /// A person decides.
    Ask,
    /// Nobody may agree to it.
    Forbid,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Judgement {
    pub verdict: Verdict,
    /// Why it is not simply allowed, in words; empty when it is.
    pub reasons: Vec<String>,
    /// The rules of the user's without which some of it would not pass, so that it may do more than read.
    #[serde(skip)]
    pub rules: Vec<Rule>,
    /// It runs git, so that whoever runs it sets [`git_hardening`] and [`git_drivers`] unless a person agreed
    /// to more.
    #[serde(skip)]
    pub runs_git: bool,
    /// It would open an editor that waits for keys.
    #[serde(skip)]
    pub edits: bool,
    /// Where git may run beside the working directory: folders, or whole `--git-dir=` options.
    #[serde(skip)]
    pub repositories: Vec<String>,
    /// Rules allow every command in it, so that whoever asks about all commands need not ask about this.
    #[serde(skip)]
    pub agreed: bool,
}

/// Whether a path in the workspace holds credentials by its name, so that whatever reads it asks first.
pub fn is_credential(path: &std::path::Path) -> bool {
    paths::Path::new(&path.to_string_lossy(), None, None).is_secret()
}

/// Who asks, and so what is forbidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// A person can be asked.
    #[default]
    Ask,
    /// Nobody can: a list of things is forbidden outright, everything else runs in the sandbox.
    Solve,
}

/// Judges commands by fixed rules and those of the configuration.
#[derive(Debug, Clone, Default)]
pub struct Judge {
    rules: Rules,
    strictness: Strictness,
    workspace: Option<String>,
    home: Option<String>,
}

impl Judge {
    /// Fails when a rule does not do what its own examples say.
    pub fn new(rules: Rules) -> Result<Judge, RuleError> {
        rules.check()?;
        Ok(Judge { rules, ..Judge::default() })
    }

    pub fn with_strictness(self, strictness: Strictness) -> Judge {
        Judge { strictness, ..self }
    }

    /// Tells where the workspace is, so that absolute paths into it count as inside.
    pub fn with_workspace(self, workspace: impl Into<String>) -> Judge {
        Judge { workspace: Some(workspace.into()), ..self }
    }

    pub fn with_home(self, home: impl Into<String>) -> Judge {
        Judge { home: Some(home.into()), ..self }
    }

    /// This judge with more that may run without asking.
    pub fn with_allowed(&self, rules: Vec<Rule>) -> Result<Judge, RuleError> {
        let mut judge = self.clone();
        judge.rules.allow.extend(rules);
        judge.rules.check()?;
        Ok(judge)
    }

    pub fn judge(&self, source: &str) -> Judgement {
        walk::judge(self, source).judgement
    }

    /// Rules that would let exactly this pass from now on, or `None` where no rule may be saved: what
    /// is forbidden, what runs any code, what writes by redirection, what is only known when it runs.
    pub fn always(&self, source: &str) -> Option<Vec<Rule>> {
        let walked = walk::judge(self, source);
        if walked.judgement.verdict != Verdict::Ask {
            return None;
        }
        let offered = rules::offer_all(&walked.asked)?;
        let covers = self.with_more(&offered).judge(source).verdict == Verdict::Allow;
        (covers && !offered.is_empty()).then_some(offered)
    }

    /// Like [`always`](Judge::always), with rules for the commands that only read as well: for whoever asks about these too.
    pub fn agree(&self, source: &str) -> Option<Vec<Rule>> {
        let mut offered = match self.judge(source).verdict {
            Verdict::Forbid => return None,
            Verdict::Ask => self.always(source)?,
            Verdict::Allow => Vec::new(),
        };
        let rest = walk::judge(&self.with_more(&offered), source).uncovered;
        offered.extend(rules::offer_all(&rest)?);
        let agreed = self.with_more(&offered).judge(source).agreed;
        (agreed && !offered.is_empty()).then_some(offered)
    }

    fn with_more(&self, rules: &[Rule]) -> Judge {
        let mut judge = self.clone();
        judge.rules.allow.extend_from_slice(rules);
        judge
    }
}
