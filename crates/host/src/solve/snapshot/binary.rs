//! Git's form for changes of files that are no text. Start at [`literal`].
//!
//! Both versions stand in it whole, so that it can be applied and taken back. They are not compressed: that would need a
//! library for the sake of size alone.

use sha1::{Digest, Sha1};
use std::fmt::Write;

const DIGITS: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
/// Bytes in one line.
const LINE: usize = 52;
/// Bytes in one block that is stored as it is.
const BLOCK: usize = 65_535;

/// The part of a section after its modes.
pub fn literal(before: Option<&[u8]>, after: Option<&[u8]>) -> String {
    let name = |bytes: Option<&[u8]>| bytes.map_or("0".repeat(40), blob);
    let mut out = format!("index {}..{}\nGIT binary patch\n", name(before), name(after));
    for bytes in [after, before] {
        let bytes = bytes.unwrap_or_default();
        let _ = writeln!(out, "literal {}", bytes.len());
        stored(bytes).chunks(LINE).for_each(|line| push_line(&mut out, line));
        out.push('\n');
    }
    out
}

/// The name that git gives to a content.
fn blob(bytes: &[u8]) -> String {
    let hash = Sha1::new().chain_update(format!("blob {}\0", bytes.len())).chain_update(bytes).finalize();
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes as a zlib stream of stored blocks.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0x01];
    let last = bytes.len().div_ceil(BLOCK).max(1) - 1;
    for number in 0..=last {
        let start = number * BLOCK;
        let block = &bytes[start..bytes.len().min(start + BLOCK)];
        let length = block.len() as u16;
        out.push(u8::from(number == last));
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(block);
    }
    out.extend(adler(bytes).to_be_bytes());
    out
}

fn adler(bytes: &[u8]) -> u32 {
    let (mut a, mut b) = (1u32, 0u32);
    for byte in bytes {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    (b << 16) | a
}

/// A letter for the length, then five digits for every four bytes.
fn push_line(out: &mut String, line: &[u8]) {
    let length = line.len() as u8;
    out.push(char::from(if length <= 26 { b'A' + length - 1 } else { b'a' + length - 27 }));
    for group in line.chunks(4) {
        let mut word = [0; 4];
        word[..group.len()].copy_from_slice(group);
        let mut value = u32::from_be_bytes(word);
        let mut digits = [0; 5];
        for digit in digits.iter_mut().rev() {
            *digit = DIGITS[(value % 85) as usize];
            value /= 85;
        }
        out.extend(digits.iter().copied().map(char::from));
    }
    out.push('\n');
}
