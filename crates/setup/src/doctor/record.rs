//! Checks that the record opens, its ledger is intact, and its time is not ahead of our clock.

use super::{DoctorArgs, DoctorReport};
use crate::context::SetupContext;
use crate::limits;
use countersign_console::Failure;
use countersign_core::model::time::Time;
use countersign_engine::StoreReader;
use countersign_ledger::{Entry, Head, Verifier};
use countersign_report::scan_entries;

pub(super) fn check_record(report: &mut DoctorReport, args: &DoctorArgs, context: &SetupContext) {
    if let Err(failure) = args.record.check_not_lost(&context.record) {
        return report.add_failure("record", &failure);
    }
    let record = match args.record.open_reader_if_present(&context.record) {
        Ok(Some(record)) => record,
        Ok(None) => {
            let remedy = "`countersign serve` creates it";
            return report.add_warning("record", "it does not exist yet", remedy);
        }
        Err(failure) => return report.add_failure("record", &failure),
    };
    match verify_ledger(&*record, args) {
        Ok((text, last)) => {
            report.add_ok("ledger", text);
            check_clock(report, last, context.now());
        }
        Err(failure) => {
            let (text, _) = super::describe_failure(&failure);
            let remedy = "copy the record, then run `countersign ledger verify`";
            report.add_problem("ledger", text, remedy);
        }
    }
}

/// A description of what was verified, and the time of the last entry.
fn verify_ledger(
    record: &dyn StoreReader,
    args: &DoctorArgs,
) -> Result<(String, Option<Time>), Failure> {
    let end = record.head()?;
    let last = end.next.saturating_sub(1);
    let first = if args.deep { 1 } else { last.saturating_sub(limits::DOCTOR_ENTRIES - 1).max(1) };
    let before = match first {
        1 => Head::empty(),
        first => {
            let entries = record.read_entries(first - 1, 1)?;
            entries.first().map_or(Head::empty(), Entry::head)
        }
    };
    let (mut verifier, mut last_at) = (Verifier::from(before), None);
    let mut head = before;
    scan_entries(record, first..=last.max(1), |entry| {
        verifier.entry(&entry)?;
        head = entry.head();
        last_at = Some(entry.change()?.0);
        Ok(())
    })?;
    if args.deep {
        verifier.finish()?;
    }
    if head != end {
        let message =
            format!("the ledger does not end before entry {}, as its head says", end.next);
        return Err(Failure::new(message, ""));
    }
    let count = last + 1 - first.min(last + 1);
    let which = if args.deep { "all" } else { "the last" };
    Ok((format!("{which} {count} entries are intact"), last_at))
}

fn check_clock(report: &mut DoctorReport, last: Option<Time>, now: Time) {
    match last {
        Some(last) if last > now + limits::MAX_CLOCK_SKEW => {
            let text = format!("it shows {now}, but the last entry is from {last}");
            let remedy = "correct the clock: until then, no grant expires";
            report.add_problem("clock", text, remedy);
        }
        _ => report.add_ok("clock", format!("it shows {now}; the record is not ahead of it")),
    }
}
