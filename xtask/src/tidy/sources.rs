//! Habits of Rust files: heads, lengths, limits, and tests that really run.

use super::File;

/// Production lines of one file: more is an error.
const LONGEST: usize = 400;
/// More than this is worth a look.
const LONG: usize = 250;

/// Every module says why it exists and what is not in it. rustdoc checks `lib.rs` and `main.rs`.
pub(super) fn find_missing_heads(files: &[File]) -> Vec<String> {
    let sources = files.iter().filter(|file| file.is_source());
    sources
        .filter(|file| !matches!(file.name(), "lib.rs" | "main.rs"))
        .filter(|file| !file.text.starts_with("//!"))
        .map(|file| format!("{}: begins without a `//!` head", file.path))
        .collect()
}

/// A test that is switched off looks like one that passes.
pub(super) fn ignored_tests(files: &[File]) -> Vec<String> {
    // In halves, because this file is searched too.
    let attribute = concat!("#[ign", "ore");
    lines_with(files, attribute, "a test is switched off; repair or delete it")
}

pub(super) fn sleeping(files: &[File]) -> Vec<String> {
    let call = concat!("thread::sl", "eep");
    lines_with(files, call, "nothing waits by sleeping; move a clock or wait for an event")
}

/// Words after the opening of a block that rustdoc would compile; so would none.
const COMPILED_BLOCKS: [&str; 5] = ["", "rust", "no_run", "should_panic", "compile_fail"];

/// No step runs them: rustdoc would compile against every crate to find none.
pub(super) fn find_doc_examples(files: &[File]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.is_source()) {
        let mut is_inside = false;
        for (number, line) in file.numbered() {
            let line = line.trim_start();
            let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
            let Some(word) = comment.and_then(|text| text.trim().strip_prefix("```")) else {
                continue;
            };
            if !is_inside && COMPILED_BLOCKS.contains(&word) {
                let place = format!("{}:{number}", file.path);
                found.push(format!("{place}: no step runs an example in docs; write a test"));
            }
            is_inside = !is_inside;
        }
    }
    found
}

fn lines_with(files: &[File], word: &str, says: &str) -> Vec<String> {
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        let hits = file.numbered().filter(|(_, line)| line.contains(word));
        found.extend(hits.map(|(number, _)| format!("{}:{number}: {says}", file.path)));
    }
    found
}

pub(super) fn lengths(files: &[File]) -> Vec<String> {
    longer_than(files, LONGEST)
        .map(|(file, lines)| {
            format!("{}: {lines} lines before its tests, {LONGEST} at most; split it", file.path)
        })
        .collect()
}

/// Files that are long, but not too long yet.
pub(super) fn find_long_files(files: &[File]) -> Vec<String> {
    longer_than(files, LONG)
        .filter(|(_, lines)| *lines <= LONGEST)
        .map(|(file, lines)| format!("{}: {lines} lines before its tests, aim for 200", file.path))
        .collect()
}

fn longer_than(files: &[File], bound: usize) -> impl Iterator<Item = (&File, usize)> {
    let sources = files.iter().filter(|file| file.is_source());
    sources.map(|file| (file, production_lines(&file.text))).filter(move |(_, n)| *n > bound)
}

/// Lines up to the first test module; a lone `#[cfg(test)]` item in between counts along.
pub(super) fn production_lines(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let is_test_module = |at: usize| {
        let after = lines.iter().skip(at + 1).find(|line| !line.starts_with("#["));
        after.is_some_and(|line| line.split_whitespace().any(|word| word == "mod"))
    };
    (0..)
        .zip(&lines)
        .find(|(at, line)| **line == "#[cfg(test)]" && is_test_module(*at))
        .map_or(lines.len(), |(at, _)| at)
}

/// A bound without its reason is a number somebody will change.
pub(super) fn limits(files: &[File]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.name() == "limits.rs") {
        let mut documented = false;
        for (number, line) in file.numbered() {
            let line = line.trim();
            if is_constant(line) && !documented {
                found.push(format!("{}:{number}: a limit without its reason (`///`)", file.path));
            }
            documented = line.starts_with("///") || (documented && line.starts_with("#["));
        }
    }
    found
}

fn is_constant(line: &str) -> bool {
    ["const ", "pub const ", "pub(crate) const ", "pub(super) const "]
        .iter()
        .any(|start| line.starts_with(start))
        && !line.contains(" fn ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Vec<String> = Vec::new();

    #[test]
    fn a_source_without_a_head_is_found() {
        let files = [
            File::new("crates/core/src/a.rs", "use std::fmt;\n"),
            File::new("crates/core/src/lib.rs", "mod a;\n"),
            File::new("crates/core/tests/a.rs", "use std::fmt;\n"),
        ];
        assert_eq!(
            find_missing_heads(&files),
            ["crates/core/src/a.rs: begins without a `//!` head"]
        );
    }

    #[test]
    fn a_switched_off_test_is_found() {
        let text = concat!("#[test]\n    #[ign", "ore = \"slow\"]\nfn a() {}\n");
        let found = ignored_tests(&[File::new("crates/core/tests/a.rs", text)]);
        assert_eq!(
            found,
            ["crates/core/tests/a.rs:2: a test is switched off; repair or delete it"]
        );
    }

    #[test]
    fn a_sleeping_test_is_found() {
        let text = concat!("std::thread::sl", "eep(second);\n");
        assert_eq!(sleeping(&[File::new("crates/core/tests/a.rs", text)]).len(), 1);
        assert_eq!(sleeping(&[File::new("docs/a.md", text)]), NOTHING);
    }

    #[test]
    fn an_example_in_docs_is_found_and_another_language_is_not() {
        let text = "//! ```text\n//! a\n//! ```\n\n/// ```\n/// a();\n/// ```\nfn a() {}\n";
        assert_eq!(
            find_doc_examples(&[File::new("crates/core/src/a.rs", text)]),
            ["crates/core/src/a.rs:5: no step runs an example in docs; write a test"]
        );
    }

    #[test]
    fn only_lines_before_the_test_module_count() {
        let long = "//! Head.\n".repeat(LONGEST + 1);
        let tested =
            format!("{}#[cfg(test)]\nmod tests {{}}\n{long}", "//! Head.\n".repeat(LONGEST));
        assert_eq!(lengths(&[File::new("xtask/src/a.rs", &tested)]), NOTHING);
        assert_eq!(find_long_files(&[File::new("xtask/src/a.rs", &tested)]).len(), 1);
        assert_eq!(
            lengths(&[File::new("xtask/src/a.rs", &long)]),
            ["xtask/src/a.rs: 401 lines before its tests, 400 at most; split it"]
        );
    }

    #[test]
    fn a_test_only_import_does_not_end_the_production_part() {
        let text = "a\n#[cfg(test)]\nuse b;\nc\n#[cfg(test)]\n#[path = \"t.rs\"]\nmod tests;\n";
        assert_eq!(production_lines(text), 4);
    }

    #[test]
    fn a_limit_without_its_reason_is_found() {
        let text = "/// Why.\npub const A: u8 = 1;\npub const B: u8 = 2;\n\
                    /// Why.\n#[rustfmt::skip]\nconst C: u8 = 3;\npub const fn d() {}\n";
        let found = limits(&[File::new("crates/core/src/limits.rs", text)]);
        assert_eq!(found, ["crates/core/src/limits.rs:3: a limit without its reason (`///`)"]);
    }
}
