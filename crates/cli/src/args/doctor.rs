//! The command line of `countersign doctor`.

use super::{GraphOption, HELP_TEMPLATE};
use crate::record::RecordOption;
use clap::Args;

#[derive(Args)]
#[command(about = "Check the folder, the sockets, the graph and the record, and change nothing", help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign doctor
  countersign doctor --deep    also every entry of the ledger
  countersign doctor --json | jq '.checks[] | select(.state != \"ok\")'", after_help = "\
Exit codes: 0 where there is no problem, 1 where there is one. A warning is no problem.")]
pub(crate) struct DoctorArgs {
    /// Verify the whole ledger, not its end alone
    #[arg(long)]
    pub(crate) deep: bool,
    #[command(flatten)]
    pub(crate) graph: GraphOption,
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
