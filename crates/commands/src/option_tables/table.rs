//! The option tables. To add a program, read its whole manual and leave out every option that runs
//! a program, writes, reads operands from files, or changes configuration, directory or host.

mod build;
mod files;
mod git;
mod text;

use super::{AllowedOperands, AllowedValues, OptionStyle, OptionTable};

const EMPTY_TABLE: OptionTable = OptionTable {
    name: "",
    flags: "",
    valued: "",
    long: "",
    long_valued: "",
    values: AllowedValues::Any,
    style: OptionStyle::Clusters,
    operands: AllowedOperands::Any,
    after_double_dash: None,
};

/// A table with short options only.
const fn short_options(
    name: &'static str,
    flags: &'static str,
    valued: &'static str,
) -> OptionTable {
    OptionTable { name, flags, valued, ..EMPTY_TABLE }
}

pub(super) fn all_tables() -> impl Iterator<Item = &'static OptionTable> {
    text::TEXT.iter().chain(files::FILES).chain(git::GIT).chain(build::BUILD).chain(build::OTHERS)
}
