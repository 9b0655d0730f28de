//! What passes into a command's environment, and what never does.

use super::*;

fn of(names: &[&str]) -> Environment {
    Environment::allowed(names.iter().map(|name| (OsString::from(name), OsString::from("outside"))))
}

#[test]
fn places_pass_and_keys_do_not() {
    let names = [
        "PATH",
        "HOME",
        "LC_ALL",
        "CARGO_HOME",
        "OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "LD_PRELOAD",
        "BASH_ENV",
        "NODE_OPTIONS",
        "GIT_DIR",
        "SSH_AUTH_SOCK",
        "BASH_FUNC_ls%%",
        "CINQUE_MODEL",
        "https_proxy",
    ];
    let environment = of(&names);
    let passed: Vec<_> =
        names.iter().filter(|name| environment.get(name) == Some(OsStr::new("outside"))).collect();
    assert_eq!(passed, [&"PATH", &"HOME", &"LC_ALL", &"CARGO_HOME"]);
}

#[test]
fn nothing_pages_prompts_or_edits() {
    let environment = of(&["PAGER", "EDITOR", "GIT_EDITOR", "TERM"]);
    assert_eq!(environment.get("PAGER"), Some(OsStr::new("cat")));
    assert_eq!(environment.get("GIT_TERMINAL_PROMPT"), Some(OsStr::new("0")));
    for (name, words) in [
        ("EDITOR", "Interactive editor not available in this environment."),
        ("VISUAL", "Interactive editor not available in this environment."),
        ("GIT_EDITOR", "Interactive Git commands are not supported in this environment."),
    ] {
        let value = environment.get(name).and_then(OsStr::to_str).unwrap();
        assert!(value.contains(words), "{name}={value}");
    }
}

#[test]
fn a_variable_is_there_once() {
    let mut environment = of(&["PATH"]);
    environment.set("PATH".into(), "/bin".into());
    let pairs = environment.into_pairs();
    assert_eq!(pairs.iter().filter(|(name, _)| name == "PATH").count(), 1);
    assert!(pairs.contains(&("PATH".into(), "/bin".into())));
}

#[test]
fn only_what_could_hide_an_editor_is_kept_from_one() {
    for (source, kept) in [
        ("cargo test", false),
        ("vi file", false),
        ("$e file", true),
        ("`echo vi` file", true),
        ("eval vi file", true),
        ("./edit.sh", true),
        (". edit", true),
        ("source edit", true),
    ] {
        let mut environment = Environment::default();
        environment.keep_from_editing(source);
        assert_eq!(environment.get("BASH_FUNC_vi%%").is_some(), kept, "{source}");
    }
}
