//! The index of the decision records by topic, for `cargo xtask generate`.
//!
//! It repeats titles and statuses of the records; `tidy::decisions` reads them.

use crate::failure::Failure;
use crate::tidy::decisions::{Force, Record, TOPICS, Topic, read_records};
use crate::tidy::read_files;
use std::path::Path;

const INTRODUCTION: &str = "\
# Decision records

Why Countersign is the way it is, one page per choice. `cargo xtask generate` writes this page from the heads of the
records. A record is not edited when a later one decides otherwise: its status says what of it is in force. Pages on a
topic, where there is one, say what holds today.
";

pub fn generate(root: &Path) -> Result<String, Failure> {
    let records =
        read_records(&read_files(root)?).map_err(|found| Failure::new(found.join("\n")))?;
    let sections: Vec<String> = TOPICS.iter().map(|topic| section(topic, &records)).collect();
    Ok(format!("{INTRODUCTION}{}", sections.concat()))
}

fn section(topic: &Topic, records: &[Record]) -> String {
    let page = topic.page.map_or_else(String::new, |page| {
        format!("What holds today: [docs/topics/{page}](../topics/{page}).\n\n")
    });
    let rows: Vec<String> =
        records.iter().filter(|record| record.topic == topic.name).map(row).collect();
    format!("\n## {}\n\n{page}| record | status |\n|---|---|\n{}", topic.heading, rows.concat())
}

fn row(record: &Record) -> String {
    let link = format!("[{}]({})", record.title, record.name);
    match record.force {
        Force::Superseded => format!("| ~~{link}~~ | {} |\n", record.status),
        Force::Whole | Force::Part => format!("| {link} | {} |\n", record.status),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_lists_its_records_with_their_status() {
        let record = |name: &str, topic: &str, force| Record {
            name: name.to_owned(),
            title: "0001 A".to_owned(),
            topic: topic.to_owned(),
            force,
            status: "in force".to_owned(),
        };
        let records =
            [record("0001-a.md", "git", Force::Whole), record("0002-b.md", "mcp", Force::Whole)];
        let topic = Topic { name: "git", heading: "Git", page: Some("git.md") };
        assert_eq!(
            section(&topic, &records),
            "\n## Git\n\nWhat holds today: [docs/topics/git.md](../topics/git.md).\n\n\
             | record | status |\n|---|---|\n| [0001 A](0001-a.md) | in force |\n"
        );
    }
}
