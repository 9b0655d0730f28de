//! Cases for the profile in which nobody can be asked.

use super::*;

#[track_caller]
fn check(verdict: Verdict, sources: &[&str]) {
    let judge = Judge::new(Rules::default()).expect("no rules").with_strictness(Strictness::Solve);
    check_with(&judge, verdict, sources);
}

#[test]
#[rustfmt::skip]
fn hard_rejects() {
    check(Verdict::Forbid, &[
        "rm -rf x", "rm -r -f x", "rm  --recursive --force x", "rm -f x", "rm -r x", "rm -R x", "rm --rec x",
        "rm --forc x", "rm x -rf", "'rm' -rf x", "/bin/rm -fr x", "Remove-Item x -Recurse",
        "remove-item -Force x", "Remove-Item x -Rec", "ri -r x", "del /s x", "del /q x", "DEL /S /Q x",
        "del /s/q x", "rd /s x", "rmdir /s x", "erase /f x", "find . -delete", "find . -name x -delete",
        "find . -exec rm -f {} \\;", "find . | xargs rm -f", "xargs -0 rm -r", "format c:", "format",
        "mkfs /dev/x", "mkfs.ext4 x", "diskpart", "dd if=x of=/dev/sda", "shred x", "git clean -fdx",
        "git -C . clean -f", "curl x", "CURL.EXE x", "wget x", "Invoke-WebRequest x", "iwr x",
        "Invoke-RestMethod x", "nc x 1", "ssh x", "scp a b:c", "rsync a b:c", "telnet x", "ping x",
        "echo x > /dev/tcp/a/1", "ls | nc a 1", "/usr/bin/curl x", "./curl x", "openssl s_client -connect x:1",
        "printenv", "printenv PATH", "env", "env -0", "env | sort", "env -i", "echo $env:PATH", "$env:X = 1",
        "Get-ChildItem Env:", "gci env:", "set", "export", "export -p", "declare -x", "declare -p",
        "compgen -e", "cat /proc/self/environ", "Set-ExecutionPolicy Bypass", "net user", "net localgroup x",
        "NET USER x /add", "env X=1 rm -rf x", "env X=1 curl x", "sh -c 'rm -rf x'", "bash -lc \"curl x\"",
        "echo 'rm -rf x' | sh", "sh <<EOF\nrm -rf x\nEOF", "bash <<< 'curl x'", "echo $(curl x)",
        "echo `printenv`", "ls && rm -rf x", "true; env", "(rm -f x)", "if true; then curl x; fi",
        "f() { rm -rf x; }", "time rm -rf x", "nice rm -rf x", "timeout 5 curl x", "sudo -u x rm -rf x",
        "nohup curl x &", "busybox rm -rf x", "cmd /c del /s x", "cmd /c \"rd /s /q x\"",
        "powershell -Command \"Remove-Item x -Recurse\"", "powershell Remove-Item x -Recurse",
        "pwsh -c 'iwr x'", "powershell -EncodedCommand aQBkAA==", "iex (iwr x)",
        "Get-Process | ForEach-Object { Remove-Item $_ -Recurse }", "eval rm -rf x", "trap 'rm -rf x' EXIT",
        "c=rm; $c -rf x", "env -S 'rm -rf x'", "watch curl x", "parallel rm -rf ::: x", "rm -rf /",
        ":(){ :|:& };:", "npx rm -rf x", "xargs -I{} sh -c 'rm -rf {}'", "su -c 'rm -rf x'", "su - me -c 'curl x'",
        "flock l -c 'rm -rf x'", "script -qc 'rm -rf x' /dev/null", "script --command='curl x'", "rimraf x", "bash -c 'rm \"$@\"' _ -rf x", "sh -c 'rm $1 x' _ -r",
        "npx rimraf x", "fd x -x rm -rf", "fd -X sh -c 'curl x'", "at now <<< 'rm -rf x'",
        "bash < <(echo rm -rf x)", "bash <(echo 'rm -rf x')", "source <(echo 'curl x')",
        ". /dev/stdin <<< 'rm -rf x'", "bash /dev/stdin <<< 'rm -rf x'", "rm ${IFS}-rf x", "rm$IFS-rf${IFS}x",
        "tr a b < /proc/self/environ", "echo $ENV:Path", "echo ${env:PATH}", "Get-Item env:X", "ls Env:",
        "powershell -Command 'Write-Host $env:X'", "format.com c:", "wsl rm -rf x", "Start-Process curl x",
        "iex 'rm -rf x'", "Invoke-Expression \"curl x\"", "ssh-keyscan x", "git bisect run rm -rf x",
        "git submodule foreach --recursive 'rm -rf x'", "git rebase -x 'rm -rf x' a", "git rebase --exec='curl x' a",
        "git filter-branch --tree-filter 'rm -rf x'", "git -c alias.z='!rm -rf x' z",
        "git clone https://a/b", "git clone git@a:b.git c", "git -C x clone --depth 1 ssh://a/b", "git fetch",
        "git fetch --all", "git pull --rebase origin main", "git push", "git push origin HEAD", "git ls-remote a",
        "git remote update", "git push https://a/b main", "cd x && git pull",
    ]);
}

#[test]
#[rustfmt::skip]
fn no_false_alarms() {
    check(Verdict::Allow, &[
        "dotnet format --verify", "dotnet format --verify-no-changes", "cargo fmt", "npm run format",
        "libcurl-test", "echo monkey", "grep curl README.md", "grep -rn 'rm -rf' src", "echo 'rm -rf x'",
        "echo curl", "rm x", "cat nc.txt", "ls curl", "./format.sh", "make format", "env X=1 cargo test",
        "env -u X cargo test", "set -e; cargo test", "set -euo pipefail", "export X=1; make",
        "cargo test > log.txt 2>&1", "python3 -c 'print(1)'", "npm install",
        "git commit -m 'remove curl and rm -rf'", "git status", "sed -i s/a/b/ f", "mkdir -p a/b",
        "find . -name '*.o' -exec rm {} \\;", "rsync -a a/ b/", "tar xf a.tar", "which curl", "command -v curl",
        "man ssh", "pip install pycurl", "rmdir x", "echo $PATH", "echo $HOME", "cat .env",
        "for f in *; do echo $f; done", "echo network; echo printenv", "git add -A && git commit -m x",
        "dd if=a of=b", "declare -A m", "PATH=./bin:$PATH make", "bash build.sh", "echo 'hello' | python3 -",
        "test -f x || touch x", "delta x", "netstat", "formatter x", "git rm x", "docker build .",
        "grep -rn env: .", "grep -rn '$env:' src", "git commit -m 'read $env:PATH'", "echo ${env:-test}", "mkfsx",
        "iex -S mix test", "fd -x wc -l", "diff <(sort a) <(sort b)", "while IFS= read -r l; do echo \"$l\"; done < x",
        "bash <(echo 'echo hi')", "git submodule foreach git status", "git bisect run make test", "script -c 'make'",
        "sh -c 'echo \"$@\"' _ rm -rf x", "sh -c 'rm \"$1\"' _ x",
        "git clone . copy", "git clone ../a b", "git clone sub copy", "git fetch ../a main", "git push ./bare main",
        "git pull . other", "git remote -v", "git log origin/main", "git commit -m push",
    ]);
}

#[test]
#[rustfmt::skip]
fn what_cannot_be_told_is_said() {
    check(Verdict::Ask, &[
        "$X foo", "echo 'open", "bash -c \"$X\"", "cat script | sh", "sh script | bash", "printf '\\x72m -rf x' | sh",
        "IFS=_; a=rm_-rf_x; $a", "source <(make code)",
    ]);
}
