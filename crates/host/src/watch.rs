//! The kernel tells when something in a folder changes. Start at [`watch`].
//!
//! There are file systems of which it knows nothing, and there may be too many watchers: whoever waits must look by
//! itself as well, now and then.

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Result, Watcher as _};
use std::path::Path;

/// It is told as long as this is kept.
pub(crate) type Watcher = RecommendedWatcher;

/// Rings whenever something directly in the folder changes, or when that cannot be told any more.
pub(crate) fn watch(folder: &Path, ring: impl Fn() + Send + 'static) -> Result<Watcher> {
    let mut watcher = notify::recommended_watcher(move |event: Result<Event>| {
        if event.map_or(true, |event| is_change(event.kind)) {
            ring();
        }
    })?;
    watcher.watch(folder, RecursiveMode::NonRecursive)?;
    Ok(watcher)
}

/// Reading the folder is told too, and must not wake who reads it.
fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::Scratch;
    use std::sync::mpsc;
    use std::time::Duration;

    #[test]
    fn writing_rings_and_reading_does_not() {
        let scratch = Scratch::new();
        let file = scratch.write("file", "a");
        let (ring, rung) = mpsc::channel();
        let _watcher = watch(scratch.path(), move || {
            let _ = ring.send(());
        })
        .unwrap();
        std::fs::read(&file).unwrap();
        std::fs::read_dir(scratch.path()).unwrap().for_each(drop);
        assert!(rung.try_recv().is_err());
        // As SQLite does to its log: in place, and the file stays open.
        let mut open = std::fs::File::options().append(true).open(&file).unwrap();
        std::io::Write::write_all(&mut open, b"b").unwrap();
        rung.recv_timeout(Duration::from_secs(10)).expect("heard");
    }
}
