//! Whether the program that runs this hook was itself started by a coding agent's tool.
//!
//! An agent can start `claude -p TEXT` in its shell. The program then reports TEXT as its user's
//! message, but an agent wrote it. The processes above the hook tell: first the program, then a shell,
//! then a program again. A process that was detached from its parent is not found out this way; that
//! shell command was decided like any other.

use crate::limits;
use std::fs;

/// Names of the programs' processes, and parts of paths that are theirs where a runtime runs them.
const PROGRAM_NAMES: [&str; 2] = ["claude", "codex"];
const PROGRAM_PATHS: [&str; 2] = ["/claude-code/", "/codex/"];

pub(super) fn is_inside_another_agent() -> bool {
    is_nested(&list_ancestors())
}

/// One process above the hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ancestor {
    Program,
    Other,
}

/// The nearest program may consist of several processes. Behind another process it is another one.
fn is_nested(ancestors: &[Ancestor]) -> bool {
    let own = ancestors.iter().skip_while(|kind| **kind == Ancestor::Other);
    let mut outside = own.skip_while(|kind| **kind == Ancestor::Program);
    outside.any(|kind| *kind == Ancestor::Program)
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
    let mut words = command.split('\0').take(2);
    let is_program = PROGRAM_NAMES.contains(&name.as_str())
        || words.any(|word| PROGRAM_PATHS.iter().any(|part| word.contains(part)));
    if is_program { Ancestor::Program } else { Ancestor::Other }
}

#[cfg(test)]
mod tests {
    use super::Ancestor::{Other, Program};
    use super::*;

    #[test]
    fn a_program_behind_a_shell_of_another_program_is_nested() {
        assert!(!is_nested(&[]));
        assert!(!is_nested(&[Other, Program, Program, Other, Other]));
        assert!(is_nested(&[Program, Other, Program, Other]));
        assert!(is_nested(&[Other, Program, Other, Other, Program]));
    }
}
