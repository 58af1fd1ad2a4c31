//! The folders that a command deletes, moves or changes with everything below them.
//!
//! A yes to deleting files must not reach a secret or a guarded file through the folder above it.

use crate::detect::find_in_command;
use crate::option_tables;
use crate::wrappers::base_name;
use countersign_core::model::words::Detector;

pub(crate) struct ReachedFolders {
    /// The words that name them; empty for the folder in which the command runs.
    pub(crate) paths: Vec<usize>,
    /// Git leaves its own data alone.
    pub(crate) spares_git: bool,
    /// Another word says where they go.
    pub(crate) has_target: bool,
}

impl ReachedFolders {
    /// `None` if the command stays at the files that it names.
    pub(crate) fn find(argv: &[String]) -> Option<Self> {
        let program = base_name(argv.first()?);
        let is_recursive = || find_in_command(argv).contains(&Detector::Recursive);
        let operands = || find_operands(argv);
        let (paths, spares_git) = match program {
            "rm" | "chown" | "chgrp" if is_recursive() => (operands(), false),
            "chmod" if is_recursive() => (operands().into_iter().skip(1).collect(), false),
            "mv" => (drop_target(argv, operands()), false),
            "cp" | "rsync" if has_option(argv, &['r', 'R', 'a'], &["--recursive", "--archive"]) => {
                (drop_target(argv, operands()), false)
            }
            "git" => return Self::find_git(argv),
            _ => return None,
        };
        let has_target = matches!(program, "mv" | "cp" | "rsync");
        (!paths.is_empty()).then_some(Self { paths, spares_git, has_target })
    }

    fn find_git(argv: &[String]) -> Option<Self> {
        let words = argv.get(1..)?;
        match words.first()?.as_str() {
            // What is ignored is often a secret.
            "clean" if has_option(words, &['x', 'X'], &[]) => {
                Some(Self { paths: find_operands(argv), spares_git: true, has_target: false })
            }
            "rm" if has_option(words, &['r'], &[]) => {
                Some(Self { paths: find_operands(argv), spares_git: false, has_target: false })
            }
            _ => None,
        }
    }
}

/// The operands by the table of the command, or all words that are no options.
fn find_operands(argv: &[String]) -> Vec<usize> {
    let is_operand = |word: &String| !word.starts_with('-');
    let words = || argv.iter().enumerate().skip(1).filter(|(_, word)| is_operand(word));
    option_tables::find_operands(argv).unwrap_or_else(|| words().map(|(at, _)| at).collect())
}

/// Without the last operand, which is where the others go, unless an option names that.
fn drop_target(argv: &[String], mut operands: Vec<usize>) -> Vec<usize> {
    if !has_option(argv, &['t'], &["--target-directory"]) {
        operands.pop();
    }
    operands
}

fn has_option(argv: &[String], letters: &[char], long: &[&str]) -> bool {
    argv.iter().skip(1).take_while(|word| *word != "--").any(|word| match word.strip_prefix("--") {
        Some(_) => long.iter().any(|name| word.split('=').next() == Some(name)),
        None => word.strip_prefix('-').is_some_and(|cluster| cluster.contains(letters)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_reaches_below_the_folders_that_it_takes_as_a_whole() {
        for (line, expected) in [
            ("rm -rf a b", Some(vec!["a", "b"])),
            ("rm --recursive a", Some(vec!["a"])),
            ("rm -rf --unknown a", Some(vec!["a"])),
            ("rm a", None),
            ("mv a b c", Some(vec!["a", "b"])),
            ("mv -t c a", Some(vec!["a"])),
            ("cp -r a .", Some(vec!["a"])),
            ("cp a b", None),
            ("chmod -R 700 a", Some(vec!["a"])),
            ("git clean -fdx", Some(vec![])),
            ("git clean -fd", None),
            ("git rm -r a", Some(vec!["a"])),
            ("ls -r a", None),
        ] {
            let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let found = ReachedFolders::find(&argv);
            let words = found
                .map(|found| found.paths.iter().map(|at| argv[*at].as_str()).collect::<Vec<_>>());
            assert_eq!(words, expected, "{line}");
        }
    }
}
