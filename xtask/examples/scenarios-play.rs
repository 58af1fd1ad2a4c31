//! The scenarios of `cargo xtask scenarios`: a daemon as a process of its own, and an agent, an adapter and
//! an operator at its sockets, who do what the earlier systems describe.
//!
//! Prints each scenario with what came back, and ends at the first difference. Nothing sleeps: what
//! needs hours is on the list of what is skipped.

mod scenarios;

use scenarios::daemon::Daemon;
use scenarios::play::Play;
use scenarios::scenario::{Scenario, list_groups};
use scenarios::{TrialResult, skipped};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tempfile::TempDir;
use xtask::bench::runs::Context;
use xtask::external::options::SuiteOptions;
use xtask::failure::Failure;
use xtask::options::parse_options;
use xtask::scenarios::{MIN_SCENARIOS, is_chosen};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match parse_options(&words).and_then(|options| play_all(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("scenarios: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn play_all(options: &SuiteOptions) -> TrialResult<()> {
    let program = match &options.program {
        Some(program) => program.clone(),
        None => built_program()?,
    };
    let mut stage =
        Stage { program, folder: tempfile::tempdir().context("a folder")?, daemons: Vec::new() };
    enter_desk(stage.folder.path())?;
    let (mut played, mut differences) = (0, Vec::new());
    for (group, scenarios) in list_groups() {
        let chosen =
            scenarios.into_iter().filter(|chosen| is_chosen(options, group, chosen.sentence));
        for scenario in chosen {
            played += 1;
            match stage.play_scenario(group, scenario, played) {
                Ok(()) => {}
                Err(failure) if !options.keeps_going => {
                    return Err(failure);
                }
                Err(failure) => differences.push(failure.message),
            }
        }
    }
    for daemon in &stage.daemons {
        daemon.1.audit()?.map_err(Failure::new)?;
    }
    println!("\nskipped:");
    skipped::LIST
        .iter()
        .for_each(|skip| println!("  {}: {} ({})", skip.group, skip.sentence, skip.why));
    println!("scenarios played: {played}, skipped: {}", skipped::LIST.len());
    if options.only.is_none() && played < MIN_SCENARIOS {
        differences.push(format!("only {played} scenarios; {MIN_SCENARIOS} are wanted"));
    }
    match differences.is_empty() {
        true => Ok(()),
        false => Err(Failure::new(format!("\n{}", differences.join("\n")))),
    }
}

/// Agents may name a folder above the one that they run in. This is the one of the scenarios' agents.
fn enter_desk(folder: &Path) -> TrialResult<()> {
    let desk = folder.join("desk/src");
    std::fs::create_dir_all(&desk).context("a folder for agents")?;
    std::env::set_current_dir(&desk).context("a folder for agents")
}

/// The daemons that run, one for each graph.
struct Stage {
    program: PathBuf,
    folder: TempDir,
    daemons: Vec<(&'static str, Daemon)>,
}

impl Stage {
    fn play_scenario(
        &mut self,
        group: &str,
        scenario: &Scenario,
        number: usize,
    ) -> TrialResult<()> {
        println!("\n{group}: {}", scenario.sentence);
        let daemon = self.daemon_with(scenario.graph)?;
        let mut play = Play::new(daemon, number)?;
        let result = (scenario.play)(&mut play).and_then(|()| play.finish());
        play.told.iter().for_each(|line| println!("    {line}"));
        result.map_err(|failure| {
            Failure::new(format!("{group}: {}\n    {}", scenario.sentence, failure.message))
        })
    }

    fn daemon_with(&mut self, graph: &'static str) -> TrialResult<&mut Daemon> {
        let known = self.daemons.iter().position(|(used, _)| *used == graph);
        let at = match known {
            Some(at) => at,
            None => {
                let folder = self.folder.path().join(format!("daemon-{}", self.daemons.len()));
                std::fs::create_dir_all(&folder).context("a folder for the daemon")?;
                std::fs::write(folder.join("graph.yaml"), graph).context("the graph")?;
                let daemon = Daemon::start(&self.program, &folder, "sqlite")?;
                self.daemons.push((graph, daemon));
                self.daemons.len() - 1
            }
        };
        let found = self.daemons.get_mut(at).map(|(_, daemon)| daemon);
        found.ok_or_else(|| Failure::new("no daemon was started"))
    }
}

/// What cargo made beside this program's own folder.
fn built_program() -> TrialResult<PathBuf> {
    let this = std::env::current_exe().context("this program")?;
    let beside = this.parent().and_then(Path::parent).map(|target| target.join("countersign"));
    beside.filter(|program| program.is_file()).ok_or_else(|| {
        Failure::new("there is no program to try; run this as `cargo xtask scenarios`")
    })
}
