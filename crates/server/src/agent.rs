//! The agents' plane: check calls, wait, ask ahead, report. No route here approves anything.

mod applications;
mod ask_ahead;
mod check;
mod error;
mod operations;
mod own_lists;
mod programs;
mod proposals;
mod runs;
mod sessions;
mod turns;

use crate::error::{ApiError, ApiErrorKind};
use crate::limits;
use crate::peers::{Caller, CallerKind};
use crate::routes::Api;
use countersign_api::Millis;
use countersign_api::paths::agent as paths;
use std::time::Duration;

pub(crate) fn add_routes(api: Api) -> Api {
    use ApiErrorKind::{Conflict, Invalid, Unknown};
    let api = api
        .post(paths::CHECK, "Decides a call; waits for an answer if it asks", check::check)
        .adapter_fields(&["observed"])
        .errors(&[Conflict, Unknown, Invalid])
        .post(paths::ASK_AHEAD, "Asks for permission before there is a call", ask_ahead::ask_ahead)
        .description(
            "If a live grant covers what is asked for, the reply names that grant. Otherwise the \
             operator is asked, and the reply waits for the answer as long as `wait_ms` says. \
             Asking is never gated, and nothing here approves.",
        )
        .errors(&[Conflict, Unknown, Invalid])
        .get(paths::QUESTION, "Returns an own question and its answer", ask_ahead::get_question)
        .post(paths::WAIT_FOR_QUESTION, "Waits for an answer", ask_ahead::wait_for_question)
        .post(paths::CANCEL_QUESTION, "Withdraws an own question", ask_ahead::cancel_question)
        .errors(&[Conflict])
        .get(paths::CONSENT, "Lists own grants, open requests and calls", own_lists::list_consent)
        .get(paths::OPERATION, "Returns the state of an own call", operations::get_operation)
        .post(paths::WAIT, "Waits for an answer; does not redeem it", operations::wait)
        .get(paths::STORED_CALL, "Returns an own call as stored", applications::get_stored_call)
        .post(paths::RETRY, "Decides a parked call again", operations::retry)
        .errors(&[Conflict])
        .post(paths::CANCEL, "Withdraws an own question", operations::cancel)
        .errors(&[Conflict])
        .post(paths::OUTCOME, "Reports how a call ended", operations::report_outcome)
        .errors(&[Conflict])
        .post(
            paths::PROGRAM_OUTCOME,
            "Reports how a call of a program ended, by the program's name for it",
            programs::report_program_outcome,
        )
        .description(
            "Only an adapter can send it. If the question about the call was still open, the \
             operator answered it in the program's own prompt; that yes is recorded.",
        )
        .errors(&[Conflict, Unknown])
        .post(
            paths::PROGRAM_DECLINE,
            "Reports a no that the operator gave in a program's own prompt",
            programs::report_program_decline,
        )
        .description(
            "Only an adapter can send it, about a call whose question the program shows itself. \
             The no and its note count like those of any other surface.",
        )
        .errors(&[Conflict, Unknown]);
    add_session_routes(add_application_routes(api))
}

/// What only an application has. A gesture is consent: the operator named the actions for which this
/// credential may open one.
fn add_application_routes(api: Api) -> Api {
    use ApiErrorKind::{Invalid, Unknown};
    api.get(
        paths::APPLICATION,
        "Returns the application that the credential stands for",
        applications::get_application,
    )
    .post(
        paths::GESTURES,
        "Records a person's click in the application",
        applications::open_gesture,
    )
    .description(
        "Only an application whose credential has the right can send it, for the actions that the \
         operator named, in its own sessions. It never covers a critical call.",
    )
    .errors(&[Invalid])
    .post(
        paths::CLOSE_GESTURE,
        "Closes an own click before its minute is over",
        applications::close_gesture,
    )
    .errors(&[Unknown])
}

/// Runs, sessions, the conversation, records and proposals.
fn add_session_routes(api: Api) -> Api {
    use ApiErrorKind::{Conflict, Invalid, Unknown};
    api.post(paths::RUNS, "Starts a run of a workflow, or asks whether it may", runs::start_run)
        .description(
            "The reply waits for an answer as long as `wait_ms` says. The same start, sent again \
             while its request is open, is the same request and the same run. A declined start has \
             the status `declined` and the error `consent denied`.",
        )
        .adapter_fields(&["gesture"])
        .errors(&[Conflict, Unknown])
        .get(paths::RUN, "Returns an own run, or the start of one", runs::get_run)
        .post(paths::WAIT_FOR_RUN, "Waits until a start is answered", runs::wait_for_run)
        .post(paths::CANCEL_RUN, "Ends an own run, or withdraws its start", runs::cancel_run)
        .errors(&[Conflict])
        .post(paths::END_RUN, "Ends an own run", runs::end_run)
        .errors(&[Conflict])
        .post(paths::REATTACH_RUN, "Continues an own run after a restart", runs::reattach_run)
        .errors(&[Conflict])
        .post(paths::END_SESSION, "Ends an own session", sessions::end_session)
        .description(
            "Its grants, requests, runs and waiting calls end with it. A stop, a dry run, declines \
             and recorded destinations hold in every session that the agent opens in the next day.",
        )
        .errors(&[Conflict])
        .post(paths::SUB_AGENT, "Relates an own session to the one above it", sessions::join)
        .description(
            "The session is that of a sub-agent: a stop in the session above holds in it and clears \
             its grants and requests, and it ends with that one. Nothing else passes between them. \
             It is said once.",
        )
        .adapter_fields(&["above_agent"])
        .errors(&[Conflict, Unknown])
        .post(paths::TURNS, "Reports a message of the operator", turns::report_turn)
        .description(
            "From an agent, a turn can only make decisions stricter: stop, revoke, dry run, a \
             correction, a question. From an adapter it can also make them looser. If an agent \
             reports a grant or a slash command, the operator is asked; a yes that it reports \
             does not count.",
        )
        .adapter_fields(&["task", "works_in"])
        .errors(&[Conflict])
        .post(paths::PLANS, "Submits a plan", turns::submit_plan)
        .adapter_fields(&["score", "accepted_call"])
        .errors(&[Conflict, Invalid])
        .post(paths::MOVED, "Reports a change of topic or context", turns::report_move)
        .errors(&[Conflict])
        .post(paths::HAND_OVER, "Asks to keep standing commands in a new session", turns::hand_over)
        .errors(&[Conflict, Unknown, Invalid])
        .post(paths::LEDGER, "Adds an own record to the ledger, as a claim", own_lists::add_record)
        .errors(&[Conflict, Unknown])
        .get(paths::LEDGER, "Lists the own records in the ledger", own_lists::list_records)
        .errors(&[Invalid])
        .post(paths::PROPOSALS, "Proposes a change of the agent itself", proposals::propose)
        .errors(&[Conflict])
        .get(paths::PROPOSAL_STATE, "Returns an own proposal", proposals::get_proposal)
        .post(paths::APPLY_PROPOSAL, "Applies an approved proposal", proposals::apply_proposal)
        .errors(&[Conflict])
}

/// How long a request is kept open for an answer.
fn limit_wait(wanted: Millis) -> Duration {
    wanted.duration().min(limits::MAX_WAIT)
}

impl Caller {
    /// Refuses a field that only an adapter may send.
    pub(crate) fn check_adapter_field<T>(
        &self,
        name: &str,
        value: Option<&T>,
    ) -> Result<(), ApiError> {
        match (&self.kind, value) {
            (CallerKind::Adapter, _) | (_, None) => Ok(()),
            (CallerKind::Agent | CallerKind::Application(_), Some(_)) => {
                let message = format!("`{name}` is an observation; only an adapter may send it");
                let remedy = "leave it out, or use an adapter's credential";
                Err(ApiError::forbidden(&message, remedy))
            }
        }
    }
}
