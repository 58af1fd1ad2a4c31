//! Which page a path is, and what each page reads.

use super::page_state::{PageState, show_missing};
use super::panels::ShownRequest;
use super::respond::page_response;
use super::visit::Visit;
use super::{call_page, more_pages, overview_pages, rules_page};
use crate::error::ApiError;
use crate::extract::{PathParam, QueryParams};
use crate::limits;
use crate::operator::{grants, requests, review, sessions, workflows};
use axum::Json;
use axum::extract::Query;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use countersign_api::{
    CardView, GrantFilter, GrantsQuery, GrantsResponse, LineNumber, PageSize, RequestTextQuery,
    RequestsQuery, RunStatus, RunView, SessionsResponse,
};
use countersign_core::model::delivery::Extent;
use countersign_core::model::ids::{CallId, GrantId, RequestId};
use countersign_dashboard::{Confirming, GrantsPage, NowPage, PageName, WaitingList, WholeCall};

pub(super) async fn show(visit: &Visit, uri: &Uri) -> Result<Response, ApiError> {
    let page = PageState::read(visit, uri).await?;
    match visit.path.split_once('/').unwrap_or((&visit.path, "")) {
        ("", "") => show_now(visit, &page).await,
        ("request", id) => match RequestId::parse(id) {
            Some(id) => show_whole_call(visit, &page, id).await,
            None => show_missing(&page),
        },
        ("call", id) => match CallId::parse(id) {
            Some(id) => call_page::show_call(visit, &page, id).await,
            None => show_missing(&page),
        },
        ("grants", "") => show_grants(visit, &page).await,
        ("record", "") => visit.show_record(&page).await,
        ("sessions", "") => overview_pages::show_sessions(visit, &page).await,
        ("session", name) => {
            overview_pages::show_session(visit, &page, &decode_segment(name)).await
        }
        ("rules", "") => rules_page::show_rules(visit, &page).await,
        ("insights", "") => overview_pages::show_insights(visit, &page).await,
        ("proposals", "") => more_pages::show_proposals(visit, &page).await,
        ("notices", "") => more_pages::show_notices(visit, &page).await,
        ("agents", "") => more_pages::show_agents(visit, &page).await,
        ("status", "") => more_pages::show_status(visit, &page).await,
        _ => show_missing(&page),
    }
}

/// A name in an address, without its percent signs. One that is no text names nothing.
fn decode_segment(segment: &str) -> String {
    let uri = format!("/?name={segment}").parse::<Uri>();
    let fields = uri.ok().and_then(|uri| Query::<Vec<(String, String)>>::try_from_uri(&uri).ok());
    let name = fields.and_then(|Query(fields)| fields.into_iter().next());
    name.map(|(_, name)| name).unwrap_or_default()
}

async fn show_now(visit: &Visit, page: &PageState<'_>) -> Result<Response, ApiError> {
    let cards = list_cards(visit).await?;
    let named = RequestId::parse(page.query.get("r"));
    let selected = named.or_else(|| WaitingList::new(&cards, None).first());
    let shown = match selected {
        Some(id) => match visit.show_request(id, Extent::Card).await {
            Ok(shown) => Some(shown),
            // A link to a request that no longer exists still shows what waits.
            Err(error) if error.status() == StatusCode::NOT_FOUND => None,
            Err(error) => return Err(error),
        },
        None => None,
    };
    let headline = shown.as_ref().map(|shown| shown.view.card.card.headline.as_str().to_owned());
    let frame = page.frame(PageName::Now, headline.unwrap_or_default());
    let confirming = shown.as_ref().and_then(|shown| find_confirming(page, shown));
    let panel = shown.as_ref().map(|shown| shown.panel(&frame, confirming));
    let Json(SessionsResponse { sessions }) = sessions::list_sessions(visit.plane()).await?;
    let grants = list_grants(visit, GrantFilter::InForce, None).await?;
    let is_live = |run: &RunView| matches!(run.state, RunStatus::Live);
    let Json(workflows) = workflows::audit_workflows(visit.plane()).await?;
    let page = NowPage {
        frame: &frame,
        waiting: WaitingList::new(&cards, selected),
        panel,
        is_chosen: named.is_some(),
        sessions,
        runs: workflows.runs.into_iter().filter(is_live).collect(),
        grants: grants.grants.into_iter().filter(|grant| grant.in_force).collect(),
        paused: page.status.paused.clone(),
    };
    page_response(StatusCode::OK, &page)
}

/// The choice that the form wants to be confirmed, if the card still offers it.
fn find_confirming(page: &PageState<'_>, shown: &ShownRequest) -> Option<Confirming> {
    let choice = page.query.get("confirm");
    let (word, covers) = choice.split_once('.').unwrap_or((choice, ""));
    let [item] = shown.view.card.card.items.as_slice() else { return None };
    let offer = item.offers.iter().find(|offer| {
        offer.choice.word() == word && offer.covers.map_or("", |covers| covers.word()) == covers
    })?;
    Some(Confirming {
        choice: choice.to_owned(),
        permits: offer.describe(),
        note: page.query.get("note").to_owned(),
    })
}

async fn list_cards(visit: &Visit) -> Result<Vec<CardView>, ApiError> {
    let (mut cards, mut after) = (Vec::new(), None);
    loop {
        let query = RequestsQuery { after, limit: PageSize::clamp(limits::MAX_CARDS_LISTED) };
        let Json(page) = requests::list_requests(visit.plane(), QueryParams(query)).await?;
        let is_empty = page.requests.is_empty();
        cards.extend(page.requests);
        after = page.next;
        if after.is_none() || is_empty || cards.len() >= limits::MAX_CARDS_LISTED {
            return Ok(cards);
        }
    }
}

async fn list_grants(
    visit: &Visit,
    state: GrantFilter,
    before: Option<GrantId>,
) -> Result<GrantsResponse, ApiError> {
    let query = GrantsQuery { state, before, ..GrantsQuery::default() };
    grants::list_grants(visit.plane(), QueryParams(query)).await.map(|Json(page)| page)
}

async fn show_whole_call(
    visit: &Visit,
    page: &PageState<'_>,
    id: RequestId,
) -> Result<Response, ApiError> {
    let lines = read_whole_text(visit, id).await?;
    let shown = visit.show_request(id, Extent::Whole).await?;
    let headline = shown.view.card.card.headline.as_str().to_owned();
    let frame = page.frame(PageName::Now, headline);
    let panel = shown.panel(&frame, None);
    page_response(StatusCode::OK, &WholeCall { frame: &frame, panel, lines })
}

async fn read_whole_text(visit: &Visit, id: RequestId) -> Result<Vec<String>, ApiError> {
    let (mut lines, mut from) = (Vec::new(), Some(LineNumber::default()));
    while let Some(first) = from {
        let query = QueryParams(RequestTextQuery { from: first });
        let Json(text) = requests::get_text(visit.plane(), query, PathParam(id)).await?;
        lines.extend(text.lines);
        from = text.next;
    }
    Ok(lines)
}

async fn show_grants(visit: &Visit, page: &PageState<'_>) -> Result<Response, ApiError> {
    let filter = match page.query.get("state") {
        "used" => GrantFilter::Used,
        "all" => GrantFilter::All,
        _ => GrantFilter::InForce,
    };
    let before = GrantId::parse(page.query.get("before"));
    let listed = list_grants(visit, filter, before).await?;
    let Json(due) = review::list_due_reviews(visit.plane()).await?;
    let Json(SessionsResponse { sessions }) = sessions::list_sessions(visit.plane()).await?;
    let frame = page.frame(PageName::Grants, "");
    let page = GrantsPage {
        frame: &frame,
        grants: listed.grants,
        next: listed.next,
        filter,
        due,
        sessions,
    };
    page_response(StatusCode::OK, &page)
}
