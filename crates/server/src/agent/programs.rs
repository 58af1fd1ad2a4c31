//! What the hooks of a coding agent's program report about its calls. Only an adapter gets here.

use super::operations::agent_report;
use crate::Daemon;
use crate::command_windows::read_boot_millis;
use crate::error::ApiError;
use crate::extract::JsonBody;
use crate::peers::Caller;
use crate::peers::CallerKind;
use crate::routes::{CallerExtension, ServerState};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{EventOrigin, ProgramDeclineRequest, ProgramOutcomeRequest, ReportResponse};
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
    daemon.refuse_forged_event(&owner, body.origin, "that a tool has run").await?;
    let (report, session) = (agent_report(body.effect), owner.session.clone());
    let response = daemon.host.report_program_outcome(owner, named, report).await?;
    daemon.commands.end(&session, response.operation_id, read_boot_millis());
    Ok(Json(response))
}

pub(super) async fn report_program_decline(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    JsonBody(body): JsonBody<ProgramDeclineRequest>,
) -> Result<Json<ReportResponse>, ApiError> {
    check_adapter(&caller, "withdraw the question by the id of its operation")?;
    let owner = SessionOwner::new(&body.session, caller.agent);
    let (note, session) = (body.note.into(), owner.session.clone());
    let response = daemon.host.record_decline_in_program(owner, body.id.as_str(), note).await?;
    daemon.commands.end(&session, response.operation_id, read_boot_millis());
    Ok(Json(response))
}

impl Daemon {
    /// Refuses what was not reported by the program itself, and alerts the operator.
    pub(super) async fn refuse_forged_event(
        &self,
        owner: &SessionOwner,
        origin: EventOrigin,
        reported: &str,
    ) -> Result<(), ApiError> {
        if origin == EventOrigin::Program {
            return Ok(());
        }
        let why = format!(
            "something other than the program ran its hook to report {reported}; it was refused"
        );
        let owner = owner.clone();
        self.run(move |engine| engine.alert_forged_event(&owner, &why)).await?;
        let message = "this event does not come from the program";
        Err(ApiError::forbidden(
            message,
            "if the program was installed anew, run `countersign init` again",
        ))
    }
}

fn check_adapter(caller: &Caller, remedy: &'static str) -> Result<(), ApiError> {
    match caller.kind {
        CallerKind::Adapter => Ok(()),
        CallerKind::Agent | CallerKind::Application(_) => {
            Err(ApiError::forbidden("only an adapter speaks for a program", remedy))
        }
    }
}
