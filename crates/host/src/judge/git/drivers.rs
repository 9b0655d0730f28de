//! Drivers that a repository's settings name: programs that git runs on the contents of files. Start from
//! [`overrides`]. Each is replaced by something that leaves contents alone.

/// Arguments with which git lists the settings that [`overrides`] needs to know of; this runs no driver.
pub const GIT_DRIVER_NAMES: &[&str] = &["config", "--name-only", "--get-regexp", "^(filter|diff|merge)\\."];

/// Settings that make every driver named in `config_names` harmless.
pub fn overrides(config_names: &str) -> Vec<(String, String)> {
    let mut settings: Vec<(String, String)> = Vec::new();
    let mut set = |key: String, value: &str| {
        if !settings.iter().any(|(known, _)| *known == key) {
            settings.push((key, value.to_owned()));
        }
    };
    for name in config_names.lines() {
        let Some((section, rest)) = name.split_once('.') else {
            continue;
        };
        let section = section.to_ascii_lowercase();
        let Some((driver, _)) = rest.rsplit_once('.') else {
            if section == "diff" && rest.eq_ignore_ascii_case("external") {
                set("diff.external".to_owned(), COMPARE);
            }
            continue;
        };
        for (_, key, value) in REPLACED.iter().filter(|(of, _, _)| *of == section) {
            // A driver without such a program must not get one.
            let needed = name.to_ascii_lowercase().ends_with(&format!(".{key}"));
            if section == "filter" || needed {
                set(format!("{section}.{driver}.{key}"), value);
            }
        }
    }
    settings
}

/// Git hands over the path, then name, hash and mode of the old file and of the new one. An empty command
/// would make git give up, and so would any other status than success.
const COMPARE: &str = r#"f() { diff -u -L "a/$1" -L "b/$1" -- "$2" "$5" || :; }; f"#;

/// Section, key, and the harmless value.
const REPLACED: &[(&str, &str, &str)] = &[
    ("filter", "clean", ""),
    ("filter", "smudge", ""),
    ("filter", "process", ""),
    ("filter", "required", "false"),
    ("diff", "command", COMPARE),
    ("diff", "textconv", "cat"),
    ("diff", "cachetextconv", "false"),
    ("merge", "driver", "false"),
];
