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
echo a > /proc/self/cwd/new && cat new; echo b > $TMPDIR/t && mkdir $TMPDIR/d && mv $TMPDIR/t $TMPDIR/d && cat $TMPDIR/d/t; echo c > /dev/shm/$MARK && cat /dev/shm/$MARK && rm /dev/shm/$MARK";

/// Rights to temporary folders must not reach a workspace that lies in one.
fn temporary_workspace(wall: Wall) -> Verdict {
    if wall == Wall::None {
        return Ok(());
    }
    for place in [env!("CARGO_TARGET_TMPDIR"), "/tmp", "/var/tmp", "/dev/shm"] {
        let world = World::beneath(Path::new(place));
        let before = world.protected();
        let finished = finish(&world.shell(wall), &world.command(BY_OWN_LINKS));
        let said = text(&finished.stdout);
        ensure(said == "a\nb\nc\n", || format!("{place}: {said}"))?;
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
