//! Reading what happened: the record, and what `ledger`, `log`, `why`, `review` and `inspect` say about it.
//!
//! Each command stands beside its arguments. Nothing is decided again, and no daemon is needed. The
//! binary passes in where the record is and which clock counts.

mod entries;
mod entry_text;
mod inspect;
mod ledger;
mod limits;
mod log;
mod packet;
mod record;
mod review;
mod why;

pub use entries::scan_entries;
pub use entry_text::{describe_source, join_actions};
pub use inspect::{InspectArgs, NamedGraph, count_tools, inspect};
pub use ledger::{LedgerCommand, LedgerVerifyArgs, LocalDay, TimeArg, ledger};
pub use log::{LogArgs, log};
pub use packet::{PacketEntries, collect_packet_entries, redact_packet};
pub use record::{RecordDefaults, RecordOption, ReportContext, StoreChoice};
pub use review::{ReviewArgs, review};
pub use why::{DecisionQuery, WhyArgs, explain_decision, why};
