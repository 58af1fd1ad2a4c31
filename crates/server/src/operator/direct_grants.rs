//! Grants without a request.

use super::sessions::find_optional_session;
use crate::Daemon;
use crate::convert::grant_view;
use crate::error::ApiError;
use crate::extract::JsonBody;
use crate::routes::ServerState;
use axum::Json;
use axum::extract::State;
use countersign_api::{GrantRequest, GrantResponse, GrantableScope, Text};
use countersign_conversation::standing_command;
use countersign_core::model::grant::{Confirmation, Coverage, Scope};
use countersign_core::steps::grant_directly::DirectGrantRefusal;
use countersign_engine::{DirectGrant, DirectGrantResult, UselessGrantPolicy};
use std::sync::Arc;

pub(crate) async fn grant_directly(
    State(daemon): ServerState,
    JsonBody(body): JsonBody<GrantRequest>,
) -> Result<Json<GrantResponse>, ApiError> {
    let coverage = build_coverage(&body)?;
    let scope = match body.scope {
        GrantableScope::Once => Scope::Once,
        GrantableScope::Session => Scope::Session,
        GrantableScope::Project => Scope::Project,
    };
    let confirmation = parse_confirmation(body.confirm.as_ref())?;
    let ends_at = match body.seconds {
        Some(seconds) => Some(daemon.display_time().await? + seconds.span()),
        None => None,
    };
    let Some(session) = find_optional_session(&daemon, body.session).await? else {
        return Err(no_session());
    };
    let wanted = DirectGrant {
        session,
        coverage,
        scope,
        ends_at,
        confirmation,
        if_useless: UselessGrantPolicy::Refuse,
    };
    let result = daemon.run(move |engine| engine.grant_directly(&wanted)).await?;
    describe_result(&daemon, result).await
}

pub(super) fn parse_confirmation(typed: Option<&Text<256>>) -> Result<Confirmation, ApiError> {
    match typed.map(Text::as_str) {
        None => Ok(Confirmation::Plain),
        Some("yes") => Ok(Confirmation::Confirmed),
        Some(_) => Err(ApiError::invalid("`confirm` does not match", "send `yes`")),
    }
}

pub(crate) async fn describe_result(
    daemon: &Arc<Daemon>,
    result: DirectGrantResult,
) -> Result<Json<GrantResponse>, ApiError> {
    match result {
        DirectGrantResult::Granted { grant, why_scope, declines } => {
            let id = grant.id;
            let state = daemon.run(move |engine| engine.read_grant(id)).await?;
            let grant = grant_view(&grant, &state, daemon.grant_terms().await?);
            Ok(Json(GrantResponse { grant, reason: why_scope.map(str::to_owned), declines }))
        }
        DirectGrantResult::Withheld(why) => Err(ApiError::invalid(&why, remedy(&why))),
        DirectGrantResult::Denied(why) => {
            let message = format!("the graph denies this command: {why}");
            Err(ApiError::invalid(message, "change `commands` in the graph to allow it"))
        }
        DirectGrantResult::NoSession => Err(no_session()),
    }
}

pub(super) fn no_session() -> ApiError {
    let remedy = "a session starts with the agent's first call; name one that has started";
    ApiError::invalid("there is no such session", remedy)
}

fn build_coverage(body: &GrantRequest) -> Result<Coverage, ApiError> {
    match (&body.command, &body.action, &body.category, &body.cwd) {
        (Some(line), None, None, cwd) => {
            let analyse = |line: &str| countersign_commands::analyse(line, None);
            let Some(Coverage::Command { argv, action, .. }) =
                standing_command(line.as_str(), analyse)
            else {
                let remedy = "write one program and its arguments literally; a placeholder such as `<name>` is one argument";
                return Err(ApiError::invalid("this is not a single literal command", remedy));
            };
            let cwd = cwd.clone().map(String::from);
            Ok(Coverage::Command { argv, cwd, action })
        }
        (None, Some(action), None, None) => Ok(Coverage::Action(action.clone())),
        (None, None, Some(category), None) => Ok(Coverage::Category(category.clone())),
        (None, _, _, Some(_)) => Err(ApiError::invalid("`cwd` needs a command", "leave `cwd` out")),
        _ => {
            let remedy = "name one of `command`, `action` and `category`";
            Err(ApiError::invalid("the request has no coverage, or several", remedy))
        }
    }
}

const fn remedy(why: &DirectGrantRefusal) -> &'static str {
    match why {
        DirectGrantRefusal::NoGraph => "load a graph first",
        DirectGrantRefusal::Blocked(_)
        | DirectGrantRefusal::Unlisted(_)
        | DirectGrantRefusal::AlwaysAsk(_) => "change the graph to allow it",
        DirectGrantRefusal::Channel(_) => "send it over the trusted channel",
        DirectGrantRefusal::Proposal(_) => "answer the proposal",
        DirectGrantRefusal::Critical(_) => "answer the call when it asks",
        DirectGrantRefusal::NotConfirmed(_) => "confirm it with `yes`, or grant it for a session",
        DirectGrantRefusal::NotNamed(_) => "name a command, an action or a category",
        DirectGrantRefusal::ForSession(_) => "grant it for a session",
        DirectGrantRefusal::NotSuggested => "list the suggestions again, and apply one of them",
    }
}
