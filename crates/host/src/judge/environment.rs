//! Variables that change what an otherwise harmless program runs, loads or talks to. Start from
//! [`acts`].

/// Whether setting `name` can make a command do something else.
pub fn acts(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    EXACT.contains(&upper.as_str())
        || counts(name)
        || STARTS.iter().any(|start| upper.starts_with(start))
        || ENDS.iter().any(|end| upper.ends_with(end))
}

/// Whether the shell evaluates whatever is assigned to it as arithmetic, so that only a number is harmless.
pub fn counts(name: &str) -> bool {
    COUNTERS.contains(&name)
}

const COUNTERS: &[&str] = &["RANDOM", "SRANDOM", "SECONDS", "LINENO", "OPTIND", "HISTCMD", "BASHPID"];

#[rustfmt::skip]
const EXACT: &[&str] = &[
    // The shell itself.
    "PATH", "ENV", "IFS", "SHELL", "SHELLOPTS", "BASHOPTS", "PS0", "PS1", "PS2", "PS4", "PROMPT_COMMAND",
    "CDPATH", "GLOBIGNORE", "ZDOTDIR", "HOME", "PWD", "OLDPWD", "TMPDIR", "TMP", "TEMP", "FPATH",
    "POSIXLY_CORRECT", "EXECIGNORE", "FIGNORE", "HISTFILE", "INPUTRC", "FCEDIT", "TIMEFORMAT", "AUTO_RESUME",
    // Editors, pagers, viewers.
    "PAGER", "EDITOR", "VISUAL", "BROWSER", "MANPAGER", "MANOPT", "MANROFFOPT", "MANPATH", "LESS", "LESSOPEN",
    "LESSCLOSE", "LESSKEY", "LESSEDIT", "BAT_PAGER", "BAT_CONFIG_PATH", "DELTA_PAGER", "VIMINIT", "EXINIT",
    "MYVIMRC", "TERMINFO", "TERMCAP", "TERMINFO_DIRS", "SYSTEMD_PAGER",
    // Languages and their tools.
    "LUA_INIT", "LUA_PATH", "LUA_CPATH", "RUSTC", "RUSTDOC", "RUSTFLAGS", "RUSTDOCFLAGS", "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER", "CC", "CXX", "AR", "LD", "CFLAGS", "CXXFLAGS", "LDFLAGS", "MAKEFLAGS",
    "MAKEFILES", "GNUMAKEFLAGS", "GOFLAGS", "GOTOOLCHAIN", "GOPROXY", "GOENV", "GOROOT", "GOPATH", "CLASSPATH",
    "JAVA_HOME", "_JAVA_OPTIONS", "MAVEN_OPTS", "MAVEN_ARGS", "GRADLE_OPTS", "JAVA_OPTS", "JDK_JAVA_OPTIONS",
    "NPM_EXECPATH", "YARN_RC_FILENAME", "CLOUDSDK_PYTHON", "ERL_FLAGS", "ERL_AFLAGS", "R_PROFILE",
    "R_PROFILE_USER", "R_ENVIRON",
    // Other programs.
    "KUBECONFIG", "DOCKER_HOST", "DOCKER_CONFIG", "HOSTALIASES", "RES_OPTIONS", "LOCALDOMAIN", "SSL_CERT_FILE",
    "SSL_CERT_DIR", "CURL_HOME", "CURL_CA_BUNDLE", "WGETRC", "RIPGREP_CONFIG_PATH", "GREP_OPTIONS",
    "GREP_COLORS", "TAR_OPTIONS", "GZIP", "BZIP2", "XZ_OPT", "XZ_DEFAULTS", "ZIPOPT", "UNZIP", "RSYNC_RSH",
    "RSYNC_PROXY", "CVS_RSH", "STATE_DIRECTORY", "GCONV_PATH", "LOCPATH", "NLSPATH", "GETCONF_DIR",
    "MALLOC_CHECK_", "FZF_DEFAULT_COMMAND", "FZF_DEFAULT_OPTS", "FZF_DEFAULT_OPTS_FILE", "PARALLEL",
    "PARALLEL_SHELL", "JQ_LIBRARY_PATH", "AWKPATH", "AWKLIBPATH", "MAGIC", "TAPE", "SUDO_ASKPASS", "ACKRC", "ACK_PAGER",
];

#[rustfmt::skip]
const STARTS: &[&str] = &[
    "LD_", "DYLD_", "BASH_", "GIT_", "SSH_", "PYTHON", "PERL", "RUBY", "NODE_", "NPM_CONFIG_", "CARGO_", "PIP_",
    "UV_", "XDG_", "JAVA_TOOL", "AWS_", "AZURE_", "CINQUE_", "CLAUDE_", "CODEX_", "OPENCODE_", "ANTHROPIC_",
    "OPENAI_", "GEMINI_", "QWEN_", "GH_", "BUNDLE_", "GEM_", "COMPOSER_", "DENO_", "BUN_", "YARN_", "ELECTRON_",
    "DOTNET_", "COR_", "CORECLR_", "GPG_", "GNUPG",
];

#[rustfmt::skip]
const ENDS: &[&str] = &[
    "_PROXY", "_WRAPPER", "_PAGER", "_EDITOR", "_COMMAND", "_OPTIONS",
];
