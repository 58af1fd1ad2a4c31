//! Checks of the repository's conventions that no compiler makes.
//!
//! Each check takes the files and returns its findings, so that a test can plant a fault and see
//! it found. Nothing is repaired here; rustfmt does that.

mod citations;
mod crates;
pub mod decisions;
mod files;
mod mutant_list;
mod names;
mod pages;
mod sources;
mod type_names;
mod vocabulary;

use crate::failure::{CiResult, judge};
pub(crate) use files::group_by_crate;
pub use files::{File, all as read_files};
use std::path::Path;

/// Written in halves, because this file is checked as well.
const FOREIGN: &[&str] =
    &[concat!("/wo", "rk/"), concat!("../sha", "red"), concat!("sha", "red/reference")];

type Check = fn(&[File]) -> Vec<String>;

const CHECKS: &[Check] = &[
    foreign_words,
    sources::find_missing_heads,
    sources::ignored_tests,
    sources::sleeping,
    sources::find_doc_examples,
    sources::lengths,
    sources::limits,
    names::find_violations,
    mutant_list::find_violations,
    type_names::find_violations,
    vocabulary::find_violations,
    pages::links,
    pages::claims,
    pages::front_pages,
    decisions::find_violations,
    citations::find_violations,
];

pub fn step(root: &Path) -> CiResult {
    let files = files::all(root)?;
    for warning in sources::find_long_files(&files) {
        println!("warning: {warning}");
    }
    let mut found: Vec<String> = CHECKS.iter().flat_map(|check| check(&files)).collect();
    found.extend(crates::find_large_crates(&files));
    found.extend(crates::find_spread_types(&files));
    judge(&found, format!("{} files", files.len()))
}

/// Paths of one machine, and of files that are not in this repository.
fn foreign_words(files: &[File]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        for (number, line) in file.numbered() {
            let words = FOREIGN.iter().filter(|word| line.contains(**word));
            found.extend(words.map(|word| {
                format!("{}:{number}: `{word}` means nothing outside one machine", file.path)
            }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_one_machine_is_found() {
        let path = concat!("see /wo", "rk/notes");
        let files = [File::new("docs/a.md", &format!("fine\n{path}\n"))];
        let found = foreign_words(&files);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("docs/a.md:2: "), "{found:?}");
    }

    #[test]
    fn files_without_a_fault_give_no_finding() {
        let files = [
            File::new("crates/core/src/lib.rs", "pub mod a;\n"),
            File::new("crates/core/src/a.rs", "//! Head.\n\npub fn a() {}\n"),
            File::new("README.md", "[a](crates/core/src/a.rs)\n"),
        ];
        let found: Vec<String> = CHECKS.iter().flat_map(|check| check(&files)).collect();
        assert_eq!(found, Vec::<String>::new());
    }
}
