//! `countersign ledger`: is it intact, what does it say, and does the state follow from it.

mod entries;
mod erase;
mod export;
mod filter;
mod follow;
mod line;
mod query;
mod replay;
mod show;
mod verify;
mod when;

pub(crate) use entries::{Seen, each, pages};
pub(crate) use filter::Filter;
pub(crate) use follow::EVERY;
pub(crate) use line::json_line;
pub(crate) use when::When;

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
fn count(number: u64) -> String {
    match number {
        1 => "1 entry".to_owned(),
        several => format!("{several} entries"),
    }
}
