//! What the hooks of a coding agent's program report about its calls. Only an adapter gets here.

use super::operations::agent_report;
use crate::error::ApiError;
use crate::extract::JsonBody;
use crate::peers::CallerKind;
use crate::routes::{CallerExtension, ServerState};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{ProgramOutcomeRequest, ReportResponse};
use countersign_engine::SessionOwner;
use countersign_host::NamedCall;

pub(super) async fn report_program_outcome(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    JsonBody(body): JsonBody<ProgramOutcomeRequest>,
) -> Result<Json<ReportResponse>, ApiError> {
    if caller.kind != CallerKind::Adapter {
        let remedy = "report the end of the operation by its id";
        return Err(ApiError::forbidden("only an adapter speaks for a program", remedy));
    }
    let owner = SessionOwner::new(&body.session, caller.agent);
    let id = body.id.as_ref().map(|id| id.as_str());
    let named = NamedCall { id, tool: &body.tool, args: &body.args };
    let report = agent_report(body.effect);
    Ok(Json(daemon.host.report_program_outcome(owner, named, report).await?))
}
