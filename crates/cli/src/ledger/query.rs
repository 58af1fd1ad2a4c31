//! `ledger query`: prints the entries that match.

use super::filter::EntryFilter;
use super::follow::print_entries;
use super::line::EntryFormat;
use crate::args::LedgerQueryArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::WaitResult;
use crate::settings::Settings;

pub(super) fn query(args: &LedgerQueryArgs, settings: &Settings) -> Result<Exit, Failure> {
    let filter = EntryFilter::in_period(&args.filters, args.since, args.until);
    let format = if args.json { EntryFormat::Json } else { EntryFormat::Text };
    let record = args.record.open_reader(settings)?;
    let print = |entry: &_| format.print(entry);
    print_entries(&*record, &filter, args.last, print, || WaitResult::Interrupted)?;
    Ok(Exit::Allowed)
}
