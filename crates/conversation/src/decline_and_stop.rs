//! *Decline and stop*: a no, and the session's stop, as one step.
//!
//! Both are committed together. Otherwise a crash between them would leave an agent running that the
//! operator has stopped.

use crate::say_stop;
use countersign_core::decide::facts::Facts;
use countersign_core::model::change::Change;
use countersign_core::model::request::{Answer, Request};
use countersign_core::model::words::Ending;
use countersign_core::steps::settle::{Settlement, settle};

/// Settles a no, and stops the session of the request that it declines. An answer that declines
/// nothing, for example because it comes too late, stops nothing.
pub fn decline_and_stop(facts: &Facts, requests: &[&Request], answer: &Answer) -> Settlement {
    let mut settlement = settle(facts, requests, answer);
    let declined = requests.iter().find(|request| is_declined(request, &settlement.changes));
    let Some(request) = declined else { return settlement };
    let mut after_decline = facts.state.clone();
    settlement.changes.iter().for_each(|change| after_decline.apply(facts.now, change));
    let stop = say_stop(&Facts { state: &after_decline, ..*facts }, &request.session);
    settlement.changes.extend(stop.changes);
    settlement
}

fn is_declined(request: &Request, changes: &[Change]) -> bool {
    changes.iter().any(|change| {
        matches!(change, Change::RequestAnswered { answered }
            if answered.request == request.id && answered.ending == Some(Ending::Declined))
    })
}
