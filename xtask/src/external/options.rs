//! The options of a suite: which part, what happens after a difference, and which program.

use crate::built::build_program;
use crate::failure::Failure;
use crate::options::find_file;
use clap::Parser;
use std::path::{Path, PathBuf};

#[derive(Debug, Parser)]
pub struct SuiteOptions {
    #[arg(long)]
    pub only: Option<String>,
    /// A check that came back differently is not the last one: for somebody who changes many at once.
    #[arg(long = "keep-going")]
    pub keeps_going: bool,
    /// Instead of the one that is built.
    #[arg(long, value_parser = find_file)]
    pub program: Option<PathBuf>,
}

impl SuiteOptions {
    /// The named program, or the one that is built for this.
    pub fn find_program(&self, root: &Path) -> Result<PathBuf, Failure> {
        if let Some(program) = &self.program {
            return Ok(program.clone());
        }
        build_program(root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::parse_options;

    #[test]
    fn a_part_is_chosen_by_its_name() {
        let options: SuiteOptions = parse_options(&["--only", "servers", "--keep-going"]).unwrap();
        assert_eq!(options.only.as_deref(), Some("servers"));
        assert!(options.keeps_going);
    }

    #[test]
    fn a_wrong_option_is_refused() {
        for words in [vec!["--only"], vec!["--all"], vec!["--program", "/no/such/file"]] {
            assert!(parse_options::<SuiteOptions>(&words).is_err(), "{words:?}");
        }
    }
}
