//! Decision records that source files cite, as lines `//! See docs/decisions/NNNN-title.md.`
//!
//! A reader of the code finds why it is so, and a record about nothing that exists is noticed:
//! each record that is in force, wholly or in part, is cited by at least one Rust file. Whether the
//! file does what the record says is not checked.

use super::File;
use super::decisions::{FOLDER, Force, Record, read_records};
use std::collections::BTreeSet;

const START: &str = "//! See docs/decisions/";

pub(super) fn find_violations(files: &[File]) -> Vec<String> {
    // What is wrong with the records themselves is a finding of another check.
    let Ok(records) = read_records(files) else { return Vec::new() };
    let mut found = Vec::new();
    let mut cited = BTreeSet::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        for (number, line) in file.numbered().filter(|(_, line)| cites_a_record(line)) {
            match find_cited(line, &records) {
                Ok(record) => _ = cited.insert(record.name.as_str()),
                Err(problem) => found.push(format!("{}:{number}: {problem}", file.path)),
            }
        }
    }
    let uncited = records
        .iter()
        .filter(|record| record.force != Force::Superseded)
        .filter(|record| !cited.contains(record.name.as_str()));
    found.extend(uncited.map(|record| {
        format!("{FOLDER}{}: no source file says `{START}{}.`", record.name, record.name)
    }));
    found
}

/// A comment of any form with the path of a record. Other texts may name the folder.
fn cites_a_record(line: &str) -> bool {
    let comment = line.trim_start().starts_with("//");
    let path = line.split_once(FOLDER).map(|(_, rest)| rest);
    comment && path.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

fn find_cited<'r>(line: &str, records: &'r [Record]) -> Result<&'r Record, String> {
    let name = line.strip_prefix(START).and_then(|rest| rest.strip_suffix('.'));
    let name =
        name.ok_or_else(|| format!("cite a record in the head, as `{START}NNNN-title.md.`"))?;
    let record = records.iter().find(|record| record.name == name);
    let record = record.ok_or_else(|| format!("there is no record `{name}`"))?;
    match record.force {
        Force::Whole | Force::Part => Ok(record),
        Force::Superseded => Err(format!("the record `{name}` is {}", record.status)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found with this head of a source file, beside three records.
    fn findings(head: &str) -> Vec<String> {
        let record = |name: &str, status: &str| {
            let number = super::super::decisions::record_number(name);
            let text =
                format!("# {number} T\n\n**Topic:** git\n**Status:** {status}\n\n## Context\n");
            File::new(&format!("{FOLDER}{name}"), &text)
        };
        find_violations(&[
            File::new("crates/core/src/a.rs", head),
            record("0001-a.md", "superseded by [0002](0002-b.md)."),
            record("0002-b.md", "partly superseded by [0003](0003-c.md) (a part)."),
            record("0003-c.md", "in force."),
        ])
    }

    fn cite(names: &[&str]) -> String {
        let lines: Vec<String> = names.iter().map(|name| format!("{START}{name}.\n")).collect();
        format!("//! Head.\n//!\n{}", lines.concat())
    }

    #[test]
    fn cited_records_in_force_give_no_finding() {
        assert_eq!(findings(&cite(&["0002-b.md", "0003-c.md"])), Vec::<String>::new());
    }

    #[test]
    fn a_record_that_no_source_cites_is_found() {
        let line = concat!("//! See docs/", "decisions/0003-c.md.");
        assert_eq!(
            findings(&cite(&["0002-b.md"])),
            [format!("docs/decisions/0003-c.md: no source file says `{line}`")]
        );
    }

    #[test]
    fn a_citation_of_no_record_or_of_a_superseded_one_is_found() {
        let fine = ["0002-b.md", "0003-c.md"];
        assert_eq!(
            findings(&cite(&[&fine[..], &["0004-d.md"]].concat())),
            ["crates/core/src/a.rs:5: there is no record `0004-d.md`"]
        );
        assert_eq!(
            findings(&cite(&[&fine[..], &["0001-a.md"]].concat())),
            ["crates/core/src/a.rs:5: the record `0001-a.md` is superseded by [0002](0002-b.md)"]
        );
    }

    #[test]
    fn a_citation_in_another_form_is_found() {
        let head = format!("{}// Why: {FOLDER}0002-b.md\n", cite(&["0002-b.md", "0003-c.md"]));
        assert_eq!(findings(&head).len(), 1);
    }
}
