//! The operator's plane: questions, answers, grants, revocation, pause. No agent reaches it.

mod answer;
mod executed;
mod giving;
mod grants;
mod ids;
mod notices;
mod presence;
mod proposals;
mod requests;
mod review;
mod status;
mod surfaces;
mod workflows;

use crate::api::Api;
use crate::fault::Refusal;
use crate::openapi;

/// Everything that an operator can do.
pub(crate) fn routes(api: Api) -> Api {
    use Refusal::{Conflict, Invalid, Unknown};
    api.get("/v1/openapi.json", "This document", openapi::of_operators)
        .get("/v1/status", "How the daemon is", status::status)
        .get("/v1/requests", "What waits for an answer", requests::all)
        .get("/v1/requests/{id}", "One request, open or not", requests::one)
        .post("/v1/requests/{id}/answer", "Answers a request, as it was shown", answer::answer)
        .refusing(&[Conflict, Invalid])
        .get("/v1/grants", "What was granted, a page at a time", grants::all)
        .refusing(&[Invalid])
        .post("/v1/grants", "Gives what the operator names", giving::give)
        .refusing(&[Conflict, Invalid])
        .get("/v1/grants/{id}", "One grant, whatever has become of it", grants::one)
        .post("/v1/grants/{id}/keep", "Keeps a project's grant at its review", grants::keep)
        .refusing(&[Conflict, Invalid])
        .get("/v1/workflows", "Which workflows ask, and what runs", workflows::audit)
        .get("/v1/runs/{id}", "One run, whatever has become of it", workflows::run)
        .post("/v1/workflows/reconcile", "Ends what a restart left behind", workflows::reconcile)
        .refusing(&[Conflict])
        .post(
            "/v1/calls/{id}/nothing-happened",
            "An executor attests that it never began a call",
            executed::nothing_happened,
        )
        .refusing(&[Conflict])
        .get("/v1/ids", "Ids that begin or end like this", ids::find)
        .post("/v1/revoke", "Takes grants back, at once", grants::revoke)
        .refusing(&[Conflict, Invalid, Unknown])
        .post("/v1/pause", "Denies everything that an agent asks", presence::pause)
        .refusing(&[Conflict])
        .post("/v1/resume", "Lets a paused agent go on", presence::resume)
        .refusing(&[Conflict])
        .post("/v1/presence", "Says whether somebody is there", presence::presence)
        .refusing(&[Conflict])
        .get("/v1/notices", "What nobody has acknowledged yet", notices::all)
        .post("/v1/notices/{id}/acknowledge", "Has done with a notice", notices::acknowledge)
        .refusing(&[Conflict])
        .get("/v1/review", "What is due to be looked at again, and when", review::due)
        .post("/v1/review", "The graph and its project grants were looked at", review::reviewed)
        .refusing(&[Conflict])
        .get("/v1/proposals", "What agents propose to change about themselves", proposals::all)
        .get("/v1/proposals/{id}", "One proposal", proposals::one)
        .post(
            "/v1/proposals/{id}/veto",
            "Says no to a proposal until it is applied",
            proposals::veto,
        )
        .refusing(&[Conflict])
        .post("/v1/proposals/{id}/undo", "Takes an applied proposal back", proposals::undo)
        .refusing(&[Conflict])
        .post("/v1/say", "Says something in a session", surfaces::say)
        .refusing(&[Conflict, Unknown])
        .post("/v1/gestures", "A click that covers what follows from it", surfaces::gesture)
        .refusing(&[Conflict, Unknown, Invalid])
        .post("/v1/deliveries", "A surface has shown something", surfaces::delivered)
        .refusing(&[Conflict, Unknown, Invalid])
}
