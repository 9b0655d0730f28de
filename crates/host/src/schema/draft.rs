//! The drafts of JSON Schema and the few places where they disagree. Start from [`Draft::declared`].
//! It never guesses: a `$schema` that is not known is refused by the caller.

/// Which draft a schema is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Draft {
    Seven,
    Nineteen,
    Twenty,
    /// No `$schema`: 2020-12, with older spellings honoured where they are unambiguous.
    Unsaid,
}

impl Draft {
    /// The draft that a `$schema` names, if it is one of ours.
    pub(super) fn declared(uri: &str) -> Option<Draft> {
        let uri = uri.trim_end_matches('#');
        let name = uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://"))?;
        match name {
            "json-schema.org/draft-07/schema" => Some(Draft::Seven),
            "json-schema.org/draft/2019-09/schema" => Some(Draft::Nineteen),
            "json-schema.org/draft/2020-12/schema" => Some(Draft::Twenty),
            "json-schema.org/schema" => Some(Draft::Unsaid),
            _ => None,
        }
    }

    /// In draft 7 an object with `$ref` is that reference and nothing else.
    pub(super) fn ref_hides_siblings(self) -> bool {
        self == Draft::Seven
    }

    /// `$anchor`, `dependent…`, `unevaluated…`, `minContains` and `maxContains` came with 2019-09.
    pub(super) fn since_nineteen(self) -> bool {
        self != Draft::Seven
    }

    /// `prefixItems` came with 2020-12, and with it `contains` began to count as having looked at an item.
    pub(super) fn since_twenty(self) -> bool {
        matches!(self, Draft::Twenty | Draft::Unsaid)
    }

    /// `items` may be a list, with `additionalItems` for the rest.
    pub(super) fn items_may_be_list(self) -> bool {
        self != Draft::Twenty
    }
}
