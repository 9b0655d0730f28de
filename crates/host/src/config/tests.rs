//! The configuration as a whole, on a machine without a disk. Start from `Machine`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agent::Approve;
use proptest::prelude::*;

use super::*;
use crate::wire::{Carried, Effort, Wire};

mod problems;
mod repository;

const PERSON: &str = "/home/ada/.config/cinque/config.toml";
const TRUSTED: &str = "/home/ada/.local/state/cinque/trusted.json";
const WORKSPACE: &str = "/work/engine";

/// A machine without a disk.
#[derive(Default)]
struct Machine {
    files: BTreeMap<PathBuf, Vec<u8>>,
    environment: Vec<(OsString, OsString)>,
    flags: Layer,
}

impl Machine {
    fn person(mut self, text: impl AsRef<[u8]>) -> Machine {
        self.files.insert(PERSON.into(), text.as_ref().to_vec());
        self
    }

    fn repository(mut self, text: &str) -> Machine {
        self.files.insert(Path::new(WORKSPACE).join(CONFIG), text.into());
        self
    }

    /// Trusts the repository as it is now.
    fn trusted(mut self) -> Machine {
        let snapshot = Snapshot::take(Path::new(WORKSPACE), &|path| self.read(path)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("trusted.json");
        Trust::trust(&list, Path::new(WORKSPACE), &snapshot).unwrap();
        self.files.insert(TRUSTED.into(), std::fs::read(list).unwrap());
        self
    }

    fn variables(mut self, variables: &[(&str, &str)]) -> Machine {
        self.environment.extend(variables.iter().map(|(name, value)| (name.into(), value.into())));
        self
    }

    fn flag(mut self, flag: &str, name: &str, text: &str) -> Machine {
        self.flags.flag(flag, name, text);
        self
    }

    fn read(&self, path: &Path) -> io::Result<Option<Vec<u8>>> {
        Ok(self.files.get(path).cloned())
    }

    fn load(&self) -> Result<Loaded, ConfigError> {
        let mut environment = vec![("HOME".into(), "/home/ada".into())];
        environment.extend(self.environment.iter().cloned());
        load(Sources {
            read: &|path| self.read(path),
            places: &Places::find(&environment),
            workspace: Path::new(WORKSPACE),
            environment: &environment,
            flags: self.flags.clone(),
        })
    }

    fn problems(&self) -> Vec<String> {
        match self.load() {
            Ok(_) => Vec::new(),
            Err(ConfigError(problems)) => problems.iter().map(ToString::to_string).collect(),
        }
    }

    fn warnings(&self) -> Vec<String> {
        self.load().unwrap().warnings.iter().map(ToString::to_string).collect()
    }

    /// The line of `config show` that begins with `key`.
    fn shown(&self, key: &str) -> String {
        let rows = self.load().unwrap().settings.rows();
        rows.iter().filter(|row| row.key == key).map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }
}

#[test]
fn defaults_fill_every_field_and_every_key_has_a_field() {
    let config = Machine::default().load().unwrap().config;
    assert_eq!(config.model, None);
    assert_eq!(config.approve, Approve::Ask);
    assert_eq!((config.reasoning, config.dialect), (None, Dialect::Auto));
    assert_eq!(config.idle_timeout, Duration::from_secs(300));
    assert_eq!((config.max_turns, config.max_cost, config.max_time), (20, None, None));
    assert_eq!((config.shell.output_lines, config.shell.output_bytes), (200, 10_240));
    let room = |model| config.context(model);
    assert_eq!(
        (room("openai/gpt-4o"), room("acme/large"), room("ollama/gpt-4o")),
        (256_000, 400_000, 400_000)
    );
    assert_eq!(config.mailbox.inbox, Path::new(".cinque/mailbox/inbox"));
    assert_eq!((config.solve.max_iterations, config.web.port), (5, 5000));
    // A key without a field is refused by the types, so setting all of them shows that each has one.
    let mut all = Machine::default();
    for key in KEYS {
        all = all.flag("--x", &key.path.replace('*', "acme"), &example(key.kind));
    }
    let config = all.load().unwrap().config;
    assert_eq!(config.providers["acme"].wire, Some(Wire::Gemini));
    assert_eq!(config.max_time, Some(Duration::from_secs(10_000)));
    assert_eq!(config.context("openai/gpt-4o"), 10_000);
    assert_eq!(config.prices["acme"].cached, Some(10_000.0));
    assert_eq!(config.policy.forbid.len(), 1);
    // A field that no key can fill would still be empty.
    assert!(!format!("{config:?}").contains("None"), "{config:?}");
}

fn example(kind: Kind) -> String {
    match kind {
        Kind::Choice(choices) => choices[choices.len() - 1].to_owned(),
        Kind::Flag => "true".to_owned(),
        Kind::Url => "http://localhost:1/v1".to_owned(),
        Kind::Variables => "ACME_KEY, OTHER_KEY".to_owned(),
        Kind::Folders => "[\"/home/me/project\"]".to_owned(),
        Kind::Rules(_) => "[{ prefix = [\"just\", \"lint\"] }]".to_owned(),
        Kind::Whole { .. } | Kind::Seconds | Kind::Amount => "10000".to_owned(),
        Kind::Object => "{\"temperature\": 0}".to_owned(),
        Kind::Text | Kind::Model | Kind::Folder | Kind::Secret => "some/text".to_owned(),
    }
}

#[test]
fn later_layers_win() {
    let layers = [
        ("default", "max_turns = 20  # default"),
        ("person", "max_turns = 31  # /home/ada/.config/cinque/config.toml:2"),
        (
            "repository",
            "max_turns = 32  # /work/engine/.cinque/config.toml:1, not /home/ada/.config/cinque/config.toml:2",
        ),
        (
            "environment",
            "max_turns = 33  # CINQUE_MAX_TURNS, not /work/engine/.cinque/config.toml:1 or \
             /home/ada/.config/cinque/config.toml:2",
        ),
        (
            "flags",
            "max_turns = 34  # --max-turns, not CINQUE_MAX_TURNS or /work/engine/.cinque/config.toml:1 or \
             /home/ada/.config/cinque/config.toml:2",
        ),
    ];
    let mut machine = Machine::default();
    for (layer, shown) in layers {
        machine = match layer {
            "person" => machine.person("\nmax_turns = 31"),
            "repository" => machine.repository("max_turns = 32").trusted(),
            "environment" => machine.variables(&[("CINQUE_MAX_TURNS", "33")]),
            "flags" => machine.flag("--max-turns", "max_turns", "34"),
            _ => machine,
        };
        assert_eq!(machine.shown("max_turns"), shown, "{layer}");
    }
    assert_eq!(machine.load().unwrap().config.max_turns, 34);
}

#[test]
fn variables_are_read_by_the_kind_of_their_key() {
    let machine = Machine::default().variables(&[
        ("CINQUE_MODEL", " ollama/qwen3 "),
        ("CINQUE_IDLE_TIMEOUT", "0.05"),
        ("CINQUE_MAX_TURNS", "1_000"),
        ("CINQUE_WEB__OPEN", "no"),
        ("CINQUE_MAILBOX__INBOX", "/mnt/stick/inbox"),
        ("CINQUE_SOLVE__COMMAND_TIMEOUT", "7"),
        ("CINQUE_REASONING", "high"),
        ("CINQUE_APPROVE", ""),
        ("CINQUE_PROVIDERS__MY_SERVER__BASE_URL", "http://localhost:9/v1"),
        ("CINQUE_PROVIDERS__MY_SERVER__KEY_VARIABLES", "FIRST, SECOND"),
        ("CINQUE_PROVIDERS__OTHER__BASE_URL", "http://localhost:9/v1"),
        ("CINQUE_PROVIDERS__OTHER__KEY_VARIABLES", "[\"THIRD\"]"),
        ("CINQUE_POLICY__FORBID", "[{ prefix = [\"git\", \"push\"] }, { prefix = [\"npm\"] }]"),
    ]);
    let config = machine.load().unwrap().config;
    assert_eq!((config.model.as_deref(), config.reasoning), (Some("ollama/qwen3"), Some(Effort::High)));
    assert_eq!(config.idle_timeout, Duration::from_millis(50));
    assert_eq!((config.max_turns, config.web.open, config.approve), (1000, false, Approve::Ask));
    assert_eq!(config.mailbox.inbox, Path::new("/mnt/stick/inbox"));
    assert_eq!(config.solve.command_timeout, Duration::from_secs(7));
    assert_eq!(
        config.providers["my_server"].key_variables,
        Some(vec!["FIRST".to_owned(), "SECOND".to_owned()])
    );
    assert_eq!(config.providers["other"].key_variables, Some(vec!["THIRD".to_owned()]));
    assert_eq!(config.policy.forbid.len(), 2);
}

#[test]
fn usual_addresses_stand_between_file_and_own_variables() {
    let file = "[providers.openai]\nbase_url = 'http://file/v1'";
    let usual = ("OPENAI_BASE_URL", "http://usual/v1");
    let own = ("CINQUE_PROVIDERS__OPENAI__BASE_URL", "http://own/v1");
    for (variables, expected) in
        [(&[][..], "http://file/v1"), (&[usual][..], "http://usual/v1"), (&[own, usual][..], "http://own/v1")]
    {
        let config = Machine::default().person(file).variables(variables).load().unwrap().config;
        assert_eq!(config.providers["openai"].base_url.as_deref(), Some(expected));
    }
    let warnings = Machine::default().variables(&[("OLLAMA_BASE_URL", "localhost:11434")]).warnings();
    assert_eq!(
        warnings,
        [
            "OLLAMA_BASE_URL: `providers.ollama.base_url` must be an address that begins with http:// or https://, not this \
         text"
        ]
    );
}

#[test]
fn rules_of_all_layers_are_joined() {
    let machine = Machine::default()
        .person("[policy]\nforbid = [{ prefix = ['npm'] }]")
        .repository("policy.forbid = [{ prefix = ['git', 'push'] }]")
        .trusted();
    assert_eq!(machine.load().unwrap().config.policy.forbid.len(), 2);
    assert_eq!(
        machine.shown("policy.forbid"),
        "policy.forbid = { prefix = [\"npm\"] }  # /home/ada/.config/cinque/config.toml:2\n\
         policy.forbid = { prefix = [\"git\", \"push\"] }  # /work/engine/.cinque/config.toml:1"
    );
}

#[test]
fn secrets_are_not_shown() {
    let file = "[providers.acme]\nbase_url = 'https://ada:hunter22@acme.example/v1'\nkey = 'sk-123456789'\n\
                key_variables = ['ACME_KEY']\nheaders.X-Auth = 'abc123abc'";
    let machine = Machine::default().person(file);
    let rows = machine.load().unwrap().settings.rows();
    let text: String =
        rows.iter().map(|row| format!("{row}\n{}\n", serde_json::to_string(row).unwrap())).collect();
    for secret in ["sk-123456789", "abc123abc", "hunter22"] {
        assert!(!text.contains(secret), "{text}");
    }
    assert_eq!(machine.shown("providers.acme.key"), format!("providers.acme.key = \"[set]\"  # {PERSON}:3"));
    assert!(text.contains("https://[set]@acme.example/v1"), "{text}");
    let json =
        serde_json::to_string(rows.iter().find(|row| row.key == "providers.acme.key_variables").unwrap());
    assert_eq!(
        json.unwrap(),
        "{\"key\":\"providers.acme.key_variables\",\"value\":[\"ACME_KEY\"],\"origin\":{\"from\":\"file\",\
         \"path\":\"/home/ada/.config/cinque/config.toml\",\"line\":4}}"
    );
    assert!(!format!("{:?}", machine.load().unwrap().config).contains("sk-123456789"));
}

#[test]
fn providers_are_laid_over_known_ones() {
    let file = "[providers.acme]\nwire = 'anthropic'\nbase_url = 'http://acme/v1'\nkey_variables = ['NONE', 'ACME_KEY']\n\
                max_output = 9\nbody = '{\"top_k\": 1}'\nheaders.X-Team = 'a'\n[providers.openai]\nmemory = 'theirs'\nkey_header = 'api-key'";
    let config = Machine::default().person(file).load().unwrap().config;
    let variable = |name: &str| match name {
        "ACME_KEY" => Some("acme-key-1".to_owned()),
        "OPENAI_API_KEY" => Some("openai-key-1".to_owned()),
        _ => None,
    };
    let acme = config.providers["acme"].over("acme", variable);
    assert_eq!((acme.wire, acme.base_url.as_str()), (Wire::Anthropic, "http://acme/v1"));
    assert_eq!(acme.key, Some(crate::wire::Secret::new("acme-key-1")));
    assert_eq!((acme.quirks.output, acme.headers.len()), (Some(9), 1));
    assert_eq!(acme.body["top_k"], 1);
    let openai = config.providers["openai"].over("openai", variable);
    assert_eq!(openai.base_url, "https://api.openai.com/v1");
    assert_eq!(openai.key, Some(crate::wire::Secret::new("openai-key-1")));
    assert_eq!(openai.carried, Carried::Header("api-key".to_owned()));
    assert_eq!(openai.quirks.memory, crate::wire::Memory::Theirs);
}

#[test]
fn the_sample_is_a_configuration() {
    let loaded = Machine::default().person(SAMPLE).load().unwrap();
    assert_eq!((loaded.config.max_turns, loaded.config.max_cost), (40, Some(2.5)));
    assert_eq!(loaded.config.policy.allow.len(), 2);
    assert_eq!(loaded.config.providers.len(), 2);
    assert_eq!(loaded.config.prices["acme/large"].cached, Some(0.125));
}

#[test]
fn what_is_shown_can_be_written_again() {
    let before = Machine::default().person(SAMPLE).load().unwrap();
    let rows = before.settings.rows();
    let repeatable = |row: &&Row| !row.key.starts_with("policy.") && row.value.as_str() != Some("[set]");
    let text: String = rows.iter().filter(repeatable).map(|row| format!("{row}\n")).collect();
    let mut after = Machine::default().person(&text).load().unwrap().config;
    after.policy = before.config.policy.clone();
    for (name, provider) in &mut after.providers {
        provider.headers.clone_from(&before.config.providers[name].headers);
    }
    assert_eq!(after, before.config, "{text}");
}

#[test]
fn no_key_is_a_part_of_another() {
    for key in KEYS {
        let within =
            KEYS.iter().filter(|other| format!("{}.", other.path).starts_with(&format!("{}.", key.path)));
        assert_eq!(within.count(), 1, "{}", key.path);
    }
}

#[test]
fn every_key_is_documented_once() {
    let text = markdown();
    for key in KEYS {
        let row = format!("| `{}` | ", key.path);
        assert_eq!(text.matches(&row).count(), 1, "{}", key.path);
        assert!(key.about.ends_with('.') && !key.about.contains('\n'), "{}", key.path);
    }
    assert!(text.lines().all(|line| line.replace("\\|", "").matches('|').count() == 6), "{text}");
    assert!(text.contains(
        "| `mailbox.inbox` | a folder, absolute or relative to the workspace | \
        `.cinque/mailbox/inbox` | `CINQUE_MAILBOX__INBOX` | Where replies are put by a person. |"
    ));
}

#[test]
fn files_lie_where_xdg_says() {
    let check = |variables: &[(&str, &str)], config: Option<&str>, trusted: Option<&str>| {
        let pairs: Vec<(OsString, OsString)> =
            variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
        let trusted = trusted.map(PathBuf::from);
        let typed = trusted.as_ref().map(|path| path.with_file_name("history.json"));
        let expected = Places { config: config.map(Into::into), trusted, typed };
        assert_eq!(Places::find(&pairs), expected, "{variables:?}");
    };
    check(&[("HOME", "/home/ada")], Some(PERSON), Some(TRUSTED));
    check(
        &[("HOME", "/h"), ("XDG_CONFIG_HOME", "/c"), ("XDG_STATE_HOME", "relative")],
        Some("/c/cinque/config.toml"),
        Some("/h/.local/state/cinque/trusted.json"),
    );
    check(&[], None, None);
}

proptest! {
    #[test]
    fn no_input_panics(
        file in "[a-z.\\[\\]{}='\", 0-9\n#*_-]{0,60}",
        name in "(MODEL|POLICY__ALLOW|PROVIDERS__A__KEY|[A-Z_]{0,12})",
        value in "\\PC{0,20}",
    ) {
        let machine = Machine::default().person(&file).variables(&[(&format!("CINQUE_{name}"), &value)]);
        if let Ok(loaded) = machine.load() {
            prop_assert!(!loaded.settings.rows().is_empty());
        }
    }
}

#[test]
fn the_documentation_has_the_table_of_keys() {
    let written = include_str!("../../../../docs/config.md");
    for row in super::markdown().lines() {
        assert!(written.contains(row), "docs/config.md lacks: {row}");
    }
}
