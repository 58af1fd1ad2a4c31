//! `mcp`: the gateway between programs that we did not write: the official conformance suite, real
//! servers and real clients.
//!
//! Their packages are installed by name and version below `target/mcp`, and never committed. The
//! scripts in `xtask/mcp` are a fixture server for the suite and one short program for each client.

mod clients;
mod conformance;
mod expected;
mod packages;
mod real_servers;
mod servers;

use crate::external::checks::Checks;
use crate::external::daemon::SuiteDaemon;
use crate::external::folder::SuiteFolder;
use crate::external::options::SuiteOptions;
use crate::failure::{CiResult, Failure};
use packages::Packages;
use std::path::{Path, PathBuf};

const HELP: &str = "usage: cargo xtask mcp [--only conformance|servers|clients] [--keep-going] \
                    [--program PATH]";

/// How long a call is held before its client hears that it is pending: the checks wait for that.
const SETTINGS: &str = "[mcp]\nhold_seconds = 1\n";

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

/// What all parts work with.
struct Workshop {
    packages: Packages,
    program: PathBuf,
}

impl Workshop {
    fn start_daemon(&self, graph: &str) -> Result<SuiteDaemon, Failure> {
        SuiteDaemon::start(&self.program, SuiteFolder::create("mcp")?, graph, SETTINGS)
    }
}

pub fn run_with_options(root: &Path, words: &[&str]) -> CiResult {
    let options = SuiteOptions::parse(words, HELP)?;
    let only = options.only.as_deref().map(Part::parse).transpose()?;
    let program = options.find_program(root)?;
    let workshop = Workshop { packages: Packages::install(root)?, program };
    let mut checks = Checks::new(options.after_difference);
    for part in Part::ALL {
        if only.is_some_and(|only| only != part) {
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
    fn a_part_has_its_name() {
        assert_eq!(Part::parse("servers").unwrap(), Part::Servers);
        assert!(Part::parse("all").is_err());
    }
}
