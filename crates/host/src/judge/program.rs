//! Programs that only read, and the options with which they do more: tables, and the one function
//! that looks a command up in them, [`judge`]. What is in no table asks.

use super::expand::Arg;
use super::{awk, git, options, sed};

/// What a single program with its arguments would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Only speaks; its arguments are no files.
    Speaks,
    /// Looks at names and properties of files, not into them.
    Lists,
    /// Reads files named by its arguments.
    Reads,
    /// Does more than reading, or may; says what.
    Asks(String),
}

/// The name of a program without the directories that hold the system's programs. Another path stays
/// as it is, so that `./ls` is not taken for `ls`.
pub fn base(text: &str) -> &str {
    match text.rsplit_once('/') {
        Some((folder, name)) if FOLDERS.contains(&folder) => name,
        _ => text,
    }
}

/// Whether the tables say what a program of this name does and prints.
pub fn is_known(name: &str) -> bool {
    matches!(name, "git" | "find" | "sed" | "gsed" | "awk" | "gawk" | "mawk" | "nawk")
        || READERS.iter().any(|reader| reader.names.contains(&name))
}

pub fn judge(args: &[Arg]) -> Effect {
    let Some((first, rest)) = args.split_first() else {
        return Effect::Speaks;
    };
    let name = base(&first.text);
    match name {
        "git" => return git::judge(rest),
        "sed" | "gsed" => return sed::judge(rest),
        "awk" | "gawk" | "mawk" | "nawk" => return awk::judge(rest),
        _ => {}
    }
    if let [only] = rest
        && matches!(only.text.as_str(), "--version" | "--help")
        && !name.contains('/')
        && VERSIONED.contains(&name)
    {
        return Effect::Speaks;
    }
    if let Some(reader) = READERS.iter().find(|reader| reader.names.contains(&name)) {
        return reader.judge(name, rest);
    }
    if let Some((_, forms)) = FORMS.iter().find(|(program, _)| *program == name) {
        return form(name, forms, rest);
    }
    if CHANGING.contains(&name) {
        return Effect::Asks(format!("`{name}` changes files"));
    }
    Effect::Asks(format!("`{name}` is not known to only read"))
}

/// The harmless effects, as the table needs them.
#[derive(Clone, Copy)]
enum Reach {
    Speaks,
    Lists,
    Reads,
}

impl From<Reach> for Effect {
    fn from(reach: Reach) -> Effect {
        match reach {
            Reach::Speaks => Effect::Speaks,
            Reach::Lists => Effect::Lists,
            Reach::Reads => Effect::Reads,
        }
    }
}

struct Reader {
    names: &'static [&'static str],
    deny: &'static [&'static str],
    valued: &'static str,
    operands: Operands,
    reach: Reach,
}

/// What may stand beside the options.
enum Operands {
    Any,
    /// At most so many: the next would be written to.
    Most(usize),
    /// None may be a number.
    NoNumbers,
    /// The first is a format: `-v` before it would set a variable.
    Format,
    /// An expression: `-v` evaluates the name of a variable, and with it what its subscript says.
    Test,
    /// Modes of the shell: only those that do not change how commands are read.
    Modes,
    /// None may start with this.
    NotStarting(&'static str),
}

impl Reader {
    fn judge(&self, name: &str, args: &[Arg]) -> Effect {
        if let Some(option) = options::denied(args, self.deny, self.valued) {
            return Effect::Asks(format!("{option} makes `{name}` do more than read"));
        }
        let mut operands = options::operands(args);
        let fine = match self.operands {
            Operands::Any => true,
            Operands::Most(most) => self.count(args) <= most && args.iter().all(|arg| !arg.may_hide_option()),
            Operands::NoNumbers => {
                operands.all(|arg| arg.text.contains(|c: char| !c.is_ascii_digit() && c != '.'))
            }
            Operands::Format => {
                args.first().is_none_or(|arg| !arg.text.starts_with("-v") && !arg.may_hide_option())
            }
            Operands::Test => is_plain_test(args),
            Operands::Modes => are_plain_modes(args),
            Operands::NotStarting(start) => operands.all(|arg| !arg.text.starts_with(start)),
        };
        if fine {
            self.reach.into()
        } else {
            Effect::Asks(format!("with these arguments `{name}` does more than read"))
        }
    }
}

/// An expression for `test` in which nothing can turn out to be `-v`.
fn is_plain_test(args: &[Arg]) -> bool {
    let operator =
        |arg: &Arg| arg.is_exact() && (arg.text.starts_with('-') || BINARY.contains(&arg.text.as_str()));
    args.iter().enumerate().all(|(at, arg)| {
        let before = at.checked_sub(1).and_then(|before| args.get(before));
        let taken =
            before.is_some_and(|before| operator(before) && !matches!(before.text.as_str(), "-a" | "-o"));
        let next = args.get(at + 1);
        let last = next.is_none_or(|next| next.text == "]" || operator(next));
        !matches!(arg.text.as_str(), "-v" | "-R") && !arg.splits && (arg.is_exact() || taken || last)
    })
}

const BINARY: &[&str] = &["=", "==", "!=", "<", ">"];

/// Modes that `set` may change: how commands are read, and what they find, stays as it is.
fn are_plain_modes(args: &[Arg]) -> bool {
    const NAMES: &[&str] = &[
        "pipefail",
        "errexit",
        "nounset",
        "xtrace",
        "noglob",
        "verbose",
        "noclobber",
        "errtrace",
        "functrace",
    ];
    let mut named = false;
    for arg in args {
        let text = arg.text.as_str();
        if arg.may_hide_option() {
            return false;
        }
        if named {
            named = false;
            if !NAMES.contains(&text) {
                return false;
            }
        } else if matches!(text, "--" | "-") || !text.starts_with(['-', '+']) {
            return true;
        } else if text.chars().skip(1).any(|c| !"eufxvCETo".contains(c)) {
            return false;
        } else {
            named = text.contains('o');
        }
    }
    true
}

impl Reader {
    /// How many operands there are, without the values of options.
    fn count(&self, args: &[Arg]) -> usize {
        let takes = |arg: &Arg| {
            arg.text.len() == 2
                && arg.text.starts_with('-')
                && arg.text.chars().nth(1).is_some_and(|c| self.valued.contains(c))
        };
        let mut count = 0;
        let mut at = 0;
        while let Some(arg) = args.get(at) {
            at += 1;
            if takes(arg) {
                at += 1;
            } else if !arg.text.starts_with('-') || arg.text.len() == 1 {
                count += 1;
            } else if arg.text == "--" {
                return count + args.len() - at;
            }
        }
        count
    }
}

/// A program that reads only in the listed forms: its first words must be one of them.
fn form(name: &str, forms: &[&str], args: &[Arg]) -> Effect {
    let exact = args.iter().all(|arg| !arg.has_marks() && !arg.splits);
    // Options beside it can load code before the version is told, and a path names a recipe to evaluate.
    let versions = matches!(args.first(), Some(arg) if VERSION.contains(&arg.text.as_str()));
    let evaluates =
        name == "brew" && args.iter().any(|arg| arg.text.contains('/') || arg.text.ends_with(".rb"));
    let exact = exact && (!versions || args.len() == 1) && !evaluates;
    let fits = |form: &&&str| {
        form.split(' ').enumerate().all(|(at, word)| args.get(at).is_some_and(|arg| arg.text == word))
    };
    let risky = options::denied(args, RISKY, "");
    match forms.iter().find(fits) {
        Some(_) if exact && risky.is_none() => Effect::Reads,
        _ => Effect::Asks(format!("this use of `{name}` is not known to only read")),
    }
}

/// Well known for changing files; these only explain themselves better.
#[rustfmt::skip]
const CHANGING: &[&str] = &[
    "touch", "mkdir", "mv", "cp", "rm", "rmdir", "ln", "chmod", "chown", "chgrp", "tee", "truncate", "install",
    "rsync", "patch", "unlink", "shred", "dd", "mktemp", "mkfifo", "mknod", "split", "csplit", "unzip", "zip",
    "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd", "lz4", "ed", "ex", "sponge", "rename",
    "dos2unix", "unix2dos", "cpio", "trash", "srm",
];

const VERSION: &[&str] = &["-V", "-v", "-version", "--version"];

/// Options with which such a form would write, or load something.
#[rustfmt::skip]
const RISKY: &[&str] = &[
    "-o", "-w", "-i", "-u", "-c", "--output", "--global", "--fix", "--unset", "--python", "--log",
    "--config-file", "--option",
];

#[rustfmt::skip]
const FOLDERS: &[&str] = &[
    "/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin",
];

/// Programs that may be asked for their version or help. Not those that first look into the folder for
/// another version of themselves to run, as rustup's `cargo`, `go` and `dotnet` do.
#[rustfmt::skip]
const VERSIONED: &[&str] = &[
    "awk", "bash", "bun", "clang", "cmake", "cp", "curl", "deno", "docker", "find", "gcc", "g++", "gh", "grep",
    "java", "javac", "jq", "kotlinc", "ls", "make", "mkdir", "mv", "node", "npm", "perl", "php", "pip", "pip3",
    "python", "python3", "rg", "rm", "ruby", "sed", "sh", "sort", "swift", "tar", "tsc", "uv", "wget", "zsh",
    "7zz", "fzf", "ruff", "mypy", "black",
];

const fn reader(names: &'static [&'static str], reach: Reach) -> Reader {
    Reader { names, deny: &[], valued: "", operands: Operands::Any, reach }
}

const fn without(
    names: &'static [&'static str],
    deny: &'static [&'static str],
    valued: &'static str,
) -> Reader {
    Reader { deny, valued, ..reader(names, Reach::Reads) }
}

#[rustfmt::skip]
const READERS: &[Reader] = &[
    // Speak, or change nothing but the shell they run in.
    reader(&[
        "echo", "true", "false", ":", "sleep", "Start-Sleep", "seq", "expr", "whoami", "groups", "uname",
        "arch", "nproc", "uptime", "pwd", "tty", "who", "users", "printenv", "basename", "dirname", "type",
        "which", "whereis", "tr", "factor", "numfmt", "cal", "yes", "shift", "return", "exit", "break",
        "continue", "times", "caller", "dirs", "locale", "getconf", "logname", "lscpu", "free", "id", "help",
        "sw_vers", "w", "last", "lastlog", "whatis", "apropos", "getopt", "tput", "vm_stat", "vmstat",
        "iostat", "mpstat", "lsmod", "lspci", "lsusb", "pidof", "system_profiler", "bc",
    ], Reach::Speaks),
    Reader { deny: &["-x"], ..reader(&["jobs"], Reach::Speaks) },
    Reader { operands: Operands::Format, ..reader(&["printf"], Reach::Speaks) },
    Reader { operands: Operands::Test, ..reader(&["test", "["], Reach::Lists) },
    Reader { deny: &["-s", "--set"], valued: "d", operands: Operands::NoNumbers, ..reader(&["date"], Reach::Speaks) },
    Reader { deny: &["-b", "-F", "--boot", "--file"], operands: Operands::Most(0), ..reader(&["hostname"],
        Reach::Speaks) },
    Reader { deny: &["-c", "-d", "-a", "-n", "-r", "-w", "-p", "-s"], operands: Operands::Most(1),
        ..reader(&["history"], Reach::Speaks) },
    Reader { deny: &["-n", "-i", "-f"], ..reader(&["declare", "typeset", "local", "export", "readonly"],
        Reach::Speaks) },
    Reader { deny: &["-f", "-n"], ..reader(&["unset"], Reach::Speaks) },
    Reader { deny: &["-i", "-e"], ..reader(&["read"], Reach::Speaks) },
    Reader { deny: &["-C", "-c"], ..reader(&["mapfile", "readarray"], Reach::Speaks) },
    reader(&["getopts", "umask", "ulimit", "popd"], Reach::Speaks),
    Reader { operands: Operands::Modes, ..reader(&["set"], Reach::Speaks) },
    Reader { deny: &["-s", "-u"], ..reader(&["shopt"], Reach::Speaks) },
    Reader { deny: &["-p"], ..reader(&["wait"], Reach::Speaks) },
    reader(&["cd", "pushd"], Reach::Lists),

    // Look at names and properties.
    reader(&[
        "ls", "dir", "vdir", "stat", "readlink", "realpath", "du", "df", "exa", "eza", "lsd", "namei",
        "pathchk", "wc", "lsblk", "md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum",
        "b2sum", "cksum", "sum", "shasum", "ps", "pgrep", "pstree", "locate", "md5", "lsof", "lsattr", "pmap",
        "mdls", "mdfind", "lstat", "findmnt",
    ], Reach::Lists),
    Reader { deny: &["-o", "--output", "-R"], valued: "LPI", ..reader(&["tree"], Reach::Lists) },
    Reader { deny: &["-C", "--compile"], ..reader(&["file"], Reach::Lists) },
    Reader { deny: &["-x", "-X", "--exec", "--exec-batch"], valued: "etdESc", ..reader(&["fd", "fdfind"],
        Reach::Lists) },

    // Read files.
    reader(&[
        "cat", "head", "tail", "nl", "od", "hexdump", "hd", "strings", "tac", "rev", "cut", "paste", "join",
        "comm", "col", "colrm", "column", "expand", "unexpand", "fold", "fmt", "pr", "grep", "egrep", "fgrep",
        "zgrep", "zcat", "gzcat", "bzcat", "xzcat", "cmp", "diff", "jq", "gojq", "tsort",
        "look", "readelf", "size", "hexyl", "tokei", "zipinfo", "Get-Content", "Get-ChildItem", "Get-Location",
        "Select-String",
    ], Reach::Reads),
    without(&["sort", "gsort"], &["-o", "-T", "--output", "--compress-program", "--temporary-directory"], "kStT"),
    Reader { valued: "fsw", operands: Operands::Most(1), ..reader(&["uniq"], Reach::Reads) },
    without(&["rg"], &["--pre", "--hostname-bin", "-z", "--search-zip"], "efgtTmABCEMjrd"),
    without(&["ag", "ack"], &["--pager", "--ackrc", "--output"], ""),
    without(&["ugrep"], &["--pager", "--filter", "--view", "--save-config", "--format", "-Q", "--query",
        "--config", "---"], "efg"),
    without(&["diff3"], &["--diff-program"], ""),
    without(&["zstdcat"], &["-o", "-D", "-M", "--output-dir-flat", "--output-dir-mirror", "--rm", "--trace",
        "--compress", "-z", "--train"], ""),
    without(&["sdiff"], &["-o", "--output", "--diff-program"], "wIW"),
    Reader { deny: &["-o", "-O", "-k", "--log-file", "--LOG-FILE", "--lesskey-file", "--lesskey-src",
        "--lesskey-content", "--cmd"], operands: Operands::NotStarting("+"), ..reader(&["less", "more"], Reach::Reads) },
    without(&["bat", "batcat"], &["--pager", "--generate-config-file", "--lessopen"], ""),
    without(&["man"], &["-P", "-H", "-C", "-l", "-M", "--pager", "--html", "--config-file", "--local-file",
        "--manpath", "-X", "-T", "--gxditview", "--troff-device", "-Z", "-p", "--preprocessor"], "k"),
    without(&["base64", "base32", "basenc"], &["-o", "--output"], "w"),
    without(&["iconv"], &["-o", "--output"], "ft"),
    Reader { deny: &["-r", "-revert", "--revert"], valued: "lscgonR", operands: Operands::Most(1),
        ..reader(&["xxd"], Reach::Reads) },
    without(&["yq"], &["-i", "-s", "--inplace", "--split-exp", "--in-place", "-f", "--from-file"], ""),
    without(&["nm", "objdump"], &["--plugin"], ""),
    without(&["xmllint"], &["-o", "--output", "--shell", "--load-trace"], ""),
    Reader { operands: Operands::Most(0), deny: &["--output-error"], ..reader(&["tee"], Reach::Speaks) },
];

/// Programs with many faces; only the forms listed here are known to read.
#[rustfmt::skip]
const FORMS: &[(&str, &[&str])] = &[
    ("7z", &["b", "l", "i"]), ("7zz", &["b", "l", "i"]), ("7za", &["b", "l", "i"]),
    ("apt", &["list", "show", "search"]), ("apt-cache", &["show", "policy", "search", "depends", "rdepends"]),
    ("brew", &["deps", "list", "ls", "info", "config", "leaves", "outdated", "desc", "uses", "--prefix",
    "--cellar", "--repository", "-v", "--version", "commands", "doctor"]),
    ("dpkg", &["-l", "-L", "-s", "-S", "--list", "--listfiles", "--status", "--search", "--print-architecture"]),
    ("dotnet", &["--list-sdks", "--list-runtimes"]),
    ("getent", &["passwd", "group", "services", "protocols"]),
    ("java", &["-version"]),
    ("kill", &["-l"]),
    ("node", &["-v"]),
    ("npm", &["-v", "ls", "list", "root", "prefix"]),
    ("pip", &["list", "show", "freeze", "check", "cache list", "cache info", "cache dir", "-V"]),
    ("pip3", &["list", "show", "freeze", "check", "cache list", "cache info", "cache dir", "-V"]),
    ("pkgutil", &["-h", "--help", "--pkgs", "--packages", "--files", "--pkg-info", "--pkg-info-plist",
    "--export-plist", "--file-info", "--groups"]),
    ("python", &["-V"]), ("python3", &["-V"]),
    ("rustup", &["toolchain list"]),
    ("scutil", &["-r", "--dns", "--proxy", "--get", "--nwi"]),
    ("trap", &["-p", "-l"]),
    ("unzip", &["-l", "-v", "-Z", "-t"]),
    ("gzip", &["-l", "-t", "--list", "--test"]),
    ("uv", &["--version"]),
];
