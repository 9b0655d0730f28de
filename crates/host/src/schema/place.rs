//! One schema object and where it stands, read keyword by keyword. Start from [`Place`].
//! Every reader refuses a keyword of the wrong shape and names it; none repairs it.

use serde_json::{Map, Number, Value};

use super::SchemaError;
use super::assertion::Limit;
use super::decimal::Decimal;
use super::violation::{excerpt, pointer_step};

/// A schema object at a JSON pointer of its document.
#[derive(Clone, Copy)]
pub(super) struct Place<'a, 'p> {
    pub(super) object: &'a Map<String, Value>,
    pub(super) pointer: &'p str,
}

impl<'a> Place<'a, '_> {
    pub(super) fn get(&self, keyword: &str) -> Option<&'a Value> {
        self.object.get(keyword)
    }

    /// The pointer of what stands under a keyword.
    pub(super) fn under(&self, keyword: &str) -> String {
        child(self.pointer, keyword)
    }

    pub(super) fn string(&self, keyword: &str) -> Result<Option<&'a str>, SchemaError> {
        self.read(keyword, "a string", Value::as_str)
    }

    pub(super) fn list(&self, keyword: &str) -> Result<Option<&'a Vec<Value>>, SchemaError> {
        self.read(keyword, "a list", Value::as_array)
    }

    pub(super) fn filled_list(&self, keyword: &str) -> Result<Option<&'a Vec<Value>>, SchemaError> {
        self.read(keyword, "a list with at least one schema", |value| {
            value.as_array().filter(|list| !list.is_empty())
        })
    }

    pub(super) fn map(&self, keyword: &str) -> Result<Option<&'a Map<String, Value>>, SchemaError> {
        self.read(keyword, "an object", Value::as_object)
    }

    pub(super) fn flag(&self, keyword: &str) -> Result<Option<bool>, SchemaError> {
        self.read(keyword, "true or false", Value::as_bool)
    }

    pub(super) fn limit(&self, keyword: &str) -> Result<Option<Limit>, SchemaError> {
        self.read(keyword, "a number", |value| value.as_number().map(Limit::new))
    }

    pub(super) fn positive(&self, keyword: &str) -> Result<Option<Limit>, SchemaError> {
        self.read(keyword, "a number greater than 0", |value| {
            value.as_number().map(Limit::new).filter(Limit::is_positive)
        })
    }

    /// A length or number of things. `2.0` is the integer 2.
    pub(super) fn count(&self, keyword: &str) -> Result<Option<u64>, SchemaError> {
        self.read(keyword, "an integer of at least 0", |value| value.as_number().and_then(whole))
    }

    pub(super) fn names(&self, keyword: &str) -> Result<Option<Vec<String>>, SchemaError> {
        self.read(keyword, "a list of property names", names_of)
    }

    pub(super) fn wrong(&self, keyword: &str, problem: impl Into<String>) -> SchemaError {
        SchemaError::Wrong { at: shown(self.pointer), keyword: keyword.to_owned(), problem: problem.into() }
    }

    pub(super) fn unsupported(&self, keyword: &str, problem: impl Into<String>) -> SchemaError {
        SchemaError::Unsupported {
            at: shown(self.pointer),
            keyword: keyword.to_owned(),
            problem: problem.into(),
        }
    }

    fn read<T>(
        &self,
        keyword: &str,
        wanted: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, SchemaError> {
        let Some(value) = self.get(keyword) else { return Ok(None) };
        match read(value) {
            Some(read) => Ok(Some(read)),
            None => Err(self.wrong(keyword, format!("must be {wanted}, not {}", excerpt(value)))),
        }
    }
}

/// The strings of a list, or nothing if it is something else.
pub(super) fn names_of(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|name| name.as_str().map(str::to_owned)).collect()
}

/// The pointer of a member of what stands at `pointer`.
pub(super) fn child(pointer: &str, step: &str) -> String {
    format!("{pointer}/{}", pointer_step(step))
}

/// A pointer as errors show it.
pub(super) fn shown(pointer: &str) -> String {
    format!("#{pointer}")
}

/// A count too large for the machine is one that nothing exceeds.
fn whole(number: &Number) -> Option<u64> {
    let exact = Decimal::of(number);
    let fits = exact.is_integer() && (exact.is_positive() || exact.as_count() == Some(0));
    fits.then(|| exact.as_count().unwrap_or(u64::MAX))
}
