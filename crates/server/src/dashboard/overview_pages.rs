//! *Sessions* and *Insights*: the last entries of the ledger, counted.

use super::page_state::{PageState, show_missing};
use super::record::{RecordMatcher, build_row, read_decision};
use super::respond::page_response;
use super::visit::Visit;
use crate::error::ApiError;
use crate::extract::QueryParams;
use crate::limits;
use crate::operator::{sessions, suggestions};
use axum::Json;
use axum::http::StatusCode;
use axum::response::Response;
use countersign_api::{SessionsResponse, SuggestionsQuery, Timestamp};
use countersign_card::CardContext;
use countersign_core::model::change::{Attempt, Change, Kind, Timing};
use countersign_core::model::graph::Graph;
use countersign_core::model::ids::RequestId;
use countersign_core::model::names::SessionName;
use countersign_core::model::time::{Span, Time};
use countersign_core::model::words::{Ending, Outcome};
use countersign_dashboard::{
    AnswerFigures, DayFigures, InsightsPage, Lane, LaneMark, PageName, RecordFilter, SessionPage,
    SessionsPage,
};
use countersign_engine::{EngineError, SessionOwner};
use countersign_host::HostEngine;
use countersign_ledger::Entry;
use std::collections::BTreeMap;

pub(super) async fn show_sessions(
    visit: &Visit,
    page: &PageState<'_>,
) -> Result<Response, ApiError> {
    let (graph, now) = (visit.daemon.graph()?, visit.now);
    let lanes = visit.daemon.run(move |engine| read_lanes(engine, graph.as_deref(), now));
    let mut lanes = lanes.await?;
    let Json(SessionsResponse { sessions: open }) = sessions::list_sessions(visit.plane()).await?;
    for lane in &mut lanes {
        lane.is_open =
            open.iter().any(|view| lane.session == format!("{}/{}", view.agent, view.session));
    }
    let marks = lanes.iter().flat_map(|lane| &lane.marks);
    let first = marks.map(|mark| mark.at).min().unwrap_or(now);
    // On a shorter axis, everything would be "just now".
    let from = first.min(now + Span::minutes(-10));
    let frame = page.frame(PageName::Sessions, "");
    page_response(StatusCode::OK, &SessionsPage { frame: &frame, lanes, open, from })
}

/// `name` is `AGENT/NAME`, as addresses write it.
pub(super) async fn show_session(
    visit: &Visit,
    page: &PageState<'_>,
    name: &str,
) -> Result<Response, ApiError> {
    let Ok(named) = SessionName::parse(name) else { return show_missing(page) };
    let found = visit.daemon.run(move |engine| engine.find_sessions(&named)).await?;
    let key = found.into_iter().find(|key| key.qualified_name() == name);
    let Some(key) = key else { return show_missing(page) };
    let owner = SessionOwner::from_key(key.clone());
    let consent = visit.daemon.run(move |engine| engine.list_own_consent(&owner)).await?;
    let filter = RecordFilter { session: name.to_owned(), ..RecordFilter::default() };
    let head = visit.daemon.run(|engine| engine.ledger_head()).await?.next;
    let wanted = RecordMatcher::parse(&filter).map_err(ApiError::unreadable_query)?;
    let scan = visit.scan(wanted, head).await?;
    let Json(SessionsResponse { sessions }) = sessions::list_sessions(visit.plane()).await?;
    let is_own =
        |view: &countersign_api::SessionView| name == format!("{}/{}", view.agent, view.session);
    let view = sessions.into_iter().find(is_own);
    let frame = page.frame(PageName::Sessions, name);
    let page = SessionPage {
        frame: &frame,
        session: name.to_owned(),
        view,
        consent: consent.lines,
        rows: scan.rows,
        back_to: scan.back_to.map(Timestamp),
    };
    page_response(StatusCode::OK, &page)
}

pub(super) async fn show_insights(
    visit: &Visit,
    page: &PageState<'_>,
) -> Result<Response, ApiError> {
    let figures = visit.daemon.run(count_entries).await?;
    let query = QueryParams(SuggestionsQuery::default());
    let Json(suggested) = suggestions::list(visit.plane(), query).await?;
    let frame = page.frame(PageName::Insights, "");
    let page = InsightsPage {
        frame: &frame,
        days: figures.days.into_values().collect(),
        answers: figures.answers,
        looked_at: figures.looked_at,
        back_to: figures.back_to.map(Timestamp),
        suggestions: suggested.suggestions,
        suggestions_from: suggested.looked_at,
    };
    page_response(StatusCode::OK, &page)
}

/// The last entries of the ledger, the oldest first.
fn read_last_entries(engine: &HostEngine, count: usize) -> Result<Vec<Entry>, EngineError> {
    let head = engine.ledger_head()?.next;
    let mut from = head.saturating_sub(count as u64).max(1);
    let mut entries = Vec::new();
    loop {
        let page = engine.read_entries(from, limits::RECORD_CHUNK)?;
        let Some(last) = page.last() else { return Ok(entries) };
        from = last.seq.saturating_add(1);
        entries.extend(page);
    }
}

/// The sessions of the last calls, the one with the newest call first.
fn read_lanes(
    engine: &HostEngine,
    graph: Option<&Graph>,
    now: Time,
) -> Result<Vec<Lane>, EngineError> {
    let entries = read_last_entries(engine, limits::LANES_SCAN)?;
    let decided = entries.iter().filter(|entry| entry.kind == Kind::CallDecided);
    let decided: Vec<_> = decided.filter_map(read_decision).collect();
    let state = engine.read_calls(decided.iter().map(|decided| decided.call.id))?;
    let context = CardContext { graph, state: &state, now };
    let mut lanes: Vec<Lane> = Vec::new();
    for decided in &decided {
        let row = build_row(context, decided, state.calls.get(&decided.call.id), None);
        let session = decided.call.session.qualified_name();
        let mark = LaneMark {
            call: row.call,
            at: decided.at,
            state: row.state,
            asked: row.asked,
            what: row.what,
        };
        let mut lane = match lanes.iter().position(|lane| lane.session == session) {
            Some(at) => lanes.remove(at),
            None => Lane { session, is_open: false, marks: Vec::new() },
        };
        lane.marks.push(mark);
        lanes.push(lane);
    }
    lanes.reverse();
    lanes.truncate(limits::MAX_LANES);
    Ok(lanes)
}

#[derive(Default)]
struct Figures {
    days: BTreeMap<String, DayFigures>,
    answers: AnswerFigures,
    looked_at: usize,
    back_to: Option<Time>,
}

fn count_entries(engine: &HostEngine) -> Result<Figures, EngineError> {
    let entries = read_last_entries(engine, limits::INSIGHTS_SCAN)?;
    let mut figures = Figures { looked_at: entries.len(), ..Figures::default() };
    let mut opened = BTreeMap::<RequestId, Time>::new();
    for entry in &entries {
        let is_counted =
            matches!(entry.kind, Kind::CallDecided | Kind::RequestOpened | Kind::RequestAnswered);
        let Some((at, change)) = is_counted.then(|| entry.change().ok()).flatten() else {
            continue;
        };
        figures.back_to = figures.back_to.or(Some(at));
        match change {
            Change::CallDecided { attempt: Attempt::First(_), decision, .. } => {
                let day = at.date().to_string();
                let figures = figures.days.entry(day.clone()).or_insert(DayFigures {
                    day,
                    calls: 0,
                    asked: 0,
                });
                figures.calls += 1;
                figures.asked += usize::from(decision.outcome == Outcome::Ask);
            }
            Change::RequestOpened { request } => {
                opened.insert(request.id, at);
            }
            Change::RequestAnswered { answered } if answered.timing != Timing::Late => {
                let waited = opened.get(&answered.request);
                let waited = waited.map(|opened| (at.micros() - opened.micros()) / 1_000_000);
                let answers = &mut figures.answers;
                match answered.ending {
                    Some(Ending::Approved) => answers.allowed += 1,
                    Some(Ending::Declined) => answers.declined += 1,
                    Some(Ending::Expired) => answers.expired += 1,
                    Some(Ending::Cancelled) | None => {}
                }
                if matches!(answered.ending, Some(Ending::Approved | Ending::Declined)) {
                    answers.seconds.extend(waited);
                }
            }
            _ => {}
        }
    }
    figures.answers.seconds.sort_unstable();
    Ok(figures)
}
