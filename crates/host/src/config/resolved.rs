//! The configuration that acts: one small struct for each part of the program. Start from [`Config`].
//!
//! It is made once at the start, by [`Settings::resolve`](super::Settings::resolve). Nothing here is optional that
//! has a default, and nothing knows where it came from.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use agent::Approve;
use agent::profile::Price;
use serde::{Deserialize, Deserializer};

use super::provider::Provider;
use crate::judge::Rules;
use crate::listed::Listed;
use crate::wire::Effort;

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// `PROVIDER/MODEL`.
    pub model: Option<String>,
    #[serde(deserialize_with = "effort")]
    pub reasoning: Option<Effort>,
    pub dialect: Dialect,
    pub approve: Approve,
    #[serde(deserialize_with = "seconds")]
    pub idle_timeout: Duration,
    pub max_turns: u32,
    /// Bytes; without it, what the model's window holds.
    pub context: Option<usize>,
    pub max_tokens_total: Option<u64>,
    /// Dollars.
    pub max_cost: Option<f64>,
    #[serde(default, deserialize_with = "some_seconds")]
    pub max_time: Option<Duration>,
    pub shell: Shell,
    pub mailbox: Mailbox,
    pub solve: Solve,
    pub web: Web,
    pub api: Api,
    #[serde(default)]
    pub policy: Rules,
    #[serde(default)]
    pub providers: BTreeMap<String, Provider>,
    /// By `PROVIDER/MODEL`.
    #[serde(default)]
    pub prices: BTreeMap<String, Price>,
}

impl Config {
    /// What a model costs: as configured, else as its provider listed it.
    pub fn price(&self, model: &str) -> Option<Price> {
        self.prices.get(model).copied().or_else(|| Some(Listed::find(model)?.price))
    }

    /// How many bytes of conversation a request to the model may carry.
    pub fn context(&self, model: &str) -> usize {
        let held = || usize::try_from(Listed::find(model)?.window).ok()?.checked_mul(BYTES_A_TOKEN);
        self.context.or_else(held).unwrap_or(CONTEXT)
    }
}

/// Fewer than there are: what is left of the window is for tools, instructions and the reply.
const BYTES_A_TOKEN: usize = 2;

/// Bytes that nearly every model can read, for those whose window is not known.
const CONTEXT: usize = 400_000;

/// How tool calls are spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    Auto,
    Native,
    Json,
    Text,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shell {
    #[serde(deserialize_with = "seconds")]
    pub timeout: Duration,
    pub output_lines: usize,
    pub output_bytes: usize,
}

/// Folders that are not absolute lie beneath the workspace.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mailbox {
    pub workspace: PathBuf,
    pub inbox: PathBuf,
    pub outbox: PathBuf,
    pub sessions: PathBuf,
    #[serde(deserialize_with = "seconds")]
    pub command_timeout: Duration,
    /// Characters.
    pub output_limit: usize,
    /// Bytes.
    pub outbox_limit: usize,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Solve {
    pub max_iterations: u32,
    #[serde(deserialize_with = "seconds")]
    pub command_timeout: Duration,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Web {
    pub host: String,
    pub port: u16,
    pub open: bool,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Api {
    pub read_lines: usize,
    pub list_items: usize,
    pub search_matches: usize,
    pub read_only: bool,
    #[serde(deserialize_with = "seconds")]
    pub timeout: Duration,
    pub concurrency: usize,
    pub audit: bool,
}

fn seconds<'de, D: Deserializer<'de>>(input: D) -> Result<Duration, D::Error> {
    Duration::try_from_secs_f64(f64::deserialize(input)?).map_err(serde::de::Error::custom)
}

fn some_seconds<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Duration>, D::Error> {
    seconds(input).map(Some)
}

/// `none` is a word that people can set, so that a later layer can take back what an earlier one chose.
fn effort<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Effort>, D::Error> {
    match String::deserialize(input)?.as_str() {
        "none" => Ok(None),
        word => Effort::deserialize(serde::de::value::StrDeserializer::<D::Error>::new(word)).map(Some),
    }
}
