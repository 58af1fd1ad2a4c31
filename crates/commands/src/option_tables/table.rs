//! The option tables. To add a program, read its whole manual and leave out every option that runs
//! a program, writes, reads operands from files, or changes configuration, directory or host.

mod build;
mod files;
mod git;
mod text;

use super::{
    AllowedOperands, AllowedValues, Effect, OptionStyle, OptionTable, PathOperands, StandardInput,
};

const EMPTY_TABLE: OptionTable = OptionTable {
    name: "",
    flags: "",
    valued: "",
    long: "",
    long_valued: "",
    values: AllowedValues::Any,
    style: OptionStyle::Clusters,
    operands: AllowedOperands::Any,
    paths: PathOperands::All,
    path_values: "",
    first_by_option: "",
    effect: Effect::Unknown,
    input: StandardInput::Unknown,
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

/// The table of a program that only reads, its standard input too.
const fn reader(name: &'static str, flags: &'static str, valued: &'static str) -> OptionTable {
    OptionTable {
        effect: Effect::Reads,
        input: StandardInput::Data,
        ..short_options(name, flags, valued)
    }
}

/// The same, for operands that are no paths.
const fn reader_of_words(
    name: &'static str,
    flags: &'static str,
    valued: &'static str,
) -> OptionTable {
    OptionTable { paths: PathOperands::None, ..reader(name, flags, valued) }
}

pub(super) fn all_tables() -> impl Iterator<Item = &'static OptionTable> {
    text::TEXT.iter().chain(files::FILES).chain(git::GIT).chain(build::BUILD).chain(build::OTHERS)
}
