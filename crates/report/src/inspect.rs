//! `countersign inspect`: the history of permissions and tools, read from the ledger.

mod permissions;
mod question;
mod tool_usage;
mod tools;
mod trace;

pub use tool_usage::count_tools;

use crate::entries::{ParsedEntry, for_each_entry};
use crate::record::{RecordOption, ReportContext};
use clap::{ArgGroup, Args};
use countersign_console::{Exit, Failure};
use countersign_core::model::graph::Graph;
use countersign_core::model::names::SessionName;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  countersign inspect --permissions                questions, answers, grants and uses
  countersign inspect --permissions --session s1
  countersign inspect --trace --json               as events, one JSON object per line
  countersign inspect --tools                      the tools that were called

The events are permission_requested, permission_granted, permission_denied,
permission_grant_consumed and permission_revoked. All events of one question have the same
`grant_id`, which the agent was told too: that of its first grant, or the question's own if it led to
none. A question that expired is denied with the note `expired`, a cancelled one with `cancelled`.";

#[derive(Args)]
#[command(about = "Show the history of permissions and tools", before_help = EXAMPLES)]
#[command(arg_required_else_help = true)]
#[command(group(ArgGroup::new("what").required(true).args(["trace", "permissions", "tools"])))]
pub struct InspectArgs {
    /// Show permissions as events
    #[arg(long)]
    pub(crate) trace: bool,
    /// Show permissions as a table of questions, answers and grants
    #[arg(long)]
    pub(crate) permissions: bool,
    /// Show the tools that were called, and which of them the graph does not map
    #[arg(long)]
    pub tools: bool,
    /// Only this session
    #[arg(long, value_name = "NAME", value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: Option<SessionName>,
    #[command(flatten)]
    pub record: RecordOption,
    /// The graph [default: the one that the daemon uses]
    #[arg(long, value_name = "FILE")]
    pub graph: Option<PathBuf>,
    /// Print JSON: one object, or one per event
    #[arg(long)]
    pub(crate) json: bool,
}

/// The graph that the tools of a record are compared with.
pub struct NamedGraph<'a> {
    pub name: &'a str,
    pub graph: &'a Graph,
}

/// Only `--tools` reads the graph.
pub fn inspect(
    args: &InspectArgs,
    context: &ReportContext,
    graph: Option<NamedGraph<'_>>,
) -> Result<Exit, Failure> {
    if args.trace {
        trace::trace(args, context)
    } else if args.permissions {
        permissions::permissions(args, context)
    } else {
        tools::tools(args, context, graph)
    }
}

/// Visits the entries of the session that `--session` names, or of all sessions.
fn visit_entries(
    args: &InspectArgs,
    context: &ReportContext,
    mut visit: impl FnMut(&ParsedEntry) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let record = args.record.open_reader(&context.record)?;
    for_each_entry(&*record, |parsed| {
        let is_named = |named: &SessionName| parsed.about.is_in_session(named);
        if args.session.as_ref().is_none_or(is_named) { visit(&parsed) } else { Ok(()) }
    })
}
