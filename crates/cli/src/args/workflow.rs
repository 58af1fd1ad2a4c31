//! The command line of `countersign workflow`.

use super::{DaemonOption, HELP_TEMPLATE};
use clap::{Args, Subcommand};
use countersign_core::model::names::SessionName;

pub(super) const EXAMPLES: &str = "\
Examples:
  countersign workflow audit           which workflows ask before they start, and what runs
  countersign workflow audit 3e22a1    one run
  countersign workflow reconcile s1    end what nobody took up again after a restart";

#[derive(Subcommand)]
pub(crate) enum WorkflowCommand {
    /// Tell which workflows ask before they start, which do not, and what runs now
    #[command(help_template = HELP_TEMPLATE, before_help = EXAMPLES)]
    Audit(WorkflowAuditArgs),
    /// End the runs of a session that a restart left behind and nobody took up again
    #[command(help_template = HELP_TEMPLATE, before_help = EXAMPLES)]
    Reconcile(WorkflowReconcileArgs),
}

#[derive(Args)]
pub(crate) struct WorkflowAuditArgs {
    /// Only this run, by its id or an end of it
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
