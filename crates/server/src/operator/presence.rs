//! The presence of surfaces, and the pause of agents.

use crate::error::ApiError;
use crate::extract::JsonBody;
use crate::limits;
use crate::routes::ServerState;
use axum::Json;
use axum::extract::State;
use countersign_api::{
    PauseRequest, PauseResponse, PresenceRequest, PresenceResponse, ResumeRequest, ResumeResponse,
};
use countersign_core::model::names::Agent;
use std::collections::BTreeSet;
use strsim::damerau_levenshtein;

/// A name that nobody has is refused, because the agent that was meant would go on. A store that
/// cannot tell does not hold back a pause.
pub(crate) async fn pause_agent(
    State(daemon): ServerState,
    JsonBody(PauseRequest { agent }): JsonBody<PauseRequest>,
) -> Result<Json<PauseResponse>, ApiError> {
    let with_token = daemon.credentials.list().into_iter().map(|issued| issued.agent);
    let mut known: BTreeSet<Agent> = with_token.collect();
    let paused = agent.clone();
    let unknown = daemon.run(move |engine| {
        let is_known = match engine.agents_seen() {
            _ if agent.is_everyone() => true,
            Ok(seen) => {
                known.extend(seen);
                known.contains(&agent)
            }
            Err(_) => true,
        };
        if !is_known {
            return Ok(Some(known));
        }
        engine.pause_agent(&agent).map(|()| None)
    });
    match unknown.await? {
        None => Ok(Json(PauseResponse { paused })),
        Some(known) => Err(never_seen_error(&paused, &known)),
    }
}

fn never_seen_error(agent: &Agent, known: &BTreeSet<Agent>) -> ApiError {
    let message = format!("no agent named `{agent}` was ever seen, so nobody is paused");
    let mut similar: Vec<&Agent> = known.iter().collect();
    similar.sort_by_cached_key(|known| damerau_levenshtein(agent.as_str(), known.as_str()));
    let names: Vec<String> = similar
        .iter()
        .take(limits::MAX_SUGGESTED_AGENTS)
        .map(|agent| format!("`{agent}`"))
        .collect();
    let remedy = match names.is_empty() {
        true => "no agent was seen yet; `countersign pause --all` pauses every agent that comes"
            .to_owned(),
        false => {
            format!(
                "did you mean {}? `countersign pause --all` pauses everyone",
                names.join(" or ")
            )
        }
    };
    ApiError::invalid(message, &remedy)
}

pub(crate) async fn resume_agent(
    State(daemon): ServerState,
    JsonBody(ResumeRequest { agent }): JsonBody<ResumeRequest>,
) -> Result<Json<ResumeResponse>, ApiError> {
    let resumed = agent.clone();
    let (was_paused, state) = daemon
        .run(move |engine| Ok((engine.resume_agent(&agent)?, engine.read_globals()?)))
        .await?;
    if state.paused.iter().any(Agent::is_everyone) {
        let message = format!("all agents are still paused, and so is `{resumed}`");
        return Err(ApiError::conflict(message, "run `countersign resume --all`"));
    }
    match was_paused {
        true => Ok(Json(ResumeResponse { resumed })),
        false if resumed.is_everyone() => {
            Err(ApiError::conflict("no agent is paused", "there is nothing to do"))
        }
        false => {
            let message = format!("`{resumed}` is not paused, and none of its sessions is stopped");
            Err(ApiError::conflict(message, "`countersign status` lists who is paused"))
        }
    }
}

pub(crate) async fn report_presence(
    State(daemon): ServerState,
    JsonBody(PresenceRequest { surface, presence }): JsonBody<PresenceRequest>,
) -> Result<Json<PresenceResponse>, ApiError> {
    let combined = daemon.host.report_presence(surface, presence).await?;
    let presence = combined.ok_or_else(|| {
        let message = "no surface with this name has an open event stream";
        ApiError::conflict(message, "first open the event stream with its name as `surface`")
    })?;
    Ok(Json(PresenceResponse { presence }))
}
