//! The command line of the mailbox door. Start at [`MailboxDoor`].

use clap::{Args, Subcommand};
use host::config::Layer;

#[derive(Debug, Subcommand)]
pub enum MailboxDoor {
    /// Begin a task
    New {
        /// What to do
        #[arg(required = true, value_name = "TASK")]
        task: Vec<String>,
        #[command(flatten)]
        letters: Letters,
    },
    /// Go on with the newest task that is not complete
    Resume {
        /// Go on with this one instead
        id: Option<String>,
        #[command(flatten)]
        letters: Letters,
    },
}

/// How letters travel. Folders that are not absolute lie beneath the workspace.
#[derive(Debug, Clone, Default, Args)]
pub struct Letters {
    /// Put each outbox on the clipboard as well
    #[arg(long)]
    pub copy: bool,
    /// Take a reply from the clipboard as soon as one is copied there
    #[arg(long)]
    pub paste: bool,
    /// The folder to work in
    #[arg(long, value_name = "DIR")]
    pub workspace: Option<String>,
    /// Where replies are put
    #[arg(long, value_name = "DIR")]
    pub inbox: Option<String>,
    /// Where outbox files are written
    #[arg(long, value_name = "DIR")]
    pub outbox: Option<String>,
    /// Where the state of sessions is shown
    #[arg(long, value_name = "DIR")]
    pub sessions: Option<String>,
    /// Seconds after which a command is ended (30)
    #[arg(long, value_name = "SECONDS")]
    pub command_timeout: Option<String>,
    /// Characters of a command's output that go into an outbox file (4000)
    #[arg(long, value_name = "N")]
    pub output_limit: Option<String>,
    /// Bytes of one outbox file (400000); what is longer comes in parts
    #[arg(long, value_name = "N")]
    pub outbox_limit: Option<String>,
}

impl Letters {
    /// What the flags say, as a layer of the configuration.
    pub fn layer(&self) -> Layer {
        let mut layer = Layer::default();
        for (flag, value) in [
            ("workspace", &self.workspace),
            ("inbox", &self.inbox),
            ("outbox", &self.outbox),
            ("sessions", &self.sessions),
            ("command_timeout", &self.command_timeout),
            ("output_limit", &self.output_limit),
            ("outbox_limit", &self.outbox_limit),
        ] {
            if let Some(value) = value {
                layer.flag(&format!("--{}", flag.replace('_', "-")), &format!("mailbox.{flag}"), value);
            }
        }
        layer
    }
}
