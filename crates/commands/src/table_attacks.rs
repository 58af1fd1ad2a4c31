//! Lines that no rule `NAME *` may match, even with such a rule for every table.

use crate::option_tables::list_table_names;
use crate::{CommandContext, CommandVerdict, NoDiskLookup, RuleSet};

const LINES: &[&str] = &[
    include_str!("table_attacks/build.txt"),
    include_str!("table_attacks/git.txt"),
    include_str!("table_attacks/network.txt"),
    include_str!("table_attacks/operations.txt"),
    include_str!("table_attacks/reader.txt"),
    include_str!("table_attacks/scripts.txt"),
    include_str!("table_attacks/system.txt"),
];

const HERE: CommandContext<'static> =
    CommandContext { workspace: Some("/w"), cwd: Some("/w"), disk: &NoDiskLookup };

/// Allows everything that the tables cover, except for those that show secrets.
fn allow_every_table() -> RuleSet {
    let rules: Vec<String> = list_table_names()
        .filter(|name| !name.ends_with(" secrets") && !name.starts_with("helm get "))
        .map(|name| format!("allow {name} *"))
        .collect();
    RuleSet::parse(&rules.join("; ")).unwrap()
}

/// Fails with all the problems at once.
fn check_none(problems: &[String]) {
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn is_match(rules: &RuleSet, line: &str) -> bool {
    matches!(rules.judge(line, &HERE).verdict, CommandVerdict::Match { .. })
}

#[test]
fn no_attack_matches_a_rule_of_its_program() {
    let rules = allow_every_table();
    let lines = LINES.iter().flat_map(|file| file.lines());
    let matched = lines.filter(|line| is_match(&rules, line));
    check_none(&matched.map(str::to_owned).collect::<Vec<_>>());
}

/// Shows that the rules would match.
#[test]
fn ordinary_lines_match_the_same_rules() {
    let rules = allow_every_table();
    let lines = include_str!("table_attacks/ordinary.txt").lines();
    let asked = lines.filter(|line| !is_match(&rules, line));
    check_none(&asked.map(str::to_owned).collect::<Vec<_>>());
}
