//! Asking before there is a call.

use crate::api::{By, Shared};
use crate::body::Body;
use crate::fault::Fault;
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{AskAheadRequest, AskAheadResponse};
use countersign_core::model::draft::AheadDraft;
use countersign_core::model::redact::holds_secret;
use countersign_core::model::request::Ahead;

pub(super) async fn ask(
    State(daemon): Shared,
    Extension(caller): By,
    Body(asked): Body<AskAheadRequest>,
) -> Result<Json<AskAheadResponse>, Fault> {
    caller.observes("project", asked.project.as_ref())?;
    let said = [asked.text.as_str(), asked.reason.as_str(), asked.fallback.as_str()];
    if said.into_iter().any(holds_secret) {
        let remedy = "leave it out: a question is shown, and goes into the record";
        return Err(Fault::invalid("the question looks like it holds a secret", remedy));
    }
    let draft = AheadDraft {
        session: asked.session,
        agent: caller.agent,
        project: asked.project,
        ahead: Ahead {
            text: asked.text.into(),
            category: asked.category,
            scope: asked.scope,
            reason: asked.reason.into(),
            fallback: asked.fallback.into(),
        },
        parking: daemon.parking(asked.park),
    };
    let (decision, request) = daemon.run(move |engine| engine.ask_ahead(&draft)).await?;
    Ok(Json(AskAheadResponse::new(&decision, request)))
}
