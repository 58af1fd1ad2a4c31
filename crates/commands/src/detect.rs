//! Signs in an argv that raise a call's risk: forcing something, or recursing into it.
//!
//! A sign that is overlooked costs a question less; so short options count only for programs
//! whose meaning is known, long ones everywhere.

use countersign_core::model::words::Detector;

pub(crate) fn detectors(argv: &[String]) -> Vec<Detector> {
    let mut found = Vec::new();
    if argv.iter().any(|word| is_long(word, "--force")) || has_short(argv, &['f'], FORCING) {
        found.push(Detector::Force);
    }
    if argv.iter().any(|word| is_long(word, "--recursive"))
        || has_short(argv, &['r', 'R'], RECURSING)
    {
        found.push(Detector::Recursive);
    }
    found
}

/// Programs for which `-f` forces, with the subcommand that makes it so.
const FORCING: &[(&str, Option<&str>)] = &[
    ("rm", None),
    ("mv", None),
    ("cp", None),
    ("ln", None),
    ("git", Some("push")),
    ("git", Some("clean")),
];

/// Programs for which `-r` or `-R` reaches below what is named.
const RECURSING: &[(&str, Option<&str>)] =
    &[("rm", None), ("chmod", None), ("chown", None), ("chgrp", None)];

/// `--force`, `--force=…` and `--force-with-lease`.
fn is_long(word: &str, option: &str) -> bool {
    word.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with(['=', '-']))
}

fn has_short(argv: &[String], letters: &[char], programs: &[(&str, Option<&str>)]) -> bool {
    let Some((program, rest)) = argv.split_first() else { return false };
    let name = program.rsplit('/').next().unwrap_or(program);
    let known = programs.iter().any(|(known, subcommand)| {
        *known == name && subcommand.is_none_or(|sub| rest.iter().any(|word| word == sub))
    });
    known
        && rest.iter().take_while(|word| *word != "--").any(|word| {
            word.strip_prefix('-')
                .is_some_and(|cluster| !cluster.starts_with('-') && cluster.contains(letters))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> Vec<Detector> {
        detectors(&line.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn force_and_recursion_are_seen_where_they_mean_that() {
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
        ] {
            assert_eq!(found(line), expected, "{line}");
        }
    }
}
