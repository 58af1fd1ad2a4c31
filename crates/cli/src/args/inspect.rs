//! The command line of `countersign inspect`.

use super::GraphOption;
use crate::record::RecordOption;
use clap::{ArgGroup, Args};
use countersign_core::model::names::SessionName;

pub(super) const EXAMPLES: &str = "\
Examples:
  countersign inspect --permissions                questions, answers, grants and uses
  countersign inspect --permissions --session s1
  countersign inspect --trace --json               as events, one JSON object per line
  countersign inspect --tools                      the tools that were called

The events are permission_requested, permission_granted, permission_denied,
permission_grant_consumed and permission_revoked. All events of one question have its id as
`grant_id`; a grant without a question has its own id. A question that expired is denied with the
note `expired`, a cancelled one with `cancelled`.";

#[derive(Args)]
#[command(group(ArgGroup::new("what").required(true).args(["trace", "permissions", "tools"])))]
pub(crate) struct InspectArgs {
    /// Show permissions as events
    #[arg(long)]
    pub(crate) trace: bool,
    /// Show permissions as a table of questions, answers and grants
    #[arg(long)]
    pub(crate) permissions: bool,
    /// Show the tools that were called, and which of them the graph does not map
    #[arg(long)]
    pub(crate) tools: bool,
    /// Only this session
    #[arg(long, value_name = "NAME", value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: Option<SessionName>,
    #[command(flatten)]
    pub(crate) record: RecordOption,
    #[command(flatten)]
    pub(crate) graph: GraphOption,
    /// Print JSON: one object, or one per event
    #[arg(long)]
    pub(crate) json: bool,
}
