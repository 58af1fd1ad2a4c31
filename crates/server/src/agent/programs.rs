//! What the hooks of a coding agent's program report about its calls. Only an adapter gets here.

use super::operations::agent_report;
use crate::error::ApiError;
use crate::extract::JsonBody;
use crate::peers::Caller;
use crate::peers::CallerKind;
use crate::routes::{CallerExtension, ServerState};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{ProgramDeclineRequest, ProgramOutcomeRequest, ReportResponse};
use countersign_engine::SessionOwner;
use countersign_host::NamedCall;

pub(super) async fn report_program_outcome(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    JsonBody(body): JsonBody<ProgramOutcomeRequest>,
) -> Result<Json<ReportResponse>, ApiError> {
    check_adapter(&caller, "report the end of the operation by its id")?;
    let owner = SessionOwner::new(&body.session, caller.agent);
    let id = body.id.as_ref().map(|id| id.as_str());
    let named = NamedCall { id, tool: &body.tool, args: &body.args };
    let report = agent_report(body.effect);
    Ok(Json(daemon.host.report_program_outcome(owner, named, report).await?))
}

pub(super) async fn report_program_decline(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    JsonBody(body): JsonBody<ProgramDeclineRequest>,
) -> Result<Json<ReportResponse>, ApiError> {
    check_adapter(&caller, "withdraw the question by the id of its operation")?;
    let owner = SessionOwner::new(&body.session, caller.agent);
    let note = body.note.into();
    Ok(Json(daemon.host.record_decline_in_program(owner, body.id.as_str(), note).await?))
}

fn check_adapter(caller: &Caller, remedy: &'static str) -> Result<(), ApiError> {
    match caller.kind {
        CallerKind::Adapter => Ok(()),
        CallerKind::Agent => {
            Err(ApiError::forbidden("only an adapter speaks for a program", remedy))
        }
    }
}
