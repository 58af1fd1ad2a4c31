//! What an application reaches on the agents' plane: less than an agent.
//!
//! This is a list of what it may, so that a route which is added later is closed to it until somebody
//! decides otherwise. It reports no turns, plans or observations, proposes nothing, and does not reach
//! the tools behind the gateway: its calls are its own functions.
//!
//! See docs/decisions/0139-applications.md.

use crate::error::ApiError;
use crate::peers::Caller;
use countersign_api::paths::{OPENAPI, agent as paths};

const ROUTES: [&str; 23] = [
    OPENAPI,
    paths::APPLICATION,
    paths::GESTURES,
    paths::CLOSE_GESTURE,
    paths::CHECK,
    paths::ASK_AHEAD,
    paths::QUESTION,
    paths::WAIT_FOR_QUESTION,
    paths::CANCEL_QUESTION,
    paths::CONSENT,
    paths::OPERATION,
    paths::STORED_CALL,
    paths::WAIT,
    paths::RETRY,
    paths::CANCEL,
    paths::OUTCOME,
    paths::RUNS,
    paths::RUN,
    paths::WAIT_FOR_RUN,
    paths::CANCEL_RUN,
    paths::END_RUN,
    paths::REATTACH_RUN,
    paths::END_SESSION,
];

pub(crate) fn check_application_route(caller: &Caller, path: &str) -> Result<(), ApiError> {
    if caller.kind.rights().is_none() || ROUTES.iter().any(|route| matches_route(route, path)) {
        return Ok(());
    }
    let message = "an application gates its own functions, and this is not open to it";
    Err(ApiError::forbidden(message, "use the credential of an agent or an adapter"))
}

fn matches_route(route: &str, path: &str) -> bool {
    let (mut parts, mut given) = (route.split('/'), path.split('/'));
    loop {
        match (parts.next(), given.next()) {
            (None, None) => return true,
            (Some("{id}"), Some(id)) if !id.is_empty() => {}
            (Some(part), Some(other)) if part == other => {}
            (None | Some(_), None | Some(_)) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_matches_a_route_segment_by_segment() {
        assert!(matches_route("/v1/runs/{id}/end", "/v1/runs/x/end"));
        for other in ["/v1/runs//end", "/v1/runs/x/end/", "/v1/runs/x", "/v1/runs/x/y/end", "/"] {
            assert!(!matches_route("/v1/runs/{id}/end", other), "{other}");
        }
    }
}
