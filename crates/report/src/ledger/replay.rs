//! `ledger replay`: rebuilds the state from the ledger and compares it with the stored state.

use super::args::LedgerReplayArgs;
use super::count_entries;
use crate::entries::scan_entries;
use crate::limits;
use crate::record::ReportContext;
use countersign_console::{BOLD, Exit, Failure, GREEN, Page, RED, out};
use countersign_core::state::State;
use countersign_engine::{Replay, StoreReader};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn replay(args: &LedgerReplayArgs, context: &ReportContext) -> Result<Exit, Failure> {
    let comparison = ReplayComparison::run(&*args.record.open_reader(&context.record)?)?;
    if args.json {
        out::show_json(&comparison.json())?;
    } else {
        out::show(&comparison.page())?;
    }
    Ok(if comparison.is_same() { Exit::Allowed } else { Exit::Failure })
}

struct ReplayComparison {
    replayed: countersign_engine::ReplayReport,
    differences: Vec<RowDifference>,
}

/// A row of the state in which the stored state differs from the replayed one.
struct RowDifference {
    row: String,
    stored: Option<Value>,
    replayed: Option<Value>,
}

impl ReplayComparison {
    fn run(record: &dyn StoreReader) -> Result<Self, Failure> {
        let (stored, head) = record.snapshot()?;
        let mut replay = Replay::new(record.key());
        // Entries that were written after the snapshot are not in the stored state.
        let last = head.next.saturating_sub(1);
        scan_entries(record, 1..=last, |entry| {
            replay.add_entry(&entry)?;
            Ok(())
        })?;
        let (state, replayed) = replay.finish();
        let mut differences = compare_states(&stored, &state);
        let is_erased = |row: &str| {
            replayed.partly_erased.iter().any(|s| row == format!("session {}", s.qualified_name()))
        };
        differences.retain(|difference| !is_erased(&difference.row));
        Ok(Self { replayed, differences })
    }

    fn is_same(&self) -> bool {
        self.differences.is_empty() && self.replayed.different.is_empty()
    }

    fn add_decisions(&self, page: &mut Page) {
        let countersign_engine::ReplayReport { same, not_replayable, different, .. } =
            &self.replayed;
        if !different.is_empty() {
            page.styled(RED.bold(), "different").text(": the replay decided otherwise at ");
            page.text(&list_positions(different)).end();
        }
        page.text(&format!("decisions with the same result: {same}")).end();
        if !not_replayable.is_empty() {
            let count = not_replayable.len();
            let why = "their arguments were erased, or their graph was not recorded";
            page.text(&format!("decisions that cannot be replayed: {count}; {why}")).end();
        }
        for session in &self.replayed.partly_erased {
            let why = "contains erased text, so its state cannot be rebuilt";
            page.text(&format!("session {} {why}", session.qualified_name())).end();
        }
    }

    fn page(&self) -> Page {
        let mut page = Page::new();
        let entries = count_entries(self.replayed.entries);
        if self.differences.is_empty() {
            page.styled(GREEN, "the same").text(": ");
            page.text(&format!("a replay of {entries} gives the stored state")).end();
            self.add_decisions(&mut page);
            return page;
        }
        self.add_decisions(&mut page);
        page.styled(RED.bold(), "different").text(": ");
        let count = self.differences.len();
        let rows = if count == 1 { "1 row" } else { &format!("{count} rows") };
        page.text(&format!("a replay of {entries} differs from the stored state in {rows}")).end();
        for difference in self.differences.iter().take(limits::MAX_SHOWN_DIFFERENCES) {
            let (row, text) = (&difference.row, difference.describe());
            page.text("  ").styled(BOLD, row).text(": ").text(&text).end();
        }
        if count > limits::MAX_SHOWN_DIFFERENCES {
            page.text(&format!("  and {} more", count - limits::MAX_SHOWN_DIFFERENCES)).end();
        }
        page.text("  ").styled(BOLD, "help").text(": ");
        page.text("run `countersign ledger verify`; if the ledger is intact, another program ");
        page.text("changed the stored state: copy the record, and trust the ledger").end();
        page
    }

    fn json(&self) -> Value {
        let difference_json = |difference: &RowDifference| {
            let RowDifference { row, stored, replayed } = difference;
            json!({"row": row, "stored": stored, "replayed": replayed})
        };
        json!({
            "v": 1,
            "entries": self.replayed.entries,
            "decisions": {
                "same": self.replayed.same,
                "different": self.replayed.different,
                "not_replayable": self.replayed.not_replayable,
            },
            "sessions_not_replayable": self.replayed.partly_erased,
            "differences": self.differences.iter().map(difference_json).collect::<Vec<_>>(),
        })
    }
}

fn list_positions(positions: &[u64]) -> String {
    let first: Vec<String> =
        positions.iter().take(limits::MAX_SHOWN_DIFFERENCES).map(u64::to_string).collect();
    let more = positions.len().saturating_sub(limits::MAX_SHOWN_DIFFERENCES);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("entry {}{rest}", first.join(", "))
}

impl RowDifference {
    fn describe(&self) -> String {
        match (&self.stored, &self.replayed) {
            (Some(_), None) => "stored, but not in the ledger".to_owned(),
            (None, Some(_)) => "in the ledger, but not stored".to_owned(),
            (Some(stored), Some(replayed)) => compare_fields(stored, replayed).join(", "),
            (None, None) => String::new(),
        }
    }
}

/// The fields in which two rows differ, each with both values.
fn compare_fields(stored: &Value, replayed: &Value) -> Vec<String> {
    let (Some(stored), Some(replayed)) = (stored.as_object(), replayed.as_object()) else {
        return vec![format!("stored {stored}, replayed {replayed}")];
    };
    let names = stored.keys().chain(replayed.keys().filter(|name| !stored.contains_key(*name)));
    names
        .filter(|name| stored.get(*name) != replayed.get(*name))
        .map(|name| {
            let value = |row: &serde_json::Map<String, Value>| {
                row.get(name).map_or_else(|| "nothing".to_owned(), ToString::to_string)
            };
            format!("{name}: stored {}, replayed {}", value(stored), value(replayed))
        })
        .collect()
}

fn compare_states(stored: &State, replayed: &State) -> Vec<RowDifference> {
    let (mut stored, mut replayed) = (state_rows(stored), state_rows(replayed));
    let names: BTreeSet<String> = stored.keys().chain(replayed.keys()).cloned().collect();
    let compare = |row: String| {
        let (stored, replayed) = (stored.remove(&row), replayed.remove(&row));
        (stored != replayed).then_some(RowDifference { row, stored, replayed })
    };
    names.into_iter().filter_map(compare).collect()
}

/// Every object of a state, by a unique name.
fn state_rows(state: &State) -> BTreeMap<String, Value> {
    // Destructured, so that a new field of the state cannot be forgotten here.
    let State {
        sessions,
        paused,
        presence,
        graph,
        grants,
        requests,
        calls,
        runs,
        gestures,
        proposals,
        declined,
        carried_over,
        notices,
        nodes,
    } = state;
    let mut rows = StateRows::default();
    rows.add("session", sessions.iter().map(|(key, row)| (key.qualified_name(), row)));
    rows.add("grant", grants.iter().map(|grant| (grant.id, grant)));
    rows.add("request", requests.values().map(|request| (request.id, request)));
    rows.add("call", calls.iter());
    rows.add("run", runs.iter());
    rows.add("gesture", gestures.iter());
    rows.add("proposal", proposals.iter());
    rows.add("declined", declined.iter());
    rows.add("carried over", carried_over.iter());
    rows.add("notice", notices.iter());
    rows.add("node", nodes.iter());
    rows.add("paused", [("agents", paused)]);
    rows.add("operator", [("presence", presence)]);
    rows.add("graph", [("in force", graph)]);
    rows.0
}

#[derive(Default)]
struct StateRows(BTreeMap<String, Value>);

impl StateRows {
    fn add<K: ToString, V: Serialize>(
        &mut self,
        kind: &str,
        objects: impl IntoIterator<Item = (K, V)>,
    ) {
        for (key, object) in objects {
            let value = serde_json::to_value(object).unwrap_or(Value::Null);
            self.0.insert(format!("{kind} {}", key.to_string()), value);
        }
    }
}
