//! Cases for the judge, in tables: what is allowed and what asks; what is forbidden is in `forbidden`.

mod corners;
mod drivers;
mod editors;
mod forbidden;
mod laws;
mod rules;
mod solve;

use super::*;

fn judge() -> Judge {
    Judge::new(Rules::default()).expect("no rules, no errors")
}

#[track_caller]
fn check(verdict: Verdict, sources: &[&str]) {
    check_with(&judge(), verdict, sources);
}

#[track_caller]
fn check_with(judge: &Judge, verdict: Verdict, sources: &[&str]) {
    let wrong: Vec<String> = sources
        .iter()
        .map(|source| (source, judge.judge(source)))
        .filter(|(_, found)| found.verdict != verdict)
        .map(|(source, found)| format!("{source:?}: {:?} {:?}", found.verdict, found.reasons))
        .collect();
    assert!(wrong.is_empty(), "expected {verdict:?}:\n{}", wrong.join("\n"));
}

#[test]
#[rustfmt::skip]
fn reading_is_allowed() {
    check(Verdict::Allow, &[
        "", "# nothing", "ls -la src", "cat README.md | head -20", "rg -n 'fn main' src",
        "rg -n process.env src", "grep -rn TODO . | wc -l", "grep -rn 'process.env' src",
        "find . -name '*.rs' -not -path './target/*'", "find . -type f -exec grep -l foo {} +",
        "git status && git diff --stat", "git log --oneline -5 | cat", "git --no-pager show HEAD~2:src/lib.rs",
        "git branch -a", "git config --get user.name", "git stash list", "git -C /work/x status",
        "git diff foo-$(date +%F).txt", "sed -n '1,40p' a.rs", "sed 's/[^/]*$//' a",
        "sed -e 's/a/b/g' -e '/x/d' f", "sed '1!G;h;$!d' f", "sed ':a;N;$!ba;s/x/y/' f",
        "sed '/^#/d; s#a#b#' f", "sed 's/[[:space:]/]*$//' f", "sed 'y/[]/()/' f",
        "awk -F: '{print $1}' /etc/passwd", "awk '$3 > 100 {print $1}' f",
        "awk '/a|b/ {n++} END {print n/2}' f", "awk '{print $1 \"|\" $2}' f",
        "for f in a.rs b.rs; do wc -l \"$f\"; done", "for f in $(git ls-files); do wc -l \"$f\"; done",
        "for ((i=0; i<3; i++)); do echo $i; done", "n=3; echo $((n * 2))", "x=src; ls $x",
        "d=src; cat \"$d/lib.rs\"", "if [ -f Cargo.toml ]; then cat Cargo.toml; fi",
        "[[ -d src && $(ls) == *x* ]] && echo yes", "case $1 in a) ls;; *) pwd;; esac",
        "f() { ls \"$1\"; }; f src", "cat <<'EOF'\n$(rm x)\nEOF", "cat <<EOF | grep x\nhello $USER\nEOF",
        "diff <(sort -u a) <(sort -u b)", "echo hi >/dev/null 2>&1", "ls 2>&1 | tee", "{ ls; pwd; } | cat",
        "(cd /tmp && ls)", "time ls", "time -p ls", "! ls", "env FOO=1 ls", "env ls -S", "nice -n 10 ls",
        "timeout 5 ls", "command -v cargo", "bash -lc 'ls -la'", "bash -eo pipefail -c 'ls | wc -l'",
        "'ls' -la", "l\\s", "\"ls\"", "/bin/ls", "$'ls'", "git ls-files | xargs wc -l",
        "ls | xargs -n1 basename", "echo a b | xargs cat", "jq '.a.key' f.json", "date -d yesterday +%F",
        "tar tzf x.tgz", "xxd -l 16 f", "uniq -c f", "sort -k2,2n -t, f", "tree -L 2",
        "stat f; file f; du -sh .", "which node && node --version", "printf '%s\\n' a b", "echo \"it's\"",
        "ls -la # rm x", "echo a#b", "cat .env.example", "cat a.rs b.rs", "cat *.md", "true && false || echo x",
        "while read -r l; do echo \"$l\"; done < f", "trap 'echo bye' EXIT", "exec ls", "ls &",
        "echo {a,b}{1..3}", "echo ${x:-y} ${#x} ${x%.*}", "echo $? $# $$", "set -euo pipefail; ls",
        "git rev-parse --show-toplevel", "cd \"$(git rev-parse --show-toplevel)\" && ls", "export FOO=bar; ls",
        "yq '.a' f", "git diff $(git merge-base HEAD main)", "[ -n \"$x\" ] && echo \"$x\"",
        "printf '%s\\n' \"$x\"",
    ]);
}

/// However it is hidden, the command inside is found.
#[test]
#[rustfmt::skip]
fn nested_commands_ask() {
    check(Verdict::Ask, &[
        "ls;touch x", "ls&touch x", "ls|touch x", "ls\ntouch x", "ls $(touch x)", "ls `touch x`",
        "ls `echo \\`touch x\\``", "cat <(touch x)", "cat < <(touch x)", ">(touch x) ls", ": ${x:=$(touch x)}",
        "echo \"${x:-`touch x`}\"", "echo ${x/$(touch x)/}", "echo ${a[$(touch x)]}", "echo $(( $(touch x) ))",
        "(( a[$(touch x)] ))", "[[ -f $(touch x) ]]", "[[ x =~ $(touch x) ]]", "[[ -f <(touch x) ]]",
        "case $(touch x) in *) ;; esac", "case x in x) touch x;; esac", "case x in (x|y) ls;; *) touch x; esac",
        "for i in $(touch x); do :; done", "for i in a; do touch $i; done",
        "for ((i=$(touch x);;)); do ls; done", "f() { touch x; }", "function f { touch x; }", "f() (touch x)",
        "f() if true; then touch x; fi", "cat <<EOF\n$(touch x)\nEOF", "cat <<EOF\n`touch x`\nEOF",
        "cat <<EOF; touch x\nfoo\nEOF", "cat <<EOF\nfoo\nEOF\ntouch x", "cat <<-EOF\n\tx\n\tEOF\ntouch x",
        "cat <<A <<B\na\nA\nb\nB\ntouch x", "time touch x", "! touch x", "{ touch x; }", "(touch x)",
        "if touch x; then ls; fi", "if :; then ls; elif :; then touch x; else ls; fi",
        "while touch x; do ls; done", "until :; do touch x; done", "select i in a; do touch x; done",
        "exec touch x", "exec -a ls touch x", "command touch x", "command -p touch x",
        "builtin command touch x", "\\touch x", "tou''ch x", "to\"u\"ch x", "$'\\x74ouch' x",
        "/usr/bin/touch x", "./ls", "touch${IFS}x", "{touch,x}", "$(echo ls)", "`echo ls`", "a=touch; $a x",
        "a=tou; ${a}ch x", "X=$(touch x)", "X=(a $(touch x))", "declare x=$(touch x)", "export x=$(touch x)",
        "a=1 b=$(touch x) ls", "env touch x", "env -i touch x", "env -S 'touch x'",
        "env --split-string='touch x'", "env -u A -C /tmp touch x", "env - touch x", "xargs touch",
        "xargs -0 -n1 touch", "xargs --max-args=1 touch", "xargs -I{} sh -c 'touch {}'",
        "xargs -I{} sh -c '{}'", "find . -exec touch {} \\;", "find . -exec ls {} + -exec touch {} +",
        "find . -ok touch {} \\;", "find . -execdir sh -c 'touch x' \\;", "trap 'touch x' EXIT",
        "nice -n -5 touch x", "timeout -k 5 10 touch x", "timeout 5s env A=1 nice touch x",
        "stdbuf -oL touch x", "nohup touch x &", "busybox touch x", "bash -c 'touch x'",
        "bash -c \"touch x\" ls", "bash --norc -c 'touch x'", "bash -o pipefail -c 'touch x'",
        "bash +x -c 'touch x'", "bash -c -l 'touch x'", "sh -c 'sh -c \"touch x\"'", "bash script.sh",
        "bash < f", "bash -s", "bash", "bash -c", "bash -c \"$X\"", "bash -c '\"$@\"' _ touch x",
        "echo 'touch x' | bash", "bash <<< 'touch x'", "bash <<EOF\ntouch x\nEOF", "source f", ". ./f",
        "eval ls", "eval touch x", "alias ls=touch", "ls | while read f; do touch \"$f\"; done",
        "yes | touch x", "ls |& touch x", "ls # x\ntouch x", "ls #\\\ntouch x", "echo a#b; touch x",
        "echo $#; touch x", "echo ${#x}; touch x", "x=(1)#c; touch x", "sudo ls", "sudo -u root ls", "doas ls",
        "watch ls", "parallel ls ::: a", "ssh host ls", "uv run ls", "npx ls", "strace ls",
        "set -- touch x; \"$@\"", "\"$1\"", "$x", "hash -p /tmp/x ls", "enable -f x ls", "coproc ls",
        "ls \\\n; touch x", "ls \\\n# '\ntouch x #'",
    ]);
}

#[test]
#[rustfmt::skip]
fn writing_asks() {
    check(Verdict::Ask, &[
        "ls > f", "ls >> f", "ls >| f", "ls &> f", "ls &>> f", "ls >& f", "ls 2> f", "cat 0<> f", "> f",
        "ls > $x", "exec > f", "{ ls; } > f", "for i in a; do ls; done > f", "f() { ls; } > f",
        "ls >/dev/null >f", "echo x | tee f", "tee -a f", "sort -o f g", "sort -rof g", "sort --outp f g",
        "sort --compress-program=x f", "sort $x", "sort *", "uniq a b", "uniq -c a b", "xxd a b",
        "xxd -l 5 a b", "hostname x", "date -s x", "date --se x", "date 01010101", "tree -o f", "fd -x touch",
        "fd . -X touch", "rg --pre x y", "rg --hostname-bin x y", "rg \"$x\" y", "rg {--pre,x} y", "yq -i . f",
        "sed -i s/a/b/ f", "sed s/a/b/ -i f", "sed -ni p f", "sed -n 'w f' g", "sed 's/a/b/w f' g",
        "sed 's/a/b/e' g", "sed '1e id' g", "sed -e p -e 'w f' g", "sed --expression='w f' g", "sed -n -e1wf g",
        "sed '/x/{w f\n}' g", "sed 'y/ab/cd/;w f' g", "sed 's|[|]|b|w f' g", "sed -f s g",
        "sed 'y/[/x/;w f]/a/' g", "sed 's/[]/]/x/;w f' g", "sed 's/[\\]/]/;w f' g", "sed 't|x w f' g",
        "sed ':a b w f' g", "sed \"$x\" g", "sed 'r /etc/passwd' g", "awk 'BEGIN{system(\"id\")}'",
        "awk '{print > \"f\"}' g", "awk '{print>$1}' g", "awk '{print | \"sh\"}' g",
        "awk 'BEGIN{\"id\" | getline x}'", "awk '{ while ((getline l < \"f\") > 0) print l }'", "awk -f p g",
        "awk -i inplace 1 g", "gawk --so='BEGIN{system(1)}' g", "sed --expr='w f' g", "sed --exp 'w f' g",
        "sort \"-n$x\" g", "jobs -x touch f", "mapfile -tC touch f", "printf \"$x\" y", "[ $x ]",
        "ls | cat list | xargs cat", "cat < /dev/sda", "awk '@load \"x\"'",
        "awk 'if(1) /\"/ ; print > \"f\" #\"/' g", "awk 'BEGIN{ARGV[1]=\"x\"}'", "find . -delete -name x",
        "find . -fprint f", "find . -name x -delete", "find . $x", "find . -{delete,name} x",
        "find . \"-de\\\nlete\" -name x", "less +!id f", "less -of f", "man -P id ls", "tar xf a", "tar cf a b",
        "tar tf a --to-command=id", "tar -tf a -I id", "tar tf h:a", "printf -v PATH x",
        "test -v 'a[$(touch x)]'", "[[ -v 'a[$(touch x)]' ]]", "x='a[$(touch x)]'; echo $((x))",
        "x='a[$';y='(touch x)]'; z=$x$y; ((z))", "read n < f; ((n))", "echo $(( $(cat f) ))", "echo ${x@P}",
        "shopt -s expand_aliases", "pip install x", "npm ls --global", "go env -w A=b", "cargo build", "make",
        "mkdir d", "touch f", "rm f", "rm -rf build", "rm -rf ./target/debug", "cp a b", "mv a b", "chmod +x f",
        "curl https://x.y", "cat /dev/sda", "git() { ls; }; unset -f git", "python3 -c 'print(1)'", "node -e 1",
        "docker ps", "kubectl get pods", "gh pr list", "psql -c 'select 1'", "fzf --preview 'touch x'",
        "fzf --bind 'start:execute(touch x)'", "unknown-program", "c\u{430}t f",
    ]);
}

#[test]
#[rustfmt::skip]
fn git_asks_unless_it_only_reads() {
    check(Verdict::Ask, &[
        "git commit -m x", "git add .", "git push", "git pull", "git fetch", "git checkout x",
        "git reset --hard", "git clean -fd", "git stash", "git stash drop", "git branch x", "git branch -D x",
        "git branch --list x -d y", "git tag x", "git tag -d x", "git config a.b c",
        "git config --global alias.x y", "git config --unset a.b", "git remote add a b",
        "git remote show origin", "git reflog expire --all", "git notes add", "git worktree add x",
        "git bisect start", "git symbolic-ref HEAD refs/x", "git -c core.pager=id log",
        "git -c core.fsmonitor=id status", "git -ccore.pager=id log", "git --config-env=core.pager=X log",
        "git --exec-path=/tmp status", "git --git-dir=evil status", "git --git-dir evil.git status",
        "git --work-tree=/ status", "git -C sub status", "git -C $x status", "cd sub && git status",
        "cd $(cat f) && git status", "git diff --output=f", "git log --outp=f", "git diff --ext-diff",
        "git show --textconv", "git log --show-signature", "git log --format=%G?", "git grep -O x",
        "git grep --open-files x", "git grep -Oless x", "git cat-file --filters HEAD:x",
        "git cat-file --textconv HEAD:x", "git archive -o f HEAD", "git archive --remote=x HEAD",
        "git archive --format=tgz HEAD", "git hash-object -w f", "git $x", "git diff $x", "git diff *",
        "git diff --help", "git help -w log", "git --help log", "GIT_PAGER=id git log",
        "GIT_SSH_COMMAND=id git status", "env GIT_EXTERNAL_DIFF=id git diff", "PAGER=id git log",
        "export GIT_DIR=x; git status", "git ls-remote ext::id", "git submodule update",
        "git submodule foreach id", "git log -p --exec=x", "git unknown", "git lola", "git rebase -x id",
        "git difftool", "git mergetool",
    ]);
}

#[test]
#[rustfmt::skip]
fn variables_that_act_ask() {
    check(Verdict::Ask, &[
        "PATH=. ls", "LD_PRELOAD=./x ls", "env LD_PRELOAD=./x ls", "export PATH=.:$PATH",
        "BASH_ENV=x bash -c ls", "env 'BASH_FUNC_ls%%=() { id; }' bash -c ls", "read PATH < f",
        "mapfile -t PATH", "for PATH in .; do ls; done", ": ${PATH:=.}", "declare -x LD_PRELOAD=x", "IFS=x; ls",
        "PS4='$(id)' ls", "PROMPT_COMMAND=id", "NODE_OPTIONS=x ls", "npm_config_script_shell=x ls",
        "TAR_OPTIONS=x tar tf y", "RIPGREP_CONFIG_PATH=x rg y", "LESSOPEN='|id' less f", "http_proxy=x ls",
        "CARGO_TARGET_X_RUNNER=x ls", "declare -n x=PATH", "declare -i x='a[$(id)]'", "unset PATH",
    ]);
}

#[test]
#[rustfmt::skip]
fn variables_count_only_when_certain() {
    check(Verdict::Allow, &["c=ls; $c -la", "c='ls -la'; $c", "a=l; b=${a}s; $b"]);
    check(Verdict::Ask, &[
        "c=touch; c=ls; $c x", "c=ls; false && c=touch; $c x", "c=ls; if x; then c=touch; fi; $c x",
        "c=ls; while :; do $c x; c=touch; done", "(c=ls); $c x", "c=ls | cat; $c x", "c=ls & $c x",
        "f() { c=ls; }; $c x", "read c; $c", "c=ls; read c; $c", "c=ls; printf -v c touch; $c x",
        "c=ls; eval c=touch; $c x", "c=ls; unset c; $c",
        "c=ls $c x", "c=ls; ((c=1)); $c", "c=ls; for c in touch; do :; done; $c x", "c=(ls); $c x", "c+=ls; $c x",
        "evil() { :; }; bash -c evil", "false && evil() { :; }; evil", "evil; evil() { :; }",
        "(evil() { :; }); evil", "evil() { :; }; env evil", "evil() { :; }; command evil", "evil() { :; }; xargs evil",
        "x='5 touch'; read x; timeout $x ls",
    ]);
}

#[test]
#[rustfmt::skip]
fn reading_credentials_asks() {
    check(Verdict::Ask, &[
        "cat ~/.ssh/id_rsa", "cat $HOME/.ssh/id_rsa", "cat \"$HOME\"/.aws/credentials",
        "cat /home/bob/.ssh/config", "cat /root/.ssh/x", "cat /etc/shadow", "cat //etc/./shadow",
        "cat /etc/../etc/shadow", "cat /etc/sha*", "cat /e?c/shadow", "cat ~/.ss*/id*", "cat ~/.ssh/*",
        "cat .env", "cat ./.env", "cat .env*", "cat .env.local", "head -c9 .env", "cd ~/.ssh && cat x",
        "cd /etc && cat shadow", "cd /; cat etc/shadow", "cat < .env", "grep -e x .env", "grep x .env",
        "git show HEAD:.env", "sort --files0-from=.env", "cat ~/{.netrc,x}", "cat /proc/self/environ",
        "cat /proc/1/root/etc/shadow", "base64 server.key", "echo .env | xargs cat",
        "echo L2V0Yw== | base64 -d | xargs cat", "cat $x", "cat \"$(cat f)\"", "cat /*/shadow", "cat /etc/*",
        "cat ../../../etc/shadow", "cd ../..; cat etc/shadow", "cat ../me/.config/gh/x", "grep -r x ~",
        "rg x /", "find ~ -type f -exec cat {} +", "cat < $x", "cp ~/.ssh/id_rsa x", "f=~/.netrc; cat $f",
        "for f in ~/.ssh/id_rsa; do cat $f; done", "rg --files ~/.ssh",
    ]);
}

#[test]
#[rustfmt::skip]
fn what_cannot_be_read_asks() {
    check(Verdict::Ask, &[
        "ls & & cat", "ls |& | cat", "ls ;; ls", "echo 'open", "echo \"open", "echo $(ls", "echo `ls", "if ls",
        "cat <<EOF\nx", "cat <<EOF", "( ls", "{ ls;", "ls )", "ls }; }", "fi", "a && ", "ls\r\nls", "ls\u{a0}-la",
        "l\u{200b}s", "ls \u{202e}x", "echo !(x)", "echo $[1+1]", "((ls); (ls) )", "echo \\", "x=(", "[[ x",
        "case x in", "f() ls", "echo ${ ls; }",
        "echo $'\\q'", "ls \u{1}",
    ]);
    let deep = format!("echo {}ls{}", "$(".repeat(10_000), ")".repeat(10_000));
    let long = "ls; ".repeat(100_000);
    let wrapped = format!("{}ls", "env ".repeat(10_000));
    let mut scripts = "touch x".to_owned();
    for level in 0..40 {
        let (open, close) = ("echo $(".repeat(25), ")".repeat(25));
        scripts = format!("{open}bash <<'E{level}'\n{scripts}\nE{level}\n{close}");
    }
    check(Verdict::Ask, &[&deep, &long, &wrapped, &scripts]);
}

#[test]
fn the_workspace_may_be_named_in_full() {
    let judge = judge().with_workspace("/srv/project").with_home("/srv/people/me");
    for (source, verdict) in [
        ("rm -rf /srv/project/target", Verdict::Ask),
        ("rm -rf /srv/project", Verdict::Forbid),
        ("rm -rf /srv/project/../other", Verdict::Forbid),
        ("cat /srv/project/.env", Verdict::Ask),
        ("cat /srv/people/me/.config/gh/hosts.yml", Verdict::Ask),
        ("rm -rf /srv/people/me", Verdict::Forbid),
        ("rm -rf /srv/projects", Verdict::Forbid),
    ] {
        assert_eq!(judge.judge(source).verdict, verdict, "{source}");
    }
}

#[test]
fn reasons_say_what_and_the_worst_comes_first() {
    let found = judge().judge("touch x; rm -rf /");
    assert_eq!(found.verdict, Verdict::Forbid);
    assert!(found.reasons[0].contains("`rm` would delete beyond the workspace"), "{:?}", found.reasons);
    assert!(judge().judge("ls").reasons.is_empty());
    assert!(judge().judge("ls; git status").runs_git);
    let many: String = (0..100).map(|n| format!("program{n}; ")).collect();
    assert!(judge().judge(&many).reasons.len() <= 8);
    let json = serde_json::to_value(judge().judge("ls")).expect("plain data");
    assert_eq!(json, serde_json::json!({"verdict": "allow", "reasons": []}));
}

#[test]
fn hardening_overrides_what_a_repository_sets() {
    let environment = git_hardening();
    let value = |name: &str| environment.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
    let count: usize = value("GIT_CONFIG_COUNT").and_then(|text| text.parse().ok()).expect("a number");
    let keys: Vec<String> =
        (0..count).map(|at| value(&format!("GIT_CONFIG_KEY_{at}")).expect("dense")).collect();
    assert!((0..count).all(|at| value(&format!("GIT_CONFIG_VALUE_{at}")).is_some()));
    for key in ["core.fsmonitor", "core.hooksPath", "core.pager", "safe.bareRepository"] {
        assert!(keys.iter().any(|known| known == key), "{key}");
    }
    assert_eq!(value("GIT_PAGER").as_deref(), Some("cat"));
}
