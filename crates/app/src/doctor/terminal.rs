//! What the terminal can show, by what it says of itself. Start at [`look`]. It asks the terminal nothing but its size.

use super::Finding;

/// Smaller than this, questions and changes no longer fit.
const LEAST: Size = Size { columns: 60, rows: 16 };

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub columns: u16,
    pub rows: u16,
}

impl Size {
    /// The size of the terminal that stdout is, if it is one.
    pub fn of_stdout() -> Option<Size> {
        let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
        Some(Size { columns: size.ws_col, rows: size.ws_row })
    }
}

/// One finding for everything that matters to the terminal door.
pub fn look(variable: &dyn Fn(&str) -> Option<String>, size: Option<Size>) -> Vec<Finding> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let term = set("TERM").unwrap_or_default();
    let mut findings = vec![screen(&term, size), colours(&set, &term), letters(&set)];
    findings.extend(tmux(&set, &term));
    findings
}

fn finding(good: bool, what: &'static str, words: impl Into<String>, hint: &str) -> Finding {
    Finding { good, what, words: words.into(), hint: hint.to_owned() }
}

fn screen(term: &str, size: Option<Size>) -> Finding {
    let what = "terminal";
    let Some(Size { columns, rows }) = size else {
        return finding(
            true,
            what,
            "stdout is no terminal here, so `cinque PROMPT` works as `cinque exec`",
            "",
        );
    };
    let words = format!("{}, {columns} × {rows}", if term.is_empty() { "unknown" } else { term });
    if matches!(term, "" | "dumb") {
        return finding(false, what, words, "set TERM to what the terminal is, for example xterm-256color");
    }
    if columns < LEAST.columns || rows < LEAST.rows {
        let hint = format!("make the window at least {} × {}", LEAST.columns, LEAST.rows);
        return finding(false, what, words, &hint);
    }
    finding(true, what, words, "")
}

fn colours(set: &dyn Fn(&str) -> Option<String>, term: &str) -> Finding {
    let what = "colours";
    if set("NO_COLOR").is_some() {
        return finding(true, what, "off, since NO_COLOR is set", "");
    }
    match set("COLORTERM").as_deref() {
        Some("truecolor" | "24bit") => finding(true, what, "all (COLORTERM)", ""),
        _ if term.ends_with("-direct") => finding(true, what, "all (TERM)", ""),
        _ if term.contains("256color") => {
            finding(true, what, "256", "if the terminal can show all, COLORTERM=truecolor says so")
        }
        _ if matches!(term, "" | "dumb") => finding(true, what, "none", ""),
        _ => finding(true, what, "16", "if the terminal can show more, set TERM=xterm-256color"),
    }
}

fn letters(set: &dyn Fn(&str) -> Option<String>) -> Finding {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
    let spelled = locale.clone().unwrap_or_default().to_lowercase().replace('-', "");
    let words = locale.unwrap_or_else(|| "no locale is set".into());
    if spelled.contains("utf8") {
        return finding(true, "locale", words, "");
    }
    finding(
        false,
        "locale",
        words,
        "lines and letters may come out wrong: set LANG=C.UTF-8 or another UTF-8 locale",
    )
}

fn tmux(set: &dyn Fn(&str) -> Option<String>, term: &str) -> Option<Finding> {
    set("TMUX")?;
    let known = term.starts_with("tmux") || term.starts_with("screen");
    let hint = if known {
        "in ~/.tmux.conf, `set -sg escape-time 10` makes Escape quick and `set -as terminal-features ',*:RGB'` gives all colours"
    } else {
        "in ~/.tmux.conf, `set -g default-terminal tmux-256color`: TERM should name tmux, not what tmux runs in"
    };
    Some(finding(known, "tmux", "inside tmux", hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(variables: &[(&str, &str)], size: Option<(u16, u16)>, expected: &[(&str, bool, &str)]) {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        let found = look(&variable, size.map(|(columns, rows)| Size { columns, rows }));
        for (what, good, words) in expected {
            let told = found.iter().find(|finding| finding.what == *what).expect("a finding");
            let all = format!("{} {}", told.words, told.hint);
            assert!(told.good == *good && all.contains(words), "{variables:?}: {what}: {all}");
        }
        assert!(found.iter().all(|finding| finding.good || !finding.hint.is_empty()), "{variables:?}");
        assert_eq!(found.len(), expected.len(), "{variables:?}");
    }

    #[test]
    fn everything_that_is_missing_has_a_hint() {
        let wide = Some((120, 40));
        check(
            &[("TERM", "xterm-256color"), ("COLORTERM", "truecolor"), ("LANG", "de_DE.UTF-8")],
            wide,
            &[("terminal", true, "120 × 40"), ("colours", true, "all"), ("locale", true, "de_DE.UTF-8")],
        );
        check(
            &[("TERM", "dumb"), ("LANG", "C"), ("NO_COLOR", "1")],
            wide,
            &[("terminal", false, "set TERM"), ("colours", true, "NO_COLOR"), ("locale", false, "C.UTF-8")],
        );
        check(
            &[
                ("TERM", "xterm"),
                ("LC_ALL", "C"),
                ("LANG", "en_US.utf8"),
                ("TMUX", "/tmp/tmux-0/default,1,0"),
            ],
            Some((40, 10)),
            &[
                ("terminal", false, "at least 60 × 16"),
                ("colours", true, "16"),
                ("locale", false, "UTF-8 locale"),
                ("tmux", false, "default-terminal"),
            ],
        );
        check(
            &[("TERM", "tmux-256color"), ("LC_CTYPE", "C.UTF-8"), ("TMUX", "x")],
            None,
            &[
                ("terminal", true, "no terminal here"),
                ("colours", true, "256"),
                ("locale", true, "C.UTF-8"),
                ("tmux", true, "escape-time"),
            ],
        );
    }
}
