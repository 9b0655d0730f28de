//! What is fuzzed: every reader of text that somebody else wrote. Start at [`TARGETS`].
//!
//! A target takes any bytes and panics where a law is broken. The laws are here and nowhere else: `fuzz_targets/` hands
//! them to libFuzzer (`cargo xtask fuzz`), and the tests of `app` hold them to the seeds and a few thousand mutations.
//! So nothing here may need libFuzzer, a file or a clock.

mod config;
mod hub;
mod json;
mod patch;
mod sanitiser;
mod shell;
mod sse;
mod text;
mod wire;

use host::wire::Wire;

/// A name, which is also that of a folder in `seeds/`, and what holds bytes to the laws.
pub type Target = (&'static str, fn(&[u8]));

pub const TARGETS: &[Target] = &[
    ("anthropic", |data| wire::check(Wire::Anthropic, data)),
    ("config", config::check),
    ("gemini", |data| wire::check(Wire::Gemini, data)),
    ("hub", hub::check),
    ("json", json::check),
    ("openai", |data| wire::check(Wire::Openai, data)),
    ("patch", patch::check),
    ("responses", |data| wire::check(Wire::Responses, data)),
    ("sanitiser", sanitiser::check),
    ("shell", shell::check),
    ("sse", sse::check),
    ("text", text::check),
];

/// The same bytes whole, one by one, and in pieces of lengths that only the bytes decide.
fn cuttings(data: &[u8]) -> [Vec<&[u8]>; 3] {
    let mut state = data.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let (mut pieces, mut rest) = (Vec::new(), data);
    while !rest.is_empty() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Zero is a length too: an empty read must not matter.
        let (piece, after) = rest.split_at(((state >> 33) as usize % 24).min(rest.len()));
        pieces.push(piece);
        rest = after;
    }
    [vec![data], data.chunks(1).collect(), pieces]
}

/// The same for text, where no character may be cut.
fn text_cuttings(text: &str) -> [Vec<&str>; 3] {
    cuttings(text.as_bytes()).map(|pieces| {
        let (mut start, mut end, mut whole) = (0, 0, Vec::new());
        for piece in pieces {
            end += piece.len();
            if text.is_char_boundary(end) {
                whole.push(&text[start..end]);
                start = end;
            }
        }
        whole
    })
}
