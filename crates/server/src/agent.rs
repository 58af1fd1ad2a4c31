//! The agents' plane: check, wait, ask ahead, report. Nothing here approves.

mod ahead;
mod check;
mod operations;
mod proposals;
mod records;
mod runs;
mod turns;

pub(crate) use operations::noted;
pub(crate) use proposals::acted;

use crate::Daemon;
use crate::api::Api;
use crate::fault::{Fault, Refusal};
use crate::openapi;
use crate::peers::{Caller, Principal};
use crate::wire::ParkPolicy;
use countersign_core::model::call::Parking;

/// Everything that an agent can do.
pub(crate) fn routes(api: Api) -> Api {
    use Refusal::{Conflict, Invalid, Unknown};
    api.get("/v1/openapi.json", "This document", openapi::of_agents)
        .post("/v1/check", "Decides a call, and waits for an answer if one is needed", check::check)
        .observed(&["project", "observed"])
        .refusing(&[Conflict, Unknown, Invalid])
        .post("/v1/ask-ahead", "Asks before there is a call", ahead::ask)
        .observed(&["project"])
        .refusing(&[Conflict, Invalid])
        .get("/v1/operations/{id}", "Where a call of one's own stands", operations::status)
        .post("/v1/operations/{id}/wait", "Waits for an answer; redeems nothing", operations::wait)
        .post("/v1/operations/{id}/retry", "Decides a call again that waited", operations::retry)
        .refusing(&[Conflict])
        .post(
            "/v1/operations/{id}/cancel",
            "Takes a question of one's own back",
            operations::cancel,
        )
        .refusing(&[Conflict])
        .post("/v1/operations/{id}/outcome", "Reports how a call ended", operations::outcome)
        .refusing(&[Conflict])
        .post("/v1/runs", "Starts a run of a workflow, or asks whether it may", runs::start)
        .observed(&["project", "gesture"])
        .refusing(&[Conflict])
        .post("/v1/runs/{id}/end", "Ends a run of one's own", runs::end)
        .refusing(&[Conflict])
        .post("/v1/runs/{id}/reattach", "Takes a run up again after a restart", runs::reattach)
        .refusing(&[Conflict])
        .post("/v1/turns", "Reports a message of the operator", turns::say)
        .about(
            "With an agent's credential it can only tighten: stop, revoke, dry run, a correction, \
             a question. What would loosen counts with an adapter's; with an agent's the operator \
             is asked about a grant or a slash command, and a yes is none.",
        )
        .observed(&["project"])
        .refusing(&[Conflict])
        .post("/v1/plans", "Says what will be done", turns::plan)
        .observed(&["score"])
        .refusing(&[Conflict, Invalid])
        .post("/v1/moved", "Reports that a session turned to something else", turns::moved)
        .refusing(&[Conflict])
        .post("/v1/hand-over", "Asks whether standing commands go on to hold", turns::hand_over)
        .refusing(&[Conflict, Unknown])
        .post("/v1/ledger", "Puts what was done into the ledger, as a claim", records::record)
        .refusing(&[Conflict, Unknown])
        .get("/v1/ledger", "Lists one's own claims in the ledger", records::list)
        .post("/v1/proposals", "Proposes a change of the agent itself", proposals::propose)
        .observed(&["project"])
        .refusing(&[Conflict])
        .get("/v1/proposals/{id}/state", "Where a proposal of one's own stands", proposals::status)
        .post("/v1/proposals/{id}/apply", "Applies a proposal that was approved", proposals::apply)
        .refusing(&[Conflict])
}

impl Daemon {
    pub(crate) fn parking(&self, park: ParkPolicy) -> Parking {
        match (self.headless(), park) {
            (false, ParkPolicy::Allowed) => Parking::Allowed,
            (true, _) | (_, ParkPolicy::Refused) => Parking::Refused,
        }
    }
}

impl Caller {
    /// What was observed an agent cannot say of itself.
    fn observes<T>(&self, what: &str, said: Option<&T>) -> Result<(), Fault> {
        match (self.kind, said) {
            (Principal::Adapter, _) | (Principal::Agent, None) => Ok(()),
            (Principal::Agent, Some(_)) => {
                let message = format!("`{what}` is what an adapter observed; no agent can say it");
                let remedy = "leave it out, or send it with the credential of an adapter";
                Err(Fault::forbidden(&message, remedy))
            }
        }
    }
}
