//! The command line of `countersign inspect`.

use super::GraphOption;
use crate::record::RecordOption;
use clap::{ArgGroup, Args};
use countersign_core::model::names::SessionName;

pub(super) const EXAMPLES: &str = "\
Examples:
  countersign inspect --permissions                what was asked, answered, granted and used
  countersign inspect --permissions --session s1
  countersign inspect --trace --json               the same as events, one JSON object per line
  countersign inspect --tools                      tools that were called, and what the graph says

Events are permission_requested, permission_granted, permission_denied, permission_grant_consumed and
permission_revoked. All that follow from one question have its id as their `grant_id`; a grant that
nobody asked for has its own. A question that nobody answered in time is denied with `expired` as its
note, one that was withdrawn with `cancelled`.";

#[derive(Args)]
#[command(group(ArgGroup::new("what").required(true).args(["trace", "permissions", "tools"])))]
pub(crate) struct InspectArgs {
    /// Permissions as events, in the order in which they happened
    #[arg(long)]
    pub(crate) trace: bool,
    /// Permissions as rows: question, answer, grant, uses and end
    #[arg(long)]
    pub(crate) permissions: bool,
    /// Tools that were called, their actions, and which of them the graph does not name
    #[arg(long)]
    pub(crate) tools: bool,
    /// Only what belongs to this session
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
