//! `ledger replay`: the state built anew from the ledger, against the state as it is stored.

use super::count;
use super::entries::pages;
use crate::args::LedgerReplayArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::page::{BOLD, GREEN, Page, RED};
use crate::settings::Settings;
use crate::{limits, out};
use countersign_core::state::State;
use countersign_engine::{Replay, StoreReader};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) fn replay(args: &LedgerReplayArgs, settings: &Settings) -> Result<Exit, Failure> {
    let replayed = Replayed::of(&*args.record.to_read(settings)?)?;
    if args.json {
        out::show_json(&replayed.json())?;
    } else {
        out::show(&replayed.page())?;
    }
    Ok(if replayed.holds() { Exit::Allowed } else { Exit::Failure })
}

struct Replayed {
    decided: countersign_engine::Replayed,
    differences: Vec<Difference>,
}

/// One row of the state that the ledger gives otherwise.
struct Difference {
    what: String,
    stored: Option<Value>,
    replayed: Option<Value>,
}

impl Replayed {
    fn of(record: &dyn StoreReader) -> Result<Self, Failure> {
        let (stored, head) = record.snapshot()?;
        let mut replay = Replay::new(record.key());
        // What was written after the snapshot is not in the stored state.
        let last = head.next.saturating_sub(1);
        pages(record, 1..=last, |entry| {
            replay.entry(&entry)?;
            Ok(())
        })?;
        let (state, decided) = replay.finish();
        let mut differences = differences(&stored, &state);
        let blurred: Vec<String> = decided.blurred.iter().map(|s| format!("session {s}")).collect();
        differences.retain(|difference| !blurred.contains(&difference.what));
        Ok(Self { decided, differences })
    }

    fn holds(&self) -> bool {
        self.differences.is_empty() && self.decided.different.is_empty()
    }

    /// Decisions that came out the same, and those about which nothing can be said.
    fn decisions(&self, page: &mut Page) {
        let countersign_engine::Replayed { same, not_replayable, different, .. } = &self.decided;
        if !different.is_empty() {
            page.styled(RED.bold(), "different").text(": other decisions in ");
            page.text(&places(different)).end();
        }
        page.text(&format!("{same} decided again with the same result"));
        if !not_replayable.is_empty() {
            let many = not_replayable.len();
            page.text(&format!(", {many} not replayable: arguments erased, or no graph kept"));
        }
        page.end();
        for session in &self.decided.blurred {
            let what = "holds what was erased in the ledger, and cannot be built anew";
            page.text(&format!("session {session} {what}")).end();
        }
    }

    fn page(&self) -> Page {
        let mut page = Page::new();
        let entries = count(self.decided.entries);
        if self.differences.is_empty() {
            page.styled(GREEN, "the same").text(": ");
            page.text(&format!("{entries} give the state that is stored")).end();
            self.decisions(&mut page);
            return page;
        }
        self.decisions(&mut page);
        page.styled(RED.bold(), "different").text(": ");
        let many = self.differences.len();
        let rows = if many == 1 { "1 row" } else { &format!("{many} rows") };
        page.text(&format!("{entries} give another state than is stored, in {rows}")).end();
        for one in self.differences.iter().take(limits::MAX_SHOWN_DIFFERENCES) {
            page.text("  ").styled(BOLD, &one.what).text(": ").text(&one.said()).end();
        }
        if many > limits::MAX_SHOWN_DIFFERENCES {
            page.text(&format!("  and {} more", many - limits::MAX_SHOWN_DIFFERENCES)).end();
        }
        page.text("  ").styled(BOLD, "help").text(": ");
        page.text("if `countersign ledger verify` finds the ledger intact, the stored state was ");
        page.text("changed by other means: keep a copy of it, and trust the ledger").end();
        page
    }

    fn json(&self) -> Value {
        let one = |one: &Difference| json!({"what": one.what, "stored": one.stored, "replayed": one.replayed});
        json!({
            "v": 1,
            "entries": self.decided.entries,
            "decisions": {
                "same": self.decided.same,
                "different": self.decided.different,
                "not_replayable": self.decided.not_replayable,
            },
            "sessions_not_replayable": self.decided.blurred,
            "differences": self.differences.iter().map(one).collect::<Vec<_>>(),
        })
    }
}

/// The first few places of entries.
fn places(seqs: &[u64]) -> String {
    let first: Vec<String> =
        seqs.iter().take(limits::MAX_SHOWN_DIFFERENCES).map(u64::to_string).collect();
    let more = seqs.len().saturating_sub(limits::MAX_SHOWN_DIFFERENCES);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("entry {}{rest}", first.join(", "))
}

impl Difference {
    fn said(&self) -> String {
        match (&self.stored, &self.replayed) {
            (Some(_), None) => "stored, and the ledger knows nothing of it".to_owned(),
            (None, Some(_)) => "not stored, and the ledger has it".to_owned(),
            (Some(stored), Some(replayed)) => {
                let fields = fields(stored, replayed);
                format!("another {}", fields.join(", "))
            }
            (None, None) => String::new(),
        }
    }
}

/// The fields in which two rows differ, with both values where they are short.
fn fields(stored: &Value, replayed: &Value) -> Vec<String> {
    let (Some(stored), Some(replayed)) = (stored.as_object(), replayed.as_object()) else {
        return vec![format!("value: stored {stored}, replayed {replayed}")];
    };
    let names = stored.keys().chain(replayed.keys().filter(|name| !stored.contains_key(*name)));
    names
        .filter(|name| stored.get(*name) != replayed.get(*name))
        .map(|name| {
            let of = |row: &serde_json::Map<String, Value>| {
                row.get(name).map_or_else(|| "nothing".to_owned(), ToString::to_string)
            };
            format!("{name}: stored {}, replayed {}", of(stored), of(replayed))
        })
        .collect()
}

fn differences(stored: &State, replayed: &State) -> Vec<Difference> {
    let (mut stored, mut replayed) = (rows(stored), rows(replayed));
    let names: Vec<String> = stored.keys().chain(replayed.keys()).cloned().collect();
    let mut found = BTreeMap::new();
    for what in names {
        let (one, other) = (stored.remove(&what), replayed.remove(&what));
        if one != other {
            let difference = Difference { what: what.clone(), stored: one, replayed: other };
            found.insert(what, difference);
        }
    }
    found.into_values().collect()
}

/// Everything in a state under a name of its own.
fn rows(state: &State) -> BTreeMap<String, Value> {
    // Taken apart by name, so that nothing new is forgotten here.
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
        notices,
        nodes,
    } = state;
    let mut rows = Rows::default();
    rows.put("session", sessions.iter());
    rows.put("grant", grants.iter().map(|grant| (grant.id, grant)));
    rows.put("request", requests.values().map(|request| (request.id, request)));
    rows.put("call", calls.iter());
    rows.put("run", runs.iter());
    rows.put("gesture", gestures.iter());
    rows.put("proposal", proposals.iter());
    rows.put("declined", declined.iter());
    rows.put("notice", notices.iter());
    rows.put("node", nodes.iter());
    rows.put("who", [("is paused", paused)]);
    rows.put("who", [("is present", presence)]);
    rows.put("graph", [("in force", graph)]);
    rows.0
}

#[derive(Default)]
struct Rows(BTreeMap<String, Value>);

impl Rows {
    fn put<K: ToString, V: Serialize>(
        &mut self,
        kind: &str,
        things: impl IntoIterator<Item = (K, V)>,
    ) {
        for (key, thing) in things {
            let value = serde_json::to_value(thing).unwrap_or(Value::Null);
            self.0.insert(format!("{kind} {}", key.to_string()), value);
        }
    }
}
