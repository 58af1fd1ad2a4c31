//! Generated files.
//!
//! Each is generated in memory and compared with the committed one; `cargo xtask generate` writes
//! it. What the product prints is captured by running it.

use crate::built::build_program;
use crate::failure::{CiResult, Done, Failure, judge};
use crate::process::capture;
use crate::{decision_index, pictures};
use std::path::Path;
use std::process::Command;

type Make = fn(&Path) -> Result<String, Failure>;

const GENERATED: &[(&str, Make)] = &[
    ("docs/decisions/README.md", decision_index::generate),
    ("docs/case.schema.json", |root| capture_program(root, &["test", "--schema"])),
    ("docs/settings.toml", |root| capture_program(root, &["settings", "--example"])),
    ("docs/openapi/agent.json", |root| capture_program(root, &["openapi", "agent"])),
    ("docs/openapi/operator.json", |root| capture_program(root, &["openapi", "operator"])),
    ("docs/pictures/demo.svg", pictures::draw_demo),
    ("docs/pictures/claude-code.svg", pictures::draw_claude_code),
];

/// What the program itself prints for its users.
fn capture_program(root: &Path, words: &[&str]) -> Result<String, Failure> {
    capture(Command::new(build_program(root)?).current_dir(root).args(words))
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
        std::fs::write(root.join(file), text)
            .map_err(|error| Failure::new(format!("cannot write `{file}`: {error}")))?;
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
    for (file, make) in GENERATED {
        let new = make(root)?;
        let old = std::fs::read_to_string(root.join(file));
        if !old.is_ok_and(|old| old == new) {
            stale.push((*file, new));
        }
    }
    Ok(stale)
}
