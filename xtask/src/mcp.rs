//! `mcp`: the gateway between programs that we did not write: the official conformance suite, real
//! servers and real clients.
//!
//! Their packages are installed by name and version below `target/mcp`, and never committed. The
//! scripts in `xtask/mcp` are a fixture server for the suite and one short program for each client.

mod clients;
mod conformance;
mod expected;
mod real_servers;
mod servers;

use crate::external::checks::Checks;
use crate::external::daemon::SuiteDaemon;
use crate::external::folder::SuiteFolder;
use crate::external::options::SuiteOptions;
use crate::external::packages::{NODE, PackageSet, Packages};
use crate::failure::{CiResult, Failure};
use crate::options::parse_options;
use clap::ValueEnum;
use std::path::{Path, PathBuf};

/// Servers, clients and the suite. The suite and the Inspector need a newer Node.
const PACKAGES: PackageSet = PackageSet {
    folder: "target/mcp",
    npm: &[
        NODE,
        "@modelcontextprotocol/conformance@0.2.0-alpha.12",
        "@modelcontextprotocol/server@2.4.0",
        "@modelcontextprotocol/node@2.1.2",
        "@modelcontextprotocol/client@2.4.0",
        "@modelcontextprotocol/sdk@1.32.2",
        "@modelcontextprotocol/inspector@2.12.0",
        "@modelcontextprotocol/server-everything@2026.8.31",
        "@modelcontextprotocol/server-filesystem@2026.8.31",
        "@modelcontextprotocol/server-memory@2026.8.31",
    ],
    pypi: &[
        "mcp==2.3.0",
        "fastmcp==4.1.2",
        "mcp-server-git==2026.10.19",
        "mcp-server-time==2026.10.19",
    ],
};

/// How long a call is held before its client hears that it is pending: the checks wait for that.
const SETTINGS: &str = "[mcp]\nhold_seconds = 1\n";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The official suite, with and without the gateway.
    Conformance,
    /// Servers from npm and PyPI.
    Servers,
    /// Client libraries and the Inspector.
    Clients,
}

impl Part {
    fn parse(word: &str) -> Result<Self, Failure> {
        Self::from_str(word, false).map_err(|_| Failure::new(format!("`{word}` is no part")))
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
    let options: SuiteOptions = parse_options(words)?;
    let only = options.only.as_deref().map(Part::parse).transpose()?;
    let program = options.find_program(root)?;
    let packages = Packages::install(root, &PACKAGES)?;
    packages.copy_scripts(&root.join("xtask/mcp"))?;
    let workshop = Workshop { packages, program };
    let mut checks = Checks::new(&options);
    for part in Part::value_variants() {
        if only.is_some_and(|only| only != *part) {
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
