//! Wakes whoever waits for a folder to change. Start at [`Watch::wait`].
//!
//! The kernel is asked to tell. Where it does not (a network share, a folder shared with a virtual machine, too many
//! watchers), a look now and then finds what nobody told.

use crate::watch::{Watcher, watch};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// How often to look although nothing was told.
const NOW_AND_THEN: Duration = Duration::from_secs(2);
/// How often where nothing will be told.
const BLIND: Duration = Duration::from_millis(100);

#[derive(Default)]
pub(super) struct Watch {
    bell: Arc<Notify>,
    watcher: Option<Watcher>,
    /// Which folder is watched: one that was removed and made anew is another.
    folder: Option<(u64, u64)>,
}

impl Watch {
    /// Watches a folder, unless it is watched already.
    pub(super) fn look_at(&mut self, folder: &Path) {
        let found = fs::metadata(folder).ok().map(|found| (found.dev(), found.ino()));
        if found == self.folder && self.watcher.is_some() {
            return;
        }
        self.folder = found;
        let bell = self.bell.clone();
        self.watcher = watch(folder, move || bell.notify_one()).ok();
    }

    /// Waits until the folder has changed, at most for `pause`.
    pub(super) async fn wait(&self, pause: Option<Duration>) {
        let longest = if self.watcher.is_some() { NOW_AND_THEN } else { BLIND };
        let pause = pause.unwrap_or(longest).clamp(Duration::from_millis(1), longest);
        // That nothing happened in time is a reason to look as well.
        let _ = tokio::time::timeout(pause, self.bell.notified()).await;
    }
}
