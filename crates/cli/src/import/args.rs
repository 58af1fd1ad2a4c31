//! The command line of `countersign import`.

use clap::{ArgGroup, Args, Subcommand};
use countersign_core::model::ids::RequestId;
use countersign_core::model::names::{Agent, Project, SessionName};
use countersign_report::RecordOption;
use countersign_setup::GraphOption;
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum ImportCommand {
    /// Import the grants of one session of Consent System, which kept them in a SQLite file
    #[command(before_help = "\
Examples:
  countersign import consent-system data/agents/s1/consent.db --agent buddy            dry run
  countersign import consent-system data/agents/s1/consent.db --agent buddy --apply
  countersign import consent-system consent.db --session s1 --agent buddy --apply

The graph must list the actions and workflows. The old blanket key becomes a grant for everything
up to moderate risk; the ledger records the first use of it by each action.", after_help = IMPORT_NOTES)]
    ConsentSystem(ImportConsentSystemArgs),
    /// Import the persistent grants of one project of PermissionBridge, which kept them in a file of JSON lines
    #[command(before_help = "\
Examples:
  countersign import permission-bridge permission_grants.jsonl --agent coder --project blog
  countersign import permission-bridge permission_grants.jsonl --agent coder --project blog --apply

A grant without a category becomes a grant for everything up to moderate risk.", after_help = IMPORT_NOTES)]
    PermissionBridge(ImportPermissionBridgeArgs),
    /// List imported grants that wait for confirmation
    #[command(before_help = "\
Examples:
  countersign import waiting
  countersign import waiting --json")]
    Waiting(ImportWaitingArgs),
    /// Confirm imported grants one by one, at a terminal
    #[command(
        before_help = "\
Examples:
  countersign import confirm r3e22a1…32 digits
  countersign import confirm --all",
        after_help = "\
Exit codes: 0 if all were confirmed, 6 if some were left open, 9 without a terminal."
    )]
    Confirm(ImportConfirmArgs),
    /// Decline an imported grant permanently
    #[command(before_help = "\
Examples:
  countersign import decline r3e22a1…32 digits")]
    Decline(ImportDeclineArgs),
}

impl ImportCommand {
    pub(crate) const EXAMPLES: &str = "\
Examples:
  countersign import consent-system data/agents/s1/consent.db --agent buddy
  countersign import permission-bridge permission_grants.jsonl --agent coder --project blog --apply
  countersign import waiting
  countersign import confirm --all

An imported grant allows nothing before you confirm it.";
}

const IMPORT_NOTES: &str = "\
Without `--apply`, nothing is written. If any part of the file is invalid, nothing is imported. A
grant that was imported before is not imported again.";

#[derive(Args)]
pub(crate) struct ImportConsentSystemArgs {
    /// The `consent.db` of one session
    #[arg(value_name = "CONSENT_DB")]
    pub(crate) old: PathBuf,
    /// The agent that owns the grants
    #[arg(long, value_name = "NAME", value_parser = |text: &str| Agent::parse(text))]
    pub(crate) agent: Agent,
    /// The session [default: the name of the folder, as in `agents/NAME/consent.db`]
    #[arg(long, value_name = "NAME", value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: Option<SessionName>,
    /// Import the grants instead of a dry run
    #[arg(long)]
    pub(crate) apply: bool,
    #[command(flatten)]
    pub(crate) graph: GraphOption,
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct ImportPermissionBridgeArgs {
    /// The `permission_grants.jsonl` of one project
    #[arg(value_name = "GRANTS_JSONL")]
    pub(crate) old: PathBuf,
    /// The agent that owns the grants
    #[arg(long, value_name = "NAME", value_parser = |text: &str| Agent::parse(text))]
    pub(crate) agent: Agent,
    /// The exact id of the project
    #[arg(long, value_name = "ID", value_parser = |text: &str| Project::parse(text))]
    pub(crate) project: Project,
    /// Import the grants instead of a dry run
    #[arg(long)]
    pub(crate) apply: bool,
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct ImportWaitingArgs {
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
#[command(group(ArgGroup::new("which").required(true).args(["id", "all"])))]
pub(crate) struct ImportConfirmArgs {
    /// The full id of the request, from `import waiting`
    #[arg(value_parser = parse_request_id)]
    pub(crate) id: Option<RequestId>,
    /// Everything that waits, one by one
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) record: RecordOption,
}

#[derive(Args)]
pub(crate) struct ImportDeclineArgs {
    /// The full id of the request, from `import waiting`
    #[arg(value_parser = parse_request_id)]
    pub(crate) id: RequestId,
    #[command(flatten)]
    pub(crate) record: RecordOption,
}

fn parse_request_id(text: &str) -> Result<RequestId, String> {
    let help = "an id is `r` and 32 digits; `countersign import waiting` lists them";
    RequestId::parse(text).ok_or_else(|| help.to_owned())
}
