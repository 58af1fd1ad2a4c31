//! *Record*: the ledger read backwards, one row for each call, and the check of its chain.
//!
//! A row begins with the call's first decision. What became of the call comes from the state, so a row
//! is right also if its answer is many entries later.

use super::page_state::PageState;
use super::respond::page_response;
use super::visit::Visit;
use crate::error::ApiError;
use crate::limits;
use axum::http::StatusCode;
use axum::response::Response;
use countersign_api::Timestamp;
use countersign_card::{CardContext, DisplayText, describe_call, escape_for_display};
use countersign_core::decide::explain;
use countersign_core::model::call::Call;
use countersign_core::model::change::{Attempt, Change, Kind};
use countersign_core::model::decision::Decision;
use countersign_core::model::ids::RequestId;
use countersign_core::model::request::{Request, RequestState};
use countersign_core::model::time::Time;
use countersign_core::model::words::{Effect, Ending, Outcome, Risk};
use countersign_core::state::{CallRecord, CallState};
use countersign_dashboard::{PageName, RecordFilter, RecordListPage, RecordRow, RowState};
use countersign_host::HostEngine;
use countersign_ledger::{Entry, Head, Verifier};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

/// A call as its first decision records it.
pub(super) struct DecidedEntry {
    pub seq: u64,
    pub at: Time,
    pub call: Arc<Call>,
    pub decision: Decision,
}

/// Part of the ledger, looked through from its end.
#[derive(Default)]
pub(super) struct Scan {
    pub rows: Vec<RecordRow>,
    looked_at: usize,
    pub back_to: Option<Time>,
    /// Entries before this were not looked at.
    next: u64,
}

/// A filter in a form that rows are compared with.
pub(super) struct RecordMatcher {
    text: String,
    agent: String,
    session: String,
    action: String,
    state: Option<RowState>,
    risk: Option<Risk>,
    asked: bool,
}

impl RecordMatcher {
    /// An error names the field that cannot be used.
    pub fn parse(filter: &RecordFilter) -> Result<Self, String> {
        let state = match filter.state.as_str() {
            "" => None,
            word => {
                let known = RowState::ALL.into_iter().find(|state| state.word() == word);
                Some(known.ok_or_else(|| {
                    format!("`{}` is no outcome; the list has them all", escape_for_display(word))
                })?)
            }
        };
        let risk = match filter.risk.as_str() {
            "" => None,
            word => Some(Risk::from_word(word).ok_or_else(|| {
                format!("`{}` is no risk; the list has them all", escape_for_display(word))
            })?),
        };
        Ok(Self {
            text: filter.text.trim().to_lowercase(),
            agent: filter.agent.trim().to_owned(),
            session: filter.session.trim().to_owned(),
            action: filter.action.trim().to_owned(),
            state,
            risk,
            asked: filter.asked,
        })
    }

    /// What can be told from the bytes of an entry, before they are parsed.
    fn may_match(&self, entry: &Entry) -> bool {
        // A session can be named with its agent; an entry holds the two apart.
        let session = self.session.rsplit('/').next().unwrap_or_default();
        [self.agent.as_str(), session, &self.action]
            .iter()
            .all(|name| name.is_empty() || entry.bytes.contains(name))
    }

    fn matches_call(&self, call: &Call) -> bool {
        let session = call.session.qualified_name();
        let is_session = self.session.is_empty()
            || call.session.name() == self.session
            || session == self.session;
        let is_agent = self.agent.is_empty() || call.agent.as_str() == self.agent;
        let is_action = self.action.is_empty()
            || call.actions.iter().any(|action| action.as_str().starts_with(&self.action));
        is_session && is_agent && is_action
    }

    fn matches_row(&self, row: &RecordRow) -> bool {
        let contains = |text: &str| text.to_lowercase().contains(&self.text);
        (self.text.is_empty()
            || contains(&row.what)
            || contains(&row.why)
            || contains(&row.agent)
            || contains(&row.session))
            && self.state.is_none_or(|state| row.state == state)
            && self.risk.is_none_or(|risk| row.risk >= risk)
            && (!self.asked || row.asked)
    }
}

impl Visit {
    pub(super) async fn show_record(&self, page: &PageState<'_>) -> Result<Response, ApiError> {
        let get = |name| page.query.get(name).to_owned();
        let filter = RecordFilter {
            agent: get("agent"),
            session: get("session"),
            state: get("state"),
            risk: get("risk"),
            action: get("action"),
            text: get("text"),
            asked: !page.query.get("asked").is_empty(),
        };
        let head = self.daemon.run(|engine| engine.ledger_head()).await?.next;
        let before = page.query.get("before").parse().unwrap_or(head).min(head);
        let (scan, problem) = match RecordMatcher::parse(&filter) {
            Ok(wanted) => (self.scan(wanted, before).await?, None),
            Err(problem) => (Scan::default(), Some(problem)),
        };
        let status = if problem.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
        let frame = page.frame(PageName::Record, "");
        let page = RecordListPage {
            frame: &frame,
            rows: scan.rows,
            filter,
            problem,
            older: Some(scan.next).filter(|next| *next > 1),
            looked_at: scan.looked_at,
            back_to: scan.back_to.map(Timestamp),
            entries: head.saturating_sub(1),
            verified: self.describe_verified(head),
        };
        page_response(status, &page)
    }

    /// Looks back from a position, until a page is full or enough was looked through.
    pub(super) async fn scan(&self, wanted: RecordMatcher, before: u64) -> Result<Scan, ApiError> {
        let graph = self.daemon.graph()?;
        let now = self.now;
        let wanted = Arc::new(wanted);
        let mut scan = Scan { next: before, ..Scan::default() };
        while scan.next > 1
            && scan.rows.len() < limits::RECORD_ROWS
            && scan.looked_at < limits::MAX_RECORD_SCAN
        {
            let from = scan.next.saturating_sub(limits::RECORD_CHUNK as u64).max(1);
            let count = usize::try_from(scan.next - from).unwrap_or(limits::RECORD_CHUNK);
            let (graph, wanted) = (graph.clone(), Arc::clone(&wanted));
            let room = limits::RECORD_ROWS - scan.rows.len();
            let found = self.daemon.run(move |engine| {
                let context = RowContext { graph: graph.as_deref(), now, room };
                read_rows(engine, (from, count), context, &wanted)
            });
            let (rows, stopped_at, oldest) = found.await?;
            scan.rows.extend(rows);
            scan.looked_at += count;
            scan.back_to = oldest.or(scan.back_to);
            scan.next = stopped_at.unwrap_or(from);
        }
        Ok(scan)
    }

    fn describe_verified(&self, head: u64) -> Option<String> {
        let verified = self.dashboard().verified.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, reached) = verified.as_ref()?;
        let count = reached.next.saturating_sub(1);
        (reached.next == head).then(|| format!("All {count} are verified: the chain is intact."))
    }

    /// Verifies what came since the last check. Every check starts at the first entry once.
    pub(super) async fn verify_chain(&self) -> Result<String, ApiError> {
        let start = || (Verifier::from(Head::empty()), Head::empty());
        let known = self.dashboard().verified.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (mut verifier, mut reached) = known.unwrap_or_else(start);
        loop {
            let from = reached.next;
            let step = self.daemon.run(move |engine| {
                let entries = engine.read_entries(from, limits::VERIFY_CHUNK)?;
                let checked = entries.iter().try_for_each(|entry| verifier.entry(entry));
                Ok((verifier, entries.last().map(Entry::head), entries.len(), checked))
            });
            let (next, last, count, checked) = step.await?;
            if let Err(error) = checked {
                let what = format!("the record is damaged: {error}");
                return Err(ApiError::unavailable(what, "run `countersign ledger verify`"));
            }
            verifier = next;
            reached = last.unwrap_or(reached);
            if count < limits::VERIFY_CHUNK {
                break;
            }
        }
        if let Err(error) = verifier.clone().finish() {
            let what = format!("the record is damaged: {error}");
            return Err(ApiError::unavailable(what, "run `countersign ledger verify`"));
        }
        let count = reached.next.saturating_sub(1);
        *self.dashboard().verified.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((verifier, reached));
        Ok(format!("All {count} entries are verified: the chain is intact."))
    }
}

/// What rows are worded with.
#[derive(Clone, Copy)]
struct RowContext<'a> {
    graph: Option<&'a countersign_core::model::graph::Graph>,
    now: Time,
    room: usize,
}

type FoundRows = (Vec<RecordRow>, Option<u64>, Option<Time>);

/// The rows of a range, the newest first. If they do not all fit, also where the rest begins.
fn read_rows(
    engine: &HostEngine,
    (from, count): (u64, usize),
    context: RowContext<'_>,
    wanted: &RecordMatcher,
) -> Result<FoundRows, countersign_engine::EngineError> {
    let entries = engine.read_entries(from, count)?;
    let decided: Vec<DecidedEntry> = entries
        .iter()
        .rev()
        .filter(|entry| entry.kind == Kind::CallDecided && wanted.may_match(entry))
        .filter_map(read_decision)
        .filter(|decided| wanted.matches_call(&decided.call))
        .collect();
    let oldest = decided.last().map(|decided| decided.at);
    let state = engine.read_calls(decided.iter().map(|decided| decided.call.id))?;
    let (mut rows, mut stopped_at) = (Vec::new(), None);
    for decided in &decided {
        if rows.len() >= context.room {
            stopped_at = Some(decided.seq.saturating_add(1));
            break;
        }
        let record = state.calls.get(&decided.call.id);
        let answer = find_answer(engine, record)?;
        let cards = CardContext { graph: context.graph, state: &state, now: context.now };
        let row = build_row(cards, decided, record, answer);
        if wanted.matches_row(&row) {
            rows.push(row);
        }
    }
    Ok((rows, stopped_at, oldest))
}

pub(super) fn read_decision(entry: &Entry) -> Option<DecidedEntry> {
    let (at, change) = entry.change().ok()?;
    match change {
        Change::CallDecided { attempt: Attempt::First(call), decision, .. } => {
            Some(DecidedEntry { seq: entry.seq, at, call, decision })
        }
        _ => None,
    }
}

/// How the last request about a call ended.
pub(super) fn find_answer(
    engine: &HostEngine,
    record: Option<&CallRecord>,
) -> Result<Option<String>, countersign_engine::EngineError> {
    let Some(id) = record.and_then(|record| record.requests.last().copied()) else {
        return Ok(None);
    };
    let state = engine.read_request(id)?;
    Ok(state.requests.get(&id).and_then(describe_request_end))
}

fn describe_request_end(request: &Request) -> Option<String> {
    let chosen = request.items.iter().find_map(|item| item.answer);
    let note = match request.note.as_str() {
        "" => String::new(),
        note => format!(": \"{}\"", escape_for_display(note)),
    };
    match (request.state, chosen) {
        (RequestState::Closed(Ending::Approved), Some(choice)) => {
            Some(format!("you allowed it: {choice}{note}"))
        }
        (RequestState::Closed(Ending::Approved), None) => Some(format!("you allowed it{note}")),
        (RequestState::Closed(Ending::Declined), _) => Some(format!("you declined it{note}")),
        (RequestState::Closed(Ending::Expired), _) => Some("nobody answered in time".to_owned()),
        (RequestState::Closed(Ending::Cancelled), _) => Some("it was cancelled".to_owned()),
        (RequestState::Open, _) => None,
    }
}

pub(super) fn build_row(
    context: CardContext<'_>,
    decided: &DecidedEntry,
    record: Option<&CallRecord>,
    answer: Option<String>,
) -> RecordRow {
    let call = record.map_or(&decided.call, |record| &record.call);
    let verdicts = &decided.decision.verdicts;
    let action = verdicts.first().map(|verdict| &verdict.action).or(call.actions.first());
    let what = action.map_or_else(
        || DisplayText::from_untrusted("a call"),
        |action| describe_call(context, call, action),
    );
    let asked = decided.decision.outcome == Outcome::Ask;
    let sentence = explain::operator_sentence(&decided.decision);
    let risk = verdicts.iter().map(|verdict| verdict.risk).max().unwrap_or(Risk::High);
    RecordRow {
        call: call.id,
        at: Timestamp(decided.at),
        state: record.map_or_else(|| state_of(&decided.decision), |record| row_state(record.state)),
        risk,
        what: what.to_string(),
        agent: escape_for_display(call.agent.as_str()),
        session: escape_for_display(call.session.name()),
        why: match answer {
            Some(answer) => escape_for_display(&format!("{answer}; asked because {sentence}")),
            None => escape_for_display(&sentence),
        },
        asked,
    }
}

fn state_of(decision: &Decision) -> RowState {
    match decision.outcome {
        Outcome::Allow | Outcome::Notify => RowState::Allowed,
        Outcome::Ask => RowState::Waiting,
        Outcome::Deny => RowState::Denied,
    }
}

fn row_state(state: CallState) -> RowState {
    match state {
        CallState::Parked => RowState::Waiting,
        CallState::Approved | CallState::Executing | CallState::Ended(Effect::Done) => {
            RowState::Allowed
        }
        CallState::Ended(
            Effect::Failed | Effect::Nothing | Effect::Forbidden | Effect::Unknown,
        ) => RowState::Failed,
        CallState::Denied | CallState::Stopped => RowState::Denied,
        CallState::Declined => RowState::Declined,
        CallState::Expired => RowState::Expired,
        CallState::Cancelled => RowState::Cancelled,
    }
}

/// The requests about a call, in the order in which they were opened.
pub(super) fn requests_of(record: Option<&CallRecord>) -> Vec<RequestId> {
    let requests = record.map_or(&[][..], |record| record.requests.as_slice());
    let by_id: BTreeMap<RequestId, ()> = requests.iter().map(|id| (*id, ())).collect();
    by_id.into_keys().collect()
}
