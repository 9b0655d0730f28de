//! What a person says about a provider: a new one, or where a known one differs. Start from [`Provider::over`].

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::wire::{self, Carried, Counting, Known, Memory, Reasoning, Secret, Wire};

/// An entry of `[providers]`. What is not set stays as the known provider of that name has it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    pub wire: Option<Wire>,
    pub base_url: Option<String>,
    pub key_variables: Option<Vec<String>>,
    pub key: Option<Secret>,
    pub key_header: Option<String>,
    #[serde(default)]
    pub headers: BTreeMap<String, Secret>,
    /// A JSON object, as its kind has checked.
    pub body: Option<String>,
    pub reasoning: Option<Reasoning>,
    pub usage: Option<Counting>,
    pub memory: Option<Memory>,
    pub api_version: Option<String>,
    pub max_output: Option<u64>,
}

impl Provider {
    /// The provider to ask: the known one of this name, or a new one, with what the person said on top. Variables are
    /// read through `variable`.
    pub fn over(&self, name: &str, variable: impl Fn(&str) -> Option<String>) -> wire::Provider {
        let mut provider = match Known::find(name) {
            Some(known) => known.resolve(&variable),
            None => wire::Provider::new(name, self.wire.unwrap_or(Wire::Openai), ""),
        };
        if let Some(wire) = self.wire.filter(|wire| *wire != provider.wire) {
            provider.wire = wire;
            provider.carried = wire::Provider::new(name, wire, "").carried;
        }
        self.addressed(&mut provider);
        self.widened(&mut provider);
        self.unlocked(&mut provider, variable);
        self.quirked(&mut provider);
        provider
    }

    fn addressed(&self, provider: &mut wire::Provider) {
        if let Some(base_url) = &self.base_url {
            provider.base_url.clone_from(base_url);
        }
        for (name, value) in &self.headers {
            provider.headers.retain(|(own, _)| !own.eq_ignore_ascii_case(name));
            provider.headers.push((name.clone(), value.clone()));
        }
    }

    fn widened(&self, provider: &mut wire::Provider) {
        let fields = self.body.as_deref().and_then(|text| serde_json::from_str(text).ok());
        provider.body = fields.unwrap_or_default();
    }

    fn unlocked(&self, provider: &mut wire::Provider, variable: impl Fn(&str) -> Option<String>) {
        if let Some(names) = &self.key_variables {
            let set = |name: &String| variable(name).filter(|value| !value.trim().is_empty());
            provider.key = names.iter().find_map(set).map(Secret::new);
            provider.key_variables.clone_from(names);
        }
        if let Some(key) = &self.key {
            provider.key = Some(key.clone());
        }
        if let Some(header) = &self.key_header {
            provider.carried = Carried::Header(header.clone());
        }
    }

    fn quirked(&self, provider: &mut wire::Provider) {
        let quirks = &mut provider.quirks;
        quirks.reasoning = self.reasoning.unwrap_or(quirks.reasoning);
        quirks.usage = self.usage.unwrap_or(quirks.usage);
        quirks.memory = self.memory.unwrap_or(quirks.memory);
        quirks.output = self.max_output.or(quirks.output);
        if let Some(version) = &self.api_version {
            quirks.api_version.clone_from(version);
        }
    }
}
