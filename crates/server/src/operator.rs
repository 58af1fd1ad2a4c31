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
use countersign_api::paths::{OPENAPI, operator as paths};

/// Everything that an operator can do.
pub(crate) fn routes(api: Api) -> Api {
    use Refusal::{Conflict, Invalid, Unknown};
    api.get(OPENAPI, "This document", openapi::of_operators)
        .get(paths::STATUS, "How the daemon is", status::status)
        .get(paths::REQUESTS, "What waits for an answer", requests::all)
        .get(paths::REQUEST, "One request, open or not", requests::one)
        .post(paths::ANSWER, "Answers a request, as it was shown", answer::answer)
        .refusing(&[Conflict, Invalid])
        .get(paths::GRANTS, "What was granted, a page at a time", grants::all)
        .refusing(&[Invalid])
        .post(paths::GRANTS, "Gives what the operator names", giving::give)
        .refusing(&[Conflict, Invalid])
        .get(paths::GRANT, "One grant, whatever has become of it", grants::one)
        .post(paths::KEEP_GRANT, "Keeps a project's grant at its review", grants::keep)
        .refusing(&[Conflict, Invalid])
        .get(paths::WORKFLOWS, "Which workflows ask, and what runs", workflows::audit)
        .get(paths::RUN, "One run, whatever has become of it", workflows::run)
        .post(paths::RECONCILE, "Ends what a restart left behind", workflows::reconcile)
        .refusing(&[Conflict])
        .post(
            paths::NOTHING_HAPPENED,
            "An executor attests that it never began a call",
            executed::nothing_happened,
        )
        .refusing(&[Conflict])
        .get(paths::IDS, "Ids that begin or end like this", ids::find)
        .post(paths::REVOKE, "Takes grants back, at once", grants::revoke)
        .refusing(&[Conflict, Invalid, Unknown])
        .post(paths::PAUSE, "Denies everything that an agent asks", presence::pause)
        .refusing(&[Conflict])
        .post(paths::RESUME, "Lets a paused agent go on", presence::resume)
        .refusing(&[Conflict])
        .post(paths::PRESENCE, "Says whether somebody is there", presence::presence)
        .refusing(&[Conflict])
        .get(paths::NOTICES, "What nobody has acknowledged yet", notices::all)
        .post(paths::ACKNOWLEDGE_NOTICE, "Has done with a notice", notices::acknowledge)
        .refusing(&[Conflict])
        .get(paths::REVIEW, "What is due to be looked at again, and when", review::due)
        .post(paths::REVIEW, "The graph and its project grants were looked at", review::reviewed)
        .refusing(&[Conflict])
        .get(paths::PROPOSALS, "What agents propose to change about themselves", proposals::all)
        .get(paths::PROPOSAL, "One proposal", proposals::one)
        .post(paths::VETO_PROPOSAL, "Says no to a proposal until it is applied", proposals::veto)
        .refusing(&[Conflict])
        .post(paths::UNDO_PROPOSAL, "Takes an applied proposal back", proposals::undo)
        .refusing(&[Conflict])
        .post(paths::SAY, "Says something in a session", surfaces::say)
        .refusing(&[Conflict, Unknown])
        .post(paths::GESTURES, "A click that covers what follows from it", surfaces::gesture)
        .refusing(&[Conflict, Unknown, Invalid])
        .post(paths::DELIVERIES, "A surface has shown something", surfaces::delivered)
        .refusing(&[Conflict, Unknown, Invalid])
}
