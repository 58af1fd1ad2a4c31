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

/// Some of the first 64 heads of a line. A line with more is covered by none of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeadSet(u64);

impl HeadSet {
    /// The heads for which something holds; none if the line has too many.
    pub fn select<H>(heads: &[H], holds: impl Fn(&H) -> bool) -> Self {
        if heads.len() > u64::BITS as usize {
            return Self::default();
        }
        let bit = |(at, head): (usize, &H)| if holds(head) { 1 << at } else { 0 };
        Self(heads.iter().enumerate().map(bit).fold(0, |set, bit| set | bit))
    }

    const fn is_empty(self) -> bool {
        self.0 == 0
    }

    const fn remove_all(&mut self, others: Self) {
        self.0 &= !others.0;
    }
}

pub(crate) struct GrantCandidate<'a> {
    pub grant: &'a Grant,
    pub usability: Usability,
    /// The highest risk that the grant has to cover.
    pub risk: Risk,
    pub heads: HeadSet,
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
    /// The heads that head grants have to cover, all of them.
    pub needed_heads: HeadSet,
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
        let mut missing_heads = self.needed_heads;
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
                    let before = missing_heads;
                    missing_heads.remove_all(candidate.heads);
                    if missing_heads != before {
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
