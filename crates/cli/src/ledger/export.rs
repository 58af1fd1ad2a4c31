//! `ledger export`: the stored bytes with their hashes, one entry per line.

use super::entries::scan_entries;
use super::line::export_json;
use crate::args::LedgerExportArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use crate::settings::Settings;

pub(super) fn export(args: &LedgerExportArgs, settings: &Settings) -> Result<Exit, Failure> {
    let to = args.to.unwrap_or(u64::MAX);
    if to < args.from {
        return Err(Failure::usage(
            format!("entry {to} comes before entry {}", args.from),
            "give `--from` a number that is not greater than `--to`",
        ));
    }
    let record = args.record.open_reader(settings)?;
    scan_entries(&*record, args.from..=to, |entry| out::show_json(&export_json(&entry)))?;
    Ok(Exit::Allowed)
}
