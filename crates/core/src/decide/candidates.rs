//! The grants that match one action, in order of preference, and the choice among them.
//!
//! `carry` collects the candidates, and `matching` decides which grants match.

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
    /// Reserved, spent, revoked, suspended, or released for another call.
    Unusable,
}

pub(crate) struct GrantCandidate<'a> {
    pub grant: &'a Grant,
    pub usability: Usability,
    /// The highest risk that the grant has to cover.
    pub risk: Risk,
    /// The heads of the line that it covers, by their number.
    pub heads: Vec<usize>,
}

impl GrantCandidate<'_> {
    fn covers_risk(&self) -> bool {
        self.grant.covers_risk(self.risk)
    }
}

/// The matching grants of one action, in order of preference.
pub(crate) struct Candidates<'a> {
    pub list: Vec<GrantCandidate<'a>>,
    /// The categories that category grants have to cover, all of them.
    pub needed: Vec<&'a Category>,
    /// The heads that head grants have to cover, all of them, by their number.
    pub needed_heads: Vec<usize>,
}

impl Candidates<'_> {
    /// The grants that cover the action, if any do.
    pub fn choose(&self) -> Option<Vec<GrantId>> {
        self.take(|c| c.usability == Usability::Live && c.covers_risk())
    }

    /// Whether the grants for which this holds cover the action.
    pub fn cover_with(&self, may_be_used: impl Fn(&Grant) -> bool) -> bool {
        let is_usable = |c: &GrantCandidate| {
            c.usability == Usability::Live && c.covers_risk() && may_be_used(c.grant)
        };
        self.take(is_usable).is_some()
    }

    /// Whether live grants match, apart from the risk.
    pub fn are_live_but_for_risk(&self) -> bool {
        self.take(|c| c.usability == Usability::Live).is_some()
    }

    /// Whether grants would cover it if lapsed project grants were reviewed.
    pub fn would_cover_after_review(&self) -> bool {
        self.take(|c| c.usability != Usability::Ended && c.covers_risk()).is_some()
    }

    /// Whether grants would cover it if some of them had not ended.
    pub fn would_cover_before_end(&self) -> bool {
        self.take(|c| c.usability != Usability::Lapsed && c.covers_risk()).is_some()
    }

    /// The first grant that covers the action alone, or the first category grants or heads that cover
    /// it together.
    fn take(&self, usable: impl Fn(&GrantCandidate) -> bool) -> Option<Vec<GrantId>> {
        if self.list.is_empty() {
            return None;
        }
        let mut missing = self.needed.clone();
        let mut missing_heads = self.needed_heads.clone();
        let (mut taken, mut taken_heads) = (Vec::new(), Vec::new());
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
                Coverage::Head { .. } => {
                    let before = missing_heads.len();
                    missing_heads.retain(|head| !candidate.heads.contains(head));
                    if missing_heads.len() < before {
                        taken_heads.push(grant.id);
                        if missing_heads.is_empty() {
                            return Some(taken_heads);
                        }
                    }
                }
                Coverage::Digest { .. }
                | Coverage::Command { .. }
                | Coverage::Action(_)
                | Coverage::Run { .. }
                | Coverage::Class { .. }
                | Coverage::Step { .. }
                | Coverage::Everything
                | Coverage::Program(_) => return Some(vec![grant.id]),
            }
        }
        None
    }
}
