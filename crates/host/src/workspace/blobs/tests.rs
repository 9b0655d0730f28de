//! Kept contents: found again, bounded, and the oldest dropped first.

use super::*;

struct Store {
    folder: tempfile::TempDir,
    disk: Disk,
}

impl Store {
    fn new() -> Store {
        Store { folder: tempfile::tempdir().expect("a folder"), disk: Disk::default() }
    }

    fn blobs(&self) -> Blobs<'_> {
        let flags = OFlags::DIRECTORY | OFlags::RDONLY;
        Blobs { dir: fs::open(self.folder.path(), flags, Mode::empty()).expect("open"), disk: &self.disk }
    }

    /// Keeps a content of about a thousand bytes that does not compress, as if `age` ago.
    fn put(&self, seed: u8, age: Duration, now: SystemTime) -> Hash {
        let mut bytes = vec![0; 1000];
        blake3::Hasher::new().update(&[seed]).finalize_xof().fill(&mut bytes);
        let hash = Hash::of(&bytes);
        self.blobs().put(hash, &bytes).expect("kept");
        let (folder, name) = hash.spread();
        let file = std::fs::File::open(self.folder.path().join(folder).join(name)).expect("a blob");
        file.set_modified(now - age).expect("aged");
        hash
    }
}

const HOUR: Duration = Duration::from_secs(3600);

#[test]
fn contents_come_back() {
    let store = Store::new();
    for bytes in [&b""[..], b"text\n", &[0, 255, 1], &[7; 100_000]] {
        let hash = Hash::of(bytes);
        assert_eq!(store.blobs().get(hash, u64::MAX).expect("read"), None);
        store.blobs().put(hash, bytes).expect("kept");
        store.blobs().put(hash, bytes).expect("kept twice");
        assert_eq!(store.blobs().get(hash, u64::MAX).expect("read").as_deref(), Some(bytes));
    }
    let large = Hash::of(&[7; 100_000]);
    assert_eq!(store.blobs().get(large, 1000).expect("bounded"), None);
    assert_eq!(large.to_string().parse(), Ok(large));
}

/// Five contents aged 1 to 5 hours, 1 kB each: which of them stay?
#[test]
fn the_oldest_go_first_and_the_young_last() {
    for (kilobytes, at_most, at_least, stay, young) in [
        (100, 10 * HOUR, HOUR / 2, 5, 0),
        (100, 3 * HOUR + HOUR / 2, HOUR / 2, 3, 0),
        (100, HOUR / 2, HOUR / 4, 0, 0),
        (3, 10 * HOUR, HOUR / 2, 2, 0),
        (3, 10 * HOUR, 4 * HOUR + HOUR / 2, 2, 2),
        (0, 10 * HOUR, 10 * HOUR, 0, 5),
    ] {
        let (store, now) = (Store::new(), SystemTime::now());
        let hashes: Vec<Hash> = (1..=5).map(|age| store.put(age, HOUR * u32::from(age), now)).collect();
        let keep = Keep { bytes: kilobytes * 1000, at_most, at_least };
        let pruned = store.blobs().prune(&keep, now).expect("pruned");
        let kept =
            hashes.iter().filter(|hash| store.blobs().get(**hash, u64::MAX).expect("read").is_some()).count();
        assert_eq!((kept, pruned.young), (stay, young), "{keep:?}");
        let oldest_first: Vec<Hash> = hashes.iter().rev().copied().take(5 - stay).collect();
        assert_eq!(pruned.dropped, oldest_first, "{keep:?}");
        assert_eq!(pruned.bytes > 0, stay < 5);
    }
}

#[test]
fn a_content_replaced_once_more_is_young_again() {
    let (store, now) = (Store::new(), SystemTime::now());
    let old = store.put(1, 5 * HOUR, now);
    let other = store.put(2, 2 * HOUR, now);
    let bytes = store.blobs().get(old, u64::MAX).expect("read").expect("kept");
    store.blobs().put(old, &bytes).expect("kept again");
    let keep = Keep { bytes: 1500, at_most: 9 * HOUR, at_least: HOUR };
    assert_eq!(store.blobs().prune(&keep, now).expect("pruned").dropped, [other]);
}
