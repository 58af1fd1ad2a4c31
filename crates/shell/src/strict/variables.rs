//! Variables that the line itself sets, and whose values are literal: in a loop, or in a statement of
//! their own.
//!
//! See docs/decisions/0070-loops-and-variables-of-a-line.md.

use super::WordForm;
use crate::variables::explain_refused_variable;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) value: String,
    /// A pattern stands for each of the names that it matches.
    pub(super) form: WordForm,
}

/// Names that are special to some shell, although they are written in lower case.
const SPECIAL_NAMES: &[&str] = &[
    "aliases",
    "argv",
    "auto_resume",
    "builtins",
    "commands",
    "dirstack",
    "fignore",
    "functions",
    "galiases",
    "histchars",
    "history",
    "modules",
    "parameters",
    "pipestatus",
    "prompt",
    "psvar",
    "saliases",
    "signals",
    "status",
    "watch",
];

/// Names in upper case that neither shells nor programs read.
const UPPER_CASE_NAMES: &[&str] =
    &["A", "B", "BASE", "BRANCH", "D", "DIR", "F", "FILE", "N", "NAME", "PKG", "SHA", "SRC", "X"];

/// Whether a line may set a variable of this name: no shell treats it in a special way, and no program
/// reads it if it is exported.
pub(super) fn is_free_name(name: &str) -> bool {
    let is_lower_case = name.starts_with(|c: char| c.is_ascii_lowercase())
        && !name.bytes().any(|b| b.is_ascii_uppercase());
    let is_refused = !matches!(name, "dir" | "file") && explain_refused_variable(name).is_some();
    UPPER_CASE_NAMES.contains(&name)
        || (is_lower_case && !is_refused && !SPECIAL_NAMES.contains(&name))
}
