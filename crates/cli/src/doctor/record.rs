//! The record: whether it opens, its entries follow each other, and its time is not ahead of ours.

use super::Findings;
use crate::args;
use crate::clock::SystemClock;
use crate::failure::Failure;
use crate::ledger::pages;
use crate::settings::Settings;
use countersign_core::ledger::{Entry, Head, Verifier};
use countersign_core::model::time::{Span, Time};
use countersign_engine::{Clock, StoreReader};

/// Entries at the end of the ledger that are looked at in any case.
const TAIL: u64 = 1_000;
/// Clocks that differ by less are the same.
const APART: Span = Span::seconds(5);

pub(super) fn look(findings: &mut Findings, args: &args::DoctorArgs, settings: &Settings) {
    let record = match args.record.if_any(settings) {
        Ok(Some(record)) => record,
        Ok(None) => {
            let remedy = "`countersign serve` makes it";
            return findings.warn("record", "there is none yet", remedy);
        }
        Err(failure) => return findings.failed("record", &failure),
    };
    match verified(&*record, args) {
        Ok((text, last)) => {
            findings.fine("ledger", text);
            clock(findings, last);
        }
        Err(failure) => {
            let (text, _) = super::said(&failure);
            let remedy = "keep a copy as it is, and run `countersign ledger verify`";
            findings.problem("ledger", text, remedy);
        }
    }
}

/// How much was verified, and when the last entry was written.
fn verified(
    record: &dyn StoreReader,
    args: &args::DoctorArgs,
) -> Result<(String, Option<Time>), Failure> {
    let end = record.head()?;
    let last = end.next.saturating_sub(1);
    let first = if args.deep { 1 } else { last.saturating_sub(TAIL - 1).max(1) };
    let before = match first {
        1 => Head::empty(),
        first => {
            let found = record.read_entries(first - 1, 1)?;
            found.first().map_or(Head::empty(), Entry::head)
        }
    };
    let (mut verifier, mut written) = (Verifier::from(before), None);
    let mut seen = before;
    pages(record, first..=last.max(1), |entry| {
        verifier.entry(&entry)?;
        seen = entry.head();
        written = Some(entry.change()?.0);
        Ok(())
    })?;
    if args.deep {
        verifier.finish()?;
    }
    if seen != end {
        let message = format!("the ledger should end before entry {} and does not", end.next);
        return Err(Failure::new(message, ""));
    }
    let count = last + 1 - first.min(last + 1);
    Ok(match args.deep {
        true => (format!("all {count} entries follow each other, none was altered"), written),
        false => (format!("its last {count} entries follow each other, none was altered"), written),
    })
}

fn clock(findings: &mut Findings, last: Option<Time>) {
    let now = SystemClock.now();
    match last {
        Some(last) if last > now + APART => {
            let text = format!("it says {now}, and the record goes on until {last}");
            let remedy = "set it right: until then no time passes for what was granted";
            findings.problem("clock", text, remedy);
        }
        _ => findings.fine("clock", format!("it says {now}, and the record is not ahead of it")),
    }
}
