//! The models that a provider offers now. Start at [`models`].

use super::failure::{self, Begun};
use super::provider::{Provider, Wire};
use crate::http::{Address, Client, Payload, Settings};
use agent::Failure;
use hyper::Request;
use serde::Deserialize;

/// The most bytes of a list of models; the largest known is below one MiB.
const LIST: usize = 8 * 1024 * 1024;

/// The names of the models that `provider` offers, as they stand after the slash in `-m provider/model`. Also tells
/// whether a server is there at all. At Azure, where models are deployments that cannot be listed with a key, the
/// list is empty.
pub async fn models(provider: &Provider, settings: Settings) -> Result<Vec<String>, Failure> {
    let address = Address::parse(&provider.base_url).map_err(|error| failure::address(provider, &error))?;
    let Some(path) = path(provider.wire, &address) else { return Ok(Vec::new()) };
    let mut request = Request::get(path);
    for (name, value) in provider.request_headers()? {
        request = request.header(name, value);
    }
    let request = request
        .body(Payload::default())
        .map_err(|error| failure::protocol(provider, &error.to_string(), ""))?;
    let broken = |error| failure::transport(provider, &error, Begun::No);
    let mut response = Client::new(address, settings).send(request).await.map_err(broken)?;
    let body = response.text(LIST).await.map_err(broken)?;
    if !response.status.is_success() {
        return Err(failure::status(provider, "", response.status, &response.headers, &body));
    }
    let list: List = serde_json::from_slice(&body).map_err(|_| {
        failure::protocol(provider, "sent no list of models", &String::from_utf8_lossy(&body))
    })?;
    Ok(list.names())
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct List {
    data: Vec<Entry>,
    /// As some providers call it; llama.cpp sends both.
    models: Vec<Entry>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Entry {
    id: String,
    name: String,
}

impl List {
    fn names(self) -> Vec<String> {
        let name = |entry: Entry| if entry.id.is_empty() { entry.name } else { entry.id };
        let entries = if self.data.is_empty() { self.models } else { self.data };
        let names = entries.into_iter().map(name);
        names.map(|name| name.strip_prefix("models/").unwrap_or(&name).to_owned()).collect()
    }
}

fn path(wire: Wire, address: &Address) -> Option<String> {
    let base = address.join("");
    match wire {
        Wire::Openai | Wire::Responses => Some(address.join("/models")),
        Wire::Anthropic if base.ends_with("/v1") => Some(address.join("/models?limit=1000")),
        Wire::Anthropic => Some(address.join("/v1/models?limit=1000")),
        Wire::Gemini if base.is_empty() => Some(address.join("/v1beta/models?pageSize=1000")),
        Wire::Gemini => Some(address.join("/models?pageSize=1000")),
        Wire::Azure => None,
    }
}

#[cfg(test)]
mod tests;
