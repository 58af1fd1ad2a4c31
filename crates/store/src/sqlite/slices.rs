//! Slices of sessions in use, as of the last commit. Only the writer puts them here.

use crate::StoreError;
use countersign_core::names::SessionName;
use countersign_core::state::State;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

/// Rows that all slices together may hold: some tens of megabytes, however many sessions.
pub(super) const MOST: usize = 16_384;

pub(super) struct Slices {
    held: Mutex<Held>,
}

struct Held {
    states: HashMap<SessionName, Arc<State>>,
    /// The one that was put in first is the first to go.
    order: VecDeque<SessionName>,
    weight: usize,
    most: usize,
}

impl Slices {
    pub fn none() -> Self {
        let (states, order) = (HashMap::new(), VecDeque::new());
        Self { held: Mutex::new(Held { states, order, weight: 0, most: MOST }) }
    }

    fn lock(&self) -> Result<MutexGuard<'_, Held>, StoreError> {
        self.held.lock().map_err(|_| StoreError::poisoned())
    }

    pub fn get(&self, session: &SessionName) -> Result<Option<Arc<State>>, StoreError> {
        Ok(self.lock()?.states.get(session).cloned())
    }

    /// Makes a commit visible: first what no longer holds goes, then what holds now comes.
    pub fn publish(
        &self,
        gone: &BTreeSet<SessionName>,
        now: Vec<(SessionName, Arc<State>)>,
    ) -> Result<(), StoreError> {
        let mut held = self.lock()?;
        gone.iter().for_each(|session| held.remove(session));
        for (session, state) in now {
            held.remove(&session);
            held.insert(session, state);
        }
        while held.weight > held.most
            && let Some(oldest) = held.order.pop_front()
        {
            held.remove(&oldest);
        }
        Ok(())
    }

    pub fn forget_everything(&self) {
        if let Ok(mut held) = self.held.lock() {
            held.most = 0;
        }
    }

    /// Whether anything is kept at all.
    pub fn remember(&self) -> bool {
        self.held.lock().is_ok_and(|held| held.most > 0)
    }

    pub fn clear(&self) -> Result<(), StoreError> {
        let mut held = self.lock()?;
        held.states.clear();
        held.order.clear();
        held.weight = 0;
        Ok(())
    }
}

impl Held {
    fn remove(&mut self, session: &SessionName) {
        if let Some(state) = self.states.remove(session) {
            self.weight = self.weight.saturating_sub(weight(&state));
            self.order.retain(|name| name != session);
        }
    }

    fn insert(&mut self, session: SessionName, state: Arc<State>) {
        self.weight += weight(&state);
        self.order.push_back(session.clone());
        self.states.insert(session, state);
    }
}

pub(super) fn weight(state: &State) -> usize {
    let rows = state.grants.iter().count() + state.requests.values().count();
    1 + rows + state.calls.len() + state.runs.len() + state.declined.len() + state.notices.len()
}
