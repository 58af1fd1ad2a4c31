//! The nouns of the code in docs/VOCABULARY.md: each exists, and each exported type is listed.
//!
//! Types whose suffix the page explains (`…Request`, `…Error` and so on) need no row of their own.

use super::File;
use crate::rust_tokens::production_code;
use std::collections::BTreeSet;

const PAGE: &str = "docs/VOCABULARY.md";
const CODE_SECTION: &str = "## Nouns of the code";

const SUFFIXES: [&str; 9] =
    ["Request", "Response", "View", "Event", "Query", "Error", "Draft", "State", "Rule"];

/// Crates whose types nobody outside of them uses.
const WITHOUT_NOUNS: [&str; 4] =
    ["crates/cli/", "crates/fuzz/", "crates/probes/", "crates/scratch/"];

pub(super) fn find_violations(files: &[File]) -> Vec<String> {
    let Some(page) = files.iter().find(|file| file.path == PAGE) else { return Vec::new() };
    let section = page.text.find(CODE_SECTION).and_then(|start| page.text.get(start..));
    let listed = quoted_nouns(section.unwrap_or_default());
    let defined = defined_types(files);
    let missing = listed.difference(&defined);
    let stale = missing.map(|noun| format!("{PAGE}: no type is named `{noun}`"));
    let all = quoted_nouns(&page.text);
    let exported = exported_types(files);
    let unlisted = exported
        .iter()
        .filter(|(noun, _)| defined.contains(noun) && !all.contains(noun))
        .filter(|(noun, _)| !SUFFIXES.iter().any(|suffix| noun.ends_with(suffix)))
        .map(|(noun, path)| format!("{path}: `{noun}` is not in {PAGE}"));
    stale.chain(unlisted).collect()
}

/// The type names between backticks.
fn quoted_nouns(text: &str) -> BTreeSet<String> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter(|word| is_type_name(word)).map(str::to_owned).collect()
}

fn is_type_name(word: &str) -> bool {
    let starts_upper = word.starts_with(|c: char| c.is_ascii_uppercase());
    let is_word = word.chars().all(char::is_alphanumeric);
    starts_upper && is_word && word.chars().any(|c| c.is_ascii_lowercase())
}

fn sources(files: &[File]) -> impl Iterator<Item = &File> {
    files.iter().filter(|file| file.path.starts_with("crates/") && file.is_source())
}

fn defined_types(files: &[File]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for file in sources(files) {
        let tokens = production_code(&file.text).tokens;
        for (keyword, name) in tokens.iter().zip(tokens.iter().skip(1)) {
            if matches!(keyword.text, "struct" | "enum" | "trait" | "type") {
                found.insert(name.text.to_owned());
            }
        }
    }
    found
}

/// Types that a crate re-exports in its `lib.rs`, each with that file.
fn exported_types(files: &[File]) -> BTreeSet<(String, &str)> {
    let mut found = BTreeSet::new();
    let is_library = |file: &&File| file.path.ends_with("/src/lib.rs");
    for file in sources(files).filter(is_library) {
        if WITHOUT_NOUNS.iter().any(|crate_path| file.path.starts_with(crate_path)) {
            continue;
        }
        let exports = file.text.split("pub use ").skip(1).filter_map(|text| text.split(';').next());
        let words = exports.flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
        let names = words.filter(|word| is_type_name(word));
        found.extend(names.map(|name| (name.to_owned(), file.path.as_str())));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(page: &str, library: &str) -> Vec<String> {
        find_violations(&[
            File::new(PAGE, page),
            File::new("crates/core/src/lib.rs", library),
            File::new("crates/core/src/a.rs", "pub struct Grant; pub struct GrantError;\n"),
        ])
    }

    #[test]
    fn a_listed_type_that_exists_and_a_known_suffix_give_no_finding() {
        let page = "# V\n\n## Nouns of the code\n\n| `Grant` | permission |\n";
        assert_eq!(findings(page, "pub use a::{Grant, GrantError};\n"), Vec::<String>::new());
    }

    #[test]
    fn a_noun_without_a_type_is_found() {
        let page = "# V\n\n## Nouns of the code\n\n| `Grant`, `Permission` | both |\n";
        let expected = ["docs/VOCABULARY.md: no type is named `Permission`"];
        assert_eq!(findings(page, "pub use a::Grant;\n"), expected);
    }

    #[test]
    fn an_exported_type_without_a_row_is_found() {
        let expected = ["crates/core/src/lib.rs: `Grant` is not in docs/VOCABULARY.md"];
        assert_eq!(findings("# V\n", "pub use a::Grant;\n"), expected);
    }
}
