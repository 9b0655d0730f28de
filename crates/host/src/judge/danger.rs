//! What is refused outright: destroying what lies beyond the workspace. Start from [`refused`].
//! Whatever merely changes things asks and is not the concern of this file.

use super::expand::Arg;
use super::paths::Place;
use super::{git, network, options, program};

/// Finds the place of each path; the walk knows the directories it may start from.
pub type Places<'a> = &'a dyn Fn(&str) -> Vec<Place>;

/// Why `args` must not run, whoever agrees.
pub fn refused(args: &[Arg], places: Places) -> Option<String> {
    let (first, rest) = args.split_first()?;
    let name = network::stem(program::base(&first.text));
    match name.as_str() {
        "rm" | "rmdir" | "unlink" | "shred" | "srm" | "trash" => deletes(&name, rest, places),
        "chmod" | "chown" | "chgrp" | "chattr" | "setfacl" => permits(&name, rest, places),
        "find" => finds(rest, places),
        "dd" => rest
            .iter()
            .filter_map(|arg| arg.text.strip_prefix("of="))
            .find_map(|target| written(&name, target, places)),
        "cp" | "mv" | "install" | "ln" | "rsync" | "scp" => {
            let moved = options::operands(rest).count();
            options::operands(rest)
                .enumerate()
                .filter(|(at, _)| *at + 1 == moved || name == "mv")
                .find_map(|(_, arg)| written(&name, &arg.text, places))
        }
        "tee" | "truncate" | "touch" | "mkdir" | "sed" | "gsed" | "perl" | "ed" | "patch" | "sponge" => {
            let changes = !matches!(name.as_str(), "sed" | "gsed" | "perl")
                || options::any(rest, &["-i", "--in-place"]);
            options::operands(rest).filter(|_| changes).find_map(|arg| written(&name, &arg.text, places))
        }
        "git" => force_pushes(git::words(rest)),
        "gh" => remote(&name, GITHUB, rest),
        "kill" | "killall" | "pkill" => {
            rest.iter().skip(1).any(|arg| arg.text == "-1").then(|| "it would end every process".to_owned())
        }
        _ if DISKS.contains(&name.as_str()) || makes_file_systems(&name) => {
            Some(format!("`{name}` formats or rewrites disks"))
        }
        _ if POWER.contains(&name.as_str()) => Some(format!("`{name}` stops the machine")),
        _ => None,
    }
}

/// Why a file at `target` must not be written.
pub fn written(by: &str, target: &str, places: Places) -> Option<String> {
    places(target).into_iter().find_map(|place| match place {
        Place::System => Some(format!("{by} would write into the system: `{target}`")),
        Place::Device => Some(format!("{by} would write onto a device: `{target}`")),
        Place::Socket => Some(format!("{by} would open a connection: `{target}`")),
        Place::Protected => Some(format!("{by} would change settings that act later: `{target}`")),
        _ => None,
    })
}

fn deletes(name: &str, args: &[Arg], places: Places) -> Option<String> {
    let recursive = options::any(args, &["-r", "-R", "--recursive"]);
    options::operands(args).find_map(|arg| {
        places(&arg.text).into_iter().find_map(|place| {
            let far = match place {
                Place::System | Place::Device | Place::Protected => true,
                Place::Home | Place::Outside | Place::Whole => recursive,
                _ => false,
            };
            far.then(|| format!("`{name}` would delete beyond the workspace, or all of it: `{}`", arg.text))
        })
    })
}

fn permits(name: &str, args: &[Arg], places: Places) -> Option<String> {
    let recursive = options::any(args, &["-R", "--recursive"]);
    options::operands(args).find_map(|arg| {
        places(&arg.text).into_iter().find_map(|place| {
            let far = match place {
                Place::System | Place::Device | Place::Protected => true,
                Place::Home | Place::Outside => recursive,
                _ => false,
            };
            far.then(|| format!("`{name}` would change permissions beyond the workspace: `{}`", arg.text))
        })
    })
}

fn finds(args: &[Arg], places: Places) -> Option<String> {
    let is = |arg: &Arg, words: &[&str]| words.contains(&program::base(&arg.text));
    let destroys = args.iter().any(|arg| is(arg, &["-delete", "rm", "shred", "unlink"]));
    let everything = !args.iter().any(|arg| is(arg, FILTERS));
    let far = |arg: &&Arg| {
        places(&arg.text).into_iter().any(|place| match place {
            Place::System | Place::Home | Place::Outside => true,
            Place::Whole => everything,
            _ => false,
        })
    };
    args.iter()
        .take_while(|arg| !arg.text.starts_with(['-', '(', '!']))
        .find(far)
        .filter(|_| destroys)
        .map(|arg| format!("`find` would delete beyond the workspace, or all of it: `{}`", arg.text))
}

/// A push that rewrites or removes what others have.
fn force_pushes(args: &[Arg]) -> Option<String> {
    let (command, rest) = args.split_first()?;
    let forced = options::any(rest, &["-f", "-d", "--mirror", "--delete"])
        || rest
            .iter()
            .any(|arg| arg.text == "--force" || arg.text.starts_with('+') || arg.text.starts_with(':'));
    (command.text == "push" && forced)
        .then(|| "it would overwrite or delete history on the remote".to_owned())
}

fn remote(name: &str, forms: &[&str], args: &[Arg]) -> Option<String> {
    let words: Vec<&str> =
        args.iter().map(|arg| arg.text.as_str()).filter(|text| !text.starts_with('-')).collect();
    forms
        .iter()
        .find(|form| form.split(' ').enumerate().all(|(at, word)| words.get(at) == Some(&word)))
        .map(|form| format!("`{name} {form}` destroys something on the remote"))
}

/// Tests by which `find` chooses; without any it takes everything.
#[rustfmt::skip]
const FILTERS: &[&str] = &[
    "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-type", "-mtime", "-mmin",
    "-ctime", "-atime", "-newer", "-size", "-empty", "-user", "-group", "-perm", "-maxdepth", "-prune", "-inum",
    "-links", "-samefile", "-lname", "-ilname", "-xtype",
];

#[rustfmt::skip]
const GITHUB: &[&str] = &[
    "repo delete", "repo archive", "repo rename", "release delete", "release delete-asset", "issue delete",
    "gist delete", "secret delete", "variable delete", "label delete", "cache delete", "run delete",
    "ssh-key delete", "gpg-key delete", "codespace delete", "project delete",
];

/// `mkfs` and its kinds, such as `mkfs.ext4`; `mkfs-notes` is somebody's own.
pub fn makes_file_systems(name: &str) -> bool {
    name == "mkfs" || name.starts_with("mkfs.")
}

#[rustfmt::skip]
const DISKS: &[&str] = &[
    "mke2fs", "mkswap", "wipefs", "blkdiscard", "fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk", "parted",
    "pvremove", "pvcreate", "vgremove", "lvremove", "cryptsetup", "diskpart", "format", "zpool", "mdadm",
    "badblocks", "hdparm", "nvme",
];

const POWER: &[&str] = &["shutdown", "reboot", "halt", "poweroff", "telinit"];
