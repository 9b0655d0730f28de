//! Which models can be used, from the environment: providers with their keys and addresses. Start at
//! [`Models::from_environment`].
//!
//! Reads nothing itself: the caller hands in a way to look variables up, once, at the start.

use crate::http::{Proxies, Settings, Tls};
use crate::wire::{Provider, Remote, Secret};
use agent::{Delta, Failure, FailureKind, Info, Model, Request};
use futures::stream::{self, BoxStream, StreamExt};
use std::sync::Arc;
use std::time::Duration;

/// Used when nobody chose one.
const DEFAULT_MODEL: &str = "openai/gpt-5.1";

pub struct Models {
    openai: Provider,
    settings: Settings,
    chosen: Option<String>,
}

impl Models {
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Models {
        let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let mut openai = Provider::openai();
        if let Some(url) = set("OPENAI_BASE_URL") {
            openai.base_url = url;
        }
        openai.key = set("OPENAI_API_KEY").map(Secret::new);
        let mut settings = Settings {
            proxies: Proxies::resolve(set),
            tls: Tls::new(set("SSL_CERT_FILE").map(Into::into), set("SSL_CERT_DIR").map(Into::into)),
            ..Settings::default()
        };
        let seconds = set("CINQUE_IDLE_TIMEOUT").and_then(|text| text.trim().parse::<f64>().ok());
        if let Some(limit) = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) {
            settings.idle_limit = limit;
        }
        Models { openai, settings, chosen: set("CINQUE_MODEL") }
    }

    pub fn default_model(&self) -> String {
        self.chosen.clone().unwrap_or_else(|| DEFAULT_MODEL.to_owned())
    }

    /// What keeps a model from being asked, as far as can be known without asking.
    pub fn missing(&self, name: &str) -> Option<Failure> {
        match name.split_once('/') {
            Some(("openai", model)) if !model.is_empty() => {
                let keyless = self.openai.key.is_none().then_some("OPENAI_API_KEY");
                keyless.map(|variable| {
                    Failure::new(FailureKind::Setup, "no key for openai")
                        .hint(format!("set {variable} to your key"))
                })
            }
            _ => Some(unknown(name)),
        }
    }

    /// The model of a `provider/model` name. One that cannot be used says so when it is asked.
    pub fn make(&self, name: &str) -> Arc<dyn Model> {
        match name.split_once('/') {
            Some(("openai", model)) if !model.is_empty() => {
                Arc::new(Remote::new(self.openai.clone(), model, self.settings.clone()))
            }
            _ => Arc::new(Unusable { name: name.to_owned() }),
        }
    }
}

/// Stands where a model was named that does not exist.
struct Unusable {
    name: String,
}

impl Model for Unusable {
    fn info(&self) -> Info {
        Info { name: self.name.clone(), window: None }
    }

    fn stream(&self, _request: Request) -> BoxStream<'static, Delta> {
        stream::iter([Delta::Failed(unknown(&self.name))]).boxed()
    }
}

fn unknown(name: &str) -> Failure {
    Failure::new(FailureKind::Setup, format!("there is no model {name:?}"))
        .hint("name one as PROVIDER/MODEL, for example -m openai/gpt-5.1, or set CINQUE_MODEL")
}
