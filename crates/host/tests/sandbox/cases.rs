//! What a command says and how it ends behind which wall, as a table. Start at [`ALL`].

use crate::world::{World, ensure, finish, text};
use crate::{Company, Verdict};
use host::run::{Outcome, Shell, Spare};
use host::sandbox::Wall;

pub struct Case {
    pub name: &'static str,
    pub walls: &'static [Wall],
    pub company: Company,
    source: &'static str,
    code: i32,
    /// All of standard output.
    says: &'static str,
}

const EVERY: &[Wall] = &[Wall::Full, Wall::Landlock, Wall::None];
const WALLED: &[Wall] = &[Wall::Full, Wall::Landlock];
const FULL: &[Wall] = &[Wall::Full];

const fn case(
    name: &'static str,
    walls: &'static [Wall],
    source: &'static str,
    code: i32,
    says: &'static str,
) -> Case {
    Case { name, walls, company: Company::Welcome, source, code, says }
}

/// A case that bears no other beside it.
const fn alone(case: Case) -> Case {
    Case { company: Company::Unwelcome, ..case }
}

/// Tries to make each protected path that does not exist yet, in every way, and says which one it made.
const MAKE_PROTECTED: &str = "for p in .cinque .mcp.json .git/commondir; do
    mkdir $p && echo mkdir $p; mkdir -p $p/x && echo deep $p; (echo x > $p) && echo open $p; touch $p && echo touch $p
    ln -s /etc $p && echo symlink $p; ln file $p && echo link $p; mkfifo $p && echo fifo $p
    cp file copy && mv copy $p && echo move $p; mkdir -p src/d && mv -T src/d $p && echo from-open $p
    ln -sfn . src/up; (echo x > src/up/../$p) && echo through-link $p; (echo x > /proc/self/cwd/$p) && echo proc $p
done 2>/dev/null
python3 -c '
import ctypes, os, socket
libc = ctypes.CDLL(None)
def dots(p): os.open(\"./src/../\" + p, os.O_CREAT | os.O_EXCL)
def at(p): os.open(\"../\" + p, os.O_CREAT, dir_fd=os.open(\"src\", 0))
def bound(p): socket.socket(socket.AF_UNIX).bind(p)
def by_proc(p): os.link(\"/proc/self/fd/%d\" % unnamed_file(), p, follow_symlinks=True)
def renamed(p): os.rename(\"file\", p)
def unnamed(p):
    if libc.linkat(unnamed_file(), b\"\", -100, p.encode(), 0x1000): raise OSError
def unnamed_file(): return os.open(\".\", os.O_TMPFILE | os.O_RDWR)
for p in [\".cinque\", \".mcp.json\", \".git/commondir\"]:
    for way in [dots, at, bound, by_proc, renamed, unnamed]:
        try: way(p); print(way.__name__, p)
        except OSError: pass'
ls -A | tr '\\n' ' '";

/// Tries to change those that exist.
const CHANGE_PROTECTED: &str = "exec 2>/dev/null
echo x > .git/hooks/pre-commit && echo hook; echo x >> .git/config && echo config; rm -rf .vscode && echo removed
mv .vscode v && echo moved; mv .git g && echo git-moved; mv .git/hooks .git/h && echo hooks-moved
cp file c; mv -f c .git/config && echo replaced; ln -f file .git/config && echo linked; truncate -s0 .git/config && echo cut
mkdir e; python3 -c 'import ctypes,sys; sys.exit(ctypes.CDLL(None).renameat2(-100, b\"e\", -100, b\".vscode\", 2))' && echo exchanged
cat .git/config .vscode/settings.json";

#[rustfmt::skip]
pub const ALL: &[Case] = &[
    case("exit code", EVERY, "exit 42", 42, ""),
    case("signal", EVERY, "kill -9 $$", 137, ""),
    case("missing program", EVERY, "no-such-program", 127, ""),
    case("not executable", EVERY, "./not-executable", 126, ""),
    case("empty input", EVERY, "cat; echo $?", 0, "0\n"),
    case("streams", EVERY, "echo out; echo err >&2", 0, "out\n"),
    case("daemons", EVERY, "sleep $MARK & setsid sleep $MARK & (setsid nohup sleep $MARK >/dev/null 2>&1 &); echo done", 0, "done\n"),
    case("process substitution", EVERY, "cat <(echo in); echo out > >(cat)", 0, "in\nout\n"),
    case("environment", EVERY, "echo $GIT_PAGER $PAGER $GIT_TERMINAL_PROMPT $TERM; cd src; test \"$HOME\" = \"$ROOT/home\"", 0, "cat cat 0 dumb\n"),
    case("editor", EVERY, "sh -c \"$EDITOR file\" 2>&1", 1, "Interactive editor not available in this environment.\n"),
    case("writing", EVERY, "echo a > new; echo b >> new; cat new; mkdir -p x/y; echo c > x/y/z; mv x w; cat w/y/z; rm -r w new; ls", 0, "a\nb\nc\nfile\nnot-executable\nsrc\n"),
    case("writing in place", EVERY, "sed -i s/text/word/ file; cat file; cp file src/f; mv src/f g; ln -s g h; ln g i; cat h i; rm g h i", 0, "word\nword\nword\n"),
    case("modes", EVERY, "umask 027; echo > m; mkdir n; stat -c %a m n; umask 0; echo > src/o; mkdir p; stat -c %a src/o p", 0, "640\n750\n666\n777\n"),
    case("exclusive", EVERY, "set -C; echo a > once; (echo b > once) 2>/dev/null || echo taken; cat once", 0, "taken\na\n"),
    case("temporary files", EVERY, "f=$(mktemp) && echo t > $f && cat $f; case $f in $TMPDIR/*) echo private;; esac; d=$(mktemp -d) && mv $f here && cat here", 0, "t\nprivate\nt\n"),
    case("null and shared memory", EVERY, "echo x > /dev/null; echo y > /dev/shm/cinque-test-$$ && cat /dev/shm/cinque-test-$$ && rm /dev/shm/cinque-test-$$; readlink /proc/self/exe > /dev/null && echo proc", 0, "y\nproc\n"),
    case("standard streams by name", EVERY, "echo a > /dev/stdout; echo b > /proc/self/fd/1; echo c | tee /dev/stderr >/dev/null", 0, "a\nb\n"),
    case("pairs of sockets", EVERY, "python3 -c 'import socket; a, b = socket.socketpair(); a.send(b\"x\"); print(b.recv(1))'", 0, "b'x'\n"),
    case("child of node", EVERY, "node -e 'console.log(require(\"child_process\").execSync(\"echo kid\").toString().trim())'", 0, "kid\n"),
    case("pool of python", EVERY, "python3 -c 'import multiprocessing as m; print(m.Pool(2).map(abs, [-1, -2]))'", 0, "[1, 2]\n"),
    case("make", EVERY, "printf 'all:\\n\\t@echo made > out.txt\\n' > Makefile && make -s && cat out.txt", 0, "made\n"),
    case("cargo", EVERY, "cargo --version | cut -d' ' -f1", 0, "cargo\n"),
    case("git", EVERY, "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'; git add file && git -c user.name=a -c user.email=b commit -qm first && git log --format=%s && git status --short file", 0, "first\n"),
    case("protected to be", WALLED, MAKE_PROTECTED, 0, ".git .vscode copy file not-executable src "),
    case("protected", WALLED, CHANGE_PROTECTED, 0, "[core]\n\trepositoryformatversion = 0\n\tbare = false\n{}"),
    case("new repository", WALLED, "rm -rf .git 2>/dev/null; mkdir .git/hooks 2>/dev/null; mkdir evil; cd evil; ls", 0, ""),
    case("repository below", WALLED, "git init -q src/below && git init -q other && ls -A src/below other", 0, "other:\n.git\n\nsrc/below:\n.git\n"),
    case("folders beside protected names", WALLED, "mkdir -p .github/workflows && echo on > .github/workflows/ci.yml && cat .github/workflows/ci.yml; for p in .github/hooks .github/agents .husky .jj .envrc .devcontainer.json; do mkdir $p && echo made $p; (echo x > $p) && echo opened $p; done 2>/dev/null; mv .github g 2>/dev/null && echo moved; ln -s src .github 2>/dev/null; rm -r .github; ln -s src .github 2>/dev/null || echo refused", 0, "on\nrefused\n"),
    case("writing outside", WALLED, "(echo x > $ROOT/x; echo x > ~/x; touch ~/notes2; echo x >> ~/notes; mkdir $ROOT/y; ln file ~/l; mv file ~/f; ln ~/notes n; mv ~/notes n; rm ~/notes; truncate -s0 ~/notes) 2>/dev/null; cat file ~/notes; ls $ROOT", 0, "text\nplainhome\nscratch\nwork\n"),
    case("links out", WALLED, "ln -s ~/notes n; (echo x > n) 2>/dev/null; ln -s ~ h; (echo x > h/y) 2>/dev/null; ln -s ~/z d; (echo x > d) 2>/dev/null; cat ~/notes; ls ~", 0, "plainnotes\n"),
    case("secrets", WALLED, "(cat ~/.ssh/id_ed25519 ~/.netrc /etc/shadow; ln ~/.netrc n && cat n; cp ~/.netrc c) 2>/dev/null; cat ~/notes", 0, "plain"),
    case("network", WALLED, "python3 -c 'import socket; socket.create_connection((\"192.0.2.1\", 80), 1)' 2>/dev/null || echo denied", 0, "denied\n"),
    case("loopback", FULL, "python3 -c 'import socket; s = socket.create_server((\"127.0.0.1\", 0)); socket.create_connection(s.getsockname()); print(\"ok\")'", 0, "ok\n"),
    case("datagram pairs", WALLED, "python3 -c 'import socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_RAW)' 2>/dev/null || echo denied", 0, "denied\n"),
    case("forbidden calls", WALLED, "python3 -c '
import ctypes
c = ctypes.CDLL(None, use_errno=True)
for name, number, arguments in [(\"ptrace\", 101, (0,)), (\"io_uring\", 425, (1, 0)), (\"unshare\", 272, (0x10000000,)), (\"keyctl\", 250, (0, -3)), (\"bpf\", 321, (0,)), (\"mount\", 165, (0,)), (\"vsock\", 41, (40, 1, 0)), (\"packet\", 41, (17, 3, 0)), (\"tiocsti\", 16, (0, 0x5412, b\"x\"))]:
    if c.syscall(number, *arguments) >= 0 or ctypes.get_errno() not in (1, 13, 38): print(name, ctypes.get_errno())'", 0, ""),
    case("privileges", WALLED, "grep -E 'CapEff|CapPrm|CapInh|NoNewPrivs' /proc/self/status | grep -v '000$' | tr '\\t' ' '", 0, "NoNewPrivs: 1\n"),
    case("own processes only", FULL, "[ $$ -lt 9 ] && echo low; ls /proc | grep -c '^[0-9]'; kill -9 1; cat /proc/1/environ 2>/dev/null; echo alive", 0, "low\n4\nalive\n"),
    case("settings of the machine", WALLED, "(echo x > /proc/sys/kernel/core_pattern; echo x > /sys/kernel/mm/ksm/run; head -c1 /dev/vda; head -c1 /dev/sda; head -c1 /dev/mem) 2>/dev/null; echo done", 0, "done\n"),
    // Names are relative because the address of a socket holds only 107 bytes of a path.
    case("unix sockets inside", WALLED, "cd $TMPDIR; python3 -c '
import socket, threading
s = socket.socket(socket.AF_UNIX); s.bind(\"s\"); s.listen()
threading.Thread(target=lambda: s.accept()[0].send(b\"x\")).start()
c = socket.socket(socket.AF_UNIX); c.connect(\"s\"); print(c.recv(1))
import multiprocessing as m
m.current_process()._config[\"tempdir\"] = \".\"
print(m.get_context(\"forkserver\").Pool(1).map(abs, [-3]), list(m.Manager().list([4])))'", 0, "b'x'\n[3] [4]\n"),
    case("connections", FULL, "python3 -c '
import socket, asyncio
s = socket.create_server((\"127.0.0.1\", 0)); c = socket.create_connection(s.getsockname(), 1); print(c.getpeername() == s.getsockname())
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.connect(s.getsockname())
try: socket.create_connection((\"127.0.0.1\", 1))
except ConnectionRefusedError: print(\"refused\")
async def main():
    server = await asyncio.start_server(lambda r, w: w.write(b\"y\"), \"127.0.0.1\", 0)
    r, w = await asyncio.open_connection(*server.sockets[0].getsockname()); print(await r.read(1))
asyncio.run(main())'", 0, "True\nrefused\nb'y'\n"),
    alone(case("fork bomb", FULL, "python3 -c '
import os, time
try:
    for n in range(10000):
        if os.fork() == 0: time.sleep(99)
except OSError: print(\"stopped\", n < 2048)'", 0, "stopped True\n")),
    case("modes of devices", FULL, "python3 -c '
import os
try: os.chmod(\"/dev/null\", 0o666)
except OSError as error: print(error.strerror)'; echo x > /dev/null && echo written", 0, "Read-only file system\nwritten\n"),
    case("pipes by name", FULL, "mkfifo p && (echo through > p & cat p)", 0, "through\n"),
    case("host's temporary files", FULL, "ls -A /tmp /var/tmp /run | grep -v -e systemd -e current", 0, "/run:\n\n/tmp:\n\n/var/tmp:\n"),
];

impl Case {
    /// Behind a new wall, and behind one that has served another command.
    pub fn check(&self, wall: Wall) -> Verdict {
        let new = World::new();
        self.check_in(&new, &new.shell(wall))?;
        let used = World::new();
        let shell = Shell { spare: Spare::kept(), ..used.shell(wall) };
        finish(&shell, &used.command("true"));
        self.check_in(&used, &shell).map_err(|why| format!("behind a wall that has served: {why}"))
    }

    fn check_in(&self, world: &World, shell: &Shell) -> Verdict {
        let before = world.protected();
        let finished = finish(shell, &world.command(self.source));
        let (said, complained) = (text(&finished.stdout), text(&finished.stderr));
        let ended = finished.outcome == Outcome::Exit(self.code);
        ensure(ended, || format!("{:?} {said} {complained}", finished.outcome))?;
        ensure(said == self.says, || format!("said {said:?}, not {:?}; {complained}", self.says))?;
        ensure(world.protected() == before, || format!("left {:?}", world.protected()))?;
        ensure(world.sleepers() == 0, || "survivors".into())
    }
}
