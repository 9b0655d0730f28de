//! When the page is built again.

use super::*;
use std::time::Duration;

#[test]
fn what_is_newer_than_the_build_is_built() {
    let at = |seconds| Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
    let cases = [
        (at(1), at(2), true),
        (at(2), at(1), false),
        // The clock of some file systems is coarse: in doubt it is built.
        (at(2), at(2), false),
        (at(1), None, false),
        (None, at(1), false),
    ];
    for (changed, built, fresh) in cases {
        assert_eq!(is_fresh(changed, built), fresh, "{changed:?} {built:?}");
    }
}

#[test]
fn products_are_no_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let all = newest(&root).expect("there are files");
    assert!(newest(&root.join("page")).expect("there are files") <= all);
    assert_eq!(newest(&root.join("nowhere")), None);
}
