//! Editors of the screen, which wait for keys that nobody presses. Start at [`waits`].

use super::expand::Arg;
use super::program;

struct Editor {
    names: &'static [&'static str],
    /// What an option begins with that lets it work from a script, or only speak.
    alone: &'static [&'static str],
    /// Letters of its short options that do the same.
    letters: &'static str,
}

const EDITORS: &[Editor] = &[
    Editor {
        names: &["vi", "vim", "nvim", "view", "nvi", "rvim", "rview", "vimdiff", "vim.basic", "vim.tiny"],
        alone: &["+", "-c", "-S", "-h", "-l", "--cmd", "--headless", "--version", "--help"],
        letters: "eEs",
    },
    Editor { names: &["nano", "pico", "rnano"], alone: &["-V", "-h", "--version", "--help"], letters: "" },
    Editor {
        names: &["emacs", "emacsclient"],
        alone: &["-batch", "--batch", "--script", "-e", "--eval", "--version", "--help"],
        letters: "",
    },
    Editor {
        names: &["micro", "joe", "jed", "mcedit", "ne", "kak", "hx", "helix"],
        alone: &["-version", "--version", "-h", "-help", "--help", "--health"],
        letters: "",
    },
];

/// Whether a command would open an editor and wait.
pub fn waits(args: &[Arg]) -> bool {
    let Some((first, rest)) = args.split_first() else { return false };
    let name = program::base(&first.text);
    let Some(editor) = EDITORS.iter().find(|editor| editor.names.contains(&name)) else { return false };
    !rest.iter().any(|arg| editor.works_alone(&arg.text))
}

impl Editor {
    fn works_alone(&self, option: &str) -> bool {
        let short = option.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        self.alone.iter().any(|alone| option.starts_with(alone))
            || short.is_some_and(|rest| rest.contains(|letter| self.letters.contains(letter)))
    }
}
