//! Commands that git is told to run. Start from [`Walk::git_runs`].

use super::super::expand::Arg;
use super::super::git;
use super::super::listing::Output;
use super::super::walk::Walk;

impl Walk<'_> {
    /// `git bisect run`, `git submodule foreach`, `git rebase --exec`, the filters of `git filter-branch`, and aliases
    /// that are given on the command line.
    pub(super) fn git_runs(&mut self, args: &[Arg]) {
        let words = git::words(args);
        for arg in &args[..args.len() - words.len()] {
            if let Some((_, command)) = arg.text.split_once("=!") {
                self.joined(&[command]);
            }
        }
        let Some((command, rest)) = words.split_first() else {
            return;
        };
        match (command.text.as_str(), rest) {
            ("bisect", [run, inner @ ..]) if run.text == "run" => self.argv(inner, &Output::default()),
            ("submodule", _) => {
                let after = rest.iter().skip_while(|arg| arg.text != "foreach").skip(1);
                let words: Vec<&str> =
                    after.skip_while(|arg| arg.text.starts_with('-')).map(|arg| arg.text.as_str()).collect();
                self.joined(&words);
            }
            ("rebase", _) => self.option_values(rest, |option| matches!(option, "-x" | "--exec")),
            ("filter-branch", _) => self.option_values(rest, |option| option.ends_with("-filter")),
            _ => {}
        }
    }

    /// Judges what follows an option as a script.
    fn option_values(&mut self, args: &[Arg], takes: fn(&str) -> bool) {
        for (at, arg) in args.iter().enumerate() {
            let attached = arg.text.split_once('=').filter(|(option, _)| takes(option));
            let next = args.get(at + 1).filter(|_| takes(&arg.text));
            if let Some(source) = attached.map(|(_, value)| value).or(next.map(|arg| arg.text.as_str())) {
                self.joined(&[source]);
            }
        }
    }
}
