//! Detects options that raise a call's risk: force and recursion.
//!
//! An undetected option only means one question less. So short options count only for programs
//! where their meaning is known; long ones count everywhere.

use crate::context::{CommandContext, NoDiskLookup};
use crate::loose::Word;
use crate::reachable_commands::{OperandCheck, Visitor, visit_reachable};
use crate::subject::can_run_other_programs;
use crate::working_folders::FolderSet;
use countersign_core::model::words::Detector;

/// Options mean the same in every folder.
const NOWHERE: CommandContext = CommandContext { workspace: None, cwd: None, disk: &NoDiskLookup };

/// The detectors of every command that a line could run: behind a pipe, inside a substitution, or
/// wrapped by another command.
pub(crate) fn find_detectors(line: &str) -> Vec<Detector> {
    let mut commands = DetectorVisitor { found: Vec::new() };
    // What cannot be searched to its end still counts as far as it was read.
    let _incomplete = visit_reachable(line, &NOWHERE, &mut commands);
    let DetectorVisitor { mut found } = commands;
    found.sort_unstable();
    found.dedup();
    found
}

/// The same for one plain command. Only one that may run another has to be searched.
pub(crate) fn find_plain_detectors(line: &str, argv: &[String]) -> Vec<Detector> {
    match argv.first() {
        Some(program) if can_run_other_programs(program) => find_detectors(line),
        _ => find_in_command(argv),
    }
}

struct DetectorVisitor {
    found: Vec<Detector>,
}

impl Visitor for DetectorVisitor {
    fn visit_loose_word(&mut self, _word: &Word, _folders: &FolderSet) {}

    fn visit_redirect_target(&mut self, _word: &Word, _folders: &FolderSet) {}

    fn visit_command(
        &mut self,
        words: &[Word],
        _folders: &FolderSet,
        outer: OperandCheck,
    ) -> OperandCheck {
        let argv: Vec<String> = words.iter().map(|word| word.text.clone()).collect();
        self.found.extend(find_in_command(&argv));
        outer
    }
}

pub(crate) fn find_in_command(argv: &[String]) -> Vec<Detector> {
    let mut found = Vec::new();
    if argv.iter().any(|word| is_long_option(word, "--force"))
        || has_short_option(argv, &['f'], FORCING_PROGRAMS)
    {
        found.push(Detector::Force);
    }
    if argv.iter().any(|word| is_long_option(word, "--recursive"))
        || has_short_option(argv, &['r', 'R'], RECURSING_PROGRAMS)
    {
        found.push(Detector::Recursive);
    }
    found
}

/// Programs for which `-f` means force, with the subcommand it applies to.
const FORCING_PROGRAMS: &[(&str, Option<&str>)] = &[
    ("rm", None),
    ("mv", None),
    ("cp", None),
    ("ln", None),
    ("git", Some("push")),
    ("git", Some("clean")),
];

/// Programs for which `-r` or `-R` means recursion.
const RECURSING_PROGRAMS: &[(&str, Option<&str>)] =
    &[("rm", None), ("chmod", None), ("chown", None), ("chgrp", None)];

/// `--force`, `--force=…` and `--force-with-lease`.
fn is_long_option(word: &str, option: &str) -> bool {
    word.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with(['=', '-']))
}

fn has_short_option(argv: &[String], letters: &[char], programs: &[(&str, Option<&str>)]) -> bool {
    let Some((program, rest)) = argv.split_first() else { return false };
    let name = program.rsplit('/').next().unwrap_or(program);
    let is_listed = programs.iter().any(|(listed, subcommand)| {
        *listed == name && subcommand.is_none_or(|sub| rest.iter().any(|word| word == sub))
    });
    is_listed
        && rest.iter().take_while(|word| *word != "--").any(|word| {
            word.strip_prefix('-')
                .is_some_and(|cluster| !cluster.starts_with('-') && cluster.contains(letters))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn force_and_recursion_are_detected_only_where_they_have_that_meaning() {
        use Detector::{Force, Recursive};
        for (line, expected) in [
            ("rm -rf build", vec![Force, Recursive]),
            ("/bin/rm -r build", vec![Recursive]),
            ("git push --force", vec![Force]),
            ("git push --force-with-lease origin main", vec![Force]),
            ("git push -f", vec![Force]),
            ("chmod -R 700 x", vec![Recursive]),
            ("tool --force=yes", vec![Force]),
            ("git push origin main", vec![]),
            ("grep -rf patterns x", vec![]),
            ("rm -- -rf", vec![]),
            ("tool --forceful", vec![]),
            ("rm -rf x | cat", vec![Force, Recursive]),
            ("cat x | xargs rm -r", vec![Recursive]),
            ("cd x && git push -f; ls", vec![Force]),
            ("echo $(rm -r x)", vec![Recursive]),
            ("echo \"$(git push --force)\"", vec![Force]),
            ("timeout 5 rm -rf x", vec![Force, Recursive]),
            ("sh -c 'ls; rm -rf x'", vec![Force, Recursive]),
            ("ls >out; chmod -R 700 x &", vec![Recursive]),
            ("rm -f x | chown -R a y", vec![Force, Recursive]),
            ("echo 'rm -rf x' | cat", vec![]),
            ("ls | cat", vec![]),
        ] {
            assert_eq!(find_detectors(line), expected, "{line}");
            assert_eq!(crate::analyse(line, None).detectors, expected, "{line}");
        }
    }
}
