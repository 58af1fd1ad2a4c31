//! `countersign simulate`: what a graph would ask about calls of a file or of the ledger.
//!
//! It reads the record at most, and never writes it. The calls are decided on an empty record in
//! memory, so that grants of the real one do not count.

mod calls;
mod summary;

use crate::args::SimulateArgs;
use crate::clock::SystemClock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::graph_file::GraphFile;
use crate::graph_search::GraphSearch;
use crate::out;
use crate::settings::Settings;
use countersign_engine::Clock as _;
use countersign_graph::LoadedGraph;
use countersign_simulate::{
    Comparison, DecidedCall, Report, SimulatedCall, Simulation, SimulationSetup,
};
use std::io::IsTerminal as _;
use summary::{SimulatedGraph, Summary};

/// How often the progress is drawn.
const CALLS_PER_PROGRESS: usize = 200;

pub(crate) fn simulate(args: &SimulateArgs, settings: &Settings) -> Result<Exit, Failure> {
    let calls = calls::collect(args, settings)?;
    let tried = find_graph(args, settings)?;
    let decided = run(args, settings, &tried.loaded, &calls)?;
    if args.each {
        for row in &decided {
            out::show_json(row)?;
        }
        return Ok(Exit::Allowed);
    }
    let current = args.graph.as_ref().and_then(|_| find_current(args, settings));
    let before = current.map(|file| {
        let decided = run(args, settings, &file.loaded, &calls)?;
        Ok::<_, Failure>((file, decided))
    });
    let before = before.transpose()?;
    let summary = Summary {
        tried: SimulatedGraph { name: &tried.name, report: Report::new(&decided) },
        operator: args.operator.into(),
        compared: before.as_ref().map(|(file, earlier)| {
            let graph = SimulatedGraph { name: &file.name, report: Report::new(earlier) };
            (graph, Comparison::new(&calls, earlier, &decided))
        }),
    };
    match args.json {
        true => out::show_json(&summary.to_json())?,
        false => out::show(&summary.draw())?,
    }
    Ok(Exit::Allowed)
}

/// The named graph, or the one in force.
fn find_graph(args: &SimulateArgs, settings: &Settings) -> Result<GraphFile, Failure> {
    let search =
        GraphSearch { named: args.graph.as_deref(), data: args.record.data.as_deref(), settings };
    let file = search.open()?;
    file.announce();
    Ok(file)
}

/// The graph in force, to compare with. A machine without one has nothing to compare with.
fn find_current(args: &SimulateArgs, settings: &Settings) -> Option<GraphFile> {
    GraphSearch { named: None, data: args.record.data.as_deref(), settings }.open().ok()
}

fn run(
    args: &SimulateArgs,
    settings: &Settings,
    graph: &LoadedGraph,
    calls: &[SimulatedCall],
) -> Result<Vec<DecidedCall>, Failure> {
    let starts_at = SystemClock.now();
    let mut graph = graph.clone();
    if args.reviewed {
        graph.graph = graph.graph.reviewed_on(starts_at.date());
    }
    let protected = args.record.data.iter().filter_map(|path| path.to_str().map(str::to_owned));
    let mut simulation = Simulation::new(SimulationSetup {
        graph,
        file_system: Box::new(settings.file_system()),
        home: settings.home.clone(),
        protected_paths: protected.collect(),
        starts_at,
        operator: args.operator.into(),
    })?;
    let total = calls.len();
    let decide = |(at, call): (usize, &SimulatedCall)| {
        if at % CALLS_PER_PROGRESS == 0 && std::io::stderr().is_terminal() {
            out::redraw_line(&format!("{at} of {total} calls decided"));
        }
        Ok(simulation.decide(call)?)
    };
    let decided = calls.iter().enumerate().map(decide).collect();
    if std::io::stderr().is_terminal() {
        out::redraw_line("");
    }
    decided
}
