//! The tables themselves. To add a tool: read its manual to the end, and leave out whatever runs,
//! writes, reads operands from files, or changes configuration, directory or host.

mod build;
mod files;
mod git;
mod text;

use super::{Operands, Style, Tool, Values};

const NOTHING: Tool = Tool {
    name: "",
    flags: "",
    valued: "",
    long: "",
    long_valued: "",
    values: Values::Any,
    style: Style::Clusters,
    operands: Operands::Any,
    passed: None,
};

/// A tool with short options only.
const fn short(name: &'static str, flags: &'static str, valued: &'static str) -> Tool {
    Tool { name, flags, valued, ..NOTHING }
}

pub(super) fn all() -> impl Iterator<Item = &'static Tool> {
    text::TEXT.iter().chain(files::FILES).chain(git::GIT).chain(build::BUILD).chain(build::OTHERS)
}
