//! The table of all keys: [`KEYS`]. Add a row here and a field in `resolved.rs`; a test fails until both agree.
//! Defaults, checks, variables, `config show` and the documentation follow from the row.

use super::key::Key;
use super::key::Repository::{May, MayNot};
use super::kind::Kind::{
    self, Amount, Choice, Flag, Folder, Folders, Model, Object, Rules, Seconds, Secret, Text, Url, Variables,
};
use crate::judge::Verdict;

/// In the order in which they are shown.
#[rustfmt::skip]
pub const KEYS: &[Key] = &[
    Key { path: "model", kind: Model, default: "", repository: May,
        about: "The model that is asked; without it, one of the first provider that has a key." },
    Key { path: "reasoning", kind: Choice(&["none", "minimal", "low", "medium", "high"]), default: "none", repository: May,
        about: "How hard a reasoning model should think; `none` leaves it to the model." },
    Key { path: "dialect", kind: Choice(&["auto", "native", "json", "text"]), default: "auto", repository: May,
        about: "How tool calls are spoken: as the provider does, as a JSON object, or as tagged text; `auto` is the provider's way, and JSON for a model that turns out to have none." },
    Key { path: "approve", kind: Choice(&["ask", "auto", "never"]), default: "ask", repository: May,
        about: "What becomes of calls that need a decision: put to a person, approved, or declined." },
    Key { path: "idle_timeout", kind: Seconds, default: "300", repository: May,
        about: "Seconds of silence after which a model's stream is given up." },
    Key { path: "max_turns", kind: Kind::Whole { least: 1, most: 10_000 }, default: "20", repository: May,
        about: "Model calls in one run." },
    Key { path: "context", kind: Kind::Whole { least: 10_000, most: i64::MAX }, default: "", repository: May,
        about: "Bytes of conversation that one request may carry before older parts are summarised or left out; without it, what the model's window holds, or 400000 where that is not known." },
    Key { path: "max_tokens_total", kind: COUNT, default: "", repository: MayNot(MONEY),
        about: "Tokens, in and out, after which a run ends with exit code 5." },
    Key { path: "max_cost", kind: Amount, default: "", repository: MayNot(MONEY),
        about: "Cost in dollars after which a run ends with exit code 5." },
    Key { path: "max_time", kind: Seconds, default: "", repository: May,
        about: "Seconds after which a run ends with exit code 5." },

    Key { path: "shell.timeout", kind: Seconds, default: "120", repository: May,
        about: "Seconds after which a command is ended, unless the call says otherwise." },
    Key { path: "shell.output_lines", kind: COUNT, default: "200", repository: May,
        about: "Lines of a command's output that the model is shown, stdout and stderr apart." },
    Key { path: "shell.output_bytes", kind: Kind::Whole { least: 200, most: i64::MAX }, default: "10240", repository: May,
        about: "Bytes of a command's output that the model is shown, stdout and stderr apart." },

    Key { path: "policy.allow", kind: Rules(Verdict::Allow), default: "", repository: May,
        about: "Commands that run without asking. Lists of all layers are joined." },
    Key { path: "policy.ask", kind: Rules(Verdict::Ask), default: "", repository: May,
        about: "Commands that are always asked about. Lists of all layers are joined." },
    Key { path: "policy.forbid", kind: Rules(Verdict::Forbid), default: "", repository: May,
        about: "Commands that never run. Lists of all layers are joined." },
    Key { path: "policy.edits", kind: Folders, default: "", repository: MayNot("what may change unasked is for a person to say"),
        about: "Folders in which file tools change files without asking. Lists of all layers are joined." },

    Key { path: "mailbox.workspace", kind: Folder, default: ".", repository: May,
        about: "The folder that the mailbox works in." },
    Key { path: "mailbox.inbox", kind: Folder, default: ".cinque/mailbox/inbox", repository: May,
        about: "Where replies are put by a person." },
    Key { path: "mailbox.outbox", kind: Folder, default: ".cinque/mailbox/outbox", repository: May,
        about: "Where requests are written for a person to carry." },
    Key { path: "mailbox.sessions", kind: Folder, default: ".cinque/mailbox/sessions", repository: May,
        about: "Where the state of mailbox sessions is shown." },
    Key { path: "mailbox.command_timeout", kind: Seconds, default: "30", repository: May,
        about: "Seconds after which a command of a reply is ended." },
    Key { path: "mailbox.output_limit", kind: COUNT, default: "4000", repository: May,
        about: "Characters of a command's output that go into an outbox file." },
    Key { path: "mailbox.outbox_limit", kind: Kind::Whole { least: 10_000, most: i64::MAX }, default: "400000", repository: May,
        about: "Bytes of one outbox file, so that it fits a chat window." },

    Key { path: "solve.max_iterations", kind: COUNT, default: "5", repository: May,
        about: "Rounds of planning and acting." },
    Key { path: "solve.command_timeout", kind: Seconds, default: "120", repository: May,
        about: "Seconds after which a command of a plan, or the test command, is ended." },

    Key { path: "web.host", kind: Text, default: "localhost", repository: MayNot("who can reach the server is for a person to say"),
        about: "The address that the server listens on." },
    Key { path: "web.port", kind: Kind::Whole { least: 0, most: 65_535 }, default: "5000", repository: May,
        about: "The port that the server listens on; 0 takes a free one." },
    Key { path: "web.open", kind: Flag, default: "true", repository: May,
        about: "Whether `cinque web` opens the browser." },

    Key { path: "api.read_lines", kind: COUNT, default: "500", repository: May,
        about: "Lines that `readFile` returns." },
    Key { path: "api.list_items", kind: COUNT, default: "200", repository: May,
        about: "Items that `listFiles` returns." },
    Key { path: "api.search_matches", kind: COUNT, default: "50", repository: May,
        about: "Matches that `searchText` returns." },
    Key { path: "api.read_only", kind: Flag, default: "false", repository: May,
        about: "Whether the stateless API refuses `replaceText`." },
    Key { path: "api.timeout", kind: Seconds, default: "120", repository: May,
        about: "Seconds after which a request of the stateless API is given up." },
    Key { path: "api.concurrency", kind: Kind::Whole { least: 1, most: 10_000 }, default: "64", repository: May,
        about: "Requests of the stateless API that are worked on at once; the rest wait briefly, then hear 503." },
    Key { path: "api.audit", kind: Flag, default: "false", repository: May,
        about: "Whether requests of the stateless API are kept as conversations." },

    Key { path: "providers.*.wire", kind: Choice(&["openai", "responses", "azure", "anthropic", "gemini"]), default: "", repository: MayNot(WHERE_REQUESTS_GO),
        about: "The format that the server speaks; `openai` for a new provider." },
    Key { path: "providers.*.base_url", kind: Url, default: "", repository: MayNot(WHERE_REQUESTS_GO),
        about: "The address of the server, such as `http://localhost:8000/v1`. A new provider needs one." },
    Key { path: "providers.*.key_variables", kind: Variables, default: "", repository: MayNot(WHERE_REQUESTS_GO),
        about: "The variables that the key is read from; the first that is set counts." },
    Key { path: "providers.*.key", kind: Secret, default: "", repository: MayNot("a key in a repository is no secret: name its variable with `key_variables` in your own configuration"),
        about: "The key itself, used before the variables. Better name a variable with `key_variables`." },
    Key { path: "providers.*.key_header", kind: Text, default: "", repository: MayNot(WHERE_REQUESTS_GO),
        about: "The header that carries the key, instead of the wire's usual one." },
    Key { path: "providers.*.headers.*", kind: Secret, default: "", repository: MayNot(WHERE_REQUESTS_GO),
        about: "A header that is sent with every request." },
    Key { path: "providers.*.body", kind: Object, default: "", repository: MayNot(WHERE_REQUESTS_GO),
        about: "Fields of every request besides those that the wire writes, or instead of them, such as `'{\"temperature\": 0}'`." },
    Key { path: "providers.*.reasoning", kind: Choice(&["dropped", "returned"]), default: "", repository: MayNot(WHERE_REQUESTS_GO),
        about: "Whether a reply's reasoning is given back to the server in the next request." },
    Key { path: "providers.*.usage", kind: Choice(&["asked", "unasked"]), default: "", repository: MayNot(WHERE_REQUESTS_GO),
        about: "Whether the server must be asked to count tokens; `unasked` for one that refuses the question." },
    Key { path: "providers.*.memory", kind: Choice(&["ours", "theirs"]), default: "", repository: MayNot(WHERE_REQUESTS_GO),
        about: "Who remembers the conversation on the `responses` wire." },
    Key { path: "providers.*.api_version", kind: Text, default: "", repository: MayNot(WHERE_REQUESTS_GO),
        about: "The version of the API that `azure` names." },
    Key { path: "providers.*.max_output", kind: COUNT, default: "", repository: MayNot(WHERE_REQUESTS_GO),
        about: "The most tokens of one reply." },

    Key { path: "prices.*.input", kind: Amount, default: "", repository: MayNot(MONEY),
        about: "Dollars for a million tokens in, for the model of this name (`PROVIDER/MODEL`)." },
    Key { path: "prices.*.output", kind: Amount, default: "", repository: MayNot(MONEY),
        about: "Dollars for a million tokens out." },
    Key { path: "prices.*.cached", kind: Amount, default: "", repository: MayNot(MONEY),
        about: "Dollars for a million tokens in that the provider had cached; the input price unless set." },
];

const COUNT: Kind = Kind::Whole { least: 1, most: 1_000_000_000 };

const WHERE_REQUESTS_GO: &str = "where requests and keys go is for a person to say";
const MONEY: &str = "what may be spent is for a person to say";
