//! What may be granted and what may not, on real folders.

use super::*;
use std::fs;

/// A machine in a folder: a workspace, a home and something beside them.
fn check(text: &str, expected: Result<Option<&str>, &str>) {
    let name = format!("cinque-grant-{}-{:?}", std::process::id(), std::thread::current().id());
    let root = std::env::temp_dir().canonicalize().expect("a temporary folder").join(name);
    let folders = [
        "work/src",
        "work/.vscode",
        "home/.ssh",
        "home/.config",
        "home/cache",
        "out",
        "repo/.git/hooks",
        "repo/doc",
    ];
    for folder in folders {
        fs::create_dir_all(root.join(folder)).expect("a folder");
    }
    fs::write(root.join("out/file"), "").expect("a file");
    let _ = std::os::unix::fs::symlink(root.join("home/.ssh"), root.join("out/link"));
    let text = text.replace("ROOT", &root.display().to_string());
    let found = writable(&text, &root.join("work"), Some(&root.join("home")));
    fs::remove_dir_all(&root).expect("the folder goes");
    let found =
        found.map(|path| path.map(|path| path.strip_prefix(&root).map(Path::to_owned).unwrap_or(path)));
    match (&found, expected) {
        (Ok(path), Ok(wanted)) => assert_eq!(path.as_deref(), wanted.map(Path::new), "{text}"),
        (Err(refused), Err(words)) => assert!(refused.to_string().contains(words), "{text}: {refused}"),
        _ => panic!("{text}: {found:?}, expected {expected:?}"),
    }
}

#[test]
fn a_grant_is_no_wider_than_it_sounds() {
    for (text, expected) in [
        ("ROOT/out", Ok(Some("out"))),
        ("ROOT/out/file", Ok(Some("out/file"))),
        ("../out", Ok(Some("out"))),
        ("~/cache", Ok(Some("home/cache"))),
        ("ROOT/repo/doc", Ok(Some("repo/doc"))),
        ("src", Ok(None)),
        ("ROOT/work/src", Ok(None)),
        ("", Err("blank")),
        ("ROOT/nothing", Err("does not exist")),
        ("/", Err("the whole machine")),
        (".", Err("the whole workspace")),
        ("ROOT", Err("the workspace")),
        ("~", Err("a whole home")),
        ("ROOT/home", Err("a whole home")),
        ("/tmp", Err("cannot be made writable")),
        ("/etc", Err("belongs to the system")),
        ("/usr/bin", Err("belongs to the system")),
        ("/dev/null", Err("belongs to the system")),
        (".vscode", Err("protected")),
        ("~/.ssh", Err("protected")),
        ("~/.config", Err("protected")),
        ("ROOT/out/link", Err("protected")),
        ("ROOT/repo", Err(".git/hooks")),
        ("ROOT/repo/.git", Err("protected")),
        ("ROOT/repo/.git/hooks", Err(".git/hooks")),
    ] {
        check(text, expected);
    }
}
