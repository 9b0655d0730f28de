//! The ways in which a secret may be written. Start from [`all`].

use std::fmt::Write;

/// The value itself and its usual spellings. Values of several lines are found line by line, because tools number and
/// indent lines.
pub fn all(value: &str) -> Vec<String> {
    let mut spellings = vec![value.to_owned()];
    if value.contains('\n') {
        let telling = |line: &&str| line.len() >= LONG_LINE && !line.starts_with("-----");
        spellings.extend(value.lines().map(str::trim).filter(telling).map(str::to_owned));
    }
    if value.len() < super::SHORTEST {
        return Vec::new();
    }
    spellings.push(json(value));
    spellings.push(percent(value, |byte| format!("%{byte:02X}")));
    spellings.push(percent(value, |byte| format!("%{byte:02x}")));
    spellings.push(hexadecimal(value));
    spellings.push(hexadecimal(value).to_ascii_uppercase());
    for shift in 0..3 {
        spellings.extend([STANDARD, FOR_URLS].map(|alphabet| base64(value.as_bytes(), shift, alphabet)));
    }
    spellings
}

/// Shorter lines of a long secret are padding and headers.
const LONG_LINE: usize = 16;

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const FOR_URLS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn json(value: &str) -> String {
    let quoted = serde_json::Value::from(value).to_string();
    quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(&quoted).to_owned()
}

fn percent(value: &str, escape: impl Fn(u8) -> String) -> String {
    let unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let spell = |byte| if unreserved(byte) { char::from(byte).to_string() } else { escape(byte) };
    value.bytes().map(spell).collect()
}

fn hexadecimal(value: &str) -> String {
    value.bytes().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The letters that do not depend on what stands around the value, when `shift` bytes (modulo 3) stand before it.
fn base64(value: &[u8], shift: usize, alphabet: &[u8; 64]) -> String {
    let bits = |byte: usize| byte * 8;
    let byte = |at: usize| at.checked_sub(shift).and_then(|at| value.get(at)).copied().unwrap_or_default();
    let letter = |at: usize| {
        let (first, offset) = (at * 6 / 8, at * 6 % 8);
        let pair = u16::from_be_bytes([byte(first), byte(first + 1)]);
        char::from(alphabet[usize::from(pair >> (10 - offset)) & 63])
    };
    (bits(shift).div_ceil(6)..bits(shift + value.len()) / 6).map(letter).collect()
}
