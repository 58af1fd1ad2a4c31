//! The command line of `countersign workflow`.

use crate::daemon_option::DaemonOption;
use crate::limits;
use clap::{Args, Subcommand};
use countersign_console::Exit;
use countersign_core::model::ids::RunId;
use countersign_core::model::names::{SessionName, Workflow};

impl WorkflowCommand {
    pub(crate) const EXAMPLES: &str = "\
Examples:
  countersign workflow audit           workflows and current runs
  countersign workflow audit w3e22a1   one run
  countersign workflow reconcile s1    end the abandoned runs of a session
  RUN=$(countersign workflow start release --session s1 --wait 300) || exit
  countersign workflow status \"$RUN\" --session s1
  countersign workflow end \"$RUN\" --session s1

`start`, `status`, `end`, `cancel` and `reattach` are for agents, and use the agents' socket.";
}

#[derive(Subcommand)]
pub(crate) enum WorkflowCommand {
    /// Show which workflows ask before they start, and which runs are live
    #[command(before_help = WorkflowCommand::EXAMPLES)]
    Audit(WorkflowAuditArgs),
    /// End the runs of a session that were not resumed after a restart
    #[command(before_help = WorkflowCommand::EXAMPLES)]
    Reconcile(WorkflowReconcileArgs),
    /// Start a run, or ask whether it may start; prints the run's id
    #[command(before_help = WorkflowCommand::EXAMPLES, after_help = Exit::help_table())]
    Start(WorkflowStartArgs),
    /// Show an own run or its start; the exit code is its state
    #[command(before_help = WorkflowCommand::EXAMPLES, after_help = Exit::help_table())]
    Status(WorkflowStatusArgs),
    /// End an own run as completed
    #[command(before_help = WorkflowCommand::EXAMPLES)]
    End(OwnRunArgs),
    /// End an own run as cancelled, or withdraw its start
    #[command(before_help = WorkflowCommand::EXAMPLES)]
    Cancel(OwnRunArgs),
    /// Continue an own run after a restart of the daemon, within 10 minutes
    #[command(before_help = WorkflowCommand::EXAMPLES)]
    Reattach(OwnRunArgs),
}

#[derive(Args)]
pub(crate) struct WorkflowStartArgs {
    /// The workflow, as the graph names it
    #[arg(value_parser = |text: &str| Workflow::parse(text))]
    pub(crate) workflow: Workflow,
    /// The session that the run belongs to
    #[arg(long, value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: SessionName,
    /// The project of the session: a folder that contains the current one
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<String>,
    /// Nobody attends the run, so it ends after 6 hours without a call
    #[arg(long)]
    pub(crate) headless: bool,
    /// Seconds to wait for an answer
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=limits::MAX_WAIT_SECONDS))]
    pub(crate) wait: u64,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
pub(crate) struct WorkflowStatusArgs {
    /// The id that `workflow start` printed
    #[arg(value_parser = parse_run)]
    pub(crate) run: RunId,
    /// The session of the run
    #[arg(long, value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: SessionName,
    /// Seconds to wait until its start is answered
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=limits::MAX_WAIT_SECONDS))]
    pub(crate) wait: u64,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
pub(crate) struct OwnRunArgs {
    /// The id that `workflow start` printed
    #[arg(value_parser = parse_run)]
    pub(crate) run: RunId,
    /// The session of the run
    #[arg(long, value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: SessionName,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

fn parse_run(text: &str) -> Result<RunId, String> {
    RunId::parse(text).ok_or_else(|| "give the whole id that `workflow start` printed".to_owned())
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
