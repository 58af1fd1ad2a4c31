//! The command of a hook: how it is written for each program, and how ours is recognised.
//!
//! These texts stay the same in every version: Codex asks its user to trust a hook again when its
//! command changes.

use super::programs::{EventEntry, OnFailure};
use crate::Program;
use crate::shell_words::{quote, unquote};
use serde_json::{Value, json};

/// The command of a hook, as the program runs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookCommand {
    /// A program and its arguments, without a shell.
    Exec { program: String, args: Vec<String> },
    /// A line for the user's shell.
    Shell(String),
}

/// Codex runs a tool whose hook is missing or dies. This turns both into a refusal. It names its shell,
/// because Codex runs hooks with the user's own, which may not be a POSIX shell. A refusal without text
/// would not count.
const BLOCKING_SHELL: (&str, &str) = (
    "/bin/sh -c '\"$0\" hook ",
    "; c=$?; case $c in 0|2) exit $c;; esac; echo \"countersign: the hook ended with code $c, so \
     this call is refused; run: countersign doctor\" >&2; exit 2' ",
);

impl HookCommand {
    /// The command for an event.
    pub(super) fn new(program: Program, event: &EventEntry, binary: &str) -> Self {
        let word = program.word();
        match (program, event.on_failure) {
            (Program::ClaudeCode, _) => Self::Exec {
                program: binary.to_owned(),
                args: vec!["hook".to_owned(), word.to_owned()],
            },
            (Program::Codex, OnFailure::Continue) => {
                Self::Shell(format!("{} hook {word}", quote(binary)))
            }
            (Program::Codex, OnFailure::Block) => {
                let (start, end) = BLOCKING_SHELL;
                Self::Shell(format!("{start}{word}{end}{}", quote(binary)))
            }
        }
    }

    /// The command of a handler in a settings file.
    pub(super) fn read(handler: &Value) -> Option<Self> {
        let command = handler.get("command")?.as_str()?.to_owned();
        let Some(args) = handler.get("args") else { return Some(Self::Shell(command)) };
        let args = args.as_array()?.iter().map(|arg| arg.as_str().map(str::to_owned));
        Some(Self::Exec { program: command, args: args.collect::<Option<_>>()? })
    }

    /// The path of our program, if this is our command.
    pub fn binary(&self, program: Program) -> Option<String> {
        let word = program.word();
        let path = match self {
            Self::Exec { program, args } => (*args == ["hook", word]).then(|| program.clone())?,
            Self::Shell(line) => {
                let start = format!("{}{word};", BLOCKING_SHELL.0);
                match line.strip_prefix(&start) {
                    Some(rest) => unquote(rest.rsplit_once("exit 2' ")?.1)?,
                    None => unquote(line.strip_suffix(&format!(" hook {word}"))?)?,
                }
            }
        };
        let name = path.rsplit('/').next().unwrap_or_default();
        name.starts_with("countersign").then_some(path)
    }

    fn keys(&self) -> Vec<(&'static str, Value)> {
        match self {
            Self::Exec { program, args } => {
                vec![("command", json!(program)), ("args", json!(args))]
            }
            Self::Shell(line) => vec![("command", json!(line))],
        }
    }
}

/// The keys of an event's handler, in order.
pub(super) fn handler_keys(
    program: Program,
    event: &EventEntry,
    binary: &str,
) -> Vec<(&'static str, Value)> {
    let mut keys = vec![("type", json!("command"))];
    keys.extend(HookCommand::new(program, event, binary).keys());
    keys.push(("timeout", json!(event.timeout_seconds)));
    if program == Program::ClaudeCode && event.on_failure == OnFailure::Block {
        keys.push(("onFailure", json!("block")));
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(binary: &str) -> Vec<(Program, HookCommand)> {
        let all = Program::ALL.into_iter().flat_map(|program| {
            let events = program.hook_files().iter().flat_map(|file| file.events);
            events.map(move |event| (program, HookCommand::new(program, event, binary)))
        });
        all.collect()
    }

    #[test]
    fn our_own_commands_are_recognised_whatever_the_path() {
        for path in
            ["/usr/bin/countersign", "/home/me/my tools/it's/countersign", "/é/countersign-1"]
        {
            for (program, command) in commands(path) {
                assert_eq!(command.binary(program).as_deref(), Some(path), "{command:?}");
            }
        }
    }

    #[test]
    fn commands_of_others_are_not_ours() {
        let shell = |line: &str| HookCommand::Shell(line.to_owned());
        let exec = |program: &str, args: &[&str]| HookCommand::Exec {
            program: program.to_owned(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        };
        for command in [
            shell("/usr/bin/other hook claude"),
            shell("echo countersign hook claude"),
            shell("countersign hook claude --verbose"),
            shell("countersign hook codex"),
            shell("/bin/sh -c '\"$0\" hook claude; exit 2' /usr/bin/other"),
            exec("/usr/bin/countersign", &["hook", "codex"]),
            exec("/usr/bin/countersign", &["gate"]),
            exec("/usr/bin/other", &["hook", "claude"]),
        ] {
            assert_eq!(command.binary(Program::ClaudeCode), None, "{command:?}");
        }
    }

    #[test]
    fn an_entry_that_was_written_by_hand_is_ours() {
        let command = HookCommand::Shell("countersign hook claude".to_owned());
        assert_eq!(command.binary(Program::ClaudeCode).as_deref(), Some("countersign"));
    }

    /// Codex asks for trust again when one of these changes.
    #[test]
    fn installed_commands_never_change() {
        let mut lines: Vec<String> = commands("/usr/bin/countersign")
            .into_iter()
            .map(|(_, command)| match command {
                HookCommand::Exec { program, args } => format!("{program} {args:?}"),
                HookCommand::Shell(line) => line,
            })
            .collect();
        lines.dedup();
        assert_eq!(
            lines,
            [
                "/usr/bin/countersign [\"hook\", \"claude\"]",
                "/bin/sh -c '\"$0\" hook codex; c=$?; case $c in 0|2) exit $c;; esac; echo \
                 \"countersign: the hook ended with code $c, so this call is refused; run: \
                 countersign doctor\" >&2; exit 2' /usr/bin/countersign",
                "/usr/bin/countersign hook codex",
            ]
        );
    }
}
