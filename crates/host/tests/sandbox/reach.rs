//! What a command reaches beyond its workspace, without and with a grant. Start at [`TESTS`].

use crate::world::{World, ensure, finish, text};
use crate::{Test, Verdict};
use host::run::Outcome;
use host::sandbox::{Grants, Network, Wall};
use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixListener;
use std::path::Path;

pub const TESTS: &[Test] = &[
    ("unix socket outside", unix_socket),
    ("inherited descriptor", inherited_descriptor),
    ("grants", grants),
    ("grant around the workspace", grant_around),
    ("home as workspace", home_as_workspace),
    ("no repository yet", no_repository),
    ("workspace in a temporary folder", temporary_workspace),
    ("memory of temporary files", temporary_memory),
    ("start-up files of a home as workspace", startup_files),
    ("the agent's own state", own_state),
    ("temporary files in the agent's own state", temporary_in_state),
    ("other repositories of git", inner_repositories),
];

const CONNECT: &str = "python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
print(\"connected\")' ../s 2>&1 | tail -n 1";

fn unix_socket(wall: Wall) -> Verdict {
    let world = World::new();
    let _listener = UnixListener::bind(world.root.join("s")).map_err(|error| error.to_string())?;
    let finished = finish(&world.shell(wall), &world.command(CONNECT));
    let said = text(&finished.stdout);
    ensure((wall == Wall::None) == (said == "connected\n"), || said)
}

fn inherited_descriptor(wall: Wall) -> Verdict {
    let world = World::new();
    let secret = fs::File::open(world.root.join("home/.netrc")).unwrap();
    // SAFETY: the descriptor is open; inheriting it is what is tested.
    unsafe { libc::fcntl(secret.as_raw_fd(), libc::F_SETFD, 0) };
    let finished = finish(&world.shell(wall), &world.command("ls /proc/self/fd"));
    let said = text(&finished.stdout);
    ensure(said == "0\n1\n2\n3\n", || said)
}

fn grants(wall: Wall) -> Verdict {
    let world = World::new();
    let source = "echo x > \"$ROOT/home/new\" && cat ~/.netrc && python3 -c 'import socket; socket.socket()'";
    let mut command = world.command(source);
    command.grants = Grants {
        network: Network::Granted,
        writable: vec![world.root.join("home")],
        readable: vec![world.root.join("home/.netrc")],
    };
    let finished = finish(&world.shell(wall), &command);
    ensure(finished.outcome == Outcome::Exit(0), || text(&finished.stderr))?;
    ensure(text(&finished.stdout) == "secret", || text(&finished.stdout))
}

/// A grant that contains the workspace opens no protected path in it.
fn grant_around(wall: Wall) -> Verdict {
    let world = World::new();
    let mut command = world.command("echo x > \"$ROOT/beside\"; mkdir .cinque; echo x > .mcp.json; true");
    command.grants.writable = vec![world.root.clone()];
    let before = world.protected();
    let finished = finish(&world.shell(wall), &command);
    ensure(finished.outcome == Outcome::Exit(0), || text(&finished.stderr))?;
    ensure(world.root.join("beside").exists(), || text(&finished.stderr))?;
    ensure((wall == Wall::None) != (world.protected() == before), || format!("{:?}", world.protected()))
}

/// Secrets stay secret where the workspace, or a grant, contains them.
fn home_as_workspace(wall: Wall) -> Verdict {
    if wall == Wall::None {
        return Ok(());
    }
    let source = "exec 2>/dev/null; cd ~; cat .ssh/id_ed25519 .netrc; mv .ssh s; cat s/*; mv .config c
        ln .netrc n; cat n; cp .netrc c; cat c; exec 3<>.netrc && cat <&3; echo x > .netrc; rm -f new; echo y > new";
    let world = World::new();
    let mut granted = world.command(source);
    granted.grants.writable = vec![world.root.join("home")];
    let mut shell = world.shell(wall);
    for (workspace, command) in [("work", granted), ("home", world.command(source))] {
        shell.workspace = world.root.join(workspace);
        let finished = finish(&shell, &command);
        ensure(text(&finished.stdout).is_empty(), || format!("{workspace}: {}", text(&finished.stdout)))?;
        let made = fs::read_to_string(world.root.join("home/new"));
        ensure(made.is_ok_and(|made| made == "y\n"), || format!("{workspace}: nothing made"))?;
        let kept = fs::read_to_string(world.root.join("home/.netrc")).unwrap_or_default();
        ensure(kept == "secret", || format!("{workspace}: now {kept}"))?;
    }
    Ok(())
}

/// Whoever makes `.git` makes its hooks, so behind a wall nobody does.
fn no_repository(wall: Wall) -> Verdict {
    let world = World::new();
    fs::remove_dir_all(world.root.join("work/.git")).unwrap();
    let finished = finish(&world.shell(wall), &world.command("git init -q . 2>/dev/null && echo made"));
    let made = text(&finished.stdout) == "made\n" && world.root.join("work/.git").exists();
    ensure(made == (wall == Wall::None), || format!("{:?} {made}", finished.outcome))
}

/// Tries to exchange what is protected by ways that only the caller's own `/proc` knows.
const BY_OWN_LINKS: &str = "exec 2>/dev/null 3<.; cp -r .git src/fake; printf x > src/fake/config
for w in /proc/self/cwd /proc/thread-self/cwd /proc/$$/cwd /proc/self/fd/3 /dev/fd/3 /proc/self/root$PWD $PWD .; do
    mv $w/.git $w/.g2 && echo moved $w; mv -T src/fake $w/.git && echo replaced $w; mkdir $w/.cinque && echo made $w
    (echo x > $w/.git/config) && echo written $w; (echo x > $w/.mcp.json) && echo opened $w; ln file $w/.envrc && echo linked $w
done
ln -s /proc/self/cwd here; (echo x > here/.mcp.json) && echo through a link
(cd /proc/self; mv cwd/.git cwd/.g2) && echo from proc
echo a > /proc/self/cwd/new && cat new; echo b > $TMPDIR/t && mkdir $TMPDIR/d && mv $TMPDIR/t $TMPDIR/d && cat $TMPDIR/d/t; echo c > /dev/shm/$MARK && cat /dev/shm/$MARK && rm /dev/shm/$MARK
mv $TMPDIR/../${PWD#$(dirname $TMPDIR)/} $TMPDIR/w; mv ${PWD%/*} $TMPDIR/w; mv -T $PWD $TMPDIR/w; mkdir $TMPDIR/w/.cinque $TMPDIR/w/work/.cinque
cd $TMPDIR && python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.bind(\"s\"); s.listen(); socket.socket(socket.AF_UNIX).connect(\"s\"); print(\"bound\")'";

/// Rights to temporary folders must not reach a workspace that lies in one.
fn temporary_workspace(wall: Wall) -> Verdict {
    if wall == Wall::None {
        return Ok(());
    }
    for place in ["/tmp", "/var/tmp", "/dev/shm", env!("CARGO_TARGET_TMPDIR")] {
        let world = World::beneath(Path::new(place));
        let before = world.protected();
        let finished = finish(&world.shell(wall), &world.command(BY_OWN_LINKS));
        let said = text(&finished.stdout);
        ensure(said == "a\nb\nc\nbound\n", || format!("{place}: {said}"))?;
        ensure(world.protected() == before, || format!("{place}: left {:?}", world.protected()))?;
        let config = fs::read_to_string(world.root.join("work/.git/config")).unwrap_or_default();
        ensure(config.starts_with("[core]"), || format!("{place}: now {config}"))?;
    }
    Ok(())
}

/// All temporary folders together are a quarter of the memory, since they have one limit and count together.
fn temporary_memory(wall: Wall) -> Verdict {
    if wall != Wall::Full {
        return Ok(());
    }
    let source = "head -c 3000000 /dev/zero > /dev/shm/x; sync
        for p in /tmp /var/tmp /dev/shm; do stat -f -c '%i %b %f' $p; done | sort -u | wc -l
        m=$(awk '/MemTotal/ {print $2}' /proc/meminfo); t=$(($(stat -f -c '%b * %S' /tmp) / 1024)); test $((t * 4)) -le $((m + 64)) && echo quarter";
    let world = World::new();
    let finished = finish(&world.shell(wall), &world.command(source));
    let said = text(&finished.stdout);
    ensure(said == "1\nquarter\n", || format!("{said} {}", text(&finished.stderr)))
}

/// In a home that is the workspace, or lies in it, nothing can be made that runs at the next login.
fn startup_files(wall: Wall) -> Verdict {
    if wall == Wall::None {
        return Ok(());
    }
    let source = "exec 2>/dev/null; cd ~
        for p in .bashrc .profile .zshrc .npmrc .aws .config/autostart .config/systemd .config/gh .ssh .local/bin; do
            (echo x > $p) && echo opened $p; mkdir -p $p && echo made $p; ln -s notes $p && echo linked $p; mv notes $p && echo moved $p
        done
        rm -f .bash_profile; mv .bash_profile b; (echo x >> .bash_profile); cat .bash_profile
        mkdir .cache && echo a > .cache/x && ls .cache; rm -r .cache; echo b > .config/mine; ls -A .config .local";
    for workspace in ["home", ""] {
        let world = World::new();
        let home = world.root.join("home");
        fs::remove_dir_all(home.join(".ssh")).unwrap();
        fs::remove_dir_all(home.join(".config/gh")).unwrap();
        fs::write(home.join(".bash_profile"), "true\n").unwrap();
        let mut shell = world.shell(wall);
        shell.workspace = world.root.join(workspace);
        let said = text(&finish(&shell, &world.command(source)).stdout);
        ensure(said == "true\nx\n.config:\nmine\n\n.local:\n", || format!("{workspace}: {said}"))?;
    }
    Ok(())
}

/// Conversations and tokens cannot be read, what earlier commands wrote can, and on the host nothing changes.
fn own_state(wall: Wall) -> Verdict {
    if wall != Wall::Full {
        return Ok(());
    }
    let world = World::new();
    let state = world.root.join("work/.cinque");
    let source = "exec 2>/dev/null; ls -A .cinque; cat .cinque/token .cinque/output/one; cat .cinque/../.cinque/token
        ln .cinque/token t; (echo x > .cinque/output/one); rm -rf .cinque; mv .cinque c; ls -A | tr '\\n' ' '";
    fs::create_dir_all(&state).unwrap();
    fs::write(state.join("token"), "secret").unwrap();
    let told = |said: &str| format!("output\n{said}.cinque .git .vscode file not-executable src ");
    let without = text(&finish(&world.shell(wall), &world.command(source)).stdout);
    ensure(without == told(""), || format!("without output: {without}"))?;
    ensure(!state.join("output").exists(), || "a placeholder is left".into())?;
    fs::create_dir(state.join("output")).unwrap();
    fs::write(state.join("output/one"), "line\n").unwrap();
    let with = text(&finish(&world.shell(wall), &world.command(source)).stdout);
    ensure(with == told("line\n"), || format!("with output: {with}"))?;
    ensure(fs::read_to_string(state.join("token")).is_ok_and(|token| token == "secret"), || "gone".into())
}

/// The user's other worktrees and the submodules obey what lies in `.git`; working in this one goes on all the same.
fn inner_repositories(wall: Wall) -> Verdict {
    if wall == Wall::None {
        return Ok(());
    }
    let world = World::new();
    let git = world.root.join("work/.git");
    for (folder, file) in [("worktrees/w", "commondir"), ("modules/m", "config")] {
        fs::create_dir_all(git.join(folder)).unwrap();
        fs::write(git.join(folder).join(file), "../..\n").unwrap();
    }
    let source = "export GIT_CONFIG_COUNT=3 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*' GIT_CONFIG_KEY_1=user.name GIT_CONFIG_VALUE_1=a GIT_CONFIG_KEY_2=user.email GIT_CONFIG_VALUE_2=b
        (cd .git; for p in worktrees/w/commondir worktrees/w/config.worktree worktrees/v modules/m/config modules/m/hooks modules/n config.worktree; do
            (echo x > $p) && echo opened $p; mkdir $p && echo made $p; cp -r ../src $p.new && mv -T $p.new $p && echo moved $p
        done; mv worktrees w; mv modules m; rm -rf worktrees modules; cat worktrees/w/commondir modules/m/config) 2>/dev/null
        git add file && git commit -qm one && git branch other && echo y >> file && git stash -q && git stash pop -q && git commit -qam two \\
            && git checkout -q other && git merge -q --ff-only main && git tag v && git worktree list | wc -l && git log --format=%s && git gc -q";
    let finished = finish(&world.shell(wall), &world.command(source));
    let said = text(&finished.stdout);
    let complained = || format!("{said:?} {}", text(&finished.stderr));
    ensure(said.starts_with("../..\n../..\n") && said.ends_with("two\none\n"), complained)?;
    ensure(finished.outcome == Outcome::Exit(0), complained)
}

/// Without mounts a call's temporary folder lies where the agent keeps output, which is protected around it.
fn temporary_in_state(wall: Wall) -> Verdict {
    if wall == Wall::None {
        return Ok(());
    }
    let world = World::new();
    let mut shell = world.shell(wall);
    shell.scratch = world.root.join("work/.cinque/output");
    fs::create_dir_all(&shell.scratch).unwrap();
    let source = "f=$(mktemp) && echo t > $f && mkdir $TMPDIR/d && mv $f $TMPDIR/d/f && mv $TMPDIR/d/f f && cat f
        case $TMPDIR in /tmp) ;; *) mv $TMPDIR t 2>/dev/null; touch $TMPDIR/../x 2>/dev/null;; esac; ls -A .cinque/output | grep -v temp-";
    let finished = finish(&shell, &world.command(source));
    let (said, complained) = (text(&finished.stdout), text(&finished.stderr));
    ensure(said == "t\n", || format!("{said} {complained}"))
}
