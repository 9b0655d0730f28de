//! The workspace from outside: which paths open, which are refused and how, and that nothing outside is ever reached.

pub(crate) mod tree;

use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use proptest::prelude::*;

use super::*;
use tree::{SECRET, Tree, write};

/// The variant's name, which is what callers match on.
pub(crate) fn kind<T>(result: &Result<T, Error>) -> String {
    match result {
        Ok(_) => "ok".to_owned(),
        Err(Error::NotAFile { kind, .. }) => format!("NotAFile {kind:?}"),
        Err(error) => format!("{error:?}").split([' ', '(']).next().unwrap_or_default().to_owned(),
    }
}

/// One of everything that a path can lead to.
fn odd_tree() -> Tree {
    let tree = Tree::new(&[
        "file",
        "dir/inner",
        "to-file => file",
        "to-dir => dir",
        "dir/up => ../file",
        "out => ../outside/secret",
        "out-dir => ../outside",
        "absolute => $OUT/secret",
        "self => self",
        "magic => /proc/self/root",
        "dangling => nothing",
    ]);
    drop(UnixListener::bind(tree.root().join("socket")).expect("a socket"));
    let pipe = std::process::Command::new("mkfifo").arg(tree.root().join("pipe")).status();
    assert!(pipe.expect("mkfifo").success());
    tree
}

#[test]
fn every_path_opens_or_says_why_not() {
    let tree = odd_tree();
    let workspace = tree.open();
    let root = tree.root();
    let spelled = |path: &str| path.replace("$ROOT", root.to_str().expect("UTF-8"));
    let check = |path: &str, expected: &str| {
        let asked = spelled(path);
        assert_eq!(kind(&workspace.open_file(&asked)), expected, "{path:?}");
        let walked =
            workspace.relative(asked.as_ref()).and_then(|path| resolve::open_by_walk(workspace.dir(), &path));
        let walked = walked.and_then(|file| regular(file, asked.as_ref()));
        assert_eq!(kind(&walked), expected, "{path:?} without openat2");
    };
    for (path, expected) in [
        ("file", "ok"),
        ("./dir//inner", "ok"),
        ("dir/../file", "ok"),
        ("to-file", "ok"),
        ("to-dir/inner", "ok"),
        ("to-dir/up", "ok"),
        ("$ROOT/file", "ok"),
        ("$ROOT/./dir/inner", "ok"),
        ("$ROOT/../ws/file", "ok"),
        ("", "Blank"),
        (" \t", "Blank"),
        ("fi\0le", "Nul"),
        ("../outside/secret", "Outside"),
        ("dir/../../outside/secret", "Outside"),
        ("nothing/../../outside/secret", "Outside"),
        ("/etc/passwd", "Outside"),
        ("$ROOT-2/file", "Outside"),
        ("$ROOT/../outside/secret", "Outside"),
        ("out", "Outside"),
        ("out-dir/secret", "Outside"),
        ("absolute", "Outside"),
        ("magic/etc/passwd", "Outside"),
        ("/proc/self/root/etc/passwd", "Outside"),
        ("nothing", "Missing"),
        ("dangling", "Missing"),
        ("file/inner", "Missing"),
        ("file/", "Missing"),
        ("self", "Loop"),
        (".", "NotAFile Folder"),
        ("dir", "NotAFile Folder"),
        ("pipe", "NotAFile Pipe"),
        ("socket", "NotAFile Socket"),
    ] {
        check(path, expected);
    }
}

#[test]
fn absolute_paths_can_be_forbidden() {
    let tree = Tree::new(&["file"]);
    let workspace = tree.open().with_absolute(Absolute::Refuse);
    assert_eq!(kind(&workspace.open_file(tree.root().join("file"))), "Outside");
    assert_eq!(kind(&workspace.open_file("file")), "ok");
}

#[test]
fn a_workspace_reached_through_a_link_knows_both_its_names() {
    let tree = Tree::new(&["real/file", "alias => real"]);
    let workspace = Workspace::open(tree.root().join("alias")).expect("the workspace");
    for path in ["alias/file", "real/file"] {
        assert_eq!(kind(&workspace.open_file(tree.root().join(path))), "ok", "{path}");
    }
}

#[test]
fn opening_something_else_than_a_folder_is_refused() {
    let tree = Tree::new(&["file"]);
    assert_eq!(kind(&Workspace::open(tree.root().join("file"))), "NotAFolder");
    assert_eq!(kind(&Workspace::open(tree.root().join("nothing"))), "Missing");
}

#[test]
fn a_folder_inside_git_cannot_be_written() {
    let tree = Tree::new(&[".git/modules/x/config"]);
    let workspace = Workspace::open(tree.root().join(".git/modules/x")).expect("the workspace");
    assert_eq!(kind(&workspace.change(&[write("config", "new")])), "Protected");
}

#[test]
fn refused_changes_leave_no_trace() {
    let tree = Tree::new(&["file"]);
    let _ = tree.open().change(&[write("file", "new"), write("../outside/secret", "x")]);
    assert!(!tree.root().join(".cinque").exists());
    assert_eq!(tree.read("file"), "file\n");
}

/// Names that a random tree and a random path are made of; few, so that they meet.
fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b", "c", "..", ".", "secret"])
}

fn some_path() -> impl Strategy<Value = String> {
    let parts = prop::collection::vec(name(), 1..6).prop_map(|parts| parts.join("/"));
    let leading = prop::sample::select(vec!["", "", "", "../outside/", "$OUT/", "/", "/proc/self/cwd/"]);
    (leading, parts, prop::sample::select(vec!["", "", "/"]))
        .prop_map(|(lead, path, tail)| format!("{lead}{path}{tail}"))
}

fn some_item() -> impl Strategy<Value = String> {
    let place = prop::collection::vec(prop::sample::select(vec!["a", "b", "c"]), 1..4)
        .prop_map(|parts| parts.join("/"));
    (place, some_path(), 0..4u8).prop_map(|(place, target, kind)| match kind {
        0 => format!("{place}/"),
        1 => place,
        _ => format!("{place} => {target}"),
    })
}

/// Adds what can be added: items may contradict one another, and then the first one wins.
fn build(items: &[String]) -> Tree {
    let tree = Tree::new(&[]);
    for item in items {
        let place = tree.root().join(item.split(" => ").next().unwrap_or_default().trim_end_matches('/'));
        let inside = |path: &PathBuf| {
            path.canonicalize().is_ok_and(|path| path.starts_with(tree.root()) && path.is_dir())
        };
        let free = place.symlink_metadata().is_err();
        let above: Vec<PathBuf> = place.ancestors().skip(1).map(PathBuf::from).collect();
        let reachable = above.iter().find(|path| path.symlink_metadata().is_ok()).is_some_and(inside);
        if free && reachable && !item.contains('\0') {
            tree.add(item);
        }
    }
    tree
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_path_reads_or_writes_outside(items in prop::collection::vec(some_item(), 0..12), paths in prop::collection::vec(some_path(), 1..8)) {
        let tree = build(&items);
        let workspace = tree.open();
        for path in &paths {
            let asked = path.replace("$OUT", tree.outside().to_str().unwrap_or_default());
            let by_kernel = workspace.load(&asked);
            if let Ok(loaded) = &by_kernel {
                prop_assert_ne!(&loaded.bytes, &SECRET.as_bytes());
            }
            let by_walk = workspace
                .relative(asked.as_ref())
                .and_then(|path| resolve::open_by_walk(workspace.dir(), &path))
                .and_then(|file| regular(file, asked.as_ref()));
            prop_assert_eq!(kind(&by_kernel), kind(&by_walk), "{} in {:?}", path, items);
            let _ = workspace.list(&asked, Ignored::Show, 10);
            let written = workspace.change(&[write(&asked, "written")]);
            prop_assert!(tree.outside_is_untouched(), "{} in {:?}", path, items);
            if written.is_ok() {
                let read = workspace.load(&asked).map(|loaded| loaded.bytes);
                prop_assert_eq!(read.ok(), Some(b"written".to_vec()), "{} in {:?}", path, items);
            }
        }
    }
}

/// A folder turns into a link to the outside and back while it is used; each use must see one or the other, never the outside.
#[test]
fn a_race_with_links_never_leads_outside() {
    let tree = Tree::new(&["swap/secret = mine", "other => $OUT", "relative => ../outside"]);
    let (root, stop) = (tree.root(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let exchange = |one: &str, two: &str| {
                let cwd = rustix::fs::CWD;
                let flags = rustix::fs::RenameFlags::EXCHANGE;
                rustix::fs::renameat_with(cwd, root.join(one), cwd, root.join(two), flags)
                    .expect("an exchange")
            };
            while !stop.load(Ordering::Relaxed) {
                exchange("swap", "other");
                exchange("swap", "relative");
            }
        });
        let workspace = tree.open();
        for round in 0..400 {
            if let Ok(loaded) = workspace.load("swap/secret") {
                assert_ne!(loaded.bytes, SECRET.as_bytes());
            }
            let _ = workspace.change(&[write("swap/secret", &format!("mine {round}"))]);
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(tree.outside_is_untouched());
}
