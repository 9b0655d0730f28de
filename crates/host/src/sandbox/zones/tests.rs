//! Who decides about which name, given a workspace with a repository in it.

use super::*;

fn zones() -> Zones {
    Zones {
        workspace: "/w".into(),
        guard: Guard::new(Path::new("/w"), Some(Path::new("/w/ada"))),
        open: ["src", ".git/objects"].map(PathBuf::from).into(),
        files: Vec::new(),
        around: vec!["/".into()],
        beside: vec!["/w/.cinque/output/temp".into()],
        masked: vec!["/w/.config/gh".into(), "/home/.ssh".into()],
    }
}

#[test]
fn names_are_judged_where_they_are() {
    let cases = [
        ("/w", "new", Verdict::Warden),
        ("/w", ".cinque", Verdict::Refuse),
        ("/w", ".MCP.json", Verdict::Refuse),
        ("/w", ".git", Verdict::Refuse),
        ("/w/.git", "index.lock", Verdict::Warden),
        ("/w/.git", "hooks", Verdict::Refuse),
        ("/w/.git/hooks", "pre-commit", Verdict::Refuse),
        ("/w/.git/objects", "ab", Verdict::Kernel),
        ("/w/src", ".mcp.json", Verdict::Kernel),
        ("/w/src/deep/er", "x", Verdict::Kernel),
        ("/w/srcs", "x", Verdict::Warden),
        ("/ww", "x", Verdict::Warden),
        ("/", "w", Verdict::Refuse),
        ("/home", ".ssh", Verdict::Refuse),
        ("/home/.ssh", "id", Verdict::Refuse),
        ("/", "home", Verdict::Refuse),
        ("/home", "x", Verdict::Warden),
        ("/w", ".config", Verdict::Refuse),
        ("/w/.cinque/output", "x", Verdict::Refuse),
        ("/w/.cinque/output", "temp", Verdict::Refuse),
        ("/w/.cinque/output/temp", "x", Verdict::Outside),
        ("/w", ".github", Verdict::Hollow),
        ("/w/.github", "hooks", Verdict::Refuse),
        ("/w/.github", "workflows", Verdict::Warden),
        ("/w/.git", "worktrees", Verdict::Refuse),
        ("/w/.git/modules/x", "config", Verdict::Refuse),
        ("/w", "ada", Verdict::Hollow),
        ("/w/ada", ".bashrc", Verdict::Refuse),
        ("/w/ada", ".bashrc2", Verdict::Warden),
        ("/w/ada/.config", "systemd", Verdict::Refuse),
        ("/w", ".bashrc", Verdict::Warden),
        ("/w/.config", "x", Verdict::Warden),
    ];
    for (directory, name, expected) in cases {
        assert_eq!(zones().judge(Path::new(directory), name.as_bytes()), expected, "{directory} {name}");
    }
    let alone = Zones { around: Vec::new(), ..zones() };
    assert_eq!(alone.judge(Path::new("/ww"), b"x"), Verdict::Outside);
}
