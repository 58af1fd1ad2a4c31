//! `countersign inspect`: the history of permissions and tools, read from the ledger.

mod permissions;
mod question;
mod tool_usage;
mod tools;
mod trace;

pub(crate) use tool_usage::count_tools;

use crate::args::InspectArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ledger::{ParsedEntry, for_each_entry};
use crate::settings::Settings;
use countersign_core::model::names::SessionName;

pub(crate) fn inspect(args: &InspectArgs, settings: &Settings) -> Result<Exit, Failure> {
    if args.trace {
        trace::trace(args, settings)
    } else if args.permissions {
        permissions::permissions(args, settings)
    } else {
        tools::tools(args, settings)
    }
}

/// Visits the entries of the session that `--session` names, or of all sessions.
fn visit_entries(
    args: &InspectArgs,
    settings: &Settings,
    mut visit: impl FnMut(&ParsedEntry) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let record = args.record.open_reader(settings)?;
    for_each_entry(&*record, |parsed| {
        let is_named = |named: &SessionName| parsed.about.is_in_session(named);
        if args.session.as_ref().is_none_or(is_named) { visit(&parsed) } else { Ok(()) }
    })
}
