//! What every page reads: the query of its address, the status, and the frame around it.

use super::respond::page_response;
use super::visit::Visit;
use crate::error::ApiError;
use crate::operator::status;
use axum::Json;
use axum::extract::Query;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use countersign_api::StatusResponse;
use countersign_core::model::names::Agent;
use countersign_dashboard::{FormTokens, Frame, MissingPage, PageName};
use std::collections::BTreeMap;

/// The query of an address. Each field at most once.
pub(super) struct PageQuery(BTreeMap<String, String>);

impl PageQuery {
    fn read(uri: &Uri) -> Result<Self, ApiError> {
        let Query(fields) = Query::<Vec<(String, String)>>::try_from_uri(uri)
            .map_err(|error| ApiError::unreadable_query(error.body_text()))?;
        let mut known = BTreeMap::new();
        for (name, value) in fields {
            if known.insert(name.clone(), value).is_some() {
                return Err(ApiError::unreadable_query(format!("`{name}` occurs twice")));
            }
        }
        Ok(Self(known))
    }

    pub fn get(&self, name: &str) -> &str {
        self.0.get(name).map(String::as_str).unwrap_or_default()
    }
}

/// Makes the tokens of a session's forms.
struct SessionForms<'a>(&'a Visit);

impl FormTokens for SessionForms<'_> {
    fn token(&self, form: &str) -> String {
        self.0.dashboard().form_token(&self.0.session.hash, form)
    }
}

/// What every page reads.
pub(super) struct PageState<'a> {
    visit: &'a Visit,
    pub query: PageQuery,
    pub status: StatusResponse,
    position: u64,
    forms: SessionForms<'a>,
}

impl<'a> PageState<'a> {
    pub async fn read(visit: &'a Visit, uri: &Uri) -> Result<Self, ApiError> {
        let query = PageQuery::read(uri)?;
        // Before everything else: what comes later than this makes the page fetch itself again.
        let position = visit.daemon.run(|engine| engine.ledger_head()).await?.next;
        let position = position.saturating_sub(1);
        let Json(status) = status::get_status(visit.plane()).await?;
        Ok(Self { visit, query, status, position, forms: SessionForms(visit) })
    }

    pub fn frame(&'a self, page: PageName, subject: impl Into<String>) -> Frame<'a> {
        let number = self.query.get("m").parse().ok();
        let mut sessions = self.visit.dashboard().lock_sessions();
        let message = number.and_then(|number| sessions.message(&self.visit.session.hash, number));
        Frame {
            base: self.visit.dashboard().base(),
            page,
            subject: subject.into(),
            waiting: self.status.open_requests,
            notices: self.status.open_notices,
            is_everyone_paused: self.status.paused.iter().any(Agent::is_everyone),
            forms: &self.forms,
            message,
            now: self.visit.now,
            position: self.position,
        }
    }
}

pub(super) fn show_missing(page: &PageState<'_>) -> Result<Response, ApiError> {
    let frame = page.frame(PageName::Missing, "");
    page_response(StatusCode::NOT_FOUND, &MissingPage { frame: &frame })
}
