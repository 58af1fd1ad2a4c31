//! The command line of `countersign import`.

use super::{GraphOption, HELP_TEMPLATE};
use crate::record::RecordOption;
use clap::{ArgGroup, Args, Subcommand};
use countersign_core::model::ids::RequestId;
use countersign_core::model::names::{Agent, Project, SessionName};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum ImportCommand {
    /// Bring in the grants of one session of Consent System (seed 000)
    #[command(name = "000", help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign import 000 data/agents/s1/consent.db --agent buddy            what would come in
  countersign import 000 data/agents/s1/consent.db --agent buddy --apply    as questions
  countersign import 000 consent.db --session s1 --agent buddy --apply

The graph says which actions and workflows there are. The old blanket key comes in as a grant for
everything, up to moderate risk; each action's first use of it is told in the ledger.", after_help = AFTER)]
    ConsentSystem(ImportConsentSystemArgs),
    /// Bring in the persistent grants of one project of PermissionBridge (seed 002)
    #[command(name = "002", help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign import 002 permission_grants.jsonl --agent coder --project blog
  countersign import 002 permission_grants.jsonl --agent coder --project blog --apply

A grant without a category comes in as one for everything, up to moderate risk.", after_help = AFTER)]
    PermissionBridge(ImportPermissionBridgeArgs),
    /// List what was brought in and waits to be confirmed
    #[command(help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign import waiting
  countersign import waiting --json")]
    Waiting(ImportWaitingArgs),
    /// Confirm what was brought in, at a terminal, one by one
    #[command(help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign import confirm req_019b8f…32 characters
  countersign import confirm --all", after_help = "\
Exit codes: 0 where all of it was confirmed, 6 where something was left open, 9 without a terminal.")]
    Confirm(ImportConfirmArgs),
    /// Decline something that was brought in, for good
    #[command(help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign import decline req_019b8f…32 characters")]
    Decline(ImportDeclineArgs),
}

pub(super) const EXAMPLES: &str = "\
Examples:
  countersign import 000 data/agents/s1/consent.db --agent buddy
  countersign import 002 permission_grants.jsonl --agent coder --project blog --apply
  countersign import waiting
  countersign import confirm --all

Old grants come in as questions. Nothing carries before you have confirmed it.";

const AFTER: &str = "\
Without `--apply` nothing is written. A file that cannot be read to its end stops it with the place,
and nothing is written either. Bringing the same grant in again opens no second question.";

#[derive(Args)]
pub(crate) struct ImportConsentSystemArgs {
    /// The `consent.db` of one session
    #[arg(value_name = "CONSENT_DB")]
    pub(crate) old: PathBuf,
    /// Whose grants they are
    #[arg(long, value_name = "NAME", value_parser = |text: &str| Agent::parse(text))]
    pub(crate) agent: Agent,
    /// The session they hold in [default: the name of the folder, as in `agents/NAME/consent.db`]
    #[arg(long, value_name = "NAME", value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: Option<SessionName>,
    /// Write what comes in
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
    /// Whose grants they are
    #[arg(long, value_name = "NAME", value_parser = |text: &str| Agent::parse(text))]
    pub(crate) agent: Agent,
    /// The project they hold in, by its exact id
    #[arg(long, value_name = "ID", value_parser = |text: &str| Project::parse(text))]
    pub(crate) project: Project,
    /// Write what comes in
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
    /// What to confirm, as `import waiting` lists it
    #[arg(value_parser = request)]
    pub(crate) id: Option<RequestId>,
    /// Everything that waits, one after the other
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) record: RecordOption,
}

#[derive(Args)]
pub(crate) struct ImportDeclineArgs {
    /// What to decline, as `import waiting` lists it
    #[arg(value_parser = request)]
    pub(crate) id: RequestId,
    #[command(flatten)]
    pub(crate) record: RecordOption,
}

fn request(text: &str) -> Result<RequestId, String> {
    let help = "it is `req_` and 32 characters, as `countersign import waiting` lists it";
    RequestId::parse(text).ok_or_else(|| help.to_owned())
}
