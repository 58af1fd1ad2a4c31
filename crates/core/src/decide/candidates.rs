//! The grants that match one question, in the order of preference, and which of them are taken.
//!
//! Only the data and the choice. `carry` gathers the candidates, `matching` says which grants match.

use crate::model::category::Category;
use crate::model::grant::{Coverage, Grant};
use crate::model::ids::GrantId;
use crate::model::words::Risk;

/// Whether a matching grant can be used now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Usability {
    Live,
    /// A project grant that is due for review.
    Lapsed,
    Ended,
    /// Reserved, spent, revoked, suspended, or kept for another call.
    Unusable,
}

pub(crate) struct Candidate<'a> {
    pub grant: &'a Grant,
    pub usability: Usability,
}

/// The matching grants of one question, in the order of preference.
pub(crate) struct Candidates<'a> {
    pub list: Vec<Candidate<'a>>,
    /// The categories that category grants have to cover together.
    pub needed: Vec<&'a Category>,
    pub risk: Risk,
}

impl Candidates<'_> {
    /// The grants that carry the call, if any do.
    pub fn choose(&self) -> Option<Vec<GrantId>> {
        self.take(|c| c.usability == Usability::Live && c.grant.carries(self.risk))
    }

    /// Whether live grants match, but were shown with a lower risk.
    pub fn are_live_but_for_risk(&self) -> bool {
        self.take(|c| c.usability == Usability::Live).is_some()
    }

    /// Whether project grants would carry it, had they been reviewed.
    pub fn have_lapsed(&self) -> bool {
        self.take(|c| c.usability != Usability::Ended && c.grant.carries(self.risk)).is_some()
    }

    /// Whether grants carried it until they ended.
    pub fn have_ended(&self) -> bool {
        self.take(|c| c.usability != Usability::Lapsed && c.grant.carries(self.risk)).is_some()
    }

    /// The first grant that covers alone, or the first categories that cover together.
    fn take(&self, usable: impl Fn(&Candidate) -> bool) -> Option<Vec<GrantId>> {
        if self.list.is_empty() {
            return None;
        }
        let mut missing = self.needed.clone();
        let mut taken = Vec::new();
        for candidate in self.list.iter().filter(|candidate| usable(candidate)) {
            let grant = candidate.grant;
            match &grant.coverage {
                Coverage::Category(category) => {
                    if let Some(at) = missing.iter().position(|needed| *needed == category) {
                        missing.remove(at);
                        taken.push(grant.id);
                        if missing.is_empty() {
                            return Some(taken);
                        }
                    }
                }
                Coverage::Digest { .. }
                | Coverage::Command { .. }
                | Coverage::Action(_)
                | Coverage::Run { .. }
                | Coverage::Class { .. }
                | Coverage::Step { .. }
                | Coverage::Everything => return Some(vec![grant.id]),
            }
        }
        None
    }
}
