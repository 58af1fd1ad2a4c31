//! Replaces the secrets in a text, an argv or a JSON value with marks.

use crate::marks::write_mark;
use crate::numbers::Account;
use crate::shapes::{self, View};
use crate::words::{MARK, has_secret_form, is_path, is_reference, is_secret_name};
use serde_json::{Map, Value};

/// Whether a text contains something that looks like a secret.
pub fn holds_secret(text: &str) -> bool {
    !shapes::find_secrets(text, View::Record).is_empty()
}

/// Whether something in a text was replaced by a mark.
pub fn holds_mark(text: &str) -> bool {
    text.contains(MARK)
}

/// Replaces secrets. A mark reveals the length of its secret, and of a card number or IBAN the last
/// four characters; the tag says which secrets are the same.
pub struct Redactor<T> {
    make_tag: T,
    view: View,
}

impl<T: Fn(&str) -> String> Redactor<T> {
    /// `make_tag` gives equal secrets the same tag. It must not reveal more of them than that.
    pub fn new(make_tag: T) -> Self {
        Self { make_tag, view: View::Record }
    }

    /// Hides on the card of an open question only what has the form of a secret and is literal, so
    /// that nothing that could run is hidden.
    pub fn for_card(make_tag: T) -> Self {
        Self { make_tag, view: View::Card }
    }

    /// Whether a value with the name of a secret is hidden.
    fn hides_named(&self, name: &str, value: &str) -> bool {
        match self.view {
            View::Record => !value.is_empty() && !is_path(value),
            View::Card => {
                !is_path(value) && (has_secret_form(name, value) || Account::parse(value).is_some())
            }
        }
    }

    fn make_mark(&self, secret: &str) -> String {
        let tag = (self.make_tag)(secret);
        match Account::parse(secret) {
            Some(Account { kind, last_four }) => format!("{MARK}{kind}-{last_four}-{tag}"),
            None => write_mark(secret, &tag),
        }
    }

    pub fn redact_value(&self, value: &mut Value) {
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
                true => self.redact_everything(name, item),
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
    fn redact_everything(&self, name: &str, value: &mut Value) {
        match value {
            Value::String(text) if self.hides_named(name, text) => *text = self.make_mark(text),
            // A path, or on a card a text without the form of a secret: a part of it can have it.
            Value::String(text) => self.redact_text(text),
            Value::Number(number) => {
                let digits = number.to_string();
                if self.hides_named(name, &digits) {
                    *value = Value::String(self.make_mark(&digits));
                }
            }
            Value::Array(items) => {
                items.iter_mut().for_each(|item| self.redact_everything(name, item))
            }
            Value::Object(fields) => {
                fields.values_mut().for_each(|item| self.redact_everything(name, item))
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    pub fn redact_text(&self, text: &mut String) {
        let spans = shapes::find_secrets(text, self.view);
        for span in spans.into_iter().rev() {
            if let Some(secret) = text.get(span.clone()) {
                let mark = self.make_mark(secret);
                text.replace_range(span, &mark);
            }
        }
    }

    /// Redacts an argv. There a secret can also be the word after its option.
    pub fn redact_argv(&self, argv: &mut [String]) {
        let mut option: Option<String> = None;
        for word in argv.iter_mut() {
            let name = option.take().filter(|_| !word.starts_with('-') && !is_reference(word));
            option = word.strip_prefix("--").filter(|name| is_secret_name(name)).map(str::to_owned);
            match name.is_some_and(|name| self.hides_named(&name, word)) {
                true => *word = self.make_mark(word),
                false => self.redact_text(word),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn redactor() -> Redactor<impl Fn(&str) -> String> {
        Redactor::new(|secret: &str| secret.bytes().map(u32::from).sum::<u32>().to_string())
    }

    fn redact(text: &str) -> String {
        let mut out = text.to_owned();
        redactor().redact_text(&mut out);
        out
    }

    fn argv(words: &[&str]) -> Vec<String> {
        let mut words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        redactor().redact_argv(&mut words);
        words
    }

    #[test]
    fn a_known_shape_of_key_is_replaced_and_the_rest_stays() {
        let shapes = [
            "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
            "cs_agent_0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9",
            "cs_adapter_0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9",
            "cs_application_0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9",
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
        redactor().redact_value(&mut args);
        let is_mark = |value: &Value| value.as_str().is_some_and(|mark| mark.starts_with(MARK));
        let keys = &args["nested"][0]["apiKey"];
        assert!([&args["password"], &keys[0], &keys[1]].into_iter().all(is_mark), "{args}");
        assert_eq!((&args["user"], &args["pin"]), (&json!("ann"), &json!(1)));
    }

    #[test]
    fn a_mark_in_the_input_is_replaced_too() {
        let mark = redactor().make_mark("hunter2");
        assert_ne!(redact(&mark), mark);
    }

    /// What a redactor for this view hides in a text, a JSON value and an argv.
    fn list_hidden(view: View, text: &str) -> Vec<String> {
        let hidden = std::cell::RefCell::new(Vec::new());
        let make_tag = |secret: &str| {
            hidden.borrow_mut().push(secret.to_owned());
            "0".to_owned()
        };
        let redactor = Redactor { make_tag, view };
        redactor.redact_text(&mut text.to_owned());
        redactor.redact_value(
            &mut json!({"command": text, "secret": text, "list": [{"password": text}]}),
        );
        let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        redactor.redact_argv(&mut words);
        hidden.into_inner()
    }

    fn is_harmless(secret: &str) -> bool {
        crate::words::is_literal(secret) || Account::parse(secret).is_some()
    }

    /// Random lines of pieces that a shell, a header, a URL or JSON could be made of.
    fn random_line(seed: &mut u64) -> String {
        const PIECES: [&str; 44] = [
            "API_KEY=",
            "--password",
            "--token=",
            "password",
            "secret: ",
            "Authorization: ",
            "Bearer ",
            "basic ",
            "https://x:",
            "@host/x",
            "aaaa1",
            "hunter2xyz",
            "$(id>/tmp/p)",
            "`id`",
            ";",
            "|",
            "&&",
            " ",
            " ",
            "\n",
            "'",
            "\"",
            "\\",
            "\\\"",
            "rm -rf x",
            "./run.sh",
            "reboot",
            "$HOME",
            "${x}",
            "<<EOF\n",
            "\nEOF\n",
            "{\"token\":",
            "}",
            "(",
            ")",
            "<(cat x)",
            "*",
            "~",
            "=",
            "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
            "4242 4242 4242 4242",
            "otp 482913",
            "-----BEGIN RSA PRIVATE KEY-----\n",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        ];
        let mut next = || {
            *seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(*seed >> 33).unwrap()
        };
        let count = 1 + next() % 9;
        (0..count).map(|_| PIECES[next() % PIECES.len()]).collect()
    }

    #[test]
    fn a_card_hides_nothing_that_a_shell_could_act_on() {
        let (mut seed, mut found, mut planted) = (7, 0, 0);
        for _ in 0..20_000 {
            let line = random_line(&mut seed);
            for secret in list_hidden(View::Card, &line) {
                assert!(is_harmless(&secret), "{line:?} hides {secret:?}");
                found += 1;
            }
            let recorded = list_hidden(View::Record, &line);
            planted += usize::from(recorded.iter().any(|secret| !is_harmless(secret)));
        }
        assert!(found > 1_000 && planted > 1_000, "{found} hidden, {planted} found in the record");
    }

    fn redact_card(text: &str) -> String {
        let mut out = text.to_owned();
        Redactor::for_card(|_: &str| "0".to_owned()).redact_text(&mut out);
        out
    }

    #[test]
    fn a_card_shows_what_runs_beside_and_inside_of_a_value() {
        for text in [
            "git clone https://x:aaaa$(id>/tmp/p)@host/x",
            "API_KEY=x$(id>/tmp/p) ./run.sh",
            "curl -H \"Authorization: Bearer $(cat x)\" https://host",
            "PASSWORD= reboot2now",
            "PASSWORD=\"\" reboot2now",
            "--password abc1|sh",
            "secret=production-db",
            "TOKEN=`id` x",
            "bash ./ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        ] {
            assert_eq!(redact_card(text), text);
        }
        assert_eq!(redact_card("API_KEY=hunter2x;reboot"), "API_KEY=REDACTED-8-0;reboot");
        let url = redact_card("https://x:hunter2xyz@host/x");
        assert_eq!(url, "https://x:REDACTED-10-0@host/x");
    }

    #[test]
    fn the_record_says_if_a_mark_hides_syntax() {
        let found = redact("API_KEY=x$(id>/tmp/p) ./run.sh");
        assert!(found.starts_with("API_KEY=REDACTED-shell-"), "{found}");
        let marks: Vec<_> = crate::find_marks(&found).map(|mark| mark.form).collect();
        assert_eq!(marks, [crate::HiddenForm::Active]);
    }
}
