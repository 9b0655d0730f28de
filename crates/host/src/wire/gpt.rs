//! What the name of one of OpenAI's models tells about how it must be asked. Start from [`Gpt`].
//!
//! Names are all there is to go by: its list of models says nothing about them.

use super::provider::Effort;

/// A model by its name, without a provider's or a vendor's before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gpt<'a> {
    name: &'a str,
    /// Major and minor number of a `gpt-N.M`; 0 for all others.
    version: (u8, u8),
}

impl Gpt<'_> {
    pub(super) fn of(model: &str) -> Gpt<'_> {
        let name = model.rsplit('/').next().unwrap_or(model);
        let numbers = name.strip_prefix("gpt-").and_then(|rest| rest.split('-').next()).unwrap_or_default();
        let (major, minor) = numbers.split_once('.').unwrap_or((numbers, "0"));
        let version = major.parse().ok().zip(minor.parse().ok()).unwrap_or((0, 0));
        Gpt { name, version }
    }

    /// Whether it reasons; the others refuse to be asked about it.
    pub(super) fn reasons(self) -> bool {
        let newer = self.version >= (5, 0) && !self.name.contains("chat");
        newer || self.is_numbered() || self.name.contains("codex") || self.name.starts_with("gpt-oss")
    }

    /// Whether OpenAI lets it use tools on the Responses wire alone.
    pub(super) fn needs_responses(self) -> bool {
        let kind = self.name.contains("codex") || self.name.contains("-pro");
        self.reasons() && (self.version >= (5, 2) || kind)
    }

    /// The nearest effort that it accepts: only the first of the fifth generation knew so small a one.
    pub(super) fn effort(self, effort: Effort) -> &'static str {
        match effort {
            Effort::Minimal if self.version > (5, 0) || self.is_numbered() => Effort::Low.name(),
            effort => effort.name(),
        }
    }

    /// `o3` and its like.
    fn is_numbered(self) -> bool {
        self.name.strip_prefix('o').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Effort, Gpt};

    #[test]
    fn what_names_tell() {
        for (model, reasons, needs_responses, least) in [
            ("gpt-4.1", false, false, "minimal"),
            ("gpt-4o-mini", false, false, "minimal"),
            ("gpt-5", true, false, "minimal"),
            ("gpt-5-mini-2025-08-07", true, false, "minimal"),
            ("gpt-5-chat-latest", false, false, "minimal"),
            ("gpt-5-codex", true, true, "minimal"),
            ("openai/gpt-5.1", true, false, "low"),
            ("gpt-5.4-pro", true, true, "low"),
            ("gpt-5.6-sol", true, true, "low"),
            ("gpt-6.1-sol", true, true, "low"),
            ("o3", true, false, "low"),
            ("o3-pro", true, true, "low"),
            ("gpt-oss-120b", true, false, "minimal"),
            ("llama3", false, false, "minimal"),
        ] {
            let gpt = Gpt::of(model);
            assert_eq!((gpt.reasons(), gpt.needs_responses()), (reasons, needs_responses), "{model}");
            assert_eq!(gpt.effort(Effort::Minimal), least, "{model}");
        }
    }
}
