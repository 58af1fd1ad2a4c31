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
use countersign_api::ParkPolicy;
use countersign_api::paths::{OPENAPI, agent as paths};
use countersign_core::model::call::Parking;
use countersign_core::model::request::Attendance;

/// Everything that an agent can do.
pub(crate) fn routes(api: Api) -> Api {
    use Refusal::{Conflict, Invalid, Unknown};
    api.get(OPENAPI, "This document", openapi::of_agents)
        .post(
            paths::CHECK,
            "Decides a call, and waits for an answer if one is needed",
            check::check,
        )
        .observed(&["project", "observed"])
        .refusing(&[Conflict, Unknown, Invalid])
        .post(paths::ASK_AHEAD, "Asks before there is a call", ahead::ask)
        .observed(&["project"])
        .refusing(&[Conflict, Invalid])
        .get(paths::OPERATION, "Where a call of one's own stands", operations::status)
        .post(paths::WAIT, "Waits for an answer; redeems nothing", operations::wait)
        .post(paths::RETRY, "Decides a call again that waited", operations::retry)
        .refusing(&[Conflict])
        .post(paths::CANCEL, "Takes a question of one's own back", operations::cancel)
        .refusing(&[Conflict])
        .post(paths::OUTCOME, "Reports how a call ended", operations::outcome)
        .refusing(&[Conflict])
        .post(paths::RUNS, "Starts a run of a workflow, or asks whether it may", runs::start)
        .observed(&["project", "gesture"])
        .refusing(&[Conflict])
        .post(paths::END_RUN, "Ends a run of one's own", runs::end)
        .refusing(&[Conflict])
        .post(paths::REATTACH_RUN, "Takes a run up again after a restart", runs::reattach)
        .refusing(&[Conflict])
        .post(paths::TURNS, "Reports a message of the operator", turns::say)
        .about(
            "With an agent's credential it can only tighten: stop, revoke, dry run, a correction, \
             a question. What would loosen counts with an adapter's; with an agent's the operator \
             is asked about a grant or a slash command, and a yes is none.",
        )
        .observed(&["project"])
        .refusing(&[Conflict])
        .post(paths::PLANS, "Says what will be done", turns::plan)
        .observed(&["score"])
        .refusing(&[Conflict, Invalid])
        .post(paths::MOVED, "Reports that a session turned to something else", turns::moved)
        .refusing(&[Conflict])
        .post(paths::HAND_OVER, "Asks whether standing commands go on to hold", turns::hand_over)
        .refusing(&[Conflict, Unknown])
        .post(paths::LEDGER, "Puts what was done into the ledger, as a claim", records::record)
        .refusing(&[Conflict, Unknown])
        .get(paths::LEDGER, "Lists one's own claims in the ledger", records::list)
        .post(paths::PROPOSALS, "Proposes a change of the agent itself", proposals::propose)
        .observed(&["project"])
        .refusing(&[Conflict])
        .get(paths::PROPOSAL_STATE, "Where a proposal of one's own stands", proposals::status)
        .post(paths::APPLY_PROPOSAL, "Applies a proposal that was approved", proposals::apply)
        .refusing(&[Conflict])
}

impl Daemon {
    pub(crate) fn parking(&self, park: ParkPolicy) -> Parking {
        match (self.host.attendance(), park) {
            (Attendance::Attended, ParkPolicy::Allowed) => Parking::Allowed,
            (Attendance::Headless, _) | (_, ParkPolicy::Refused) => Parking::Refused,
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
