//! Commands that would open an editor of the screen, in every spelling that can be seen.

use super::judge;

#[track_caller]
fn check(edits: bool, sources: &[&str]) {
    let wrong: Vec<_> = sources.iter().filter(|source| judge().judge(source).edits != edits).collect();
    assert!(wrong.is_empty(), "expected {edits}: {wrong:?}");
}

#[test]
#[rustfmt::skip]
fn what_waits_for_keys() {
    check(true, &[
        "vi x", "vi", "vi -R x", "/usr/bin/vi x", "/bin/nano x", "\\vi x", "'vim' x", "v\\i x", "env vi x",
        "env A=1 vi x", "command vi x", "exec vim x", "nohup vi x", "timeout 5 vi x", "sudo vi x", "nice nano x",
        "true && vi x", "vi x | cat", "(vi x)", "if true; then vi x; fi", "for f in a b; do vi $f; done",
        "bash -c 'vi x'", "sh -c \"env vi x\"", "eval vi x", "ls | xargs vi", "find . -exec vi {} \\;",
        "echo $(vi x)", "nano -w x", "emacs -nw x", "emacsclient x", "vim -d a b", "e=vi; $e x", "A=1 vi x",
    ]);
}

#[test]
#[rustfmt::skip]
fn what_does_not() {
    check(false, &[
        "ls vi", "echo vi x", "cat vi", "which vi", "command -v vi", "./vi x", "vi --version", "vim -h",
        "vim -es -c '%s/a/b/' -c wq x", "vim -nEs +wq x", "vi +wq x", "vim -S script x", "nvim --headless x",
        "emacs --batch -f x", "emacs -batch x", "emacsclient -e '(f)'", "nano --version", "ed x", "ex x",
        "sed -i s/a/b/ x", "git commit -m vi", "vi() { ls; }; vi x", "# vi x", "echo 'vi x'",
    ]);
}
