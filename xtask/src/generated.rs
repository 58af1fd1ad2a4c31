//! Generated files and parts of files.
//!
//! Each is generated in memory and compared with the committed one; `cargo xtask generate` writes
//! it. What the product prints is captured by running it.

use crate::built::build_program;
use crate::failure::{CiResult, Done, Failure, judge};
use crate::process::capture;
use crate::{boundaries, decision_index, pictures};
use std::path::Path;
use std::process::Command;

struct GeneratedFile {
    file: &'static str,
    part: FilePart,
    make: fn(&Path) -> Result<String, Failure>,
}

#[derive(Clone, Copy)]
pub enum FilePart {
    Whole,
    /// What stands between `<!-- generated: NAME -->` and `<!-- end: NAME -->`.
    Named(&'static str),
}

const GENERATED: &[GeneratedFile] = &[
    GeneratedFile {
        file: "ARCHITECTURE.md",
        part: FilePart::Named("boundaries"),
        make: boundaries::table,
    },
    GeneratedFile {
        file: "docs/decisions/README.md",
        part: FilePart::Whole,
        make: decision_index::generate,
    },
    GeneratedFile { file: "docs/case.schema.json", part: FilePart::Whole, make: case_schema },
    GeneratedFile { file: "docs/settings.toml", part: FilePart::Whole, make: settings },
    GeneratedFile { file: "docs/openapi/agent.json", part: FilePart::Whole, make: agents_api },
    GeneratedFile {
        file: "docs/openapi/operator.json",
        part: FilePart::Whole,
        make: operators_api,
    },
    GeneratedFile {
        file: "docs/pictures/demo.svg",
        part: FilePart::Whole,
        make: pictures::draw_demo,
    },
    GeneratedFile {
        file: "docs/pictures/claude-code.svg",
        part: FilePart::Whole,
        make: pictures::draw_claude_code,
    },
];

fn case_schema(root: &Path) -> Result<String, Failure> {
    capture_program(root, &["test", "--schema"])
}

fn agents_api(root: &Path) -> Result<String, Failure> {
    capture_program(root, &["openapi", "agent"])
}

fn operators_api(root: &Path) -> Result<String, Failure> {
    capture_program(root, &["openapi", "operator"])
}

/// What the program itself prints for its users.
fn capture_program(root: &Path, words: &[&str]) -> Result<String, Failure> {
    capture(Command::new(build_program(root)?).current_dir(root).args(words))
}

fn settings(root: &Path) -> Result<String, Failure> {
    capture_program(root, &["settings", "--example"])
}

pub fn step(root: &Path) -> CiResult {
    let stale = find_stale_files(root)?;
    let found: Vec<_> = stale
        .iter()
        .map(|(file, _)| format!("`{file}` is out of date; run `cargo xtask generate`"))
        .collect();
    judge(&found, format!("generated and up to date: {}", GENERATED.len()))
}

/// Writes the files that are out of date.
pub fn write(root: &Path) -> CiResult {
    let stale = find_stale_files(root)?;
    for (file, text) in &stale {
        std::fs::write(root.join(file), text).map_err(|error| file_error("write", file, &error))?;
    }
    let files: Vec<_> = stale.iter().map(|(file, _)| *file).collect();
    Ok(Done::new(match files.as_slice() {
        [] => "nothing to write".to_owned(),
        files => format!("wrote {}", files.join(", ")),
    }))
}

/// Every file that differs from its generated text, with that text.
fn find_stale_files(root: &Path) -> Result<Vec<(&'static str, String)>, Failure> {
    let mut stale = Vec::new();
    for generated in GENERATED {
        let file = generated.file;
        let made = (generated.make)(root)?;
        let old = std::fs::read_to_string(root.join(file));
        let new = match generated.part {
            FilePart::Whole => made,
            FilePart::Named(name) => {
                let text = old.as_ref().map_err(|error| file_error("read", file, error))?;
                let new = replace_part(text, name, &made);
                new.ok_or_else(|| Failure::new(format!("`{file}` has no part `{name}`")))?
            }
        };
        if !old.is_ok_and(|old| old == new) {
            stale.push((file, new));
        }
    }
    Ok(stale)
}

fn file_error(verb: &str, file: &str, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot {verb} `{file}`: {error}"))
}

fn replace_part(text: &str, name: &str, made: &str) -> Option<String> {
    let opening = format!("<!-- generated: {name} -->\n");
    let closing = format!("<!-- end: {name} -->");
    let (before, rest) = text.split_once(&opening)?;
    let (_, after) = rest.split_once(&closing)?;
    Some(format!("{before}{opening}{made}{closing}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "a\n<!-- generated: t -->\nold\n<!-- end: t -->\nb\n";

    #[test]
    fn only_the_named_part_is_replaced() {
        let expected = "a\n<!-- generated: t -->\nnew\n<!-- end: t -->\nb\n";
        assert_eq!(replace_part(PAGE, "t", "new\n").as_deref(), Some(expected));
    }

    #[test]
    fn an_up_to_date_part_stays_as_it_is() {
        assert_eq!(replace_part(PAGE, "t", "old\n").as_deref(), Some(PAGE));
    }

    #[test]
    fn a_page_without_the_part_is_not_guessed_at() {
        assert_eq!(replace_part(PAGE, "other", "new\n"), None);
    }
}
