//! The heads of the decision records: number, title, topic, and what of a record is in force.
//!
//! A record says what was decided and is not edited when a later one decides otherwise. Only its
//! topic and its status change, so that a reader can rely on the status. `decision_index` lists
//! the records by topic. What the records say is not checked.

use super::File;
use std::collections::BTreeSet;

pub const FOLDER: &str = "docs/decisions/";

/// Generated from the records.
pub const INDEX: &str = "docs/decisions/README.md";

/// One subject of the records.
pub struct Topic {
    /// As a record names it.
    pub name: &'static str,
    pub heading: &'static str,
    /// The page that states what holds today, if there is one.
    pub page: Option<&'static str>,
}

const fn topic(name: &'static str, heading: &'static str, page: Option<&'static str>) -> Topic {
    Topic { name, heading, page }
}

/// In the order of the index.
pub const TOPICS: &[Topic] = &[
    topic("decision", "The decision", None),
    topic("graph", "The graph and its policies", None),
    topic("shell", "Shell commands and the programs that they start", Some("shell.md")),
    topic("git", "Git and the forge", Some("git.md")),
    topic("places", "Paths and places", None),
    topic("grants", "Grants and what an answer covers", Some("grants.md")),
    topic("sessions", "Sessions, runs and projects", None),
    topic("surfaces", "Surfaces, cards and answers", Some("surfaces.md")),
    topic("conversation", "What is said in a conversation", None),
    topic("store", "The store and the ledger", Some("store.md")),
    topic("daemon", "The daemon, its planes and its assurance", None),
    topic("mcp", "The MCP gateway", Some("mcp.md")),
    topic("checks", "How it is built and checked", None),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Force {
    Whole,
    Part,
    Superseded,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Record {
    /// Its file, without the folder.
    pub name: String,
    pub title: String,
    pub topic: String,
    pub force: Force,
    /// The first sentence of its status, without the full stop.
    pub status: String,
}

/// The records in the order of their numbers, or what is wrong with them.
pub fn read_records(files: &[File]) -> Result<Vec<Record>, Vec<String>> {
    let mut found = find_wrong_numbers(files);
    let mut records = Vec::new();
    let names: BTreeSet<&str> = record_files(files).map(|(name, _)| name).collect();
    for (name, file) in record_files(files) {
        match parse_record(name, &file.text, &names) {
            Ok(record) => records.push(record),
            Err(problem) => found.push(format!("{}: {problem}", file.path)),
        }
    }
    if found.is_empty() { Ok(records) } else { Err(found) }
}

pub(super) fn find_violations(files: &[File]) -> Vec<String> {
    read_records(files).err().unwrap_or_default()
}

fn record_files(files: &[File]) -> impl Iterator<Item = (&str, &File)> {
    let files = files.iter().filter(|file| file.path != INDEX);
    files.filter_map(|file| Some((file.path.strip_prefix(FOLDER)?, file)))
}

/// Decision records are numbered from 0001 without gap or double.
fn find_wrong_numbers(files: &[File]) -> Vec<String> {
    let mut found = Vec::new();
    for (number, (name, file)) in (1..).zip(record_files(files)) {
        let wanted = format!("{number:04}-");
        if !name.starts_with(&wanted) || !name.ends_with(".md") {
            found.push(format!("{}: the next record is `{wanted}….md`", file.path));
            break;
        }
    }
    found
}

fn parse_record(name: &str, text: &str, names: &BTreeSet<&str>) -> Result<Record, String> {
    let number = record_number(name);
    let mut paragraphs = text.split("\n\n");
    let heading = paragraphs.next().and_then(|line| line.strip_prefix("# "));
    let title = heading.filter(|title| title.starts_with(&format!("{number} ")));
    let title = title.ok_or_else(|| format!("the first line is `# {number} Title`"))?;
    let head = paragraphs.next().unwrap_or_default();
    let form = "its second paragraph is `**Topic:** …` and, on the next line, `**Status:** …`";
    let (topic_line, status) = head.split_once('\n').ok_or(form)?;
    let topic = topic_line.strip_prefix("**Topic:** ").ok_or(form)?;
    if !TOPICS.iter().any(|known| known.name == topic) {
        let known: Vec<&str> = TOPICS.iter().map(|known| known.name).collect();
        return Err(format!("`{topic}` is no topic; there are {}", known.join(", ")));
    }
    let status = status.strip_prefix("**Status:** ").ok_or(form)?.replace('\n', " ");
    let sentence = status.split(". ").next().unwrap_or_default().trim_end_matches('.');
    let force = parse_force(number, sentence, names)?;
    Ok(Record {
        name: name.to_owned(),
        title: title.to_owned(),
        topic: topic.to_owned(),
        force,
        status: sentence.to_owned(),
    })
}

pub fn record_number(name: &str) -> &str {
    name.split('-').next().unwrap_or(name)
}

fn parse_force(number: &str, sentence: &str, names: &BTreeSet<&str>) -> Result<Force, String> {
    let (force, successors) = if sentence == "in force" {
        return Ok(Force::Whole);
    } else if let Some(successors) = sentence.strip_prefix("superseded by ") {
        (Force::Superseded, successors)
    } else if let Some(successors) = sentence.strip_prefix("partly superseded by ") {
        (Force::Part, successors)
    } else {
        let forms = "`in force`, `superseded by [NNNN](FILE)` or `partly superseded by [NNNN](FILE) (PART)`";
        return Err(format!("`{sentence}` is no status; write {forms}"));
    };
    let links: Vec<&str> = successors.split('[').skip(1).collect();
    if links.is_empty() {
        return Err(format!("`{sentence}` links no record"));
    }
    for link in links {
        check_successor(number, link, names)?;
        let part = link.split_once(") (").map(|(_, part)| part);
        if force == Force::Part && part.is_none() {
            return Err(format!("`[{link}` does not say which part it supersedes"));
        }
    }
    Ok(force)
}

/// `link` begins after the `[`.
fn check_successor(number: &str, link: &str, names: &BTreeSet<&str>) -> Result<(), String> {
    let rest =
        link.split_once("](").and_then(|(label, rest)| Some((label, rest.split_once(')')?.0)));
    let (label, file) = rest.ok_or_else(|| format!("`[{link}` is no link to a record"))?;
    if !names.contains(file) {
        return Err(format!("it is superseded by `{file}`, which does not exist"));
    }
    if label != record_number(file) {
        return Err(format!("`{label}` is not the number of `{file}`"));
    }
    if label <= number {
        return Err(format!("it is superseded by {label}, which is not a later record"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Vec<String> = Vec::new();

    fn record(name: &str, topic: &str, status: &str) -> File {
        let number = record_number(name);
        let text =
            format!("# {number} T\n\n**Topic:** {topic}\n**Status:** {status}\n\n## Context\n");
        File::new(&format!("{FOLDER}{name}"), &text)
    }

    /// What is found in record 0001 with this status, beside a record 0002.
    fn findings(status: &str) -> Vec<String> {
        let files = [record("0001-a.md", "git", status), record("0002-b.md", "git", "in force.")];
        let found = find_violations(&files);
        found.iter().map(|line| line.replace("docs/decisions/0001-a.md: ", "")).collect()
    }

    #[test]
    fn a_gap_or_a_double_in_the_decisions_is_found() {
        let record = |name| record(name, "git", "in force.");
        let index = File::new(INDEX, "# Index\n");
        assert_eq!(find_violations(&[record("0001-a.md"), record("0002-b.md"), index]), NOTHING);
        assert_eq!(
            find_violations(&[record("0001-a.md"), record("0003-c.md")]),
            ["docs/decisions/0003-c.md: the next record is `0002-….md`"]
        );
        assert_eq!(find_violations(&[record("0001-a.md"), record("0001-b.md")]).len(), 1);
    }

    #[test]
    fn a_status_says_what_is_in_force() {
        for status in [
            "in force.",
            "in force. Extends 0001.",
            "superseded by [0002](0002-b.md).",
            "partly superseded by\n[0002](0002-b.md) (the first point). Extends 0001.",
        ] {
            assert_eq!(findings(status), NOTHING, "{status}");
        }
    }

    #[test]
    fn a_record_without_a_known_topic_or_a_status_is_found() {
        let files = [record("0001-a.md", "cooking", "in force.")];
        assert!(find_violations(&files)[0].contains("`cooking` is no topic"));
        let files =
            [File::new("docs/decisions/0001-a.md", "# 0001 A\n\n**Status:** in force.\n\n")];
        assert!(find_violations(&files)[0].contains("its second paragraph is"));
        assert!(findings("accepted.")[0].starts_with("`accepted` is no status"));
    }

    #[test]
    fn a_successor_has_to_exist_and_to_come_later() {
        assert_eq!(
            findings("superseded by [0003](0003-c.md)."),
            ["it is superseded by `0003-c.md`, which does not exist"]
        );
        assert_eq!(
            findings("superseded by [0001](0001-a.md)."),
            ["it is superseded by 0001, which is not a later record"]
        );
        assert_eq!(
            findings("superseded by [0003](0002-b.md)."),
            ["`0003` is not the number of `0002-b.md`"]
        );
        assert_eq!(findings("superseded by 0002."), ["`superseded by 0002` links no record"]);
        assert_eq!(
            findings("partly superseded by [0002](0002-b.md)."),
            ["`[0002](0002-b.md)` does not say which part it supersedes"]
        );
    }
}
