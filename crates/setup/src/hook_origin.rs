//! Who runs a hook: the program that it is installed in, or something else.
//!
//! The processes above the hook tell. First comes the program, with at most one shell between. Where
//! `init` found the program's file, only that counts, whatever a process calls itself. Behind the
//! program there may be a shell and a program again: an agent can start `claude -p TEXT` in its shell,
//! and the program then reports TEXT as its user's message.
//!
//! See docs/decisions/0087-who-speaks-through-a-hook.md.

use crate::processes::{ProcessFile, ProcessTable};
use countersign_api::{BoundedList, ProcessStamp, ProgramAncestry, ProgramProcesses};
use countersign_harness::Program;
use std::path::{Component, Path, PathBuf};

/// Names of the programs' processes, and parts of paths that are theirs where a runtime runs them.
const PROGRAMS: [(Program, &str, &str); 2] =
    [(Program::ClaudeCode, "claude", "/claude-code/"), (Program::Codex, "codex", "/codex/")];

/// Shells that programs run a hook with.
const SHELLS: [&str; 8] = ["sh", "dash", "bash", "zsh", "ash", "ksh", "fish", "busybox"];

/// Runtimes that programs are scripts of.
const RUNTIMES: [&str; 4] = ["node", "nodejs", "bun", "deno"];

/// Who runs a hook.
pub enum HookOrigin {
    /// The program, and when the processes below it started.
    Program(ProgramProcesses, ProgramAncestry),
    /// The program, which a tool of another program has started.
    NestedProgram(ProgramAncestry),
    /// Something else, or what cannot be told.
    Elsewhere,
}

/// Who runs this process, if it is the hook of `program`, whose file `init` found at `file`.
pub fn find_hook_origin(program: Program, file: Option<&Path>) -> HookOrigin {
    let (table, own) = (ProcessTable::read(), std::process::id());
    let ids = table.list_ancestors(own);
    let above: Vec<ProcessFile> = ids.iter().map(|id| ProcessFile::read(*id)).collect();
    let root = file.map(find_root);
    let is_program = |process: &ProcessFile| match &root {
        Some(root) => is_installed_at(process, (program, root)),
        None => find_named_program(process) == Some(program),
    };
    let (top, between) = match above.as_slice() {
        [first, ..] if is_program(first) => (first.id, None),
        [shell, second, ..] if is_shell(shell) && is_program(second) => (second.id, Some(shell.id)),
        _ => return HookOrigin::Elsewhere,
    };
    let classify = |process: &ProcessFile| {
        let found = is_program(process).then_some(program).or_else(|| find_named_program(process));
        found.map_or(Ancestor::Other, |found| Ancestor::Program(found, process.file.clone()))
    };
    let kinds: Vec<Ancestor> = above.iter().map(classify).collect();
    let Some(ancestry) = find_ancestry(&table, top) else { return HookOrigin::Elsewhere };
    if is_nested(&kinds) {
        return HookOrigin::NestedProgram(ancestry);
    }
    let chain: Vec<u32> = between.into_iter().chain([own]).collect();
    match list_processes(&table, top, &chain) {
        Some(processes) => HookOrigin::Program(processes, ancestry),
        None => HookOrigin::Elsewhere,
    }
}

/// None if the program has ended meanwhile. A process above it that has ended is above nobody.
fn find_ancestry(table: &ProcessTable, program: u32) -> Option<ProgramAncestry> {
    let stamp = |id: u32| {
        let started = table.started(id)?.try_into().ok()?;
        Some(ProcessStamp { id: u64::from(id).try_into().ok()?, started })
    };
    let above: Vec<_> = table.list_ancestors(program).into_iter().filter_map(stamp).collect();
    Some(ProgramAncestry { program: stamp(program)?, above: above.try_into().ok()? })
}

/// None if there are more than anybody looks through.
fn list_processes(table: &ProcessTable, top: u32, chain: &[u32]) -> Option<ProgramProcesses> {
    let hook = chain.iter().filter_map(|id| table.started(*id)).min()?;
    let others = table.list_starts_below(top, chain);
    let others: Option<Vec<_>> = others.into_iter().map(|at| at.try_into().ok()).collect();
    let others = BoundedList::try_from(others?).ok()?;
    Some(ProgramProcesses { hook: hook.try_into().ok()?, others })
}

/// What belongs to an installed program: its package, the folder of its versions, or the file alone.
fn find_root(file: &Path) -> PathBuf {
    let mut root = PathBuf::new();
    let mut is_package = false;
    for part in file.components() {
        root.push(part);
        if is_package {
            return root;
        }
        is_package = part == Component::Normal("node_modules".as_ref());
    }
    match file.parent() {
        Some(folder) if folder.ends_with("versions") => folder.to_owned(),
        _ => file.to_owned(),
    }
}

fn is_installed_at(process: &ProcessFile, (program, root): (Program, &Path)) -> bool {
    let own_file = process.file.with_file_name(process.file_name());
    if own_file.starts_with(root) {
        return true;
    }
    let script = process.words.get(1).and_then(|word| std::fs::canonicalize(word).ok());
    let is_own_script = script.is_some_and(|script| script.starts_with(root));
    // A script can replace the words of its command line by a title.
    let has_title = PROGRAMS.iter().any(|(kind, name, _)| {
        *kind == program
            && (process.name == *name || process.words.first().is_some_and(|w| w == name))
    });
    let is_script = root.components().any(|part| part.as_os_str() == "node_modules");
    RUNTIMES.contains(&process.file_name().as_str()) && (is_own_script || (is_script && has_title))
}

fn find_named_program(process: &ProcessFile) -> Option<Program> {
    let found = PROGRAMS.iter().find(|(_, own_name, path)| {
        process.name == *own_name || process.words.iter().any(|word| word.contains(path))
    });
    found.map(|(program, ..)| *program)
}

fn is_shell(process: &ProcessFile) -> bool {
    SHELLS.contains(&process.file_name().as_str())
}

/// One process above the hook.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Ancestor {
    /// The file that it executes tells a program from a runtime that has started it.
    Program(Program, PathBuf),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn claude() -> Ancestor {
        Ancestor::Program(Program::ClaudeCode, "/opt/claude".into())
    }

    fn codex(file: &str) -> Ancestor {
        Ancestor::Program(Program::Codex, file.into())
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

    #[test]
    fn what_is_installed_is_a_package_the_versions_or_a_file() {
        let root = |file: &str| find_root(Path::new(file)).display().to_string();
        let script = "/usr/lib/node_modules/@openai/codex/bin/codex.js";
        assert_eq!(root(script), "/usr/lib/node_modules/@openai");
        let version = "/home/u/.local/share/claude/versions/2.1.3";
        assert_eq!(root(version), "/home/u/.local/share/claude/versions");
        assert_eq!(root("/usr/bin/claude"), "/usr/bin/claude");
    }

    #[test]
    fn a_process_is_the_program_by_its_file_and_not_by_its_name() {
        let process = |file: &str, name: &str, words: &[&str]| ProcessFile {
            id: 1,
            name: name.to_owned(),
            file: file.into(),
            words: words.iter().map(|word| (*word).to_owned()).collect(),
        };
        let is_claude = |process: &ProcessFile, root: &str| {
            is_installed_at(process, (Program::ClaudeCode, Path::new(root)))
        };
        let versions = "/home/u/.local/share/claude/versions";
        let running = process(&format!("{versions}/2.1.2 (deleted)"), "claude", &["claude"]);
        assert!(is_claude(&running, versions));
        assert!(!is_claude(&process("/tmp/claude", "claude", &["claude"]), versions));
        assert!(!is_claude(&process("/usr/bin/node", "claude", &["claude"]), versions));
        let package = "/usr/lib/node_modules/@anthropic-ai";
        assert!(is_claude(&process("/usr/bin/node", "claude", &["claude"]), package));
        assert!(!is_claude(&process("/usr/bin/bash", "claude", &["claude"]), package));
        assert!(!is_claude(&process("/usr/bin/node", "node", &["node", "/tmp/x.js"]), package));
    }
}
