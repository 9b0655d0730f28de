//! Which files are told to the model, and which are not.

use super::*;
use kit::Scratch;

fn rendered(scratch: &Scratch, directory: &str) -> String {
    render("standard", &scratch.join(directory), "2026-01-02 03:04")
}

#[test]
fn files_from_the_root_down_in_this_order() {
    let scratch = Scratch::new();
    scratch.directory("repository/.git");
    scratch.write("AGENTS.md", "outside");
    scratch.write("repository/AGENTS.md", "at the root");
    scratch.write("repository/a/b/AGENTS.md", "near");
    let text = rendered(&scratch, "repository/a/b");
    assert!(text.find("at the root") < text.find("near"));
    assert!(!text.contains("outside") && text.contains("2026-01-02"));
}

#[test]
fn every_profile_fills_its_template_once() {
    let scratch = Scratch::new();
    let folder = scratch.directory("{{operating_system}}");
    for profile in ["standard", "web", "terminal", "api"] {
        let text = render(profile, &folder, "2026-01-02 03:04");
        assert!(text.contains("2026-01-02 03:04") && text.contains(std::env::consts::OS), "{text}");
        assert_eq!(text.matches("{{").count(), 1, "{text}");
        assert!(text.contains(&*folder.to_string_lossy()), "{text}");
    }
}

#[test]
fn what_does_not_fit_is_cut_far_away_first() {
    let scratch = Scratch::new();
    scratch.directory(".git");
    scratch.write("AGENTS.md", "r".repeat(30_000));
    scratch.write("a/AGENTS.md", "n".repeat(20_000));
    let text = rendered(&scratch, "a");
    assert_eq!(text.matches('n').count() / 1000, 20);
    assert!(text.contains("left out") && text.len() < LONGEST + 2000);
}

#[cfg(unix)]
#[test]
fn a_link_that_leaves_the_repository_is_not_followed() {
    let scratch = Scratch::new();
    scratch.directory("repository/.git");
    let secret = scratch.write("secret", "the key");
    std::os::unix::fs::symlink(secret, scratch.join("repository/AGENTS.md")).unwrap();
    assert!(!rendered(&scratch, "repository").contains("the key"));
    let inner = scratch.write("repository/CLAUDE.md", "inner words");
    std::fs::remove_file(scratch.join("repository/AGENTS.md")).unwrap();
    std::os::unix::fs::symlink(inner, scratch.join("repository/AGENTS.md")).unwrap();
    assert!(rendered(&scratch, "repository").contains("inner words"));
}
