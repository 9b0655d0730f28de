//! Programs that talk to other machines. Start from [`is_program`] and [`uses`].

use super::expand::Arg;
use super::program;

/// Whether the program is there to talk to other machines.
pub fn is_program(name: &str) -> bool {
    PROGRAMS.contains(&stem(name).as_str())
}

/// Whether this command does.
pub fn uses(args: &[Arg]) -> bool {
    let Some(first) = args.first() else {
        return false;
    };
    let name = stem(program::base(&first.text));
    let texts = || args.iter().skip(1).map(|arg| arg.text.as_str());
    match name.as_str() {
        // A colon after a host, as in `host:path`, or a URL; otherwise it copies locally.
        "rsync" | "rclone" => texts().any(|text| text.contains(':')),
        "openssl" => texts().any(|text| matches!(text, "s_client" | "s_server" | "s_time" | "ocsp")),
        _ => PROGRAMS.contains(&name.as_str()),
    }
}

/// Whether git, by its subcommand and what follows, talks to a repository that does not lie on this machine. A bare name
/// is one of its remotes.
pub fn git_uses(words: &[Arg]) -> bool {
    let Some((command, rest)) = words.split_first() else { return false };
    let mut named = rest.iter().map(|arg| arg.text.as_str()).filter(|text| !text.starts_with('-'));
    let is_local = |text: &str| text.starts_with(['.', '/', '~']) || text.starts_with("file:");
    match command.text.as_str() {
        "fetch" | "pull" | "push" | "ls-remote" => !named.next().is_some_and(is_local),
        // Without a colon it is a folder here, however it is spelled.
        "clone" => named.any(|from| from.contains(':') && !is_local(from)),
        "remote" => named.next() == Some("update"),
        "send-email" | "imap-send" | "svn" | "p4" => true,
        _ => false,
    }
}

/// Windows names do not care about case, and may carry their ending.
pub fn stem(name: &str) -> String {
    let lower = name.rsplit(['/', '\\']).next().unwrap_or(name).to_ascii_lowercase();
    match lower.strip_suffix(".exe").or(lower.strip_suffix(".com")) {
        Some(stem) => stem.to_owned(),
        None => lower,
    }
}

#[rustfmt::skip]
const PROGRAMS: &[&str] = &[
    "curl", "curlie", "wget", "wget2", "nc", "ncat", "netcat", "nc.openbsd", "nc.traditional", "socat", "ssh",
    "scp", "sftp", "sshfs", "mosh", "autossh", "telnet", "ftp", "lftp", "ncftp", "tftp", "http", "https", "xh",
    "httpie", "aria2c", "axel", "lynx", "links", "w3m", "elinks", "dig", "nslookup", "host", "drill", "ping",
    "ping6", "traceroute", "tracepath", "mtr", "nmap", "masscan", "whois", "finger", "rsh", "rlogin", "rexec",
    "mail", "mailx", "sendmail", "mutt", "msmtp", "smbclient", "ldapsearch", "websocat", "grpcurl", "ngrok",
    "cloudflared", "ssh-copy-id", "ssh-keyscan", "croc", "magic-wormhole", "wormhole", "invoke-webrequest", "iwr",
    "invoke-restmethod", "irm", "start-bitstransfer", "bitsadmin", "certutil", "test-netconnection", "tnc",
    "test-connection", "resolve-dnsname", "new-pssession", "enter-pssession",
];
