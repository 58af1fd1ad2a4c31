//! The slices that the writer works on, each in two copies: one that readers have, and one that
//! takes the next changes and changes places with it. What the copy lacks is applied to it then,
//! so that a commit costs what it changes and not what its session holds.

use crate::cells::{Cell, of_slice};
use crate::load::holds;
use crate::{Need, Thing, only_session};
use countersign_core::model::change::Change;
use countersign_core::model::names::SessionName;
use countersign_core::model::time::Time;
use countersign_core::state::{State, Touched};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Rows that all slices together may hold: some ten megabytes, however many sessions.
const MOST: usize = 12_288;

/// What a slice takes that holds next to nothing, in rows.
const BARE: usize = 12;

/// A slice that has grown by this many rows is read anew, without what is over.
const GROWN: usize = 64;

pub(super) struct Working {
    /// With everything that was written to the open transaction.
    now: Arc<State>,
    shared: Shared,
    /// The other copy, as it was before the commits that it lacks.
    other: Option<Arc<State>>,
    lacks: Vec<(Time, Arc<Vec<Change>>)>,
    cells: BTreeSet<Cell>,
    /// Rows that it held when it was read.
    begun: usize,
    /// When it was last used, counted in uses.
    used: u64,
    weight: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shared {
    /// Readers have it, or will as soon as the transaction is through.
    WithReaders,
    Not,
}

impl Working {
    pub fn of(state: Arc<State>) -> Self {
        Self {
            begun: rows(&state),
            now: state,
            shared: Shared::Not,
            other: None,
            lacks: Vec::new(),
            cells: BTreeSet::new(),
            used: 0,
            weight: 0,
        }
    }

    pub fn state(&self) -> &State {
        &self.now
    }

    /// Applies a commit and says what it touched.
    pub fn apply(&mut self, at: Time, changes: &Arc<Vec<Change>>) -> Touched {
        if self.shared == Shared::WithReaders {
            let next = self.caught_up();
            self.other = Some(std::mem::replace(&mut self.now, next));
            self.shared = Shared::Not;
        }
        let state = Arc::make_mut(&mut self.now);
        changes.iter().for_each(|change| state.apply(at, change));
        if self.other.is_some() {
            self.lacks.push((at, Arc::clone(changes)));
        }
        state.take_touched()
    }

    /// Drops the calls that a commit has ended, once their rows are written.
    pub fn let_go(&mut self, touched: &Touched) {
        Arc::make_mut(&mut self.now).let_go(&touched.calls);
    }

    /// The other copy with what it lacks, if nobody reads it any more; otherwise a new one.
    fn caught_up(&mut self) -> Arc<State> {
        let lacks = std::mem::take(&mut self.lacks);
        if let Some(mut other) = self.other.take()
            && let Some(state) = Arc::get_mut(&mut other)
        {
            for (at, changes) in lacks {
                changes.iter().for_each(|change| state.apply(at, change));
                let touched = state.take_touched();
                state.let_go(&touched.calls);
            }
            return other;
        }
        Arc::new(State::clone(&self.now))
    }
}

pub(super) struct Workings {
    held: HashMap<SessionName, Working>,
    /// Whose slices are made of which cells.
    of_cell: HashMap<Cell, BTreeSet<SessionName>>,
    /// By when they were last used.
    order: BTreeMap<u64, SessionName>,
    uses: u64,
    weight: usize,
    /// Sessions whose slices readers must no longer have.
    gone: BTreeSet<SessionName>,
}

impl Workings {
    pub fn none() -> Self {
        Self {
            held: HashMap::new(),
            of_cell: HashMap::new(),
            order: BTreeMap::new(),
            uses: 0,
            weight: 0,
            gone: BTreeSet::new(),
        }
    }

    /// Takes a slice out, if it holds these things.
    pub fn take(&mut self, session: &SessionName, things: &[Thing]) -> Option<Working> {
        let working = self.held.remove(session)?;
        self.order.remove(&working.used);
        self.weight = self.weight.saturating_sub(working.weight);
        if holds(&working.now, things) {
            return Some(working);
        }
        self.lose_cells(session, &working.cells);
        None
    }

    /// Puts a slice back that `touched` has changed. A session that is not open yet has a slice
    /// that depends on who opens it: not kept.
    pub fn keep(&mut self, need: &Need, mut working: Working, touched: &Touched) {
        let Some(session) = only_session(need) else { return };
        if !working.now.sessions.contains_key(session) {
            self.lose_cells(session, &working.cells);
            return;
        }
        let moved = !touched.sessions.is_empty() || !touched.notices.is_empty();
        if moved || working.cells.is_empty() {
            self.lose_cells(session, &working.cells);
            working.cells = of_slice(need, &working.now);
            for cell in &working.cells {
                self.of_cell.entry(cell.clone()).or_default().insert(session.clone());
            }
        }
        self.uses += 1;
        (working.used, working.weight) = (self.uses, weight(&working));
        self.weight += working.weight;
        self.order.insert(working.used, session.clone());
        self.held.insert(session.clone(), working);
    }

    /// Drops the slices of others that a commit has moved something in.
    pub fn forget(&mut self, moved: &BTreeSet<Cell>, own: Option<&SessionName>) {
        let stale: Vec<SessionName> = moved
            .iter()
            .filter_map(|cell| self.of_cell.get(cell))
            .flatten()
            .filter(|session| Some(*session) != own)
            .cloned()
            .collect();
        stale.iter().for_each(|session| self.drop_one(session));
    }

    fn drop_one(&mut self, session: &SessionName) {
        if let Some(working) = self.held.remove(session) {
            self.order.remove(&working.used);
            self.weight = self.weight.saturating_sub(working.weight);
            self.lose_cells(session, &working.cells);
        }
        self.gone.insert(session.clone());
    }

    fn lose_cells(&mut self, session: &SessionName, cells: &BTreeSet<Cell>) {
        for cell in cells {
            if let Some(sessions) = self.of_cell.get_mut(cell) {
                sessions.remove(session);
                if sessions.is_empty() {
                    self.of_cell.remove(cell);
                }
            }
        }
    }

    /// After a transaction: which slices readers must drop, and which of those it used they get.
    /// Readers never have one that is not here, where it is dropped when it no longer holds.
    pub fn publish(&mut self, used: BTreeSet<SessionName>) -> Published {
        let mut now = Vec::with_capacity(used.len());
        for name in used {
            let grown = |working: &Working| rows(&working.now) >= working.begun + GROWN;
            let grown = self.held.get(&name).is_none_or(grown);
            if grown {
                self.drop_one(&name);
            } else if let Some(working) = self.held.get_mut(&name) {
                working.shared = Shared::WithReaders;
                now.push((name.clone(), Arc::clone(&working.now)));
                self.gone.remove(&name);
            }
        }
        while self.weight > MOST
            && let Some((_, oldest)) = self.order.pop_first()
        {
            self.drop_one(&oldest);
        }
        now.retain(|(name, _)| self.held.contains_key(name));
        Published { gone: std::mem::take(&mut self.gone), now }
    }

    pub fn clear(&mut self) {
        *self = Self::none();
    }
}

pub(super) struct Published {
    pub gone: BTreeSet<SessionName>,
    pub now: Vec<(SessionName, Arc<State>)>,
}

/// Two copies, sooner or later.
fn weight(working: &Working) -> usize {
    2 * (BARE + rows(&working.now))
}

fn rows(state: &State) -> usize {
    let rows = state.grants.iter().count() + state.requests.count() + state.calls.len();
    rows + state.runs.len() + state.declined.len() + state.notices.len()
}
