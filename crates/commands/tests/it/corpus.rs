//! Judges the corpus; every row with another verdict than expected is listed with its reason.

use crate::rows::{Row, judge_command, read_rows};
use countersign_commands::{CommandVerdict, DenyCause, Miss};

const KNOWN_MISSES: &[(&str, Miss, &str)] = &[
    (
        "WRP-036",
        Miss::Harsh,
        "find runs the denied command itself, in this place: a deny rule that looks through xargs \
         looks through -exec",
    ),
    (
        "WRP-053",
        Miss::Harsh,
        "our own program is named literally, and no shell around it makes that a question",
    ),
];

fn find_misses(judge: impl Fn(&Row) -> CommandVerdict) -> Vec<(String, Miss)> {
    let miss = |row: Row| row.expected.find_miss(&judge(&row)).map(|miss| (row.id, miss));
    read_rows().into_iter().filter_map(miss).collect()
}

#[test]
fn every_miss_in_the_corpus_is_a_known_one() {
    let explained: Vec<_> =
        KNOWN_MISSES.iter().map(|(id, miss, _)| ((*id).to_owned(), *miss)).collect();
    assert_eq!(find_misses(|row| judge_command(&row.rule, &row.command)), explained);
}

/// Shows that the comparison can find misses of every kind.
#[test]
fn a_naive_text_matcher_has_misses_of_every_kind() {
    let match_text = |row: &Row| match row.rule.strip_prefix("allow ") {
        Some(rule) if row.command.starts_with(rule.trim_end_matches(" *")) => {
            CommandVerdict::Match { rules: vec![0] }
        }
        Some(_) => CommandVerdict::Ask { why: String::new() },
        None if row.rule.starts_with("deny rm") && row.command.contains("rm ") => {
            CommandVerdict::Deny { why: String::new(), cause: DenyCause::Unreadable }
        }
        None => CommandVerdict::Ask { why: String::new() },
    };
    let found = find_misses(match_text);
    for miss in Miss::ALL {
        assert!(found.iter().any(|(_, found)| found == miss), "{miss:?}");
    }
}
