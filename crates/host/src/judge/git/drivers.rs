//! Drivers that a repository's settings name: programs that git runs on the contents of files. Start from
//! [`GIT_DRIVER_SCRIPT`], which finds them, and [`overrides`]. Each is replaced by something that leaves contents alone.

/// A script that prints the names of all settings that [`overrides`] needs to know of, and runs no driver. Its arguments
/// are the places to look in: folders, or `--git-dir=` options. It looks into the repositories that are registered
/// in others too, since git itself goes there to see what changed. What it cannot look into it says.
pub const GIT_DRIVER_SCRIPT: &str = r#"
look() {
  local depth=$1 top line path; shift
  git "$@" config --name-only --get-regexp '^(filter|diff|merge)\.'
  top=$(git "$@" rev-parse --show-toplevel) && [ -n "$top" ] || return 0
  git "$@" ls-files -s -z --full-name -- :/ | tr '\n\0' '\1\n' | grep -a '^160000 ' | while IFS= read -r line; do
    path=$top/${line#*$'\t'}
    case $path in *$'\1'*) echo unknown; continue; esac
    [ -e "$path/.git" ] || continue
    [ "$depth" -lt 4 ] || { echo unknown; continue; }
    look $((depth + 1)) -C "$path"
  done
}
for place; do
  case $place in
    --git-dir=*) look 0 "$place" ;;
    *) [ ! -d "$place" ] || look 0 -C "$place" ;;
  esac
done 2>/dev/null
echo done
"#;

/// More settings than anybody writes by hand.
const MOST: usize = 1000;

/// Settings that make every driver named in `config_names` harmless; `None` where not all are known.
pub fn overrides(config_names: &str) -> Option<Vec<(String, String)>> {
    let names = config_names.strip_suffix("done\n")?;
    if names.lines().count() > MOST || names.lines().any(|name| name == "unknown") {
        return None;
    }
    let mut settings: Vec<(String, String)> = Vec::new();
    let mut set = |key: String, value: &str| {
        if !settings.iter().any(|(known, _)| *known == key) {
            settings.push((key, value.to_owned()));
        }
    };
    for name in names.lines() {
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
    Some(settings)
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
