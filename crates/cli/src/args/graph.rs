//! The command line of `countersign graph`.

use super::{GraphOption, HELP_TEMPLATE};
use crate::record::RecordOption;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum GraphCommand {
    /// Find everything that is wrong with a graph
    #[command(help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign graph check
  countersign graph check graphs/personal/countersign.yaml")]
    Check(GraphCheckArgs),
    /// Find rules that load and yet may not mean what they say
    #[command(help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign graph lint
  countersign graph lint graphs/coding/countersign.yaml
  countersign graph lint --json | jq '.findings[].check'
  countersign graph lint --seen    and tools in the ledger that no pattern names", after_help = "\
Exit codes: 0 where nothing is found, 1 with findings or a graph that does not load.")]
    Lint(GraphLintArgs),
    /// Compare two graphs: what becomes looser, and what stricter
    #[command(help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign graph diff countersign.yaml proposed.yaml
  git show HEAD:countersign.yaml > old.yaml && countersign graph diff old.yaml countersign.yaml
  countersign graph diff old.yaml countersign.yaml --prove

It compares rule with rule, each by itself, and no grants. `unclear` is looser in one situation and
stricter in another; `neither` is a change that no decision depends on.

With `--prove` a solver also takes the lists and policies of each graph together. For each action it
proves that nothing new is allowed, without asking and with approval, or shows a call that is newly
allowed. It needs the program `cvc5` (`apt-get install cvc5`), in PATH or named by CVC5.", after_help = "\
Exit codes: 0 where nothing becomes looser; 1 where something does or may (`looser`, `unclear`), or a
graph does not load. With `--prove` also 1 where something is newly allowed or not proved, and without
cvc5. Policies then count by what is proved, unless the new graph allows command lines: a policy can
stand against those, which is outside of the proof.")]
    Diff(GraphDiffArgs),
    /// Print a graph as a table
    #[command(help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign graph show
  countersign graph show --reducers
  countersign graph show --json | jq '.actions[] | select(.risk == \"high\")'")]
    Show(GraphShowArgs),
    /// Record that you have read the graph today
    #[command(help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign graph review               the whole graph
  countersign graph review email files   two of its domains

Only the date is written; every other byte of the file stays as it is.")]
    Review(GraphReviewArgs),
    /// Set the immutable flag on a graph and its policies, and say what it is worth here
    #[command(help_template = HELP_TEMPLATE, before_help = "\
Examples:
  sudo countersign graph lock
  sudo countersign graph lock /etc/countersign/countersign.yaml

It needs CAP_LINUX_IMMUTABLE, and a file system that has the flag. It is a tripwire: the boundary is
that the agents' user cannot write the file.", after_help = "\
Exit codes: 0 where all of it is locked, 1 where it is not.")]
    Lock(GraphLockArgs),
    /// Clear the immutable flag again
    #[command(help_template = HELP_TEMPLATE, before_help = "\
Examples:
  sudo countersign graph unlock")]
    Unlock(GraphLockArgs),
}

pub(super) const EXAMPLES: &str = "\
Examples:
  countersign graph check
  countersign graph lint
  countersign graph diff old.yaml countersign.yaml
  countersign graph show
  countersign graph review
  sudo countersign graph lock";

#[derive(Args)]
pub(crate) struct GraphCheckArgs {
    /// The graph [default: countersign.{toml,yaml,json} here, then in the user's config folder]
    pub(crate) file: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct GraphLintArgs {
    /// The graph [default: countersign.{toml,yaml,json} here, then in the user's config folder]
    pub(crate) file: Option<PathBuf>,
    /// Look into the ledger too: which tools were called that no pattern names?
    #[arg(long)]
    pub(crate) seen: bool,
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct GraphDiffArgs {
    /// The graph as it was
    pub(crate) old: PathBuf,
    /// The graph as it would be
    pub(crate) new: PathBuf,
    /// Prove what lists and policies newly allow, or show a call
    #[arg(long)]
    pub(crate) prove: bool,
    /// How many seconds the solver has for each question
    #[arg(long, value_name = "SECONDS", default_value_t = 10, requires = "prove")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) timeout: u64,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct GraphShowArgs {
    /// The graph [default: countersign.{toml,yaml,json} here, then in the user's config folder]
    pub(crate) file: Option<PathBuf>,
    /// Only the callers that bring an action's risk down
    #[arg(long)]
    pub(crate) reducers: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct GraphLockArgs {
    /// The graph [default: countersign.{toml,yaml,json} here, then in the user's config folder]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct GraphReviewArgs {
    /// Domains to renew [default: the whole graph]
    #[arg(value_name = "DOMAIN")]
    pub(crate) domains: Vec<String>,
    #[command(flatten)]
    pub(crate) graph: GraphOption,
    /// Do not ask: you have read it
    #[arg(long)]
    pub(crate) yes: bool,
}
