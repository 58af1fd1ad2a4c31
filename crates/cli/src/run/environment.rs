//! What of the environment goes along. What could change what a command does has to be named, and
//! is then a part of what is decided about.

use crate::failure::Failure;
use std::ffi::OsString;

/// Who and where somebody is, and how to speak to them.
const KEPT: [&str; 22] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "TZ",
    "TMPDIR",
    "PWD",
    "COLUMNS",
    "LINES",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XDG_RUNTIME_DIR",
    "SSH_AUTH_SOCK",
    "GPG_TTY",
    "HOSTNAME",
    "MAIL",
];

pub(super) struct Environment {
    kept: Vec<(OsString, OsString)>,
    /// In the order in which they were named.
    named: Vec<(String, String)>,
}

impl Environment {
    #[allow(clippy::disallowed_methods, reason = "what is run here gets a part of it")]
    pub(super) fn of(names: &[String]) -> Result<Self, Failure> {
        let is_kept = |name: &OsString| {
            let name = name.to_str().unwrap_or_default();
            KEPT.contains(&name) || name.starts_with("LC_")
        };
        let kept = std::env::vars_os().filter(|(name, _)| is_kept(name)).collect();
        let named = names.iter().map(|name| {
            let value = std::env::var(name).map_err(|_| {
                let message = format!("the variable `{name}` is not set, or its value is no text");
                Failure::usage(message, "set it, or leave `--env` out")
            })?;
            is_name(name).then(|| (name.clone(), value)).ok_or_else(|| {
                let message = format!("`{name}` is no name of a variable");
                Failure::usage(message, "name it without its value")
            })
        });
        Ok(Self { kept, named: named.collect::<Result<_, _>>()? })
    }

    /// The line that is decided about: variables that were named stand before the words.
    pub(super) fn before(&self, words: &[String]) -> String {
        let set = self.named.iter().map(|(name, value)| format!("{name}={}", quoted(value)));
        set.chain(words.iter().map(|word| quoted(word))).collect::<Vec<_>>().join(" ")
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (OsString, OsString)> {
        let named = self.named.iter().map(|(name, value)| (name.into(), value.into()));
        self.kept.iter().cloned().chain(named)
    }
}

fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// One word that reads back as itself: whatever is not plainly one stands in quotes.
fn quoted(word: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-./:=@%+,".contains(&b);
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    match word.contains('\'') {
        false => format!("'{word}'"),
        true => format!("'{}'", word.replace('\'', "'\"'\"'")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_commands::analyse;
    use countersign_core::model::command::Command;

    #[test]
    fn whatever_words_there_are_the_line_reads_back_as_just_them() {
        let environment = Environment { kept: Vec::new(), named: Vec::new() };
        for words in [
            &["git", "push"][..],
            &["echo", "$HOME", "*", "a b", "", ">", "x;y", "it's", "\"q\"", "`w`", "~"],
            &["grep", "-e", "\\d+", "#x", "a=b"],
        ] {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let line = environment.before(&words);
            let read = analyse(&line, None).command;
            assert_eq!(read, Command::Plain { argv: words, cwd: None }, "{line}");
        }
    }

    #[test]
    fn a_variable_that_is_named_is_a_part_of_the_line_and_never_plain() {
        let named = vec![("GIT_SSH_COMMAND".to_owned(), "sh -c 'x'".to_owned())];
        let environment = Environment { kept: Vec::new(), named };
        let line = environment.before(&["git".to_owned(), "fetch".to_owned()]);
        assert_eq!(line, "GIT_SSH_COMMAND='sh -c '\"'\"'x'\"'\"'' git fetch");
        assert!(!analyse(&line, None).command.is_plain());
    }

    #[test]
    fn what_changes_what_programs_do_is_not_kept() {
        for name in ["LD_PRELOAD", "LD_LIBRARY_PATH", "GIT_DIR", "NODE_OPTIONS", "BASH_ENV", "IFS"]
        {
            assert!(!KEPT.contains(&name), "{name}");
        }
    }
}
