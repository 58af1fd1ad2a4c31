//! The command line of `countersign workflow`.

use super::DaemonOption;
use clap::{Args, Subcommand};
use countersign_core::model::names::SessionName;

pub(super) const EXAMPLES: &str = "\
Examples:
  countersign workflow audit           workflows and current runs
  countersign workflow audit w3e22a1   one run
  countersign workflow reconcile s1    end the abandoned runs of a session";

#[derive(Subcommand)]
pub(crate) enum WorkflowCommand {
    /// Show which workflows ask before they start, and which runs are live
    #[command(before_help = EXAMPLES)]
    Audit(WorkflowAuditArgs),
    /// End the runs of a session that were not resumed after a restart
    #[command(before_help = EXAMPLES)]
    Reconcile(WorkflowReconcileArgs),
}

#[derive(Args)]
pub(crate) struct WorkflowAuditArgs {
    /// Only the run with this id, or this beginning or end of its id
    pub(crate) run: Option<String>,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
pub(crate) struct WorkflowReconcileArgs {
    /// The session
    #[arg(value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: SessionName,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}
