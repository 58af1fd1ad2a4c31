//! `mcp`: the gateway between programs that we did not write: the official conformance suite, real
//! servers and real clients.
//!
//! Their packages are installed by name and version below `target/mcp`, and never committed. The
//! scripts in `xtask/mcp` are a fixture server for the suite and one short program for each client.

mod checks;
mod clients;
mod conformance;
mod daemon;
mod expected;
mod json;
mod line_client;
pub mod packages;
mod real_servers;
pub mod running;
mod servers;

use crate::failure::{CiResult, Failure};
use crate::process::{cargo, run};
use crate::seeds::AfterDifference;
use checks::Checks;
use packages::{PROGRAMS, Packages};
use std::path::{Path, PathBuf};

const HELP: &str = "usage: cargo xtask mcp [--only conformance|servers|clients] [--keep-going] \
                    [--program PATH]";

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub only: Option<Part>,
    pub after_difference: AfterDifference,
    /// Instead of the one that is built.
    pub program: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The official suite, with and without the gateway.
    Conformance,
    /// Servers from npm and PyPI.
    Servers,
    /// Client libraries and the Inspector.
    Clients,
}

impl Part {
    const ALL: [Self; 3] = [Self::Conformance, Self::Servers, Self::Clients];

    fn parse(word: &str) -> Result<Self, Failure> {
        match word {
            "conformance" => Ok(Self::Conformance),
            "servers" => Ok(Self::Servers),
            "clients" => Ok(Self::Clients),
            other => Err(Failure::new(format!("`{other}` is no part; {HELP}"))),
        }
    }
}

pub fn parse_options(words: &[&str]) -> Result<Options, Failure> {
    let mut options = Options::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let value = || Failure::new(format!("`{word}` needs a value; {HELP}"));
        match *word {
            "--only" => options.only = Some(Part::parse(words.next().ok_or_else(value)?)?),
            "--keep-going" => options.after_difference = AfterDifference::KeepGoing,
            "--program" => {
                let path = words.next().ok_or_else(value)?;
                let found = std::fs::canonicalize(path);
                let found = found.map_err(|error| Failure::new(format!("{path}: {error}")))?;
                options.program = Some(found);
            }
            other => return Err(Failure::new(format!("`{other}` is no option; {HELP}"))),
        }
    }
    Ok(options)
}

/// What all parts work with.
struct Workshop {
    packages: Packages,
    program: PathBuf,
}

pub fn run_with_options(root: &Path, words: &[&str]) -> CiResult {
    let options = parse_options(words)?;
    let program = match options.program {
        Some(program) => program,
        None => {
            run(&mut cargo(root, &["build", "--quiet", "--bin", "countersign"]))?;
            root.join("target/debug/countersign")
        }
    };
    let workshop = Workshop { packages: Packages::install(root, &PROGRAMS)?, program };
    let mut checks = Checks::new(options.after_difference);
    for part in Part::ALL {
        if options.only.is_some_and(|only| only != part) {
            continue;
        }
        match part {
            Part::Conformance => conformance::run(&workshop, &mut checks)?,
            Part::Servers => servers::run(&workshop, &mut checks)?,
            Part::Clients => clients::run(&workshop, &mut checks)?,
        }
    }
    checks.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_chosen_by_its_name() {
        let options = parse_options(&["--only", "servers", "--keep-going"]).unwrap();
        assert_eq!(options.only, Some(Part::Servers));
        assert_eq!(options.after_difference, AfterDifference::KeepGoing);
        assert_eq!(parse_options(&[]).unwrap(), Options::default());
    }

    #[test]
    fn a_wrong_option_is_refused() {
        for words in [vec!["--only"], vec!["--only", "all"], vec!["--all"]] {
            assert!(parse_options(&words).is_err(), "{words:?}");
        }
    }
}
