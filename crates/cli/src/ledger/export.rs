//! `ledger export`: the stored bytes with their hashes, one entry per line.

use super::entries::pages;
use super::line::exact;
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
            "let `--from` be the smaller one",
        ));
    }
    let record = args.record.to_read(settings)?;
    pages(&*record, args.from..=to, |entry| out::show_json(&exact(&entry)))?;
    Ok(Exit::Allowed)
}
