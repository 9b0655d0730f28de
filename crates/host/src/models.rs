//! Which models can be used: providers with their keys and addresses. Start at [`Models::new`].
//!
//! Reads nothing itself: the caller hands in a way to look variables up, once, at the start.

mod quiet;

pub use quiet::quiet;

use crate::config::{self, Config, Dialect};
use crate::dialect::{self, Auto, Enforcement, Spoken};
use crate::http::{Proxies, Settings, Tls};
use crate::mailbox::{Mailbox, Post};
use crate::profiles::MAILBOX_MODEL;
use crate::replay::Replay;
use crate::wire::{self, KNOWN, Known, Provider, Remote, Wire};
use agent::{Delta, Failure, FailureKind, Info, Model, Request};
use futures::future::join_all;
use futures::stream::{self, BoxStream, StreamExt};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What is used when nobody chose, by the first provider of these that has a key.
const DEFAULTS: [(&str, &str); 4] = [
    ("openai", "gpt-5.1"),
    ("anthropic", "claude-sonnet-5-5"),
    ("gemini", "gemini-2.5-pro"),
    ("openrouter", "openai/gpt-5.1"),
];
/// Before the path of a recording, in the place of a provider.
const REPLAY: &str = "replay/";
/// How long a server may take to say what it offers; one on this machine answers at once or is not there.
const LISTING: Duration = Duration::from_secs(10);
const LOCAL: Duration = Duration::from_secs(1);

pub struct Models {
    providers: Vec<Provider>,
    settings: Settings,
    chosen: Option<String>,
    deployment: Option<String>,
    dialect: Dialect,
    memory: Option<PathBuf>,
    post: Option<Post>,
}

/// What one provider offers now.
pub struct Offer {
    pub provider: String,
    pub models: Result<Vec<String>, Failure>,
    /// On this machine, without a key.
    pub local: bool,
}

impl Offer {
    /// Whether somebody answers who has no list, as many compatible servers have none. That says nothing about models.
    pub fn is_unlisted(&self) -> bool {
        self.models.as_ref().is_err_and(|failure| failure.kind == FailureKind::NotFound)
    }
}

impl Models {
    pub fn new(config: &Config, variable: impl Fn(&str) -> Option<String>) -> Models {
        let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let settings = Settings {
            idle_limit: config.idle_timeout,
            proxies: Proxies::resolve(set),
            tls: Tls::new(set("SSL_CERT_FILE").map(Into::into), set("SSL_CERT_DIR").map(Into::into)),
            ..Settings::default()
        };
        let own = config.providers.keys().map(String::as_str).filter(|name| Known::find(name).is_none());
        let names = KNOWN.iter().map(|known| known.name).chain(own);
        let plain = config::Provider::default();
        let provider = |name: &str| {
            let mut provider = config.providers.get(name).unwrap_or(&plain).over(name, set);
            provider.effort = config.reasoning;
            provider
        };
        Models {
            providers: names.map(provider).collect(),
            settings,
            chosen: config.model.clone(),
            deployment: set("AZURE_OPENAI_DEPLOYMENT"),
            dialect: config.dialect,
            memory: None,
            post: None,
        }
    }

    /// Remembers in a file what was found out about models.
    pub fn remembering(mut self, file: Option<PathBuf>) -> Models {
        self.memory = file;
        self
    }

    /// Lets a person be the model, who carries files between these folders and a chat.
    pub fn with_mailbox(mut self, post: Post) -> Models {
        self.post = Some(post);
        self
    }

    /// The model to ask when nobody named one on the command line.
    pub fn default_model(&self) -> String {
        if let Some(chosen) = &self.chosen {
            return chosen.clone();
        }
        let has_key = |name: &str| self.provider(name).is_some_and(|provider| provider.key.is_some());
        let known = DEFAULTS.iter().find(|(provider, _)| has_key(provider));
        match (known, &self.deployment) {
            (None, Some(deployment)) if has_key("azure") => format!("azure/{deployment}"),
            _ => {
                let (provider, model) = known.unwrap_or(&DEFAULTS[0]);
                format!("{provider}/{model}")
            }
        }
    }

    /// What keeps a model from being asked, as far as can be known without asking.
    pub fn missing(&self, name: &str) -> Option<Failure> {
        if let Some(path) = name.strip_prefix(REPLAY) {
            return Replay::open(path).err();
        }
        if name == MAILBOX_MODEL && self.post.is_some() {
            return None;
        }
        match self.find(name) {
            Some((provider, model)) => {
                Remote::new(provider.serving(model), model, self.settings.clone()).unready()
            }
            None => Some(self.unknown(name)),
        }
    }

    /// Whether the model cannot be asked because there is no key for its provider.
    pub fn lacks_key(&self, name: &str) -> bool {
        self.find(name).is_some_and(|(provider, _)| provider.key.is_none() && !is_local(provider))
    }

    /// The model of a `provider/model` name. One that cannot be used says so when it is asked.
    pub fn make(&self, name: &str) -> Arc<dyn Model> {
        if let Some(path) = name.strip_prefix(REPLAY) {
            return match Replay::open(path) {
                Ok(replay) => Arc::new(replay),
                Err(failure) => Arc::new(Unusable { name: name.to_owned(), failure }),
            };
        }
        if let Some(post) = self.post.as_ref().filter(|_| name == MAILBOX_MODEL) {
            return Arc::new(Mailbox::new(post.clone()));
        }
        match self.find(name) {
            Some((provider, model)) => {
                let remote = Arc::new(Remote::new(provider.serving(model), model, self.settings.clone()));
                let enforcement = enforcement(provider);
                match self.dialect {
                    Dialect::Auto => Arc::new(Auto::new(remote, enforcement, self.memory.clone())),
                    Dialect::Native => Arc::new(Spoken::new(remote, dialect::Dialect::Native, enforcement)),
                    Dialect::Json => Arc::new(Spoken::new(remote, dialect::Dialect::Json, enforcement)),
                    Dialect::Text => Arc::new(Spoken::new(remote, dialect::Dialect::Text, enforcement)),
                }
            }
            None => Arc::new(Unusable { name: name.to_owned(), failure: self.unknown(name) }),
        }
    }

    /// Asks every provider that has a key, and every server that may run on this machine, what it offers.
    pub async fn offers(&self) -> Vec<Offer> {
        let usable = self.providers.iter().filter(|provider| provider.key.is_some() || is_local(provider));
        join_all(usable.map(|provider| self.offer(provider))).await
    }

    async fn offer(&self, provider: &Provider) -> Offer {
        let local = is_local(provider);
        let limit = if local { LOCAL } else { LISTING };
        let settings = Settings { connect_limit: limit, idle_limit: limit, ..self.settings.clone() };
        Offer { provider: provider.name.clone(), models: wire::models(provider, settings).await, local }
    }

    fn find<'a>(&self, name: &'a str) -> Option<(&Provider, &'a str)> {
        let (provider, model) = name.split_once('/').filter(|(_, model)| !model.is_empty())?;
        Some((self.provider(provider)?, model))
    }

    fn provider(&self, name: &str) -> Option<&Provider> {
        self.providers.iter().find(|provider| provider.name == name)
    }

    fn unknown(&self, name: &str) -> Failure {
        let names: Vec<&str> = self.providers.iter().map(|provider| provider.name.as_str()).collect();
        Failure::new(FailureKind::Setup, format!("there is no model {name:?}")).hint(format!(
            "name one as PROVIDER/MODEL, for example -m openai/gpt-5.1; the providers are {}",
            names.join(", ")
        ))
    }
}

/// Whether the provider can be made to answer by a schema.
fn enforcement(provider: &Provider) -> Enforcement {
    match provider.wire {
        Wire::Openai | Wire::Azure | Wire::Responses | Wire::Anthropic => Enforcement::Schema,
        Wire::Gemini => Enforcement::No,
    }
}

fn is_local(provider: &Provider) -> bool {
    provider.key_variables.is_empty()
}

/// Stands where a model was named that does not exist.
struct Unusable {
    name: String,
    failure: Failure,
}

impl Model for Unusable {
    fn info(&self) -> Info {
        Info { name: self.name.clone(), window: None }
    }

    fn stream(&self, _request: Request) -> BoxStream<'static, Delta> {
        stream::iter([Delta::Failed(self.failure.clone())]).boxed()
    }
}
