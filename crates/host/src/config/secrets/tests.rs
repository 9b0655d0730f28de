//! What is found, what is left alone, and the law that no secret survives.

use proptest::prelude::*;

use super::*;
use crate::config::Layer;

#[track_caller]
fn check(secrets: &[(&str, &str)], text: &str, expected: &str) {
    let secrets = Secrets::new(secrets.iter().copied()).unwrap();
    assert_eq!(secrets.redact(text), expected);
}

const KEY: (&str, &str) = ("ACME_KEY", "s3cret/k&y");

#[test]
fn secrets_are_replaced_by_their_names() {
    check(&[KEY], "no secret here", "no secret here");
    check(&[KEY], "s3cret/k&y", "[redacted ACME_KEY]");
    check(&[KEY], "a=s3cret/k&y&b=s3cret/k&y!", "a=[redacted ACME_KEY]&b=[redacted ACME_KEY]!");
    check(&[KEY], "ü s3cret/k&y ü", "ü [redacted ACME_KEY] ü");
    check(&[], "s3cret/k&y", "s3cret/k&y");
    check(&[("SHORT", "1234567")], "1234567", "1234567");
    check(&[("PADDED", " 12345678\n")], "x12345678x", "x[redacted PADDED]x");
    check(&[("SAME", "redacted SAME")], "redacted SAME", "redacted SAME");
}

#[test]
fn other_spellings_are_found() {
    // `printf 'ada:s3cret/k&y' | base64`, and the like.
    check(&[KEY], "url?key=s3cret%2Fk%26y", "url?key=[redacted ACME_KEY]");
    check(&[KEY], "url?key=s3cret%2fk%26y", "url?key=[redacted ACME_KEY]");
    check(&[KEY], "czNjcmV0L2smeQ==", "[redacted ACME_KEY]Q==");
    check(&[KEY], "YWRhOnMzY3JldC9rJnk=", "YWRhOn[redacted ACME_KEY]k=");
    check(&[KEY], "733363726574 2f6b2679", "733363726574 2f6b2679");
    check(&[KEY], "7333637265742f6b2679", "[redacted ACME_KEY]");
    check(&[("Q", "a\"b\\c-12345")], r#"{"x":"a\"b\\c-12345"}"#, r#"{"x":"[redacted Q]"}"#);
}

#[test]
fn secrets_that_overlap_go_together() {
    let two = [("A", "abcdefgh"), ("B", "efghijkl")];
    check(&two, "-abcdefghijkl-", "-[redacted A]-");
    check(&two, "-efghijkl-abcdefgh-", "-[redacted B]-[redacted A]-");
    check(&[("A", "abcdefgh"), ("B", "abcdefghijkl")], "abcdefghijkl", "[redacted B]");
    check(&[("A", "abababab")], "xababababababx", "x[redacted A]x");
}

#[test]
fn long_secrets_are_found_line_by_line() {
    let pem = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG\n9w0BAQEFAASCBKcwggSj\nAg==\n-----END KEY-----";
    check(&[("PEM", pem)], pem, "[redacted PEM]");
    check(
        &[("PEM", pem)],
        "1 | -----BEGIN KEY-----\n2 | MIIEvQIBADANBgkqhkiG\n3 | 9w0BAQEFAASCBKcwggSj\n4 | Ag==",
        "1 | -----BEGIN KEY-----\n2 | [redacted PEM]\n3 | [redacted PEM]\n4 | Ag==",
    );
}

fn gathered(file: &str, variables: &[(&str, &str)]) -> Secrets {
    let layer = crate::config::file::parse("config.toml".as_ref(), file, crate::config::Author::Person);
    let settings = Settings::merge([Layer::defaults(), layer]).unwrap();
    let environment: Vec<(OsString, OsString)> =
        variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
    Secrets::gather(&settings, &environment).unwrap()
}

#[test]
fn secrets_are_gathered_from_where_they_are() {
    let file = "[providers.acme]\nbase_url = 'http://ada:pa55word1@x'\nkey = 'literalkey'\nkey_variables = ['ACME']\n\
                headers.Authorization = 'Bearer t0ken-t0ken'\nheaders.X-Team = 'compilers'";
    let secrets = gathered(
        file,
        &[
            ("ACME", "acmeacmeacme"),
            ("OPENAI_API_KEY", "openaiopenai"),
            ("MY_TOKEN", "tok12345"),
            ("AWS_SECRET", "aws12345"),
            ("DB_PASSWORD_FILE_CONTENT", "pwd12345"),
            ("passphrase", "phrase 1"),
            ("POSTGRES_PASSWORD", "postgres"),
            ("DATABASE_URL", "postgres://ada:d4tabase@host/db"),
            ("EDITOR", "editor12345"),
            ("MONKEY", "monkey12345"),
            ("OTHER_KEY", "short"),
        ],
    );
    let hidden = [
        ("literalkey", "providers.acme.key"),
        ("t0ken-t0ken", "providers.acme.headers.Authorization"),
        ("pa55word1", "providers.acme.base_url"),
        ("acmeacmeacme", "ACME"),
        ("openaiopenai", "OPENAI_API_KEY"),
        ("tok12345", "MY_TOKEN"),
        ("aws12345", "AWS_SECRET"),
        ("pwd12345", "DB_PASSWORD_FILE_CONTENT"),
        ("phrase 1", "passphrase"),
        ("d4tabase", "DATABASE_URL"),
    ];
    for (value, name) in hidden {
        assert_eq!(secrets.redact(&format!("<{value}>")), format!("<[redacted {name}]>"));
    }
    for plain in ["compilers", "postgres", "editor12345", "monkey12345", "short", "Bearer", "ada"] {
        assert_eq!(secrets.redact(plain), plain);
    }
    assert!(!format!("{secrets:?}").contains("literalkey"));
}

/// Without brackets and blanks, so that no mark can be a part of one.
fn secret() -> impl Strategy<Value = String> {
    prop_oneof!["[a-c]{8,12}", "[A-Za-z0-9+/=_-]{8,40}", "[a-zü&%\"\\\\]{8,20}"]
}

proptest! {
    #[test]
    fn no_secret_survives(
        secrets in prop::collection::vec(secret(), 1..5),
        parts in prop::collection::vec((0usize..6, "[a-c ü]{0,6}"), 0..12),
    ) {
        let named: Vec<(&str, &str)> = secrets.iter().map(|secret| ("K", secret.as_str())).collect();
        let mut text = String::new();
        for (which, between) in &parts {
            text.push_str(between);
            text.push_str(secrets.get(*which).map_or("", String::as_str));
        }
        let clean = Secrets::new(named).unwrap();
        let clean = clean.redact(&text);
        for secret in &secrets {
            prop_assert!(!clean.contains(secret.as_str()), "{secret} in {clean}");
        }
    }

    #[test]
    fn no_encoded_secret_survives(secret in "[ -~]{8,40}", before in "[ -~]{0,5}", after in "[ -~]{0,5}") {
        prop_assume!(secret.trim().len() >= 8 && !secret.contains("redacted"));
        let secrets = Secrets::new([("K", secret.as_str())]).unwrap();
        let text = encode(format!("{before}{secret}{after}").as_bytes());
        let clean = secrets.redact(&text);
        prop_assert!(clean.contains("[redacted K]"), "{clean}");
        // What stays are the letters around it and at most two that hold a few of its bits.
        let around = clean.replace("[redacted K]", "").len();
        prop_assert!(around <= (before.len() + after.len()) * 8 / 6 + 8 + blanks(&secret), "{clean}");
    }
}

fn blanks(text: &str) -> usize {
    (text.len() - text.trim().len()) * 2
}

/// Base64 the plain way.
fn encode(bytes: &[u8]) -> String {
    let letters: Vec<char> = ('A'..='Z').chain('a'..='z').chain('0'..='9').chain("+/".chars()).collect();
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let mut group = [0; 3];
        group[..chunk.len()].copy_from_slice(chunk);
        let bits = u32::from_be_bytes([0, group[0], group[1], group[2]]);
        for at in 0..4 {
            let letter = letters[(bits >> (18 - 6 * at)) as usize & 63];
            text.push(if at > chunk.len() { '=' } else { letter });
        }
    }
    text
}
