//! The little of RFC 3986 that `$id` and `$ref` need: resolving a reference against a base. Start from [`resolve`].
//! Addresses are only compared with one another; nothing is ever fetched.

#[cfg(test)]
mod tests;

/// An absolute address as written, apart from its fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) resource: String,
    /// Percent-decoded; empty when there is none.
    pub(super) fragment: String,
}

/// Resolves a reference against the address of the resource it stands in.
pub(super) fn resolve(base: &str, reference: &str) -> Target {
    let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
    Target { resource: join(base, address), fragment: percent_decoded(fragment) }
}

fn join(base: &str, address: &str) -> String {
    if address.is_empty() {
        return base.to_owned();
    }
    if scheme_length(address) > 0 {
        return address.to_owned();
    }
    let base = base.split('?').next().unwrap_or("");
    let scheme = &base[..scheme_length(base)];
    if address.starts_with("//") {
        return format!("{scheme}{address}");
    }
    let after_scheme = &base[scheme.len()..];
    let authority_length = match after_scheme.strip_prefix("//") {
        Some(rest) => 2 + rest.find('/').unwrap_or(rest.len()),
        None => 0,
    };
    let (authority, base_path) = after_scheme.split_at(authority_length);
    let (path, query) = address.split_at(address.find('?').unwrap_or(address.len()));
    let merged = match (path, base_path.rfind('/')) {
        ("", _) => base_path.to_owned(),
        (absolute, _) if absolute.starts_with('/') => absolute.to_owned(),
        (relative, Some(slash)) => format!("{}{relative}", &base_path[..=slash]),
        (relative, None) if authority.is_empty() => relative.to_owned(),
        (relative, None) => format!("/{relative}"),
    };
    format!("{scheme}{authority}{}{query}", without_dots(&merged))
}

/// The length of `scheme:` at the start, or 0.
fn scheme_length(address: &str) -> usize {
    let Some(colon) = address.find(':') else { return 0 };
    let scheme = &address[..colon];
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
    if scheme.starts_with(|first: char| first.is_ascii_alphabetic()) && scheme.chars().all(plain) {
        colon + 1
    } else {
        0
    }
}

fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "." => {}
            ".." if kept.len() > 1 => _ = kept.pop(),
            ".." => {}
            other => kept.push(other),
        }
    }
    if path.ends_with("/.") || path.ends_with("/..") {
        kept.push("");
    }
    kept.join("/")
}

fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&first, after)) = rest.split_first() {
        let code = (first == b'%').then(|| after.get(..2)).flatten().and_then(hex_byte);
        decoded.push(code.unwrap_or(first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(decoded).unwrap_or_else(|_| text.to_owned())
}

fn hex_byte(pair: &[u8]) -> Option<u8> {
    let text = std::str::from_utf8(pair).ok()?;
    text.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u8::from_str_radix(text, 16).ok()).flatten()
}
