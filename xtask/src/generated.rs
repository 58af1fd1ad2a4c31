//! Files, and parts of files, that are made and never written by hand.
//!
//! Each is made in memory and compared with what is committed; `cargo xtask generate` writes it.
//! What the product itself prints is made by running it with `process::capture`.

use crate::boundaries;
use crate::failure::{Done, Ended, Failure, judge};
use crate::process::{capture, cargo};
use std::path::Path;

struct Generated {
    file: &'static str,
    part: Part,
    make: fn(&Path) -> Result<String, Failure>,
}

#[derive(Clone, Copy)]
pub enum Part {
    Whole,
    /// What stands between `<!-- generated: NAME -->` and `<!-- end: NAME -->`.
    Named(&'static str),
}

const GENERATED: &[Generated] = &[
    Generated { file: "ARCHITECTURE.md", part: Part::Named("boundaries"), make: boundaries::table },
    Generated { file: "docs/case.schema.json", part: Part::Whole, make: case_schema },
    Generated { file: "docs/settings.toml", part: Part::Whole, make: settings },
    Generated { file: "docs/openapi/agent.json", part: Part::Whole, make: agents_api },
    Generated { file: "docs/openapi/operator.json", part: Part::Whole, make: operators_api },
];

fn case_schema(root: &Path) -> Result<String, Failure> {
    printed(root, &["test", "--schema"])
}

fn agents_api(root: &Path) -> Result<String, Failure> {
    printed(root, &["openapi", "agent"])
}

fn operators_api(root: &Path) -> Result<String, Failure> {
    printed(root, &["openapi", "operator"])
}

/// What the program itself prints for its users.
fn printed(root: &Path, words: &[&str]) -> Result<String, Failure> {
    let program = ["run", "--quiet", "--bin", "countersign", "--"];
    capture(&mut cargo(root, &[&program, words].concat()))
}

fn settings(root: &Path) -> Result<String, Failure> {
    printed(root, &["settings", "--example"])
}

pub fn step(root: &Path) -> Ended {
    let stale = stale(root)?;
    let found: Vec<_> = stale
        .iter()
        .map(|(file, _)| format!("`{file}` is out of date; run `cargo xtask generate`"))
        .collect();
    judge(&found, format!("generated and up to date: {}", GENERATED.len()))
}

/// Writes anew what is out of date.
pub fn write(root: &Path) -> Ended {
    let stale = stale(root)?;
    for (file, text) in &stale {
        std::fs::write(root.join(file), text).map_err(|error| cannot("write", file, &error))?;
    }
    let files: Vec<_> = stale.iter().map(|(file, _)| *file).collect();
    Ok(Done::saying(match files.as_slice() {
        [] => "nothing to write".to_owned(),
        files => format!("wrote {}", files.join(", ")),
    }))
}

/// Every file that differs from what would be made now, with its new text.
fn stale(root: &Path) -> Result<Vec<(&'static str, String)>, Failure> {
    let mut stale = Vec::new();
    for generated in GENERATED {
        let file = generated.file;
        let made = (generated.make)(root)?;
        let old = std::fs::read_to_string(root.join(file));
        let new = match generated.part {
            Part::Whole => made,
            Part::Named(name) => {
                let text = old.as_ref().map_err(|error| cannot("read", file, error))?;
                let new = replaced(text, name, &made);
                new.ok_or_else(|| Failure::saying(format!("`{file}` has no part `{name}`")))?
            }
        };
        if !old.is_ok_and(|old| old == new) {
            stale.push((file, new));
        }
    }
    Ok(stale)
}

fn cannot(verb: &str, file: &str, error: &std::io::Error) -> Failure {
    Failure::saying(format!("cannot {verb} `{file}`: {error}"))
}

fn replaced(text: &str, name: &str, made: &str) -> Option<String> {
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
        assert_eq!(replaced(PAGE, "t", "new\n").as_deref(), Some(expected));
    }

    #[test]
    fn an_up_to_date_part_stays_as_it_is() {
        assert_eq!(replaced(PAGE, "t", "old\n").as_deref(), Some(PAGE));
    }

    #[test]
    fn a_page_without_the_part_is_not_guessed_at() {
        assert_eq!(replaced(PAGE, "other", "new\n"), None);
    }
}
