//! The command line of `countersign graph`.

use crate::limits;
use clap::{Args, Subcommand, ValueEnum};
use countersign_report::RecordOption;
use countersign_setup::{DaemonFolder, GraphFileArg, GraphOption};
use std::path::PathBuf;

#[derive(Subcommand)]
pub enum GraphCommand {
    /// Show every mistake in a graph
    #[command(before_help = "\
Examples:
  countersign graph check
  countersign graph check graphs/personal/countersign.yaml")]
    Check(GraphCheckArgs),
    /// Find rules that are valid but may not do what you intend
    #[command(
        before_help = "\
Examples:
  countersign graph lint
  countersign graph lint graphs/coding/countersign.yaml
  countersign graph lint --json | jq '.findings[].check'
  countersign graph lint --seen    also find tools in the ledger that no pattern matches",
        after_help = "\
Exit codes: 0 without findings, 1 with findings or with an invalid graph."
    )]
    Lint(GraphLintArgs),
    /// Compare two graphs: what becomes looser or stricter
    #[command(
        before_help = "\
Examples:
  countersign graph diff proposed.yaml                      against the daemon's graph
  countersign graph diff countersign.yaml proposed.yaml
  git show HEAD:countersign.yaml > old.yaml && countersign graph diff old.yaml countersign.yaml
  countersign graph diff old.yaml countersign.yaml --prove

It compares each rule separately, and it does not compare grants. `unclear` is looser in one
situation and stricter in another; `neither` does not affect any decision.

With `--prove`, a solver also compares the lists and policies of both graphs as a whole. For each
action it proves that nothing new is allowed, without asking and with approval, or shows a call
that is newly allowed. It needs the program `cvc5` (`apt-get install cvc5`), in PATH or named by
CVC5.",
        after_help = "\
Exit codes: 0 if nothing becomes looser; 1 if something does or may (`looser`, `unclear`), or if a
graph is invalid. With `--prove` also 1 if something is newly allowed or not proved, and without
cvc5. The proof then replaces the comparison of policies, unless the new graph has command rules
that allow: a policy can restrict those, and they are outside of the proof."
    )]
    Diff(GraphDiffArgs),
    /// Print a graph as a table
    #[command(before_help = "\
Examples:
  countersign graph show
  countersign graph show --effective      with the rules of this repository
  countersign graph show --reducers
  countersign graph show --json | jq '.actions[] | select(.risk == \"high\")'")]
    Show(GraphShowArgs),
    /// Record that you have reviewed the graph today
    #[command(before_help = "\
Examples:
  countersign graph review               the whole graph
  countersign graph review email files   two domains of it

It writes the date and changes no other byte of the file.")]
    Review(GraphReviewArgs),
    /// Write a starter graph: for coding agents, a personal assistant, or an assistive one
    #[command(before_help = "\
Examples:
  countersign graph new coding                  into your config folder
  countersign graph new personal mine.yaml

It counts as reviewed today. It replaces no file.")]
    New(GraphNewArgs),
    /// Accept the rules of a repository, as they are now
    #[command(before_help = "\
Examples:
  countersign graph trust                  the rules of this repository
  countersign graph trust shop             those of another one
  countersign graph trust --remove

The rules of a repository are the file `countersign.yaml` in its root. Without trust they can only
make your graph stricter. If they could allow more, they count only after this, as they are now: it
shows what they change. When the file changes, you have to trust it again.")]
    Trust(GraphTrustArgs),
    /// Set the immutable flag on a graph and its policies
    #[command(
        before_help = "\
Examples:
  sudo countersign graph lock
  sudo countersign graph lock /etc/countersign/countersign.yaml

It needs CAP_LINUX_IMMUTABLE and a file system with the flag. It is a tripwire, not a boundary:
what protects the graph is that the agents' user cannot write the file.",
        after_help = "\
Exit codes: 0 if everything is locked, 1 if not."
    )]
    Lock(GraphLockArgs),
    /// Clear the immutable flag again
    #[command(before_help = "\
Examples:
  sudo countersign graph unlock")]
    Unlock(GraphLockArgs),
}

impl GraphCommand {
    pub const EXAMPLES: &str = "\
Examples:
  countersign graph new coding
  countersign graph check
  countersign graph lint
  countersign graph diff old.yaml countersign.yaml
  countersign graph show
  countersign graph review
  sudo countersign graph lock";
}

#[derive(Args)]
pub struct GraphCheckArgs {
    #[command(flatten)]
    pub(crate) graph: GraphFileArg,
    #[command(flatten)]
    pub(crate) daemon: DaemonFolder,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub struct GraphLintArgs {
    #[command(flatten)]
    pub(crate) graph: GraphFileArg,
    /// Look at the rules of this repository instead, which stand beside a graph
    #[arg(long, conflicts_with_all = ["seen", "json", "file", "graph"])]
    pub(crate) repository: bool,
    /// Also find tools in the ledger that no pattern matches
    #[arg(long)]
    pub(crate) seen: bool,
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub struct GraphDiffArgs {
    /// The old graph [default: the one that the daemon uses], and the new one
    #[arg(value_name = "FILE", num_args = 1..=2, required = true)]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) daemon: DaemonFolder,
    /// Prove that lists and policies allow nothing new, or show a call
    #[arg(long)]
    pub(crate) prove: bool,
    /// Time limit of the solver for each question
    #[arg(long, value_name = "SECONDS", default_value_t = 10, requires = "prove")]
    #[arg(value_parser = clap::value_parser!(u64).range(limits::SOLVER_SECONDS))]
    pub(crate) timeout: u64,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub struct GraphShowArgs {
    #[command(flatten)]
    pub(crate) graph: GraphFileArg,
    #[command(flatten)]
    pub(crate) daemon: DaemonFolder,
    /// Show what holds in this folder: with the rules of its repository, and whose rule each one is
    #[arg(long)]
    pub(crate) effective: bool,
    /// The folder that `--effective` is about [default: the current folder]
    #[arg(long, value_name = "DIR", requires = "effective")]
    pub(crate) folder: Option<PathBuf>,
    /// Show only the callers that lower the risk of an action
    #[arg(long, conflicts_with = "effective")]
    pub(crate) reducers: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub struct GraphLockArgs {
    #[command(flatten)]
    pub(crate) graph: GraphFileArg,
    #[command(flatten)]
    pub(crate) daemon: DaemonFolder,
}

#[derive(Args)]
pub struct GraphReviewArgs {
    /// Domains to review [default: the whole graph]
    #[arg(value_name = "DOMAIN")]
    pub(crate) domains: Vec<String>,
    #[command(flatten)]
    pub(crate) graph: GraphOption,
    #[command(flatten)]
    pub(crate) daemon: DaemonFolder,
    /// Do not ask for confirmation
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Args)]
pub struct GraphNewArgs {
    /// Which starter graph
    pub(crate) kind: StarterArg,
    /// The file to write [default: countersign.yaml in your config folder]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum StarterArg {
    Coding,
    Personal,
    Assistive,
}

#[derive(Args)]
pub struct GraphTrustArgs {
    /// A folder of the repository [default: the current folder]
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) graph: GraphOption,
    #[command(flatten)]
    pub(crate) daemon: DaemonFolder,
    /// Do not trust them any longer
    #[arg(long, conflicts_with = "yes")]
    pub(crate) remove: bool,
    /// Do not ask for confirmation
    #[arg(long)]
    pub(crate) yes: bool,
}
