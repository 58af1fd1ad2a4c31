//! `clients`: Claude Code and Codex with the hook of Countersign, against a stand-in for their models.
//!
//! The programs are installed by name and version below `target/clients`, and never committed. They
//! have a home of their own, and the address of their models is the stand-in's. Whether the file is
//! there that a call would make shows whether the call was carried out.

mod agent;
mod claude;
mod codex;
mod model;
mod recording;
mod scenarios;
mod stage;

use crate::external::checks::Checks;
use crate::external::options::SuiteOptions;
use crate::external::packages::{NODE, PackageSet, Packages};
use crate::failure::{CiResult, Failure};
use crate::options::parse_options;
use agent::Agent;
pub use recording::record_push;
use scenarios::{SCENARIOS, Scenario};
use stage::Stage;
use std::path::{Path, PathBuf};

const PACKAGES: PackageSet = PackageSet {
    folder: "target/clients",
    npm: &[NODE, "@anthropic-ai/claude-code@2.1.325", "@openai/codex@0.166.0"],
    pypi: &[],
};

/// Whether a prompt opens a session or goes on in the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Session {
    New,
    Last,
}

/// What all scenarios work with.
struct Workshop {
    packages: Packages,
    program: PathBuf,
}

impl Workshop {
    fn open(root: &Path, program: PathBuf) -> Result<Self, Failure> {
        let packages = Packages::install(root, &PACKAGES)?;
        packages.copy_scripts(&root.join("xtask/clients"))?;
        Ok(Self { packages, program })
    }
}

pub fn run_with_options(root: &Path, words: &[&str]) -> CiResult {
    let options = parse_options::<SuiteOptions>(words)?;
    let workshop = Workshop::open(root, options.find_program(root)?)?;
    let mut checks = Checks::new(&options);
    for agent in Agent::ALL {
        for scenario in SCENARIOS {
            if is_chosen(options.only.as_deref(), agent, scenario) {
                let name = format!("{}: {}", agent.title(), scenario.name);
                checks.group(&name, |checks| {
                    (scenario.play)(&mut Stage::open(&workshop, agent)?)?;
                    checks.note(&name, Ok(()))
                })?;
            }
        }
    }
    checks.finish()
}

fn is_chosen(only: Option<&str>, agent: Agent, scenario: &Scenario) -> bool {
    let is_named = only.is_none_or(|words| agent.title() == words || scenario.name.contains(words));
    is_named && scenario.agents.contains(&agent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_is_chosen_by_its_program_or_by_its_words() {
        let scenario =
            Scenario { name: "an allowed command runs", agents: &Agent::ALL, play: |_| Ok(()) };
        assert!(is_chosen(None, Agent::Claude, &scenario));
        assert!(is_chosen(Some("claude"), Agent::Claude, &scenario));
        assert!(!is_chosen(Some("claude"), Agent::Codex, &scenario));
        assert!(is_chosen(Some("allowed"), Agent::Codex, &scenario));
    }
}
