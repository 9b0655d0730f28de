//! What may happen without a person: a pure function from what a call would touch to a ruling. Start at [`Policy`].
//!
//! The policy is a courtesy to people, not the wall: what is allowed still runs confined.

use serde::{Deserialize, Serialize};

/// What one call would touch, as its tool sees it before it runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Access {
    pub reach: Reach,
    /// What the tool itself found out about these arguments, such as what the shell's grammar says of a command.
    pub finding: Ruling,
    /// Whether only a person may agree to it, and no approval mode for them.
    pub personal: bool,
    /// Whether a rule that the person saved agrees to all of it, so that a profile which asks by habit need not.
    pub agreed: bool,
    /// What an approval of this call binds besides name and arguments: directory, executable.
    pub binds: Vec<String>,
}

impl Access {
    pub fn new(reach: Reach) -> Access {
        Access { reach, finding: Ruling::Allow, personal: false, agreed: false, binds: Vec::new() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Touches nothing outside the conversation.
    Nothing,
    Read,
    Write,
    Run,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ruling {
    Allow,
    Ask(String),
    Forbid(String),
}

impl Ruling {
    /// The stricter of the two; of two equally strict ones the first.
    pub fn worst(self, other: Ruling) -> Ruling {
        if other.rank() > self.rank() { other } else { self }
    }

    fn rank(&self) -> u8 {
        match self {
            Ruling::Allow => 0,
            Ruling::Ask(_) => 1,
            Ruling::Forbid(_) => 2,
        }
    }
}

/// How a profile stands to one kind of reach before the tool's own finding is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stance {
    /// Only the finding counts.
    Finding,
    Ask,
    Forbid,
}

/// What becomes of a call that a person should decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Approve {
    /// It waits for a person.
    #[default]
    Ask,
    /// It is approved. What is forbidden stays forbidden.
    Auto,
    /// It is declined.
    Never,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    pub read: Stance,
    pub write: Stance,
    pub run: Stance,
    pub approve: Approve,
}

impl Policy {
    pub fn rule(&self, access: &Access) -> Ruling {
        let (stance, what) = match access.reach {
            Reach::Nothing => (Stance::Finding, ""),
            Reach::Read => (self.read, "reading"),
            Reach::Write => (self.write, "changing files"),
            Reach::Run => (self.run, "running a command"),
        };
        let standing = match stance {
            Stance::Finding => Ruling::Allow,
            Stance::Ask if access.agreed => Ruling::Allow,
            Stance::Ask => Ruling::Ask(format!("{what} needs approval")),
            Stance::Forbid => Ruling::Forbid(format!("{what} is not allowed in this profile")),
        };
        // The finding knows more than the stance, so where both are equally strict its words are shown.
        access.finding.clone().worst(standing)
    }
}
