//! The page of one call: what became of it, why, and its cards.

use super::page_state::{PageState, show_missing};
use super::record::{DecidedEntry, build_row, find_answer, read_decision, requests_of};
use super::respond::page_response;
use super::visit::Visit;
use crate::error::ApiError;
use crate::limits;
use axum::http::StatusCode;
use axum::response::Response;
use countersign_card::CardContext;
use countersign_core::decide::explain;
use countersign_core::model::call::Call;
use countersign_core::model::change::{Attempt, Change, Kind};
use countersign_core::model::decision::Decision;
use countersign_core::model::delivery::Extent;
use countersign_core::model::ids::CallId;
use countersign_core::model::time::{Span, Time};
use countersign_dashboard::{CallPage, PageName};
use countersign_engine::EngineError;
use countersign_host::HostEngine;
use countersign_ledger::Entry;

/// A call's decisions, the first with the call.
struct Decisions {
    first: DecidedEntry,
    later: Vec<Decision>,
}

pub(super) async fn show_call(
    visit: &Visit,
    page: &PageState<'_>,
    id: CallId,
) -> Result<Response, ApiError> {
    let found = visit.daemon.run(move |engine| find_decisions(engine, id)).await?;
    let Some(Decisions { first, later }) = found else { return show_missing(page) };
    let state = visit.daemon.run(move |engine| engine.read_calls([id])).await?;
    let record = state.calls.get(&id).cloned();
    let answer = {
        let record = record.clone();
        visit.daemon.run(move |engine| find_answer(engine, record.as_ref())).await?
    };
    let graph = visit.daemon.graph()?;
    let context = CardContext { graph: graph.as_deref(), state: &state, now: visit.now };
    let row = build_row(context, &first, record.as_ref(), answer);
    let mut shown = Vec::new();
    for request in requests_of(record.as_ref()) {
        // What this page shows is beside its explanation, so it is not the whole call.
        shown.push(visit.show_request(request, Extent::Part).await?);
    }
    let frame = page.frame(PageName::Record, row.what.clone());
    let last = later.last().unwrap_or(&first.decision);
    let page = CallPage {
        frame: &frame,
        row,
        facts: list_facts(&first.call),
        verdicts: explain::lines(&first.decision)
            .into_iter()
            .chain(later.iter().flat_map(explain::lines))
            .collect(),
        nearest: explain::nearest(last),
        panels: shown.iter().map(|shown| shown.panel(&frame, None)).collect(),
    };
    page_response(StatusCode::OK, &page)
}

fn list_facts(call: &Call) -> Vec<(String, String)> {
    let mut facts = vec![
        ("agent".to_owned(), call.agent.to_string()),
        ("session".to_owned(), call.session.name().to_owned()),
    ];
    let mut add = |name: &str, value: Option<String>| {
        facts.extend(value.filter(|value| !value.is_empty()).map(|value| (name.to_owned(), value)));
    };
    add("project", call.project.as_ref().map(ToString::to_string));
    add("tool", call.tool.as_ref().map(ToString::to_string));
    add("command", call.command.as_ref().map(ToString::to_string));
    add("folder", call.cwd.clone());
    let actions: Vec<&str> = call.actions.iter().map(|action| action.as_str()).collect();
    add("actions", Some(actions.join(", ")));
    add("target", Some(call.named_targets().join(", ")));
    add("agent says", Some(call.claims.reason.clone()));
    add("call", Some(call.id.to_string()));
    add("digest", Some(call.digest.to_string()));
    facts
}

/// Finds a call's decisions. Its id tells when it was made, and the entries are in order of time.
fn find_decisions(engine: &HostEngine, id: CallId) -> Result<Option<Decisions>, EngineError> {
    let Some(made_at) = creation_time(id) else { return Ok(None) };
    let from = find_position(engine, made_at + Span::seconds(-1))?;
    let (mut first, mut later, mut next) = (None, Vec::new(), from);
    let text = id.to_string();
    let mut looked_at = 0;
    while looked_at < limits::CALL_SCAN {
        let entries = engine.read_entries(next, limits::RECORD_CHUNK)?;
        let Some(last) = entries.last() else { break };
        next = last.seq.saturating_add(1);
        looked_at += entries.len();
        let decided = entries.iter().filter(|entry| entry.kind == Kind::CallDecided);
        for entry in decided.filter(|entry| entry.bytes.contains(&text)) {
            match (&first, read_decision(entry)) {
                (None, Some(decided)) if decided.call.id == id => first = Some(decided),
                _ => later.extend(read_later_decision(entry, id)),
            }
        }
    }
    Ok(first.map(|first| Decisions { first, later }))
}

fn read_later_decision(entry: &Entry, id: CallId) -> Option<Decision> {
    match entry.change().ok()?.1 {
        Change::CallDecided { attempt: Attempt::Retry(call), decision, .. } if call == id => {
            Some(decision)
        }
        _ => None,
    }
}

/// The first 48 bits of an id are milliseconds.
fn creation_time(id: CallId) -> Option<Time> {
    let key = id.to_key();
    let millis = i64::from_str_radix(key.strip_prefix(CallId::LETTER)?.get(..12)?, 16).ok()?;
    Some(Time::from_micros(millis.saturating_mul(1_000)))
}

/// The first entry at an instant or later.
fn find_position(engine: &HostEngine, wanted: Time) -> Result<u64, EngineError> {
    let (mut low, mut high) = (1, engine.ledger_head()?.next);
    while low < high {
        let middle = low + (high - low) / 2;
        let entries = engine.read_entries(middle, 1)?;
        let at = entries.first().and_then(|entry| entry.change().ok()).map(|(at, _)| at);
        match at.is_some_and(|at| at < wanted) {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    Ok(low)
}
