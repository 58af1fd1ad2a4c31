//! The command line of `countersign doctor`.

use super::GraphOption;
use crate::record::RecordOption;
use clap::Args;

#[derive(Args)]
#[command(
    about = "Check the folder, the sockets, the graph, the record and the hooks of coding agents",
    before_help = "\
Examples:
  countersign doctor
  countersign doctor --deep    verify every entry of the ledger
  countersign doctor --json | jq '.checks[] | select(.state != \"ok\")'",
    after_help = "\
It changes nothing. If the daemon runs, each installed hook is tried with the call of a tool that
reads a file; the call is in the record, in the session countersign-doctor-canary. Exit codes: 0 without a problem, 1 with one. A warning is not a problem."
)]
pub(crate) struct DoctorArgs {
    /// Verify the whole ledger, not only its end
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
