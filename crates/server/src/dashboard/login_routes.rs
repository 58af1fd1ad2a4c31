//! The routes of the operator's plane that open a browser, list the open ones, and end them.

use super::logins::ConfirmRefusal;
use crate::error::{ApiError, ApiErrorKind};
use crate::extract::JsonBody;
use crate::limits;
use crate::routes::{Api, ServerState};
use axum::Json;
use axum::extract::State;
use countersign_api::paths::operator as paths;
use countersign_api::{
    BrowserSessionsResponse, ConfirmLoginRequest, ConfirmLoginResponse, EmptyRequest,
    EndBrowserSessionRequest, EndBrowserSessionResponse, OpenDashboardResponse, Text,
};
use countersign_core::model::time::Time;
use std::sync::PoisonError;

pub(crate) fn add_routes(api: Api) -> Api {
    use ApiErrorKind::{Conflict, Invalid};
    api.post(paths::OPEN_DASHBOARD, "Starts the login of a browser", open_dashboard)
        .errors(&[Conflict])
        .post(
            paths::CONFIRM_LOGIN,
            "Lets the browser in that shows these characters",
            confirm_login,
        )
        .errors(&[Conflict, Invalid])
        .get(paths::BROWSER_SESSIONS, "Lists the browsers that are logged in", list_sessions)
        .post(paths::END_BROWSER_SESSION, "Logs out one browser, or all", end_session)
}

async fn open_dashboard(
    State(daemon): ServerState,
    JsonBody(EmptyRequest {}): JsonBody<EmptyRequest>,
) -> Result<Json<OpenDashboardResponse>, ApiError> {
    let now = daemon.display_time().await?;
    let dashboard = &daemon.dashboard;
    let origin = dashboard.origin.read().unwrap_or_else(PoisonError::into_inner).clone();
    let origin = origin.explain().map_err(|(what, remedy)| ApiError::conflict(what, remedy))?;
    let login = dashboard.lock_logins().create(now)?;
    let url = origin.url(&format!("{}login/{login}", dashboard.base()));
    let seconds = (Time::from_micros(0) + limits::LOGIN_TIME).micros() / 1_000_000;
    Ok(Json(OpenDashboardResponse { login, url, seconds: seconds.unsigned_abs() }))
}

async fn confirm_login(
    State(daemon): ServerState,
    JsonBody(ConfirmLoginRequest { login, code }): JsonBody<ConfirmLoginRequest>,
) -> Result<Json<ConfirmLoginResponse>, ApiError> {
    let now = daemon.display_time().await?;
    let confirmed = daemon.dashboard.lock_logins().confirm(login.as_str(), code.as_str(), now);
    let again = "run `countersign open` again";
    match confirmed {
        Ok(browser) => Ok(Json(ConfirmLoginResponse { browser })),
        Err(ConfirmRefusal::Over) => Err(ApiError::conflict(
            "this login is over: it was used, or a minute has passed",
            again,
        )),
        Err(ConfirmRefusal::WrongCode) => {
            let message = "no browser shows these characters for this login, so it is over";
            Err(ApiError::invalid(message, again))
        }
    }
}

async fn list_sessions(
    State(daemon): ServerState,
) -> Result<Json<BrowserSessionsResponse>, ApiError> {
    let now = daemon.display_time().await?;
    Ok(Json(BrowserSessionsResponse { sessions: daemon.dashboard.lock_sessions().list(now) }))
}

pub(super) async fn end_session(
    State(daemon): ServerState,
    JsonBody(EndBrowserSessionRequest { session }): JsonBody<EndBrowserSessionRequest>,
) -> Result<Json<EndBrowserSessionResponse>, ApiError> {
    let ended = daemon.dashboard.end_sessions(session.as_ref().map(Text::as_str))?;
    Ok(Json(EndBrowserSessionResponse { ended }))
}
