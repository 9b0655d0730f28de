//! A temporary tree for tests: built from lines of text, compared as a map.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::workspace::{Change, Expect, Workspace};

/// A folder `ws` to be the workspace, beside a folder `outside` that nothing may reach.
pub(crate) struct Tree {
    base: tempfile::TempDir,
}

/// Every entry with its mode and its content or link target; folders have none.
pub(crate) type Snapshot = BTreeMap<PathBuf, (u32, Option<Vec<u8>>)>;

pub(crate) const SECRET: &str = "secret outside\n";

impl Tree {
    /// Items: `dir/`, `link => target`, `file` (with its own name and a newline as content), `file = content`. `$OUT` is the outside folder.
    pub(crate) fn new(items: &[&str]) -> Tree {
        // Some tests make thousands of trees; in memory that does not wait for a disk which others use.
        let memory = Path::new("/dev/shm");
        let base = tempfile::tempdir_in(memory).or_else(|_| tempfile::tempdir());
        let tree = Tree { base: base.expect("a temporary folder") };
        fs::create_dir(tree.root()).expect("ws");
        fs::create_dir(tree.outside()).expect("outside");
        fs::write(tree.outside().join("secret"), SECRET).expect("secret");
        items.iter().for_each(|item| tree.add(item));
        tree
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.base.path().join("ws")
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.base.path().join("outside")
    }

    pub(crate) fn open(&self) -> Workspace {
        Workspace::open(self.root()).expect("the workspace")
    }

    pub(crate) fn add(&self, item: &str) {
        let item = item.replace("$OUT", self.outside().to_str().expect("UTF-8"));
        let make_parent =
            |path: &Path| fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        if let Some((link, target)) = item.split_once(" => ") {
            let link = self.root().join(link);
            make_parent(&link);
            symlink(target, link).expect("a link");
        } else if item.ends_with('/') {
            fs::create_dir_all(self.root().join(item)).expect("a folder");
        } else {
            let named = format!("{item}\n");
            let (name, content) = item.split_once(" = ").unwrap_or((&item, &named));
            let path = self.root().join(name);
            make_parent(&path);
            fs::write(path, content).expect("a file");
        }
    }

    pub(crate) fn set_mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.root().join(name), fs::Permissions::from_mode(mode)).expect("a mode");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        String::from_utf8(fs::read(self.root().join(name)).expect("a file")).expect("UTF-8")
    }

    /// What a person sees: everything but the state folder.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let mut all = snapshot(&self.root());
        all.retain(|path, _| !path.starts_with(".cinque"));
        all
    }

    pub(crate) fn outside_is_untouched(&self) -> bool {
        let outside = snapshot(&self.outside());
        outside.len() == 1
            && outside.values().all(|(_, content)| content.as_deref() == Some(SECRET.as_bytes()))
    }
}

fn snapshot(root: &Path) -> Snapshot {
    let mut found = Snapshot::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let meta = fs::symlink_metadata(&path).expect("metadata");
            let content = if meta.is_dir() {
                folders.push(path.clone());
                None
            } else if meta.is_symlink() {
                Some(fs::read_link(&path).expect("a link").into_os_string().into_encoded_bytes())
            } else {
                Some(fs::read(&path).expect("a file"))
            };
            found.insert(path.strip_prefix(root).expect("beneath").to_owned(), (meta.mode(), content));
        }
    }
    found
}

pub(crate) fn write(path: &str, text: &str) -> Change {
    Change::Write { path: path.into(), bytes: text.into(), expect: Expect::Anything }
}

pub(crate) fn remove(path: &str) -> Change {
    Change::Remove { path: path.into(), expect: Expect::Anything }
}

pub(crate) fn rename(from: &str, to: &str) -> Change {
    Change::Move {
        from: from.into(),
        to: to.into(),
        bytes: None,
        expect: Expect::Anything,
        onto: Expect::Absent,
    }
}
