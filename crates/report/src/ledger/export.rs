//! `ledger export`: the stored bytes with their hashes, one entry per line.

use super::args::LedgerExportArgs;
use super::line::export_json;
use crate::entries::scan_entries;
use crate::record::ReportContext;
use countersign_console::{Exit, Failure, out};

pub(super) fn export(args: &LedgerExportArgs, context: &ReportContext) -> Result<Exit, Failure> {
    let to = args.to.unwrap_or(u64::MAX);
    if to < args.from {
        return Err(Failure::usage(
            format!("entry {to} comes before entry {}", args.from),
            "give `--from` a number that is not greater than `--to`",
        ));
    }
    let record = args.record.open_reader(&context.record)?;
    scan_entries(&*record, args.from..=to, |entry| out::show_json(&export_json(&entry)))?;
    Ok(Exit::Allowed)
}
