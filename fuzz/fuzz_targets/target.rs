//! The program for libFuzzer: one for all targets, because a program each would be the same code linked twelve times.
//! The variable `FUZZ_TARGET` names the target; `cargo xtask fuzz` sets it.

#![no_main]

use std::sync::LazyLock;

static CHECK: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
    let found = fuzz::TARGETS.iter().find(|(own, _)| *own == name);
    found.unwrap_or_else(|| panic!("FUZZ_TARGET names no target: {name:?}")).1
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| CHECK(data));
