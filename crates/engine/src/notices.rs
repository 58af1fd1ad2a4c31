//! Notices to the operator, and what a surface reports about showing something.
//!
//! Nothing here decides anything.

use crate::{Engine, EngineError, ReadScope, RowKey, ScopeKind, SessionOwner, Store};
use countersign_core::decide::facts::Facts;
use countersign_core::model::change::Change;
use countersign_core::model::delivery::{Delivery, ShownObject};
use countersign_core::model::ids::NoticeId;
use countersign_core::model::names::SurfaceName;
use countersign_core::model::notice::{Cause, Notice};
use countersign_core::steps::notice::{operator_alert, session_alert};
use countersign_operations::reviews::{list_reviews, update_review_notices};

impl<S: Store> Engine<S> {
    /// Notices that nobody has acknowledged yet, of all agents, oldest first.
    pub fn open_notices(&self) -> Result<Vec<Notice>, EngineError> {
        let state = self.store.read(&ReadScope::with_kind(ScopeKind::Notices))?.state;
        let open = state.notices.values().filter(|notice| notice.is_open());
        let mut open: Vec<Notice> = open.cloned().collect();
        open.sort_by_key(|notice| (notice.first_at, notice.id));
        Ok(open)
    }

    /// Acknowledges a notice. False if it is not open.
    pub fn acknowledge_notice(
        &self,
        notice: NoticeId,
        surface: &SurfaceName,
    ) -> Result<bool, EngineError> {
        self.run_step(&ReadScope::for_row(RowKey::Notice(notice)), |facts, _| {
            match facts.state.notices.get(&notice).filter(|notice| notice.is_open()) {
                None => (false, Vec::new()),
                Some(_) => {
                    let surface = surface.clone();
                    (true, vec![Change::NoticeAcknowledged { notice, surface }])
                }
            }
        })
    }

    /// Records what a surface reports about showing something. False if there is no such thing.
    pub fn record_delivery(&self, delivery: &Delivery) -> Result<bool, EngineError> {
        let row = match delivery.shown {
            ShownObject::Request(id) => RowKey::Request(id),
            ShownObject::Notice(id) => RowKey::Notice(id),
        };
        self.run_step(&ReadScope::for_row(row), |facts, _| {
            let is_known = match delivery.shown {
                ShownObject::Request(id) => facts.state.requests.get(&id).is_some(),
                ShownObject::Notice(id) => facts.state.notices.contains_key(&id),
            };
            let delivered = || Change::RequestDelivered { delivery: Box::new(delivery.clone()) };
            (is_known, is_known.then(delivered).into_iter().collect())
        })
    }

    /// Alerts the operator that a changed graph is refused; the last valid one stays in force.
    pub fn alert_graph_refused(&self, why: &str) -> Result<(), EngineError> {
        self.alert_operator(Cause::GraphRefused, why)
    }

    /// Alerts the operator that a changed graph is in force, and ends the alerts about versions that
    /// were refused before.
    pub fn report_graph_changed(&self, what: &str) -> Result<(), EngineError> {
        self.run_step_anytime(&ReadScope::with_kind(ScopeKind::Notices), |facts, _| {
            let mut changes = end_open_notices(facts, Cause::GraphRefused);
            changes.push(operator_alert(facts, Cause::GraphChanged, what));
            ((), changes)
        })?;
        self.forget_review_check()
    }

    /// Ends the open notices with this cause, because it has ended.
    pub fn end_notices(&self, cause: Cause) -> Result<(), EngineError> {
        if !self.open_notices()?.iter().any(|notice| notice.cause == cause) {
            return Ok(());
        }
        self.run_step_anytime(&ReadScope::with_kind(ScopeKind::Notices), |facts, _| {
            ((), end_open_notices(facts, cause))
        })
    }

    /// Raises the notices about reviews that are due, and ends those about reviews that were made.
    /// Dates change by the day, so this reads the grants of projects once a day and after a review.
    pub(crate) fn update_review_notices(&self) -> Result<(), EngineError> {
        let (now, graph) = (self.current_time()?, self.graph()?);
        let Some(graph) = graph else { return Ok(()) };
        let mut checked_on = self.reviews_checked_on.lock().map_err(|_| EngineError::Damaged)?;
        if *checked_on == Some(now.date()) {
            return Ok(());
        }
        let state = self.read_project_grants()?;
        let reviews = list_reviews(&graph, state.grants.iter(), now);
        let scope = ReadScope::with_kind(ScopeKind::Notices);
        let known = self.store.read(&scope)?.state;
        let is_needed = known.notices.values().any(|notice| notice.cause.is_review())
            || reviews.iter().any(|review| review.is_near(now.date()));
        if is_needed {
            self.run_step_anytime(&scope, |facts, _| ((), update_review_notices(facts, &reviews)))?;
        }
        *checked_on = Some(now.date());
        Ok(())
    }

    /// Something was reviewed, or the graph changed: the next sweep looks again.
    pub(crate) fn forget_review_check(&self) -> Result<(), EngineError> {
        *self.reviews_checked_on.lock().map_err(|_| EngineError::Damaged)? = None;
        Ok(())
    }

    /// Alerts the operator that agents are less separated than they were at the start.
    pub fn alert_assurance_lowered(&self, why: &str) -> Result<(), EngineError> {
        self.alert_operator(Cause::AssuranceLowered, why)
    }

    /// Alerts the operator that something pretended to be an agent's program.
    pub fn alert_forged_event(&self, owner: &SessionOwner, why: &str) -> Result<(), EngineError> {
        self.run_step_anytime(&ReadScope::with_kind(ScopeKind::Notices), |facts, _| {
            ((), vec![session_alert(facts, owner.session.clone(), owner.agent.clone(), why)])
        })
    }

    fn alert_operator(&self, cause: Cause, why: &str) -> Result<(), EngineError> {
        self.run_step_anytime(&ReadScope::with_kind(ScopeKind::Notices), |facts, _| {
            ((), vec![operator_alert(facts, cause, why)])
        })
    }
}

fn end_open_notices(facts: &Facts, cause: Cause) -> Vec<Change> {
    let notices = facts.state.notices.values();
    let open = notices.filter(|notice| notice.is_open() && notice.cause == cause);
    open.map(|notice| Change::NoticeEnded { notice: notice.id }).collect()
}
