//! `ledger query`: prints the entries that match.

use super::args::LedgerQueryArgs;
use super::filter::EntryFilter;
use super::follow::print_entries;
use super::line::EntryFormat;
use crate::record::ReportContext;
use countersign_console::{Exit, Failure, WaitResult};

pub(super) fn query(args: &LedgerQueryArgs, context: &ReportContext) -> Result<Exit, Failure> {
    let filter = EntryFilter::in_period(&args.filters, args.since, args.until, context.now());
    let format = if args.json { EntryFormat::Json } else { EntryFormat::Text };
    let record = args.record.open_reader(&context.record)?;
    let print = |entry: &_| format.print(entry);
    print_entries(&*record, &filter, args.last, print, || WaitResult::Interrupted)?;
    Ok(Exit::Allowed)
}
