//! The operator's plane: requests, answers, grants, revocation, pause. No agent can reach it.

pub(crate) mod answer;
pub(crate) mod direct_grants;
mod executor;
pub(crate) mod grants;
mod ids;
pub(crate) mod notices;
pub(crate) mod presence;
pub(crate) mod proposals;
pub(crate) mod requests;
pub(crate) mod review;
pub(crate) mod sessions;
pub(crate) mod status;
pub(crate) mod suggestions;
pub(crate) mod surfaces;
pub(crate) mod workflows;

use crate::error::ApiErrorKind;
use crate::routes::Api;
use countersign_api::paths::operator as paths;

pub(crate) fn add_routes(api: Api) -> Api {
    use ApiErrorKind::{Conflict, Invalid, Unknown};
    let api = api
        .get(paths::STATUS, "Returns the daemon's status", status::get_status)
        .get(paths::REQUESTS, "Lists the open requests", requests::list_requests)
        .get(paths::REQUEST, "Returns one request, open or closed", requests::get_request)
        .get(paths::REQUEST_TEXT, "Returns a page of a request's whole text", requests::get_text)
        .post(paths::ANSWER, "Answers a request, as its card was shown", answer::answer_request)
        .errors(&[Conflict, Invalid])
        .get(paths::GRANTS, "Lists grants, one page at a time", grants::list_grants)
        .errors(&[Invalid])
        .post(paths::GRANTS, "Grants without a request", direct_grants::grant_directly)
        .errors(&[Conflict, Invalid])
        .get(paths::GRANT, "Returns one grant in any state", grants::get_grant)
        .post(paths::KEEP_GRANT, "Keeps a project's grant at its review", grants::keep_grant)
        .errors(&[Conflict, Invalid])
        .get(
            paths::SUGGESTIONS,
            "Lists grants that would end repeated questions",
            suggestions::list,
        )
        .errors(&[Invalid, Unknown])
        .post(paths::APPLY_SUGGESTION, "Gives a suggested grant", suggestions::apply)
        .errors(&[Conflict, Invalid]);
    add_other_routes(api)
}

/// Sessions, runs, agents, notices, reviews, proposals and surfaces.
fn add_other_routes(api: Api) -> Api {
    use ApiErrorKind::{Conflict, Invalid, Unknown};
    api.get(paths::SESSIONS, "Lists the open sessions", sessions::list_sessions)
        .post(paths::END_SESSION, "Ends a session", sessions::end_session)
        .errors(&[Conflict, Invalid, Unknown])
        .get(paths::WORKFLOWS, "Lists workflows and their runs", workflows::audit_workflows)
        .get(paths::RUN, "Returns one run in any state", workflows::get_run)
        .post(paths::RECONCILE, "Ends runs that a restart left behind", workflows::reconcile)
        .errors(&[Conflict, Invalid])
        .post(
            paths::NOTHING_HAPPENED,
            "An executor attests that it never started a call",
            executor::report_nothing_happened,
        )
        .errors(&[Conflict])
        .get(paths::IDS, "Finds ids that start with a text", ids::find_ids)
        .post(paths::REVOKE, "Revokes grants at once", grants::revoke)
        .errors(&[Conflict, Invalid, Unknown])
        .post(paths::PAUSE, "Denies all calls of an agent", presence::pause_agent)
        .errors(&[Conflict, Invalid])
        .post(paths::RESUME, "Ends an agent's pause", presence::resume_agent)
        .errors(&[Conflict])
        .post(paths::PRESENCE, "Reports a surface's presence", presence::report_presence)
        .errors(&[Conflict])
        .get(paths::NOTICES, "Lists notices that nobody has acknowledged", notices::list_notices)
        .post(paths::ACKNOWLEDGE_NOTICE, "Acknowledges a notice", notices::acknowledge_notice)
        .errors(&[Conflict])
        .get(paths::REVIEW, "Lists due reviews", review::list_due_reviews)
        .post(paths::REVIEW, "Marks the graph and its project grants as reviewed", review::review)
        .errors(&[Conflict])
        .get(paths::PROPOSALS, "Lists the proposals of agents", proposals::list_proposals)
        .get(paths::PROPOSAL, "Returns one proposal", proposals::get_proposal)
        .post(
            paths::APPLY_PROPOSAL,
            "Applies an approved proposal that has cooled",
            proposals::apply,
        )
        .errors(&[Conflict])
        .post(paths::VETO_PROPOSAL, "Vetoes a proposal that is not applied yet", proposals::veto)
        .errors(&[Conflict])
        .post(paths::UNDO_PROPOSAL, "Undoes an applied proposal", proposals::undo)
        .errors(&[Conflict])
        .post(paths::SAY, "Adds a message of the operator to a session", surfaces::say)
        .errors(&[Conflict, Unknown, Invalid])
        .post(paths::GESTURES, "Records a click and the actions it covers", surfaces::add_gesture)
        .description(
            "It covers the actions for a minute at most, or until its surface closes it. If it \
             names an agent, the session need not be open: its first call opens it.",
        )
        .errors(&[Conflict, Unknown, Invalid])
        .post(
            paths::CLOSE_GESTURE,
            "Closes a click before its minute is over",
            surfaces::close_gesture,
        )
        .errors(&[Conflict, Unknown, Invalid])
        .post(paths::DELIVERIES, "Reports that a surface showed something", surfaces::add_delivery)
        .errors(&[Conflict, Unknown, Invalid])
}
