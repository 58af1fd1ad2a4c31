//! `countersign ledger`: verifies, prints, exports, replays and erases. No daemon is needed.

mod entries;
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

pub(crate) use entries::{ParsedEntry, for_each_entry, scan_entries};
pub(crate) use filter::EntryFilter;
pub(crate) use follow::print_entries;
pub(crate) use line::entry_json;
pub(crate) use time_arg::TimeArg;

use crate::args::LedgerCommand;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;

pub(crate) fn run(command: &LedgerCommand, settings: &Settings) -> Result<Exit, Failure> {
    match command {
        LedgerCommand::Verify(args) => verify::verify(args, settings),
        LedgerCommand::Show(args) => show::show(args, settings),
        LedgerCommand::Query(args) => query::query(args, settings),
        LedgerCommand::Follow(args) => follow::follow(args, settings),
        LedgerCommand::Export(args) => export::export(args, settings),
        LedgerCommand::Replay(args) => replay::replay(args, settings),
        LedgerCommand::Erase(args) => erase::erase(args, settings),
    }
}

/// `1 entry`, `2 entries`.
fn count_entries(count: u64) -> String {
    match count {
        1 => "1 entry".to_owned(),
        _ => format!("{count} entries"),
    }
}
