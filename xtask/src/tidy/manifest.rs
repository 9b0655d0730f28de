//! What a `Cargo.toml` says about dependencies. Start from [`dependencies`].
//!
//! It reads the forms that manifests are written in, line by line; it is no parser of TOML.

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Dependency<'a> {
    /// The package, also where it is renamed.
    pub(super) name: &'a str,
    pub(super) line: usize,
    pub(super) kind: Kind,
    /// The rest of its line; empty when it has a section of its own.
    pub(super) value: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Built into what is shipped, build scripts included.
    Shipped,
    Dev,
}

pub(super) fn dependencies(manifest: &str) -> Vec<Dependency<'_>> {
    let mut found: Vec<Dependency<'_>> = Vec::new();
    let mut section = Section::Other;
    for (index, text) in manifest.lines().enumerate() {
        let text = text.trim();
        let line = index + 1;
        if let Some((header, _)) = text.strip_prefix('[').and_then(|text| text.rsplit_once(']')) {
            section = Section::of(header);
            if let Section::One(kind, name) = section {
                found.push(Dependency { name, line, kind, value: "" });
            }
            continue;
        }
        let Some((key, value)) = text.split_once('=').filter(|_| !text.starts_with('#')) else { continue };
        let (key, value) = (key.trim().trim_matches('"'), value.trim());
        match section {
            Section::Table(kind) => {
                let name = key.split('.').next().unwrap_or(key);
                found.push(Dependency { name: renamed(value).unwrap_or(name), line, kind, value });
            }
            Section::One(..) if key == "package" => {
                if let Some(last) = found.last_mut() {
                    last.name = value.trim_matches('"');
                }
            }
            Section::One(..) | Section::Other => {}
        }
    }
    found
}

/// What the lines under a header are.
#[derive(Clone, Copy)]
enum Section<'a> {
    /// One dependency a line.
    Table(Kind),
    /// One dependency, a property a line.
    One(Kind, &'a str),
    Other,
}

impl<'a> Section<'a> {
    fn of(header: &'a str) -> Self {
        let kind = |before: &str| if before.ends_with("dev-") { Kind::Dev } else { Kind::Shipped };
        let (before, after) = match header.rsplit_once("dependencies") {
            Some(parts) => parts,
            None => return Self::Other,
        };
        match after.strip_prefix('.') {
            Some(name) => Self::One(kind(before), name.trim_matches('"')),
            None if after.is_empty() => Self::Table(kind(before)),
            None => Self::Other,
        }
    }
}

/// The package that a renamed dependency stands for.
fn renamed(value: &str) -> Option<&str> {
    let (_, rest) = value.split_once("package")?;
    rest.trim_start().strip_prefix('=')?.trim_start().strip_prefix('"')?.split('"').next()
}

/// The features that a dependency's line names.
pub(super) fn features(value: &str) -> impl Iterator<Item = &str> {
    let list = value.rsplit_once("features").and_then(|(_, rest)| rest.split_once('[')?.1.split(']').next());
    let names = list.unwrap_or_default().split(',').map(|name| name.trim().trim_matches('"'));
    names.filter(|name| !name.is_empty())
}
