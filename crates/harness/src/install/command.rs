//! The command of a hook: how it is written for each program, and how ours is recognised.
//!
//! These texts stay the same in every version: Codex asks its user to trust a hook again when its
//! command changes.

use super::programs::{EventEntry, OnFailure};
use crate::Program;
use crate::shell_words::{quote, split_words};
use serde_json::{Value, json};

/// The command of a hook, as the program runs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookCommand {
    /// A program and its arguments, without a shell.
    Exec { program: String, args: Vec<String> },
    /// A line for the user's shell.
    Shell(String),
}

/// What a hook runs, and on which daemon. A hook takes neither from its environment, because the settings of a
/// repository can set variables for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookTarget {
    /// The path of our program.
    pub binary: String,
    /// The daemon's folder. Hooks of earlier versions name none.
    pub data: Option<String>,
    /// The settings file, where it is not at its usual place.
    pub settings: Option<String>,
}

impl HookTarget {
    fn options(&self) -> Vec<String> {
        let named = [("--data", &self.data), ("--settings", &self.settings)];
        let named = named.into_iter().filter_map(|(name, value)| Some((name, value.clone()?)));
        named.flat_map(|(name, value)| [name.to_owned(), value]).collect()
    }

    /// None if these are no words of ours.
    fn read(binary: &str, options: &[String]) -> Option<Self> {
        let mut target = Self { binary: binary.to_owned(), data: None, settings: None };
        let (pairs, []) = options.as_chunks::<2>() else { return None };
        for [name, value] in pairs {
            let place = match name.as_str() {
                "--data" => &mut target.data,
                "--settings" => &mut target.settings,
                _ => return None,
            };
            *place = Some(value.clone());
        }
        let name = binary.rsplit('/').next().unwrap_or_default();
        name.starts_with("countersign").then_some(target)
    }

    /// The words after `hook NAME`, for a shell.
    fn shell_options(&self) -> String {
        self.options().iter().map(|word| format!(" {}", quote(word))).collect()
    }
}

/// Codex runs a tool whose hook is missing or dies. This turns both into a refusal. It names its shell,
/// because Codex runs hooks with the user's own, which may not be a POSIX shell. A refusal without text
/// would not count.
const BLOCKING_SHELL: (&str, &str) = (
    "/bin/sh -c '\"$0\" hook ",
    " \"$@\"; c=$?; case $c in 0|2) exit $c;; esac; echo \"countersign: the hook ended with code $c, so \
     this call is refused; run: countersign doctor\" >&2; exit 2' ",
);

impl HookCommand {
    /// The command for an event.
    pub(super) fn new(program: Program, event: &EventEntry, target: &HookTarget) -> Self {
        let word = program.word();
        match (program, event.on_failure) {
            (Program::ClaudeCode, _) => Self::Exec {
                program: target.binary.clone(),
                args: [vec!["hook".to_owned(), word.to_owned()], target.options()].concat(),
            },
            (Program::Codex, OnFailure::Continue) => {
                let options = target.shell_options();
                Self::Shell(format!("{} hook {word}{options}", quote(&target.binary)))
            }
            (Program::Codex, OnFailure::Block) => {
                let (start, end) = BLOCKING_SHELL;
                let options = target.shell_options();
                Self::Shell(format!("{start}{word}{end}{}{options}", quote(&target.binary)))
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

    /// What it runs, if this is our command, of this version or an earlier one.
    pub fn target(&self, program: Program) -> Option<HookTarget> {
        let word = program.word();
        let words = match self {
            Self::Exec { program, args } => {
                let words = args.strip_prefix(&["hook".to_owned(), word.to_owned()])?;
                return HookTarget::read(program, words);
            }
            Self::Shell(line) => match line.strip_prefix(&format!("{}{word}", BLOCKING_SHELL.0)) {
                Some(rest) => split_words(rest.split_once("exit 2' ")?.1)?,
                None => {
                    let mut words = split_words(line)?;
                    if words.get(1..3)? != ["hook", word] {
                        return None;
                    }
                    words.drain(1..3);
                    words
                }
            },
        };
        let (binary, options) = words.split_first()?;
        HookTarget::read(binary, options)
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
    target: &HookTarget,
) -> Vec<(&'static str, Value)> {
    let mut keys = vec![("type", json!("command"))];
    keys.extend(HookCommand::new(program, event, target).keys());
    keys.push(("timeout", json!(event.timeout_seconds)));
    if program == Program::ClaudeCode && event.on_failure == OnFailure::Block {
        keys.push(("onFailure", json!("block")));
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(binary: &str) -> HookTarget {
        let data = Some("/home/me/it's data".to_owned());
        HookTarget { binary: binary.to_owned(), data, settings: None }
    }

    fn commands(binary: &str) -> Vec<(Program, HookCommand)> {
        let all = Program::ALL.into_iter().flat_map(|program| {
            let events = program.hook_files().iter().flat_map(|file| file.events);
            events.map(move |event| (program, HookCommand::new(program, event, &target(binary))))
        });
        all.collect()
    }

    #[test]
    fn our_own_commands_are_recognised_whatever_the_path() {
        for path in
            ["/usr/bin/countersign", "/home/me/my tools/it's/countersign", "/é/countersign-1"]
        {
            for (program, command) in commands(path) {
                assert_eq!(command.target(program), Some(target(path)), "{command:?}");
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
            assert_eq!(command.target(Program::ClaudeCode), None, "{command:?}");
        }
    }

    #[test]
    fn an_entry_that_was_written_by_hand_is_ours() {
        let command = HookCommand::Shell("countersign hook claude".to_owned());
        let found = command.target(Program::ClaudeCode).unwrap();
        assert_eq!((found.binary.as_str(), found.data), ("countersign", None));
    }

    #[test]
    fn the_commands_of_earlier_versions_are_ours() {
        let line = "/bin/sh -c '\"$0\" hook codex; c=$?; case $c in 0|2) exit $c;; esac; exit 2' \
                    /usr/bin/countersign";
        let found = HookCommand::Shell(line.to_owned()).target(Program::Codex).unwrap();
        assert_eq!((found.binary.as_str(), found.data), ("/usr/bin/countersign", None));
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
                "/usr/bin/countersign [\"hook\", \"claude\", \"--data\", \"/home/me/it's data\"]",
                "/bin/sh -c '\"$0\" hook codex \"$@\"; c=$?; case $c in 0|2) exit $c;; esac; echo \
                 \"countersign: the hook ended with code $c, so this call is refused; run: \
                 countersign doctor\" >&2; exit 2' /usr/bin/countersign --data '/home/me/it'\\''s data'",
                "/usr/bin/countersign hook codex --data '/home/me/it'\\''s data'",
            ]
        );
    }
}
