//! The daemon's status.

use crate::credentials::IssuedCredential;
use crate::error::ApiError;
use crate::routes::ServerState;
use axum::Json;
use axum::extract::State;
use countersign_api::{ApplicationStatus, GraphFileView, ProblemView, StatusResponse, Timestamp};
use countersign_host::{HealthProblem, ProblemKind};

pub(crate) async fn get_status(
    State(daemon): ServerState,
) -> Result<Json<StatusResponse>, ApiError> {
    let graph = daemon.graph()?;
    let query = daemon.run(|engine| {
        Ok((engine.count_open_requests()?, engine.open_notices()?.len(), engine.read_globals()?))
    });
    let (open_requests, open_notices, everybody) = query.await?;
    let health = daemon.host.health();
    let problem = |(kind, problem): (ProblemKind, HealthProblem)| ProblemView {
        about: kind.word().to_owned(),
        text: problem.text,
        since: Timestamp(problem.since),
    };
    let graph_file = health.graph_file.map(|file| GraphFileView {
        path: file.path,
        in_force_since: Timestamp(file.since),
        change: file.change,
    });
    Ok(Json(StatusResponse {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        assurance: daemon.host.assurance().word().to_owned(),
        graph: graph.map(|graph| graph.hash),
        open_requests,
        open_notices,
        paused: everybody.paused.iter().cloned().collect(),
        presence: everybody.presence,
        graph_file,
        problems: health.problems.into_iter().map(problem).collect(),
        applications: daemon.credentials.list().into_iter().filter_map(describe).collect(),
    }))
}

fn describe(credential: IssuedCredential) -> Option<ApplicationStatus> {
    let IssuedCredential { agent, application, .. } = credential;
    Some(ApplicationStatus { agent, rights: application? })
}
