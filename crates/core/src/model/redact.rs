//! Replaces secrets before a call is decided, so that decision, card, grant and ledger all contain
//! the same redacted text.
//!
//! Secrets are found by name (`password`, `--token`, `Authorization`) and by shape (keys of known
//! services, private keys, passwords in URLs, payment card numbers, IBANs). Commands, paths and hosts
//! are never redacted. In one store, the same secret gets the same mark. Outside of that store the
//! mark reveals the length of the secret, and of a card number or IBAN the last four characters.

mod numbers;
mod services;
mod shapes;
mod stored;

pub use stored::redacted_argv;

use crate::encoding::digest::{Digest, Key};
use crate::model::call::{Call, Definition};
use crate::model::command::Command;
use crate::model::graph::Graph;
use numbers::Account;
use serde_json::{Map, Value};

const LABEL: &str = "countersign/redacted/v1";
/// The prefix of every mark. Input that already contains a mark is treated as a secret, too.
const MARK: &str = "REDACTED-";

/// Names of secrets, in lower case without hyphens and underscores.
const SECRET_NAMES: [&str; 27] = [
    "accesskey",
    "accesstoken",
    "apikey",
    "apitoken",
    "auth",
    "authorization",
    "authtoken",
    "bearertoken",
    "cardnumber",
    "clientsecret",
    "cookie",
    "cvc",
    "cvv",
    "idtoken",
    "otp",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "proxyauthorization",
    "pwd",
    "refreshtoken",
    "secret",
    "secretkey",
    "setcookie",
    "token",
    "totp",
];

/// Endings of names of secrets: `PGPASSWORD`, `github_token`.
const SECRET_NAME_ENDINGS: [&str; 7] =
    ["password", "passphrase", "secret", "apikey", "accesskey", "privatekey", "token"];

impl Call {
    /// Replaces secrets in what is shown and stored. The digest stays that of the original call. An
    /// IBAN that the operator listed as a contact stays where it is the recipient: the decision
    /// compares it with the list, and the operator wrote it down.
    pub fn redact(&mut self, key: Option<&Key>, graph: Option<&Graph>) {
        let marker = Marker { key };
        marker.redact_value(&mut self.args);
        let is_contact = |text: &str| graph.is_some_and(|graph| graph.is_contact(text));
        self.target
            .iter_mut()
            .chain(&mut self.recipients)
            .filter(|text| !is_contact(text))
            .for_each(|text| marker.redact_text(text));
        match &mut self.command {
            Some(Command::Plain { argv, .. }) => marker.redact_argv(argv),
            Some(Command::NotPlain { text, .. }) => marker.redact_text(text),
            None => {}
        }
        marker.redact_text(&mut self.claims.reason);
        marker.redact_text(&mut self.claims.fallback);
        if let Definition::Changed(change) = &mut self.observed.definition {
            marker.redact_text(&mut change.before);
            marker.redact_text(&mut change.after);
        }
    }
}

impl Call {
    /// Whether the stored call is complete enough to be executed: nothing was redacted or erased.
    pub fn is_whole(&self) -> bool {
        !self.args.is_null() && !is_redacted(self)
    }
}

/// Whether something in a call was replaced by a mark.
pub fn is_redacted(call: &Call) -> bool {
    let is_marked = |text: &String| text.contains(MARK);
    let words = match &call.command {
        Some(Command::Plain { argv, .. }) => argv.as_slice(),
        Some(Command::NotPlain { text, .. }) => std::slice::from_ref(text),
        None => &[],
    };
    call.args.to_string().contains(MARK)
        || call.target.iter().chain(&call.recipients).chain(words).any(is_marked)
}

/// Whether a text contains something that looks like a secret.
pub fn holds_secret(text: &str) -> bool {
    !shapes::find_secrets(text).is_empty()
}

struct Marker<'k> {
    key: Option<&'k Key>,
}

impl Marker<'_> {
    fn make_mark(&self, secret: &str) -> String {
        let tag = Digest::hash_bytes(LABEL, secret.as_bytes()).keyed(self.key).to_string();
        let tag: String = tag.chars().take(16).collect();
        match Account::parse(secret) {
            Some(Account { kind, last_four }) => format!("{MARK}{kind}-{last_four}-{tag}"),
            None => format!("{MARK}{}-{tag}", secret.len()),
        }
    }

    fn redact_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.redact_text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_value(item)),
            Value::Object(fields) => self.redact_fields(fields),
            Value::Number(number) => {
                let digits = number.to_string();
                if Account::parse(&digits).is_some() {
                    *value = Value::String(self.make_mark(&digits));
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn redact_fields(&self, fields: &mut Map<String, Value>) {
        for (name, item) in fields.iter_mut() {
            match is_secret_name(name) {
                true => self.redact_everything(item),
                false => self.redact_value(item),
            }
        }
        if fields.keys().any(|name| holds_secret(name)) {
            let renamed = std::mem::take(fields).into_iter().map(|(mut name, item)| {
                self.redact_text(&mut name);
                (name, item)
            });
            *fields = renamed.collect();
        }
    }

    /// Redacts every value below the name of a secret.
    fn redact_everything(&self, value: &mut Value) {
        match value {
            Value::String(text) if !text.is_empty() && !is_path(text) => {
                *text = self.make_mark(text)
            }
            Value::Number(number) => *value = Value::String(self.make_mark(&number.to_string())),
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_everything(item)),
            Value::Object(fields) => {
                fields.values_mut().for_each(|item| self.redact_everything(item))
            }
            Value::String(_) | Value::Null | Value::Bool(_) => {}
        }
    }

    fn redact_text(&self, text: &mut String) {
        let spans = shapes::find_secrets(text);
        for span in spans.into_iter().rev() {
            if let Some(secret) = text.get(span.clone()) {
                let mark = self.make_mark(secret);
                text.replace_range(span, &mark);
            }
        }
    }

    /// Redacts an argv. There a secret can also be the word after its option.
    fn redact_argv(&self, argv: &mut [String]) {
        let mut follows_secret_option = false;
        for word in argv.iter_mut() {
            let is_value = follows_secret_option && !word.starts_with('-') && !is_reference(word);
            follows_secret_option = word.strip_prefix("--").is_some_and(is_secret_name);
            match is_value && !is_path(word) {
                true => *word = self.make_mark(word),
                false => self.redact_text(word),
            }
        }
    }
}

/// Whether a value with this name is a secret.
fn is_secret_name(name: &str) -> bool {
    if name.len() > 64 {
        return false;
    }
    let plain: String =
        name.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_lowercase()).collect();
    SECRET_NAMES.contains(&plain.as_str())
        || SECRET_NAME_ENDINGS.iter().any(|ending| plain.ends_with(ending))
}

/// Whether a value is a path. Paths are never redacted, whatever their name.
fn is_path(text: &str) -> bool {
    ["/", "./", "../", "~/"].iter().any(|start| text.starts_with(start))
}

/// Whether a value only refers to a secret, as `$TOKEN` does.
fn is_reference(text: &str) -> bool {
    text.starts_with('$') || text.starts_with("{{") || text.starts_with('<')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn redact(text: &str) -> String {
        let mut out = text.to_owned();
        Marker { key: None }.redact_text(&mut out);
        out
    }

    fn argv(words: &[&str]) -> Vec<String> {
        let mut words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        Marker { key: None }.redact_argv(&mut words);
        words
    }

    #[test]
    fn a_known_shape_of_key_is_replaced_and_the_rest_stays() {
        let shapes = [
            "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
            "cs_agent_0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9",
            "cs_adapter_0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9",
            "cs_operator_0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9",
            "github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz",
            "glpat-abcdefghijklmnopqrst",
            "sk-proj-abcdefghijklmnopqrstuvwxyz",
            "sk_live_abcdefghijklmnopqrstuvwx",
            "xoxb-123456789012-abcdefghijklmnop",
            "AKIAIOSFODNN7EXAMPLE",
            "AIzaSyA-abcdefghijklmnopqrstuvwxyz01234",
            "npm_abcdefghijklmnopqrstuvwxyz0123456789",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N",
        ];
        for secret in shapes {
            for (before, after) in [("", ""), ("use ", " now"), ("\"", "\""), ("key='", "'")] {
                let text = format!("{before}{secret}{after}");
                let found = redact(&text);
                assert!(!found.contains(secret), "{text} -> {found}");
                assert!(found.starts_with(before) && found.ends_with(after), "{text} -> {found}");
                assert!(found.contains(MARK), "{found}");
            }
        }
    }

    #[test]
    fn a_private_key_is_replaced_whole_even_if_its_end_is_missing() {
        let key = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNza\nAAAA\n-----END OPENSSH PRIVATE KEY-----";
        let text = format!("a\n{key}\nb");
        let found = redact(&text);
        assert!(found.starts_with("a\nREDACTED-") && found.ends_with("\nb"), "{found}");
        let cut = redact("-----BEGIN RSA PRIVATE KEY-----\nMIIE");
        assert!(!cut.contains("MIIE"), "{cut}");
        assert_eq!(
            redact("-----BEGIN CERTIFICATE-----\nMIIE"),
            "-----BEGIN CERTIFICATE-----\nMIIE"
        );
    }

    #[test]
    fn a_value_with_the_name_of_a_secret_is_replaced() {
        for text in [
            "--password=hunter2",
            "PGPASSWORD=hunter2 psql -h db.example.com",
            "curl -d 'password=hunter2&user=ann'",
            "{\"token\": \"hunter2\"}",
            "Authorization: Bearer hunter2hunter2",
            "postgres://ann:hunter2@db.example.com/x",
            "api_key: hunter2",
        ] {
            let found = redact(text);
            assert!(!found.contains("hunter2"), "{text} -> {found}");
            assert!(found.contains(MARK), "{found}");
        }
        assert!(redact("postgres://ann:hunter2@db.example.com/x").contains("@db.example.com/x"));
        assert!(
            redact("PGPASSWORD=hunter2 psql -h db.example.com")
                .ends_with(" psql -h db.example.com")
        );
    }

    #[test]
    fn commands_paths_hosts_and_plain_words_stay() {
        for text in [
            "cat /run/secrets/db",
            "--token-file=/run/secrets/token",
            "--password=/run/secrets/db",
            "https://example.com:8443/a@b",
            "git@example.com:org/repo.git",
            "max_tokens=400",
            "PASSWORD=$PASSWORD psql",
            "password={{vault}}",
            "the token was refused",
            "sk-short",
            "task-list-of-the-whole-summer-holidays",
            "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        ] {
            assert_eq!(redact(text), text);
        }
    }

    #[test]
    fn in_an_argv_the_word_after_a_secret_option_is_replaced() {
        let found = argv(&["login", "--user", "ann", "--password", "hunter2", "host.example.com"]);
        assert!(found[4].starts_with(MARK), "{found:?}");
        assert_eq!(found[5], "host.example.com");
        assert_eq!(argv(&["login", "--password", "--stdin"])[2], "--stdin");
        assert_eq!(argv(&["login", "--password", "/run/secrets/db"])[2], "/run/secrets/db");
        assert_eq!(argv(&["login", "--token", "$TOKEN"])[2], "$TOKEN");
    }

    #[test]
    fn in_arguments_every_value_below_a_secret_name_is_replaced() {
        let mut args = json!({"user": "ann", "password": "hunter2", "pin": 1, "nested": [{"apiKey": ["a", 7]}]});
        Marker { key: None }.redact_value(&mut args);
        let is_mark = |value: &Value| value.as_str().is_some_and(|mark| mark.starts_with(MARK));
        let keys = &args["nested"][0]["apiKey"];
        assert!([&args["password"], &keys[0], &keys[1]].into_iter().all(is_mark), "{args}");
        assert_eq!((&args["user"], &args["pin"]), (&json!("ann"), &json!(1)));
    }

    #[test]
    fn the_same_secret_has_the_same_mark_in_one_store_only() {
        let (one, other) = (Key::from_bytes([1; 32]), Key::from_bytes([2; 32]));
        let mark = |key, secret| Marker { key: Some(key) }.make_mark(secret);
        assert_eq!(mark(&one, "a"), mark(&one, "a"));
        assert_ne!(mark(&one, "a"), mark(&one, "b"));
        assert_ne!(mark(&one, "a"), mark(&other, "a"));
    }

    #[test]
    fn a_mark_in_the_input_is_replaced_too() {
        let mark = Marker { key: None }.make_mark("hunter2");
        assert_ne!(redact(&mark), mark);
    }
}
