//! The environment of the command. A variable that could change what a command does must be named
//! with `--env`; it is then a part of the decision.

use countersign_console::Failure;
use std::ffi::OsString;

/// Variables about the user, the terminal and the locale.
const INHERITED: [&str; 22] = [
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
    inherited: Vec<(OsString, OsString)>,
    /// In the order of the options.
    named: Vec<(String, String)>,
}

impl Environment {
    #[allow(clippy::disallowed_methods, reason = "the command inherits a part of it")]
    pub(super) fn from_process(names: &[String]) -> Result<Self, Failure> {
        let is_inherited = |name: &OsString| {
            let name = name.to_str().unwrap_or_default();
            INHERITED.contains(&name) || name.starts_with("LC_")
        };
        let inherited = std::env::vars_os().filter(|(name, _)| is_inherited(name)).collect();
        let named = names.iter().map(|name| {
            let value = std::env::var(name).map_err(|_| {
                let message =
                    format!("the variable `{name}` is not set, or its value is not UTF-8");
                Failure::usage(message, "set it, or leave `--env` out")
            })?;
            is_name(name).then(|| (name.clone(), value)).ok_or_else(|| {
                let message = format!("`{name}` is not the name of a variable");
                Failure::usage(message, "name it without its value")
            })
        });
        Ok(Self { inherited, named: named.collect::<Result<_, _>>()? })
    }

    /// The line that is decided about: the named variables, then the words.
    pub(super) fn command_line(&self, words: &[String]) -> String {
        let set = self.named.iter().map(|(name, value)| format!("{name}={}", quote(value)));
        set.chain(words.iter().map(|word| quote(word))).collect::<Vec<_>>().join(" ")
    }

    pub(super) fn variables(&self) -> impl Iterator<Item = (OsString, OsString)> {
        let named = self.named.iter().map(|(name, value)| (name.into(), value.into()));
        self.inherited.iter().cloned().chain(named)
    }
}

fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Quotes a word unless it is plain, so that the parser reads back the same word.
fn quote(word: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-./:=@%+,".contains(&b);
    if !word.is_empty() && !word.starts_with('=') && word.bytes().all(plain) {
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
    fn a_command_line_is_parsed_back_into_the_same_words() {
        let environment = Environment { inherited: Vec::new(), named: Vec::new() };
        for words in [
            &["git", "push"][..],
            &["echo", "$HOME", "*", "a b", "", ">", "x;y", "it's", "\"q\"", "`w`", "~"],
            &["grep", "-e", "\\d+", "#x", "a=b"],
        ] {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let line = environment.command_line(&words);
            let parsed = analyse(&line, None).command;
            assert_eq!(parsed, Command::Plain { argv: words, cwd: None }, "{line}");
        }
    }

    #[test]
    fn a_named_variable_is_a_part_of_the_line_and_the_line_is_not_plain() {
        let named = vec![("GIT_SSH_COMMAND".to_owned(), "sh -c 'x'".to_owned())];
        let environment = Environment { inherited: Vec::new(), named };
        let line = environment.command_line(&["git".to_owned(), "fetch".to_owned()]);
        assert_eq!(line, "GIT_SSH_COMMAND='sh -c '\"'\"'x'\"'\"'' git fetch");
        assert!(!analyse(&line, None).command.is_plain());
    }

    #[test]
    fn variables_that_change_programs_are_not_inherited() {
        for name in ["LD_PRELOAD", "LD_LIBRARY_PATH", "GIT_DIR", "NODE_OPTIONS", "BASH_ENV", "IFS"]
        {
            assert!(!INHERITED.contains(&name), "{name}");
        }
    }
}
