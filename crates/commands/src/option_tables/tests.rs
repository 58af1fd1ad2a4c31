//! Every table has lines that it covers and lines that it refuses.

mod attacks;
mod lines;

use super::reading::contains_name;
use super::*;

/// Fails with all the problems at once.
fn check_none(problems: &[String]) {
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn split_words(text: &str) -> Vec<String> {
    text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Whether a rule `NAME *` covers the line, as far as its words go.
fn is_covered(name: &str, line: &str) -> bool {
    let name = split_words(name);
    let words = split_words(line);
    let Some(rest) = words.strip_prefix(name.as_slice()) else { return false };
    find_table(&name).is_some_and(|table| explain_uncovered_words(table, rest).is_none())
}

fn names(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.split(' ').filter(|name| !name.is_empty())
}

#[test]
fn no_table_lists_an_option_twice_or_with_its_dashes() {
    let mut problems = Vec::new();
    for table in table::all_tables() {
        for list in [table.long, table.long_valued] {
            let names: Vec<&str> = names(list).collect();
            for (at, name) in names.iter().enumerate() {
                let is_whole =
                    !name.starts_with('-') && !name.ends_with('-') && !name.contains('=');
                if !is_whole || names[..at].contains(name) {
                    problems.push(format!("{}: {name}", table.name));
                }
            }
        }
        let letters: Vec<char> = table.flags.chars().chain(table.valued.chars()).collect();
        for (at, letter) in letters.iter().enumerate() {
            if letters[..at].contains(letter) {
                problems.push(format!("{}: -{letter}", table.name));
            }
        }
    }
    check_none(&problems);
}

#[test]
fn every_option_with_a_path_is_an_option_with_a_value() {
    let mut problems = Vec::new();
    for table in table::all_tables() {
        let paths = names(table.path_values).chain(names(table.written_values));
        for name in paths {
            let is_short = name.len() == 1 && table.valued.contains(name);
            if !is_short && !contains_name(table.long_valued, name) {
                problems.push(format!("{}: {name}", table.name));
            }
        }
        for name in names(table.input_values) {
            if !contains_name(table.path_values, name) {
                problems.push(format!("{}: {name}", table.name));
            }
        }
    }
    check_none(&problems);
}

#[test]
fn no_two_tables_have_the_same_name() {
    assert_eq!(TABLES.len(), table::all_tables().count());
}

/// One word with a space is not two words of a name.
#[test]
fn a_table_is_found_by_whole_words() {
    let find = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        find_table(&words).map(|table| table.name)
    };
    assert_eq!(find(&["git", "reset", "--hard", "x"]), Some("git reset --hard"));
    assert_eq!(find(&["/usr/bin/git", "reset", "x"]), Some("git reset"));
    assert_eq!(find(&["git", "reset --hard"]), None);
    assert_eq!(find(&["git log"]), None);
    assert_eq!(find(&["git"]), None);
    assert_eq!(find(&[]), None);
}
