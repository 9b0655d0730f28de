//! Git with settings that run programs: what the environment makes of them, tried with the real git.

use std::path::Path;
use std::process::{Command, Output};

use super::*;

fn git(folder: &Path, hardened: bool, args: &[&str]) -> Output {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    if hardened {
        let names = driver_names(folder, &["."]);
        command.envs(git_hardening()).envs(git_drivers(&names).expect("all drivers are known"));
    }
    command.output().expect("git is installed")
}

fn driver_names(folder: &Path, places: &[&str]) -> String {
    let listed = Command::new("bash")
        .current_dir(folder)
        .args(["-c", GIT_DRIVER_SCRIPT, "bash"])
        .args(places)
        .envs(git_hardening())
        .output()
        .expect("bash is installed");
    String::from_utf8_lossy(&listed.stdout).into_owned()
}

#[test]
fn drivers_of_a_repository_do_not_run() {
    let folder = std::env::temp_dir().join(format!("judge-drivers-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("a file");
    let setup = |args: &[&str]| assert!(git(&folder, false, args).status.success(), "{args:?}");
    write("a.txt", "old\n");
    setup(&["init", "-q"]);
    setup(&["add", "a.txt"]);
    setup(&["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "one"]);
    write("a.txt", "new\n");
    write(".gitattributes", "* filter=a.B diff=a.B merge=a.B\n");
    let ran = folder.join("ran");
    let evil = format!("touch {}; cat; true", ran.display());
    for key in [
        "filter.a.B.clean",
        "filter.a.B.smudge",
        "diff.a.B.command",
        "diff.a.B.textconv",
        "diff.external",
        "merge.a.B.driver",
        "gpg.program",
        "gpg.ssh.program",
    ] {
        setup(&["config", key, &evil]);
    }
    setup(&["config", "filter.a.B.required", "true"]);
    setup(&["config", "format.pretty", "%G?"]);
    for args in [
        &["diff"][..],
        &["diff", "--stat"],
        &["diff-files", "-p"],
        &["log", "-p"],
        &["show"],
        &["blame", "a.txt"],
        &["log", "-Sold"],
        &["archive", "HEAD"],
        &["hash-object", "a.txt"],
        &["status"],
        &["describe", "--always", "--dirty"],
    ] {
        let output = git(&folder, true, args);
        assert!(!ran.exists(), "{args:?} ran a program");
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let shown = git(&folder, true, &["diff"]);
    assert!(String::from_utf8_lossy(&shown.stdout).contains("-old\n+new\n"));
    git(&folder, false, &["diff"]);
    assert!(ran.exists(), "the settings would have run a program");
    std::fs::remove_dir_all(&folder).expect("the folder goes");
}
