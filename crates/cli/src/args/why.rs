//! The command line of `countersign why`.

use crate::record::RecordOption;
use clap::{ArgGroup, Args};

#[derive(Args)]
#[command(
    about = "Show why a call was allowed, asked or denied",
    before_help = "\
Examples:
  countersign why r3e22a1           a call or a request
  countersign why --last-asked      the last call that needed an answer
  countersign why --last-skipped    the last call that passed without asking
  countersign why --last-skipped --json | jq .reason

It shows what was recorded with the decision: the reason, the rule or grant behind it, what would
have changed it, the graph in force, and the answer. It does not decide again."
)]
#[command(group(ArgGroup::new("what").required(true).args(["id", "last_asked", "last_skipped"])))]
pub(crate) struct WhyArgs {
    /// The id of a call, request, run or proposal, or its beginning or end
    pub(crate) id: Option<String>,
    /// The last call that needed an answer
    #[arg(long)]
    pub(crate) last_asked: bool,
    /// The last call that passed without asking
    #[arg(long)]
    pub(crate) last_skipped: bool,
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
