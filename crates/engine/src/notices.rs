//! A surface's side of the engine: what operators are told without being asked, and what a surface
//! can say about having shown something.
//!
//! Nothing here decides, and nothing that is said here changes a decision.

use crate::{Engine, EngineError, ReadScope, RowKey, ScopeKind, Store};
use countersign_core::model::change::Change;
use countersign_core::model::delivery::{Delivery, Shown};
use countersign_core::model::ids::NoticeId;
use countersign_core::model::names::SurfaceName;
use countersign_core::model::notice::Notice;
use countersign_core::steps::notice;

impl<S: Store> Engine<S> {
    /// What nobody has acknowledged yet, of all agents, the oldest first.
    pub fn notices(&self) -> Result<Vec<Notice>, EngineError> {
        let state = self.store.read(&ReadScope::with_kind(ScopeKind::Notices))?.state;
        let open = state.notices.values().filter(|notice| notice.is_open());
        let mut open: Vec<Notice> = open.cloned().collect();
        open.sort_by_key(|notice| (notice.first_at, notice.id));
        Ok(open)
    }

    /// A surface has done with a notice. False if another one had, or there is none.
    pub fn acknowledge(
        &self,
        notice: NoticeId,
        surface: &SurfaceName,
    ) -> Result<bool, EngineError> {
        self.transact(&ReadScope::for_row(RowKey::Notice(notice)), |facts| {
            match facts.state.notices.get(&notice).filter(|notice| notice.is_open()) {
                None => (false, Vec::new()),
                Some(_) => {
                    let surface = surface.clone();
                    (true, vec![Change::NoticeAcknowledged { notice, surface }])
                }
            }
        })
    }

    /// Records what a surface says about showing something. False if there is no such thing.
    pub fn delivered(&self, delivery: &Delivery) -> Result<bool, EngineError> {
        let thing = match delivery.shown {
            Shown::Request(id) => RowKey::Request(id),
            Shown::Notice(id) => RowKey::Notice(id),
        };
        self.transact(&ReadScope::for_row(thing), |facts| {
            let known = match delivery.shown {
                Shown::Request(id) => facts.state.requests.get(&id).is_some(),
                Shown::Notice(id) => facts.state.notices.contains_key(&id),
            };
            let delivery = || Change::RequestDelivered { delivery: Box::new(delivery.clone()) };
            (known, known.then(delivery).into_iter().collect())
        })
    }

    /// A changed graph could not be read: the last good one stays in force, and operators are
    /// told why.
    pub fn graph_refused(&self, why: &str) -> Result<(), EngineError> {
        self.transact_before(&ReadScope::with_kind(ScopeKind::Notices), |facts, _| {
            ((), vec![notice::graph_refused(facts, why)])
        })
    }
}
