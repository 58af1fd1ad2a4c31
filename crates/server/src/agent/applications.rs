//! What only an application has: its rights, its place in a chain of calls, its gestures.
//!
//! A gesture is consent, so the operator gives the right to open one when the credential is issued,
//! for named actions. It shows no call, and so never covers a critical one.
//!
//! See docs/decisions/0139-applications.md.

use crate::Daemon;
use crate::error::ApiError;
use crate::extract::{JsonBody, PathParam, QueryParams};
use crate::peers::{Caller, Peer};
use crate::routes::{CallerExtension, ServerState};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{
    ApplicationGestureRequest, ApplicationView, CallContext, CheckResponse, CheckStatus,
    CloseApplicationGestureRequest, CloseGestureResponse, GestureResponse, ReducerView,
    SessionQuery, StoredCallResponse,
};
use countersign_core::model::application::ApplicationRights;
use countersign_core::model::call::CallDraft;
use countersign_core::model::ids::{CallId, GestureId};
use countersign_core::model::names::{Action, SurfaceName};
use countersign_core::model::words::Initiator;
use countersign_engine::{GestureEnd, SessionOwner};
use countersign_host::{HostEngine, ParentState, Seal};
use std::sync::Arc;

pub(super) async fn get_application(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
) -> Result<Json<ApplicationView>, ApiError> {
    let rights = ApplicationRights::clone(find_rights(&caller)?);
    let is_own = |name: &str| Action::parse(name).is_ok_and(|action| rights.covers(&action));
    let graph = daemon.graph()?;
    let all = graph.iter().flat_map(|graph| &graph.reducers);
    let own = all.filter(|reducer| is_own(&reducer.caller) && rights.covers(&reducer.action));
    let reducers = own.map(|reducer| ReducerView {
        caller: reducer.caller.clone(),
        action: reducer.action.clone(),
        to: reducer.to,
    });
    let reducers = reducers.collect();
    Ok(Json(ApplicationView { agent: caller.agent, rights, reducers }))
}

pub(super) async fn open_gesture(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    JsonBody(body): JsonBody<ApplicationGestureRequest>,
) -> Result<Json<GestureResponse>, ApiError> {
    let declares: Vec<Action> = body.declares.into();
    let rights = find_rights(&caller)?;
    if declares.is_empty() {
        let remedy = "name the actions that the click starts";
        return Err(ApiError::invalid("the click covers nothing", remedy));
    }
    if let Some(foreign) = declares.iter().find(|action| !rights.covers_gesture(action)) {
        let message = format!("`{}` may open no gesture for `{foreign}`", caller.agent);
        let remedy = "the operator names such actions with `countersign agent add --gestures`";
        return Err(ApiError::forbidden(&message, remedy));
    }
    let surface = gesture_surface(&caller, body.label.as_str());
    let session = caller.session(&body.session);
    let gesture_id = daemon
        .run(move |engine| engine.record_gesture(&session, &declares, None, surface.as_ref()))
        .await?;
    Ok(Json(GestureResponse { gesture_id }))
}

pub(super) async fn close_gesture(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(gesture_id): PathParam<GestureId>,
    JsonBody(body): JsonBody<CloseApplicationGestureRequest>,
) -> Result<Json<CloseGestureResponse>, ApiError> {
    find_rights(&caller)?;
    let session = caller.session(&body.session);
    let surface = gesture_surface(&caller, body.label.as_str());
    let close =
        move |engine: &HostEngine| engine.close_gesture(&session, gesture_id, surface.as_ref());
    let end = daemon.run(close);
    match end.await? {
        GestureEnd::Closed => Ok(Json(CloseGestureResponse { gesture_id, closed: true })),
        GestureEnd::Over => Ok(Json(CloseGestureResponse { gesture_id, closed: false })),
        GestureEnd::OtherSurface | GestureEnd::Unknown => Err(ApiError::unknown("gesture")),
    }
}

/// An own call as it is on record: what a yes to it allows.
pub(super) async fn get_stored_call(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(operation_id): PathParam<CallId>,
    QueryParams(SessionQuery { session }): QueryParams<SessionQuery>,
) -> Result<Json<StoredCallResponse>, ApiError> {
    let owner = SessionOwner::new(&session, caller.agent);
    let found = daemon.run(move |engine| engine.read_call_record(operation_id, &owner)).await?;
    let record = found.ok_or_else(|| ApiError::unknown("operation"))?;
    Ok(Json(StoredCallResponse {
        operation_id,
        state: record.state.into(),
        risk: record.card_risk,
        tool: record.call.tool.clone(),
        actions: record.call.actions.clone(),
        args: record.call.args.clone(),
        redacted: record.call.is_redacted(),
    }))
}

/// Refuses actions outside of an application's, and notes in which of its calls, and after which
/// click, this one is made. What others say about that is ignored.
pub(super) async fn place_call(
    daemon: &Daemon,
    caller: &Caller,
    draft: &mut CallDraft,
    context: Option<CallContext>,
) -> Result<(), ApiError> {
    let Some(rights) = caller.kind.rights() else { return Ok(()) };
    check_actions(caller, rights, draft.actions.iter().chain(&draft.declares))?;
    refuse_command_line(daemon, draft)?;
    let Some(CallContext { parent, gesture }) = context else { return Ok(()) };
    if gesture.is_some() {
        if rights.gestures.is_empty() {
            let message = format!("`{}` may open no gestures", caller.agent);
            let remedy = "the operator gives the right with `countersign agent add --gestures`";
            return Err(ApiError::forbidden(&message, remedy));
        }
        draft.observed.gesture = gesture;
        draft.observed.initiator = Initiator::Operator;
    }
    match parent {
        Some(token) => observe_parent(daemon, caller, draft, token.as_str()).await,
        None => Ok(()),
    }
}

/// Classes of command lines replace the actions of a call, and so would lead out of those that the
/// application is bound to.
fn refuse_command_line(daemon: &Daemon, draft: &CallDraft) -> Result<(), ApiError> {
    let graph = daemon.graph()?;
    let mapping = graph.as_ref().zip(draft.tool.as_ref());
    let mapping = mapping.and_then(|(graph, tool)| graph.tool(tool.as_str()));
    let runs_command = mapping.is_some_and(|mapping| mapping.command.is_some());
    if draft.command.is_none() && !runs_command {
        return Ok(());
    }
    let remedy = "name the function's action, and put what it does into the arguments";
    Err(ApiError::forbidden("a command line is no function of an application", remedy))
}

/// A token that is not ours is refused. One whose call is over proves nothing any more, and the
/// call is decided by itself.
async fn observe_parent(
    daemon: &Daemon,
    caller: &Caller,
    draft: &mut CallDraft,
    token: &str,
) -> Result<(), ApiError> {
    let not_valid = || {
        let remedy = "send the token that came with the call around this one";
        ApiError::invalid("the parent's token is not valid", remedy)
    };
    let seal = seal(daemon)?;
    let parent = seal.read_parent_token(token).ok_or_else(not_valid)?;
    let owner = SessionOwner { session: draft.session.clone(), agent: caller.agent.clone() };
    match daemon.host.observe_parent(draft, &owner, parent).await? {
        ParentState::Executing | ParentState::Over => Ok(()),
        ParentState::Foreign => Err(not_valid()),
    }
}

/// Before a stored call is decided again: the credential may be bound to less by now.
pub(super) async fn check_stored_actions(
    daemon: &Daemon,
    caller: &Caller,
    call: CallId,
    owner: &SessionOwner,
) -> Result<(), ApiError> {
    let Some(rights) = caller.kind.rights() else { return Ok(()) };
    let owner = owner.clone();
    let stored = daemon.run(move |engine| engine.stored_call(call, &owner)).await?;
    let Some(stored) = stored else { return Ok(()) };
    check_actions(caller, rights, stored.actions.iter().chain(&stored.declares))
}

/// Gives an application the token for the calls inside an allowed one, and watches the process
/// that carries it out.
pub(super) fn start_application_call(
    daemon: &Daemon,
    caller: &Caller,
    peer: Peer,
    owner: SessionOwner,
    response: &mut CheckResponse,
) -> Result<(), ApiError> {
    let allowed = response.operation_id.filter(|_| response.status == CheckStatus::Allowed);
    let (Some(_), Some(call)) = (caller.kind.rights(), allowed) else { return Ok(()) };
    daemon.application_processes.start(&daemon.host, peer.pid(), (call, owner));
    response.parent_token = Some(seal(daemon)?.issue_parent_token(call));
    Ok(())
}

fn seal(daemon: &Daemon) -> Result<Arc<Seal>, ApiError> {
    let remedy = "nothing was executed; check the system";
    daemon.host.seal().map_err(|why| ApiError::unavailable(why, remedy))
}

fn find_rights(caller: &Caller) -> Result<&Arc<ApplicationRights>, ApiError> {
    caller.kind.rights().ok_or_else(|| {
        let remedy = "use the token that `countersign agent add NAME --application` printed";
        ApiError::forbidden("only an application has this", remedy)
    })
}

fn check_actions<'a>(
    caller: &Caller,
    rights: &ApplicationRights,
    mut actions: impl Iterator<Item = &'a Action>,
) -> Result<(), ApiError> {
    let Some(foreign) = actions.find(|action| !rights.covers(action)) else { return Ok(()) };
    let message = format!(
        "`{}` is bound to {}, and `{foreign}` is none of them",
        caller.agent,
        rights.describe_actions()
    );
    Err(ApiError::forbidden(&message, "revoke it, and add it again with the actions that it needs"))
}

/// What the ledger calls the place of the click. A label that is no name is left out.
fn gesture_surface(caller: &Caller, label: &str) -> Option<SurfaceName> {
    let agent = &caller.agent;
    let named = SurfaceName::parse(&format!("{agent}:{label}"));
    named.or_else(|_| SurfaceName::parse(agent.as_str())).ok()
}
