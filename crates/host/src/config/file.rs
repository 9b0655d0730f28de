//! Reads a configuration file into a [`Layer`], with the line of every value. Start from [`parse`].

use std::path::Path;

use toml::Value;
use toml::de::{DeTable, DeValue};

use super::key::{Found, Name};
use super::layer::{Author, Layer, Origin, Wrong};

/// What the file at `path` says. Everything that is wrong with it is noted in the layer, not only the first.
pub fn parse(path: &Path, text: &str, author: Author) -> Layer {
    let mut reading = Reading { path, lines: Lines::of(text), layer: Layer::of(author) };
    match DeTable::parse(text) {
        Ok(table) => reading.table(&Name::root(), table.get_ref()),
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            reading.note(at, Wrong::Syntax(error.message().to_owned()));
        }
    }
    // Tables are sorted by name, people read from the top.
    reading.layer.problems.sort_by_key(|problem| line(&problem.origin));
    reading.layer
}

struct Reading<'a> {
    path: &'a Path,
    lines: Lines,
    layer: Layer,
}

impl Reading<'_> {
    fn table(&mut self, name: &Name, table: &DeTable<'_>) {
        for (segment, value) in table {
            let (name, at) = (name.child(segment.get_ref()), segment.span().start);
            match (name.find(), value.get_ref()) {
                (Found::Key(key), DeValue::Array(rules)) if key.kind.joins() => {
                    for rule in rules.iter() {
                        let origin = self.origin(rule.span().start);
                        self.layer.put(name.clone(), key, plain(rule.get_ref()), origin);
                    }
                }
                (Found::Key(key), value) => self.layer.put(name, key, plain(value), self.origin(at)),
                (Found::Section, DeValue::Table(table)) => self.table(&name, table),
                (Found::Section, _) => {
                    let reason = "is a section of settings, not one value".to_owned();
                    self.note(at, Wrong::Value { name, reason });
                }
                (Found::Nothing, _) => {
                    let nearest = name.nearest().map(|nearest| nearest.to_string());
                    self.note(at, Wrong::Unknown { name: name.to_string(), nearest });
                }
            }
        }
    }

    fn note(&mut self, at: usize, wrong: Wrong) {
        let origin = self.origin(at);
        self.layer.note(origin, wrong);
    }

    fn origin(&self, at: usize) -> Origin {
        Origin::File { path: self.path.to_owned(), line: self.lines.number(at) }
    }
}

fn line(origin: &Origin) -> usize {
    match origin {
        Origin::File { line, .. } => *line,
        _ => 0,
    }
}

/// Where the lines of a text end.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Lines {
        Lines(text.match_indices('\n').map(|(at, _)| at).collect())
    }

    fn number(&self, at: usize) -> usize {
        self.0.partition_point(|end| *end < at) + 1
    }
}

/// The value without its spans. Numbers that do not fit stay text, which no key for numbers accepts.
fn plain(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::from(text.as_ref()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| Value::from(number.to_string()), Value::Integer),
        DeValue::Float(number) => {
            number.as_str().parse().map_or_else(|_| Value::from(number.to_string()), Value::Float)
        }
        DeValue::Boolean(flag) => Value::Boolean(*flag),
        DeValue::Datetime(time) => Value::Datetime(*time),
        DeValue::Array(items) => Value::Array(items.iter().map(|item| plain(item.get_ref())).collect()),
        DeValue::Table(table) => {
            let entries =
                table.iter().map(|(key, value)| (key.get_ref().to_string(), plain(value.get_ref())));
            Value::Table(entries.collect())
        }
    }
}
