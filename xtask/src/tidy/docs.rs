//! Documents stay short and lead somewhere. Start from [`check`].

use super::Problem;
use super::tree::Tree;

const REQUIRED: &[&str] = &["README.md", "ARCHITECTURE.md"];
/// A bird's eye view is one that can be read in one go.
const ARCHITECTURE: (&str, usize) = ("ARCHITECTURE.md", 150);
/// Documents that speak of files as they were.
const HISTORY: &[&str] = &["CHANGELOG.md"];
/// Code spans that begin so are taken for paths from the root.
const ROOTS: &[&str] = &["crates/", "xtask/", "page/", "docs/", ".ci/", ".cargo/"];

pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let missing = REQUIRED.iter().filter(|path| tree.text(path).is_none());
    let mut problems: Vec<_> = missing
        .map(|path| Problem::new(*path, 1, "does not exist: newcomers start with it, write it"))
        .collect();
    let (architecture, limit) = ARCHITECTURE;
    let lines = tree.text(architecture).map_or(0, |text| text.lines().count());
    if lines > limit {
        let text = format!(
            "{lines} lines, at most {limit}: keep what stays true, move the rest to the code it is about"
        );
        problems.push(Problem::new(architecture, limit + 1, text));
    }
    let documents = tree.texts().filter(|(path, _)| is_document(path));
    problems.extend(documents.flat_map(|(path, text)| dead_ends(tree, path, text)));
    problems
}

/// What people read to find their way: the documents of the root, of `docs/`, and of each crate's root.
fn is_document(path: &str) -> bool {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let depth = folder.split('/').count();
    path.ends_with(".md") && (folder.is_empty() || folder.starts_with("docs") || depth <= 2)
}

fn dead_ends(tree: &Tree, path: &str, text: &str) -> Vec<Problem> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut fenced = false;
    let mut problems = Vec::new();
    for (index, line) in text.lines().enumerate() {
        // A code map is drawn in a fence, so the names of files count there too.
        let lost = sources(line).filter(|name| !HISTORY.contains(&path) && !tree.has_ending(name));
        problems.extend(lost.map(|name| {
            let text = format!("`{name}` names no file: say what it is called now, or remove it");
            Problem::new(path, index + 1, text)
        }));
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        let links = links(line).filter(|link| !resolve(folder, link).is_some_and(|path| tree.has(&path)));
        let spans = spans(line).filter(|span| !tree.has(span));
        problems.extend(links.chain(spans).map(|target| {
            Problem::new(path, index + 1, format!("`{target}` leads nowhere: mend the path or remove it"))
        }));
    }
    problems
}

/// The words that name a Rust file, with or without its folder.
fn sources(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| !(c.is_ascii_alphanumeric() || "/._-*<>…".contains(c)));
    let plain = |word: &&str| word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    let words = words.filter(plain).map(|word| word.trim_start_matches(['.', '/']).trim_end_matches('.'));
    words.filter(|word| word.strip_suffix(".rs").is_some_and(|stem| !stem.is_empty()))
}

/// The targets of `[text](target)` that are files of this repository.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
    let targets = targets.filter(|target| !target.contains("://") && !target.starts_with("mailto:"));
    targets.filter_map(|target| target.split('#').next()).filter(|target| !target.is_empty())
}

/// The code spans that name one path.
fn spans(line: &str) -> impl Iterator<Item = &str> {
    let spans = line.split('`').skip(1).step_by(2);
    let plain = |span: &&str| span.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    spans.filter(|span| ROOTS.iter().any(|root| span.starts_with(root))).filter(plain)
}

/// The path from the root that a link means, unless it leads out of the repository.
fn resolve(folder: &str, link: &str) -> Option<String> {
    let (mut parts, link) = match link.strip_prefix('/') {
        Some(link) => (Vec::new(), link),
        None => (folder.split('/').filter(|part| !part.is_empty()).collect(), link),
    };
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
