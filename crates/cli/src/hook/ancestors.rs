//! Whether the program that runs this hook was itself started by a coding agent's tool.
//!
//! An agent can start `claude -p TEXT` in its shell. The program then reports TEXT as its user's
//! message, but an agent wrote it. The processes above the hook tell: first the program, then perhaps a
//! shell, then a program again. A process that was detached from its parent is not found out this way; that
//! shell command was decided like any other.
//!
//! See docs/decisions/0087-who-speaks-through-a-hook.md.

use crate::limits;
use countersign_harness::Program;
use std::fs;

/// Names of the programs' processes, and parts of paths that are theirs where a runtime runs them.
const PROGRAMS: [(Program, &str, &str); 2] =
    [(Program::ClaudeCode, "claude", "/claude-code/"), (Program::Codex, "codex", "/codex/")];

pub(super) fn is_inside_another_agent() -> bool {
    is_nested(&list_ancestors())
}

/// One process above the hook.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Ancestor {
    /// The file that it executes tells a program from a runtime that has started it.
    Program(Program, String),
    Other,
}

/// The nearest program may consist of several processes: a runtime and what it starts. Behind another
/// process, of another kind or with the same file twice, there are two programs.
fn is_nested(ancestors: &[Ancestor]) -> bool {
    let mut own: Vec<&Ancestor> = Vec::new();
    let mut is_behind_another = false;
    for ancestor in ancestors {
        match (ancestor, own.first()) {
            (Ancestor::Other, first) => is_behind_another = first.is_some(),
            (Ancestor::Program(..), None) => own.push(ancestor),
            (Ancestor::Program(kind, _), Some(Ancestor::Program(first, _))) => {
                if is_behind_another || kind != first || own.contains(&ancestor) {
                    return true;
                }
                own.push(ancestor);
            }
            (Ancestor::Program(..), Some(Ancestor::Other)) => return true,
        }
    }
    false
}

fn list_ancestors() -> Vec<Ancestor> {
    let mut found = Vec::new();
    let mut process = parent_of("self");
    while let Some(id) = process.filter(|id| id != "0" && found.len() < limits::MAX_ANCESTORS) {
        found.push(classify(&id));
        process = parent_of(&id);
    }
    found
}

fn parent_of(process: &str) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
    Some(line.trim().to_owned())
}

fn classify(process: &str) -> Ancestor {
    let read = |file: &str| fs::read(format!("/proc/{process}/{file}")).unwrap_or_default();
    let name = String::from_utf8_lossy(&read("comm")).trim().to_owned();
    let command = String::from_utf8_lossy(&read("cmdline")).into_owned();
    // Only the first words: later ones may be text of any kind.
    let words: Vec<&str> = command.split('\0').take(2).collect();
    let found = PROGRAMS.iter().find(|(_, own_name, path)| {
        name == *own_name || words.iter().any(|word| word.contains(path))
    });
    let file = fs::read_link(format!("/proc/{process}/exe")).unwrap_or_default();
    match found {
        Some((program, ..)) => Ancestor::Program(*program, file.display().to_string()),
        None => Ancestor::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claude() -> Ancestor {
        Ancestor::Program(Program::ClaudeCode, "/opt/claude".to_owned())
    }

    fn codex(file: &str) -> Ancestor {
        Ancestor::Program(Program::Codex, file.to_owned())
    }

    #[test]
    fn a_program_that_a_shell_of_another_program_started_is_nested() {
        let other = || Ancestor::Other;
        assert!(!is_nested(&[]));
        assert!(!is_nested(&[other(), claude(), other(), other()]));
        assert!(!is_nested(&[other(), codex("/opt/codex"), codex("/usr/bin/node"), other()]));
        assert!(is_nested(&[claude(), other(), claude(), other()]));
        assert!(is_nested(&[other(), claude(), other(), other(), codex("/opt/codex")]));
    }

    #[test]
    fn a_shell_that_became_the_program_does_not_hide_it() {
        assert!(is_nested(&[claude(), claude(), Ancestor::Other]));
        assert!(is_nested(&[claude(), codex("/opt/codex")]));
        assert!(is_nested(&[Ancestor::Other, codex("/opt/codex"), codex("/opt/codex")]));
    }
}
