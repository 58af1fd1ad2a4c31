//! The options of a suite: which part, what happens after a difference, and which program.

use crate::built::build_program;
use crate::failure::Failure;
use std::path::{Path, PathBuf};

/// What happens after a check that came back differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterDifference {
    #[default]
    End,
    /// The others are tried too, for somebody who changes many at once.
    KeepGoing,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct SuiteOptions {
    pub only: Option<String>,
    pub after_difference: AfterDifference,
    /// Instead of the one that is built.
    pub program: Option<PathBuf>,
}

impl SuiteOptions {
    pub fn parse(words: &[&str], help: &str) -> Result<Self, Failure> {
        let mut options = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let value = || Failure::new(format!("`{word}` needs a value; {help}"));
            match *word {
                "--only" => options.only = Some((*words.next().ok_or_else(value)?).to_owned()),
                "--keep-going" => options.after_difference = AfterDifference::KeepGoing,
                "--program" => {
                    let path = words.next().ok_or_else(value)?;
                    let found = std::fs::canonicalize(path);
                    let found = found.map_err(|error| Failure::new(format!("{path}: {error}")))?;
                    options.program = Some(found);
                }
                other => return Err(Failure::new(format!("`{other}` is no option; {help}"))),
            }
        }
        Ok(options)
    }

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

    #[test]
    fn a_part_is_chosen_by_its_name() {
        let options = SuiteOptions::parse(&["--only", "servers", "--keep-going"], "").unwrap();
        assert_eq!(options.only.as_deref(), Some("servers"));
        assert_eq!(options.after_difference, AfterDifference::KeepGoing);
        assert_eq!(SuiteOptions::parse(&[], "").unwrap(), SuiteOptions::default());
    }

    #[test]
    fn a_wrong_option_is_refused() {
        for words in [vec!["--only"], vec!["--all"], vec!["--program", "/no/such/file"]] {
            assert!(SuiteOptions::parse(&words, "").is_err(), "{words:?}");
        }
    }
}
