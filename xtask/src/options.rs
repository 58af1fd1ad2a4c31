//! What the options of several commands share.

use crate::failure::Failure;
use clap::{Parser, ValueEnum};
use std::path::PathBuf;

/// The only option of several commands.
#[derive(Debug, Parser)]
pub struct ProgramOption {
    /// Instead of the one that is built.
    #[arg(long, value_parser = find_file)]
    pub program: Option<PathBuf>,
}

/// The options among these words.
pub fn parse_options<T: Parser>(words: &[&str]) -> Result<T, Failure> {
    T::try_parse_from(["cargo xtask"].iter().chain(words))
        .map_err(|error| Failure::new(error.to_string()))
}

/// The path of a file that exists, wherever the command is run.
pub fn find_file(path: &str) -> Result<PathBuf, std::io::Error> {
    std::fs::canonicalize(path)
}

/// As it is chosen on the command line.
pub fn value_name(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}
