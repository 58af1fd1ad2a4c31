//! `countersign simulate`: what a graph would ask about calls of a file or of the ledger.
//!
//! It reads the record at most, and never writes it. The calls are decided on an empty record in
//! memory, so that grants of the real one do not count.

mod calls;
mod summary;

use crate::RulesContext;
use clap::{ArgGroup, Args, ValueEnum};
use countersign_console::{Exit, Failure, out};
use countersign_core::model::time::Time;
use countersign_graph::LoadedGraph;
use countersign_report::RecordOption;
use countersign_setup::{GraphFile, GraphSearch};
use countersign_simulate::{
    GraphComparison, OperatorModel, Report, SimulatedCall, SimulatedDecision, Simulation,
    SimulationSetup,
};
use std::io::IsTerminal as _;
use std::path::PathBuf;
pub(crate) use summary::draw_difference;
use summary::{SimulatedGraph, Summary};

/// How often the progress is drawn.
const CALLS_PER_PROGRESS: usize = 200;

#[derive(Args)]
#[command(
    about = "Count what a graph would ask about calls of a file, or of the ledger",
    before_help = "\
Examples:
  countersign simulate calls.jsonl                      how often would my graph ask?
  countersign simulate calls.jsonl --graph new.yaml     and what would this graph change?
  countersign simulate --ledger --graph new.yaml        the same for the calls of the record
  countersign simulate calls.jsonl --operator careful  if somebody answers
  countersign simulate calls.jsonl --each | jq -c 'select(.outcome == \"ask\")'

A file has one JSON object per line: {\"session\": …, \"tool\": …, \"args\": {…}, \"cwd\": …}. The
workspace of a session is the `project` of its first call, or else that call's `cwd`. Files and
programs are looked up on this machine, as they are now. Nothing is executed or recorded."
)]
#[command(group(ArgGroup::new("calls").required(true).multiple(true).args(["files", "ledger"])))]
pub struct SimulateArgs {
    /// Files of calls; `-` is standard input
    #[arg(value_name = "FILE", conflicts_with = "ledger")]
    pub(crate) files: Vec<PathBuf>,
    /// The calls of the record; what was erased from it is left out
    #[arg(long)]
    pub(crate) ledger: bool,
    /// The graph to try; it is compared with the graph that the daemon uses, if there is one
    #[arg(long = "graph", value_name = "FILE")]
    pub(crate) graph: Option<PathBuf>,
    /// Who answers the questions
    #[arg(long, value_enum, default_value_t = OperatorArg::Nobody, value_name = "WHO")]
    pub(crate) operator: OperatorArg,
    /// Decide as if each graph had been reviewed today
    #[arg(long)]
    pub(crate) reviewed: bool,
    /// Print one JSON object per call instead of the summary
    #[arg(long, conflicts_with = "json")]
    pub each: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub(crate) record: RecordOption,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OperatorArg {
    /// Nobody answers, and nothing is ever granted
    Nobody,
    /// A yes to everything: `s` up to moderate risk, once above it
    Careful,
    /// A yes to everything: `s` up to high risk, once for what is critical
    Trusting,
}

impl From<OperatorArg> for OperatorModel {
    fn from(operator: OperatorArg) -> Self {
        match operator {
            OperatorArg::Nobody => Self::Nobody,
            OperatorArg::Careful => Self::Careful,
            OperatorArg::Trusting => Self::Trusting,
        }
    }
}

pub fn simulate(args: &SimulateArgs, context: &RulesContext) -> Result<Exit, Failure> {
    let calls = calls::collect(args, context)?;
    let tried = find_graph(args, context)?;
    let options = SimulationOptions {
        operator: args.operator.into(),
        is_reviewed: args.reviewed,
        record: &args.record,
    };
    let decided = run(&options, context, &tried.loaded, &calls)?;
    if args.each {
        for row in &decided {
            out::show_json(row)?;
        }
        return Ok(Exit::Allowed);
    }
    let current = args.graph.as_ref().and_then(|_| find_current(args, context));
    let before = current.map(|file| {
        let decided = run(&options, context, &file.loaded, &calls)?;
        Ok::<_, Failure>((file, decided))
    });
    let before = before.transpose()?;
    let summary = Summary {
        tried: SimulatedGraph { name: &tried.name, report: Report::new(&decided) },
        operator: args.operator.into(),
        compared: before.as_ref().map(|(file, earlier)| {
            let graph = SimulatedGraph { name: &file.name, report: Report::new(earlier) };
            (graph, GraphComparison::new(&calls, earlier, &decided))
        }),
    };
    match args.json {
        true => out::show_json(&summary.to_json())?,
        false => out::show(&summary.draw())?,
    }
    Ok(Exit::Allowed)
}

/// The named graph, or the one in force.
fn find_graph(args: &SimulateArgs, context: &RulesContext) -> Result<GraphFile, Failure> {
    let search = GraphSearch {
        named: args.graph.as_deref(),
        data: args.record.data.as_deref(),
        places: context.graph_places(),
    };
    let file = search.open()?;
    file.announce();
    Ok(file)
}

/// The graph in force, to compare with. A machine without one has nothing to compare with.
fn find_current(args: &SimulateArgs, context: &RulesContext) -> Option<GraphFile> {
    GraphSearch { named: None, data: args.record.data.as_deref(), places: context.graph_places() }
        .open()
        .ok()
}

/// What another graph would have decided differently about the calls of the record since a time, and how
/// many calls that are. None if there is no record.
pub(crate) fn compare_on_record(
    record: &RecordOption,
    context: &RulesContext,
    (before, after): (&LoadedGraph, &LoadedGraph),
    (since, project): (Time, Option<&str>),
) -> Result<Option<(usize, GraphComparison)>, Failure> {
    let Some(reader) = record.open_reader_if_present(&context.record)? else { return Ok(None) };
    let mut calls = calls::read_ledger(&*reader, Some(since))?;
    calls.retain(|call| project.is_none_or(|project| call.project.as_deref() == Some(project)));
    let setup = SimulationOptions { operator: OperatorModel::Nobody, is_reviewed: true, record };
    let earlier = run(&setup, context, before, &calls)?;
    let later = run(&setup, context, after, &calls)?;
    Ok(Some((calls.len(), GraphComparison::new(&calls, &earlier, &later))))
}

/// What a graph decides about one call, if nothing was granted.
pub(crate) fn decide_one(
    record: &RecordOption,
    context: &RulesContext,
    graph: &LoadedGraph,
    call: SimulatedCall,
) -> Result<Option<SimulatedDecision>, Failure> {
    let setup = SimulationOptions { operator: OperatorModel::Nobody, is_reviewed: true, record };
    Ok(run(&setup, context, graph, &[call])?.pop())
}

/// How calls are simulated.
struct SimulationOptions<'a> {
    operator: OperatorModel,
    /// Decide as if the graph had been reviewed today.
    is_reviewed: bool,
    record: &'a RecordOption,
}

fn run(
    options: &SimulationOptions<'_>,
    context: &RulesContext,
    graph: &LoadedGraph,
    calls: &[SimulatedCall],
) -> Result<Vec<SimulatedDecision>, Failure> {
    let starts_at = context.now();
    let mut graph = graph.clone();
    if options.is_reviewed {
        graph.graph = graph.graph.reviewed_on(starts_at.date());
    }
    let protected = options.record.data.iter().filter_map(|path| path.to_str().map(str::to_owned));
    let mut simulation = Simulation::new(SimulationSetup {
        graph,
        file_system: Box::new(context.file_system()),
        home: context.home.clone(),
        protected_paths: protected.collect(),
        layer_trust: context.layer_trust(options.record.data.as_deref()),
        starts_at,
        operator: options.operator,
    })?;
    let total = calls.len();
    let draw_progress = |decided: usize| {
        if decided.is_multiple_of(CALLS_PER_PROGRESS) && std::io::stderr().is_terminal() {
            out::redraw_line(&format!("{decided} of {total} calls decided"));
        }
    };
    let decided = simulation.decide_all(calls, draw_progress)?;
    if std::io::stderr().is_terminal() {
        out::redraw_line("");
    }
    Ok(decided.into_iter().collect::<Result<_, _>>()?)
}
