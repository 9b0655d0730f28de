//! The providers that are known from the start, as a table. Start at [`Known`].

use super::provider::{Counting, Limit, Memory, Provider, Reasoning, Secret, Wire};

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// What stands before the slash in `-m provider/model`.
    pub name: &'static str,
    pub wire: Wire,
    pub base_url: &'static str,
    /// The variable that sets another base URL; empty where nobody uses one.
    pub base_url_variable: &'static str,
    /// The variables for the key, the first that is set counts. A server on this machine needs none.
    pub key_variables: &'static [&'static str],
    pub reasoning: Reasoning,
    pub usage: Counting,
    pub limit: Limit,
}

pub(super) const OPENAI: Known = Known {
    limit: Limit::CompletionTokens,
    ..chat("openai", "https://api.openai.com/v1", "OPENAI_BASE_URL", &["OPENAI_API_KEY"])
};

/// In the order in which they are shown.
pub const KNOWN: &[Known] = &[
    OPENAI,
    Known { name: "responses", wire: Wire::Responses, ..OPENAI },
    Known {
        name: "azure",
        wire: Wire::Azure,
        base_url: "",
        base_url_variable: "AZURE_OPENAI_ENDPOINT",
        key_variables: &["AZURE_OPENAI_KEY", "AZURE_OPENAI_API_KEY"],
        ..OPENAI
    },
    Known {
        name: "anthropic",
        wire: Wire::Anthropic,
        base_url: "https://api.anthropic.com",
        base_url_variable: "ANTHROPIC_BASE_URL",
        key_variables: &["ANTHROPIC_API_KEY", AUTH_TOKEN],
        ..OPENAI
    },
    GEMINI,
    Known { name: "google", ..GEMINI },
    chat("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_BASE_URL", &["OPENROUTER_API_KEY"]),
    chat("groq", "https://api.groq.com/openai/v1", "GROQ_BASE_URL", &["GROQ_API_KEY"]),
    Known {
        reasoning: Reasoning::Returned,
        ..chat("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_BASE_URL", &["DEEPSEEK_API_KEY"])
    },
    Known {
        usage: Counting::Unasked,
        ..chat("mistral", "https://api.mistral.ai/v1", "MISTRAL_BASE_URL", &["MISTRAL_API_KEY"])
    },
    chat("xai", "https://api.x.ai/v1", "XAI_BASE_URL", &["XAI_API_KEY"]),
    chat("together", "https://api.together.xyz/v1", "", &["TOGETHER_API_KEY"]),
    chat("fireworks", "https://api.fireworks.ai/inference/v1", "", &["FIREWORKS_API_KEY"]),
    chat("cerebras", "https://api.cerebras.ai/v1", "", &["CEREBRAS_API_KEY"]),
    Known {
        reasoning: Reasoning::Returned,
        ..chat("moonshot", "https://api.moonshot.ai/v1", "MOONSHOT_BASE_URL", &["MOONSHOT_API_KEY"])
    },
    chat("zai", "https://api.z.ai/api/paas/v4", "", &["ZAI_API_KEY"]),
    chat("nvidia", "https://integrate.api.nvidia.com/v1", "", &["NVIDIA_API_KEY"]),
    chat("huggingface", "https://router.huggingface.co/v1", "", &["HF_TOKEN"]),
    chat("github", "https://models.github.ai/inference", "", &["GITHUB_TOKEN"]),
    chat("ollama", "http://localhost:11434/v1", "OLLAMA_BASE_URL", &[]),
    chat("llamacpp", "http://localhost:8080/v1", "LLAMACPP_BASE_URL", &[]),
    chat("vllm", "http://localhost:8000/v1", "VLLM_BASE_URL", &[]),
    chat("lmstudio", "http://localhost:1234/v1", "LMSTUDIO_BASE_URL", &[]),
];

/// Anthropic's other key, which travels as a bearer token.
const AUTH_TOKEN: &str = "ANTHROPIC_AUTH_TOKEN";

/// The version of Azure's API that is named where nobody chose one; it has all that is used here.
const AZURE_VERSION: &str = "2024-10-21";

const GEMINI: Known = Known {
    name: "gemini",
    wire: Wire::Gemini,
    base_url: "https://generativelanguage.googleapis.com",
    base_url_variable: "GOOGLE_GEMINI_BASE_URL",
    key_variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    ..OPENAI
};

const fn chat(
    name: &'static str,
    base_url: &'static str,
    base_url_variable: &'static str,
    key_variables: &'static [&'static str],
) -> Known {
    Known {
        name,
        wire: Wire::Openai,
        base_url,
        base_url_variable,
        key_variables,
        reasoning: Reasoning::Dropped,
        usage: Counting::Asked,
        limit: Limit::Tokens,
    }
}

impl Known {
    pub fn find(name: &str) -> Option<&'static Known> {
        KNOWN.iter().find(|known| known.name == name)
    }

    /// The provider with the base URL and the key that the environment gives, read through `variable`.
    pub fn resolve(&self, variable: impl Fn(&str) -> Option<String>) -> Provider {
        let set = |name: &str| variable(name).filter(|value| !name.is_empty() && !value.trim().is_empty());
        let mut provider = self.provider();
        if let Some(base_url) = set(self.base_url_variable) {
            provider.base_url = base_url.trim().to_owned();
        }
        let found = self.key_variables.iter().find_map(|name| Some((*name, set(name)?)));
        if let Some((name, key)) = found {
            provider.key = Some(Secret::new(key));
            if name == AUTH_TOKEN {
                provider.carried = super::Carried::Bearer;
            }
        }
        if self.wire == Wire::Azure {
            let version = set("AZURE_OPENAI_API_VERSION").or_else(|| set("OPENAI_API_VERSION"));
            provider.quirks.api_version = version.unwrap_or_else(|| AZURE_VERSION.to_owned());
        }
        provider
    }

    /// The provider as the table has it, without a key.
    pub(super) fn provider(&self) -> Provider {
        let mut provider = Provider::new(self.name, self.wire, self.base_url);
        provider.base_url_variable = self.base_url_variable.to_owned();
        provider.key_variables = self.key_variables.iter().map(|name| (*name).to_owned()).collect();
        provider.quirks.reasoning = self.reasoning;
        provider.quirks.usage = self.usage;
        provider.quirks.limit = self.limit;
        if self.wire == Wire::Responses {
            provider.quirks.memory = Memory::Theirs;
        }
        provider
    }
}

#[cfg(test)]
mod tests;
