//! Parses shell command lines and judges them by allow and deny rules on their arguments.
//!
//! Allow rules use a strict parser, deny rules a loose one. One simple command of literal words is
//! `Plain`; a line that a shell could expand, join or redirect is `NotPlain`, and no command grant
//! covers it. Pure: nothing here runs a program or reads the disk, and there is no built-in list of
//! safe commands.
//!
//! See docs/decisions/0007-command-rule-grammar.md.

mod aliases;
mod allow;
mod below_report;
mod breadth;
mod chars;
mod classes;
mod command_place;
mod context;
mod covering;
mod dangers;
mod denied_path;
mod deny;
mod detect;
mod expansion;
mod folder_reading;
mod folder_walk;
mod git;
mod git_configuration;
mod git_words;
mod interpreted_code;
mod judge;
mod judge_segments;
pub mod limits;
mod line_paths;
mod lookthrough;
mod narrowing;
mod open_head;
mod patch;
mod pattern;
mod program_file;
mod project_tasks;
mod reachable_commands;
mod reached_folders;
mod rule;
mod rule_form;
mod run_files;
mod runner_table;
mod score;
mod segment_judgement;
mod self_protection;
mod subject;
#[cfg(test)]
mod table_attacks;
mod tool_runners;
mod working_folders;
mod wrappers;
mod written_paths;

use countersign_core::model::command::is_open_argument;
use countersign_core::model::command::{Command, CommandAnalysis};
use countersign_programs as option_tables;
use countersign_shell::{loose, strict, variables};

pub use below_report::BelowReport;
pub use breadth::{RuleBreadth, find_breadth};
pub use classes::{ClassRule, CoveringClass};
pub use context::{
    CodeFile, CommandContext, DiskLookup, Landmark, NoDiskLookup, PathEntry, PinnedFile,
    ProgramFile, ProgramHash, ResolvedPath, Shim,
};
pub use countersign_programs::{
    CommandDestination, deletes_for_good, find_destinations, find_head, find_read_words,
    find_written_words, list_narrower_commands,
};
pub use covering::{Covering, FolderLocation, SegmentHead};
pub use folder_walk::{
    FilterOrder, FolderWalk, LinkUse, NameFilter, NameRule, NameVerdict, RuleMeaning, SearchExtent,
    SecretFile, SecretsBelow, WalkEntry, WalkScope, matches_glob,
};
pub use git::is_reading_git;
pub use git_configuration::{
    Certainty, CurrentBranch, GitConfiguration, GitReading, GitSetting, RepositoryFiles,
    find_effective,
};
pub use judge::{CommandVerdict, DenyCause, LineJudgement, RuleSet, RuleWarning};
pub use line_paths::LinePaths;
pub use narrowing::{
    NarrowedLine, find_tool_walk, narrow_arguments, narrow_git, narrow_globs, narrow_text,
    narrow_words,
};
pub use patch::find_patched_files;
pub use rule::{
    CommandRule, RuleBody, RuleEffect, RuleEnd, RuleError, RuleToken, parse_body, parse_rules,
};
pub use run_files::{
    CONFIG_EXTENSIONS, ReachedRunner, RunFileGroup, RunnerPaths, SearchStart, list_run_file_groups,
};
pub use score::{ExpectedVerdict, Miss};
pub use segment_judgement::{Invocation, SegmentJudgement, find_executed_words};
pub use strict::{
    Assignment, FileRedirection, Group, Join, ParseRefusal, Redirection, Segment, SegmentOrigin,
    Stream, WriteMode,
};
pub use subject::can_run_other_programs;
pub use variables::explain_refused_variable;

/// Analyses one command line that would run in `cwd`.
pub fn analyse(text: &str, cwd: Option<&str>) -> CommandAnalysis {
    let cwd = cwd.map(str::to_owned);
    match parse_plain(text) {
        Some(argv) => {
            let detectors = detect::find_plain_detectors(text, &argv);
            CommandAnalysis { command: Command::Plain { argv, cwd }, detectors }
        }
        None => {
            let command = Command::NotPlain { text: text.to_owned(), cwd };
            CommandAnalysis { command, detectors: detect::find_detectors(text) }
        }
    }
}

/// The commands of a line that consists only of plain commands.
pub fn parse_segments(text: &str) -> Result<Vec<Segment>, ParseRefusal> {
    if chars::check_text(text) != chars::CharacterCheck::Clean {
        return Err(ParseRefusal {
            offset: 0,
            why: "it contains characters that a terminal does not show",
        });
    }
    strict::parse_line(text)
}

/// The words of a line that is one simple command.
fn parse_plain(text: &str) -> Option<Vec<String>> {
    if chars::check_text(text) != chars::CharacterCheck::Clean {
        return None;
    }
    let [segment] = <[Segment; 1]>::try_from(strict::parse_line(text).ok()?).ok()?;
    // A literal `<name>` would look like the placeholder of a command grant.
    let is_plain = segment.is_plain() && !segment.argv.iter().any(|word| is_open_argument(word));
    is_plain.then_some(segment.argv)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_literal_is_the_same_command() {
        let plain = analyse("git push origin", None);
        assert!(plain.command.is_plain());
        for text in ["git push 'origin'", "'git'  push \"origin\"", "git push origin\n"] {
            assert_eq!(analyse(text, None), plain, "{text:?}");
        }
    }

    #[test]
    fn more_than_one_simple_command_is_not_plain() {
        for text in
            ["", "a; b", "a | b", "a 2>&1", "a\nb", "a >/dev/null", "git push '<remote>'", "a $b"]
        {
            assert!(!analyse(text, None).command.is_plain(), "{text:?}");
        }
    }

    #[test]
    fn a_displayed_command_parses_back_to_the_same_words() {
        for text in ["git commit -m 'a b'", "echo '' \"it's\" '\"' 'a\nb'", "x HEAD~1 '*'"] {
            let command = analyse(text, None).command;
            assert!(command.is_plain());
            assert_eq!(analyse(&command.to_string(), None).command, command, "{text}");
        }
    }
}
