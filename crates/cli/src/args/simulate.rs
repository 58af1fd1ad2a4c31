//! The command line of `countersign simulate`.

use crate::record::RecordOption;
use clap::{ArgGroup, Args, ValueEnum};
use countersign_simulate::OperatorModel;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    about = "Count what a graph would ask about calls of a file, or of the ledger",
    before_help = "\
Examples:
  countersign simulate calls.jsonl                      how often would my graph ask?
  countersign simulate calls.jsonl --graph new.yaml     and what would this graph change?
  countersign simulate --ledger --graph new.yaml        the same for the calls of the record
  countersign simulate calls.jsonl --operator sensible  if somebody answers
  countersign simulate calls.jsonl --each | jq -c 'select(.outcome == \"ask\")'

A file has one JSON object per line: {\"session\": …, \"tool\": …, \"args\": {…}, \"cwd\": …}. The
workspace of a session is the `project` of its first call, or else that call's `cwd`. Files and
programs are looked up on this machine, as they are now. Nothing is executed or recorded."
)]
#[command(group(ArgGroup::new("calls").required(true).multiple(true).args(["files", "ledger"])))]
pub(crate) struct SimulateArgs {
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
    pub(crate) each: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) record: RecordOption,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OperatorArg {
    /// Nobody answers, and nothing is ever granted
    Nobody,
    /// A yes to everything: for the session up to moderate risk, once above it
    Sensible,
}

impl From<OperatorArg> for OperatorModel {
    fn from(operator: OperatorArg) -> Self {
        match operator {
            OperatorArg::Nobody => Self::Nobody,
            OperatorArg::Sensible => Self::Sensible,
        }
    }
}
