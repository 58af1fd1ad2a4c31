//! Finds what a line would destroy, delete for others, or run from elsewhere, in every command that it
//! could reach.
//!
//! It reads loosely, like the deny rules: a danger only raises the risk of a call and says what happens.
//! What it does not find is decided as before.
//!
//! See docs/decisions/0107-catastrophes-and-other-dangers.md.
//! See docs/decisions/0109-a-line-is-read-once-more-for-dangers.md.

mod arguments;
mod devices;
mod foreign_code;
mod inline_code;
mod landmarks;
mod notes;
mod processes;
mod services;
mod sql;
mod trees;

use crate::context::CommandContext;
use crate::loose::{LooseScan, Word};
use crate::reachable_commands::{OperandCheck, Visitor, visit_reachable};
use crate::working_folders::FolderSet;
use crate::wrappers;
use arguments::Arguments;
use countersign_core::model::command::render_argv;
use countersign_core::model::danger::{Danger, DangerKind};

/// What a line would destroy, delete for others, or run from elsewhere; the gravest first.
pub(crate) fn find_dangers(line: &str, context: &CommandContext) -> Vec<Danger> {
    let mut search = DangerSearch::new(context);
    // What cannot be read to its end still counts as far as it was read.
    let _incomplete = visit_reachable(line, context, &mut search);
    search.finish()
}

/// The dangers of one simple command by itself, in the first folder where it may run.
pub(crate) fn find_segment_dangers(
    argv: &[String],
    folders: &[String],
    context: &CommandContext,
) -> Vec<Danger> {
    let cwd = folders.first().map(String::as_str).or(context.cwd);
    find_dangers(&render_argv(argv), &CommandContext { cwd, ..*context })
}

/// Collects the dangers of a line.
struct DangerSearch<'a> {
    context: &'a CommandContext<'a>,
    found: Vec<Danger>,
    /// The words that commands of the line print or list, which another one may take as operands.
    printed: Vec<Word>,
    /// How many scripts inside of other programs the search is in.
    depth: usize,
}

impl<'a> DangerSearch<'a> {
    const fn new(context: &'a CommandContext<'a>) -> Self {
        Self { context, found: Vec::new(), printed: Vec::new(), depth: 0 }
    }

    /// The dangers, each once, the gravest first.
    fn finish(mut self) -> Vec<Danger> {
        self.found.sort();
        self.found.dedup();
        self.found
    }

    fn add(&mut self, kind: DangerKind, does: &str, what: impl Into<String>) {
        self.found.push(Danger { kind, does: does.to_owned(), what: what.into() });
    }

    fn check_command(&mut self, words: &[Word], folders: &FolderSet) {
        let Some(arguments) = Arguments::new(words) else { return };
        trees::check_trees(self, &arguments, folders);
        devices::check_devices(self, &arguments);
        processes::check_processes(self, &arguments);
        services::check_services(self, &arguments);
        sql::check_sql(self, &arguments);
        foreign_code::check_packages(self, &arguments);
        inline_code::check_inline_code(self, &arguments, folders);
        notes::check_notes(self, &arguments);
        notes::check_secrets_below(self, words, folders);
    }

    /// Programs that the reader of commands does not look through may still run their last words.
    fn check_hidden_commands(&mut self, words: &[Word], folders: &FolderSet) {
        let name = words.first().map(|word| wrappers::base_name(&word.text)).unwrap_or_default();
        if CONTAINER_PROGRAMS.contains(&name) {
            let runs = |word: &Word| ["exec", "run"].contains(&word.text.as_str());
            let at = words.iter().position(runs).unwrap_or(words.len());
            // What happens to the files of a container is not what happens here.
            for inner in (at + 1..words.len()).filter_map(|at| Arguments::new(words.get(at..)?)) {
                services::check_services(self, &inner);
                sql::check_sql(self, &inner);
            }
        }
        if !HIDING_PROGRAMS.contains(&name) && !wrappers::is_opaque(name) {
            return;
        }
        for at in 1..words.len() {
            let inner = words.get(at..).unwrap_or_default();
            self.check_command(inner, folders);
            let Some(word) = inner.first().filter(|word| word.text.contains(' ')) else { continue };
            self.search_script(&word.text, folders);
        }
    }

    /// Searches a text that another program runs as a shell command.
    fn search_script(&mut self, text: &str, folders: &FolderSet) {
        if self.depth > 2 {
            return;
        }
        let cwd = folders.known.first().map(String::as_str);
        let context = CommandContext { cwd, ..*self.context };
        let mut search = DangerSearch { depth: self.depth + 1, ..DangerSearch::new(&context) };
        // What cannot be read to its end still counts as far as it was read.
        let _incomplete = visit_reachable(text, &context, &mut search);
        let found = search.finish();
        self.found.extend(found);
    }
}

/// Programs that run another one in a container.
const CONTAINER_PROGRAMS: &[&str] =
    &["docker", "podman", "nerdctl", "docker-compose", "kubectl", "oc"];

/// Runners of other programs, which are no wrappers for rules.
const HIDING_PROGRAMS: &[&str] = &[
    "bundle",
    "npx",
    "pnpm",
    "yarn",
    "bunx",
    "bun",
    "npm",
    "poetry",
    "pipenv",
    "uv",
    "mise",
    "asdf",
    "direnv",
    "rtk",
    "aws-vault",
    "op",
    "doppler",
    "chamber",
    "dotenv",
    "corepack",
    "rye",
    "hatch",
    "pixi",
    "conda",
    "micromamba",
    "nix-shell",
    "k3s",
    "microk8s",
    "gosu",
    "su-exec",
    "cpulimit",
    "proot",
    "fakechroot",
    "torsocks",
    "proxychains",
    "proxychains4",
    "expect",
    "ltrace",
    "perf",
    "valgrind",
    "hyperfine",
    "rlwrap",
    "sem",
    "systemd-inhibit",
];

impl Visitor for DangerSearch<'_> {
    fn follows_values(&self) -> bool {
        true
    }

    fn visit_loose_word(&mut self, _word: &Word, _folders: &FolderSet) {}

    fn visit_redirect_target(&mut self, word: &Word, _folders: &FolderSet) {
        devices::check_written_device(self, word);
    }

    fn visit_scan(&mut self, scanned: &LooseScan) {
        self.printed.extend(trees::list_printed(scanned));
        processes::check_fork_bomb(self, scanned);
        foreign_code::check_foreign_code(self, scanned);
        sql::check_sql_input(self, scanned);
    }

    fn visit_command(
        &mut self,
        words: &[Word],
        folders: &FolderSet,
        outer: OperandCheck,
    ) -> OperandCheck {
        self.check_command(words, folders);
        self.check_hidden_commands(words, folders);
        outer
    }
}

#[cfg(test)]
mod tests;
