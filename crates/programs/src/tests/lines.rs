//! The rows `NAME | words that are covered | words that are refused`.

use super::{check_none, is_covered};
use crate::ALL_TABLES;
use std::collections::HashSet;

const ROWS: &[&str] = &[
    include_str!("lines/build.txt"),
    include_str!("lines/git.txt"),
    include_str!("lines/network.txt"),
    include_str!("lines/node.txt"),
    include_str!("lines/operations.txt"),
    include_str!("lines/python.txt"),
    include_str!("lines/system.txt"),
];

struct Row {
    name: &'static str,
    covered: &'static str,
    refused: &'static str,
}

fn read_rows() -> impl Iterator<Item = Row> {
    let lines = ROWS.iter().flat_map(|file| file.lines());
    lines.map(|line| {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        let [name, covered, refused] = parts.as_slice() else { panic!("{line}") };
        Row { name, covered, refused }
    })
}

#[test]
fn every_table_covers_and_refuses_what_its_rows_say() {
    let mut problems = Vec::new();
    for Row { name, covered, refused } in read_rows() {
        if !is_covered(name, &format!("{name} {covered}")) {
            problems.push(format!("not covered: {name} {covered}"));
        }
        if is_covered(name, &format!("{name} {refused}")) {
            problems.push(format!("not refused: {name} {refused}"));
        }
    }
    check_none(&problems);
}

#[test]
fn every_table_has_a_row() {
    let named: HashSet<&str> = read_rows().map(|row| row.name).collect();
    let missing = ALL_TABLES.listed.iter().filter(|table| !named.contains(table.name.as_str()));
    check_none(&missing.map(|table| format!("no row: {}", table.name)).collect::<Vec<_>>());
}
