//! The yardstick, with every row that is missed and why.

use crate::rows::{Row, rows, verdict};
use countersign_commands::{CommandVerdict, DenyCause, Miss};

const MISSED: &[(&str, Miss, &str)] = &[
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

fn missed(judge: impl Fn(&Row) -> CommandVerdict) -> Vec<(String, Miss)> {
    let miss = |row: Row| row.expected.find_miss(&judge(&row)).map(|miss| (row.id, miss));
    rows().into_iter().filter_map(miss).collect()
}

#[test]
fn the_corpus_is_missed_only_where_it_is_explained() {
    let explained: Vec<_> = MISSED.iter().map(|(id, miss, _)| ((*id).to_owned(), *miss)).collect();
    assert_eq!(missed(|row| verdict(&row.rule, &row.command)), explained);
}

/// A harness that finds nothing must be able to find something.
#[test]
fn a_matcher_on_text_misses_in_every_way() {
    let on_text = |row: &Row| match row.rule.strip_prefix("allow ") {
        Some(rule) if row.command.starts_with(rule.trim_end_matches(" *")) => {
            CommandVerdict::Match { rules: vec![0] }
        }
        Some(_) => CommandVerdict::Ask { why: String::new() },
        None if row.rule.starts_with("deny rm") && row.command.contains("rm ") => {
            CommandVerdict::Deny { why: String::new(), cause: DenyCause::Unreadable }
        }
        None => CommandVerdict::Ask { why: String::new() },
    };
    let found = missed(on_text);
    for miss in Miss::ALL {
        assert!(found.iter().any(|(_, found)| *found == miss), "{miss:?}");
    }
}
