//! `countersign ledger`: verifies, prints, exports, replays and erases. No daemon is needed.

mod args;
mod erase;
mod export;
mod filter;
mod follow;
mod line;
mod query;
mod replay;
mod show;
mod time_arg;
mod verify;

pub use args::{LedgerCommand, LedgerVerifyArgs};
pub use time_arg::{LocalDay, TimeArg};

pub(crate) use args::FilterArgs;
pub(crate) use filter::{EntryFilter, KnownNames};
pub(crate) use follow::print_entries;
pub(crate) use line::entry_json;

use crate::record::ReportContext;
use countersign_console::{Exit, Failure};

pub fn ledger(command: &LedgerCommand, context: ReportContext) -> Result<Exit, Failure> {
    match command {
        LedgerCommand::Verify(args) => verify::verify(args, &context),
        LedgerCommand::Show(args) => show::show(args, &context),
        LedgerCommand::Query(args) => query::query(args, &context),
        LedgerCommand::Follow(args) => follow::follow(args, &context),
        LedgerCommand::Export(args) => export::export(args, &context),
        LedgerCommand::Replay(args) => replay::replay(args, &context),
        LedgerCommand::Erase(args) => erase::erase(args, context),
    }
}

/// `1 entry`, `2 entries`.
fn count_entries(count: u64) -> String {
    match count {
        1 => "1 entry".to_owned(),
        _ => format!("{count} entries"),
    }
}
