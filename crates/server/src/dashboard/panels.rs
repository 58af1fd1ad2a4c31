//! The card of a request with the form that answers it, and the report that it was shown.

use super::visit::Visit;
use crate::error::ApiError;
use crate::extract::{JsonBody, PathParam};
use crate::limits;
use crate::operator::{requests, surfaces};
use axum::Json;
use axum::extract::State;
use countersign_api::{DeliveryRequest, RequestView};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::change::{Change, Kind};
use countersign_core::model::delivery::{Evidence, Extent};
use countersign_core::model::ids::RequestId;
use countersign_core::model::request::RequestState;
use countersign_core::model::words::{Ending, Risk};
use countersign_dashboard::{AnswerFields, CardPanel, Confirming, Frame, YesState};
use std::sync::Arc;

/// A request as a page shows it, before the page's frame is known.
pub(super) struct ShownRequest {
    pub view: RequestView,
    yes: YesState,
    answered: Option<String>,
    version: String,
    fields: AnswerFields,
}

impl Visit {
    /// Reads a request. An open one counts as shown to this extent from now on.
    pub(super) async fn show_request(
        &self,
        id: RequestId,
        extent: Extent,
    ) -> Result<ShownRequest, ApiError> {
        let daemon = || State(Arc::clone(&self.daemon));
        let Json(view) = requests::get_request(daemon(), PathParam(id)).await?;
        let is_open = view.card.card.closed.is_none();
        let hash = &self.session.hash;
        if is_open && self.dashboard().lock_sessions().is_first_showing(hash, (id, extent)) {
            let report = DeliveryRequest {
                request: Some(id),
                notice: None,
                surface: self.session.surface.clone(),
                evidence: Evidence::Requested,
                shown: extent,
            };
            let _recorded = surfaces::add_delivery(daemon(), JsonBody(report)).await?;
        }
        let yes = self.find_yes(id, view.card.card.risk).await?;
        let answered = match view.state {
            RequestState::Closed(ending) => self.describe_ending(id, ending).await?,
            RequestState::Open => None,
        };
        // What changes by itself, such as the time, is no new version.
        let version = format!("{:?} {yes:?} {answered:?} {:?}", view.state, view.card.card.closed);
        let lines = view.card.lines.join("\n");
        let parts = [version.as_bytes(), lines.as_bytes()].concat();
        let version = Digest::hash_bytes("countersign/shown-card/v1", &parts).short();
        let fields = self.answer_fields(id, &view.card.card.digest);
        Ok(ShownRequest { view, yes, answered, version, fields })
    }

    /// The token binds the card that is shown, and when, to this browser's session.
    fn answer_fields(&self, request: RequestId, digest: &str) -> AnswerFields {
        let rendered_at = self.now;
        let form = answer_form_name(request, digest, rendered_at.micros());
        let token = self.dashboard().form_token(&self.session.hash, &form);
        AnswerFields { request, digest: digest.to_owned(), rendered_at, token }
    }

    async fn find_yes(&self, id: RequestId, risk: Risk) -> Result<YesState, ApiError> {
        if risk < Risk::High {
            return Ok(YesState::Offered);
        }
        let state = self.daemon.run(move |engine| engine.read_request(id)).await?;
        let shown = state.requests.get(&id).map(|request| request.shown_whole_on.as_slice());
        match shown.unwrap_or_default().contains(&self.session.surface) {
            true => Ok(YesState::Offered),
            false => Ok(YesState::WholeCallFirst),
        }
    }

    /// How a request ended, and where it was answered if that was a moment ago.
    async fn describe_ending(
        &self,
        id: RequestId,
        ending: Ending,
    ) -> Result<Option<String>, ApiError> {
        let verb = match ending {
            Ending::Approved => "allowed",
            Ending::Declined => "declined",
            Ending::Cancelled | Ending::Expired => return Ok(None),
        };
        let head = self.daemon.run(|engine| engine.ledger_head()).await?.next;
        let from = head.saturating_sub(limits::ANSWER_SCAN as u64).max(1);
        let entries =
            self.daemon.run(move |engine| engine.read_entries(from, limits::ANSWER_SCAN)).await?;
        let answers = entries.iter().rev().filter(|entry| entry.kind == Kind::RequestAnswered);
        for (_, change) in answers.filter_map(|entry| entry.change().ok()) {
            let Change::RequestAnswered { answered } = change else { continue };
            if answered.request != id {
                continue;
            }
            return Ok(Some(match answered.surface {
                Some(surface) if surface == self.session.surface => {
                    format!("You {verb} this here.")
                }
                Some(surface) => format!("Answered elsewhere: you {verb} this on {surface}."),
                None => format!("Answered elsewhere: you {verb} this."),
            }));
        }
        Ok(None)
    }
}

pub(super) fn answer_form_name(request: RequestId, digest: &str, rendered_at: i64) -> String {
    format!("answer {request} {digest} {rendered_at}")
}

impl ShownRequest {
    pub fn panel<'a>(
        &'a self,
        frame: &'a Frame<'a>,
        confirming: Option<Confirming>,
    ) -> CardPanel<'a> {
        let version = match &confirming {
            Some(confirming) => format!("{} confirms {}", self.version, confirming.choice),
            None => self.version.clone(),
        };
        CardPanel {
            frame,
            view: &self.view.card,
            fields: self.fields.clone(),
            yes: self.yes,
            confirming,
            answered: self.answered.clone(),
            version,
        }
    }
}
