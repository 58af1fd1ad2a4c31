//! Step 17: no earlier step decided, so the operator is asked, for the first reason that fits.

use super::action_context::ActionContext;
use super::carry::candidates;
use crate::model::decision::{Nearest, Verdict};
use crate::model::words::{Outcome, Reason};

pub(crate) fn ask(q: &ActionContext) -> Verdict {
    let grants = candidates(q);
    let (reason, nearest) = if q.is_decayed() || grants.have_lapsed() {
        (Reason::Decayed, Nearest::Review)
    } else if grants.are_live_but_for_risk() {
        (Reason::TooRiskyToCarry, Nearest::Answer)
    } else if grants.have_ended() {
        (Reason::Expired, Nearest::Answer)
    } else {
        (Reason::NoGrant, Nearest::Answer)
    };
    q.verdict(Outcome::Ask, reason, q.tier_basis(), nearest)
}
