//! Asks for permission before there is a call.

use crate::error::ApiError;
use crate::extract::JsonBody;
use crate::routes::{CallerExtension, ServerState};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{AskAheadRequest, AskAheadResponse};
use countersign_core::model::draft::AheadDraft;
use countersign_core::model::request::Ahead;

pub(super) async fn ask_ahead(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    JsonBody(body): JsonBody<AskAheadRequest>,
) -> Result<Json<AskAheadResponse>, ApiError> {
    caller.check_adapter_field("project", body.project.as_ref())?;
    let draft = AheadDraft {
        session: caller.session(&body.session),
        agent: caller.agent,
        project: body.project,
        ahead: Ahead {
            text: body.text.into(),
            category: body.category,
            scope: body.scope,
            reason: body.reason.into(),
            fallback: body.fallback.into(),
        },
        parking: daemon.parking(body.park),
    };
    let (decision, request) = daemon.run(move |engine| engine.ask_ahead(&draft)).await?;
    Ok(Json(AskAheadResponse::new(&decision, request)))
}
