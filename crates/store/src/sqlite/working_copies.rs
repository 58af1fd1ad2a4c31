//! The writer's copies of session states. Each session has two: readers hold one, the writer
//! applies the next commit to the other, and then they swap. The copy that falls behind gets its
//! missing commits later, so a commit costs what it changes and not what its session holds.

use super::read_cache::SqliteJob;
use crate::cells::{Cell, CellChanges, collect_snapshot_cells};
use crate::limits::{EMPTY_COPY_ROWS, MAX_WORKING_COPY_ROWS, MIN_COPY_GROWTH_ROWS};
use crate::load::contains_rows;
use crate::{ReadScope, RowKey};
use countersign_core::model::change::Change;
use countersign_core::model::names::SessionKey;
use countersign_core::model::time::Time;
use countersign_core::state::{Conflict, State, TouchedRows};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

pub(super) struct WorkingCopy {
    /// Contains everything that was written to the open transaction.
    current: Arc<State>,
    sharing: Sharing,
    /// The other copy, without the missing commits.
    previous: Option<Arc<State>>,
    missing_commits: Vec<(Time, Arc<Vec<Change>>)>,
    cells: BTreeSet<Cell>,
    rows_when_loaded: usize,
    /// A number that grows with each use.
    last_used: u64,
    weight: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sharing {
    /// Readers have it, or will have it once the transaction is committed.
    Shared,
    Private,
}

impl WorkingCopy {
    pub fn new(state: Arc<State>) -> Self {
        Self {
            rows_when_loaded: count_rows(&state),
            current: state,
            sharing: Sharing::Private,
            previous: None,
            missing_commits: Vec::new(),
            cells: BTreeSet::new(),
            last_used: 0,
            weight: 0,
        }
    }

    pub fn state(&self) -> &State {
        &self.current
    }

    /// The conflict of a commit with what has changed since its step read.
    pub fn find_conflict(&self, job: &SqliteJob, changes: &CellChanges) -> Option<Conflict> {
        let (transaction, calls) = (job.basis.transaction, job.scope.calls);
        let stale = match self.cells.is_empty() {
            true => {
                let cells = collect_snapshot_cells(&job.scope, &self.current);
                changes.find_conflict(&cells, transaction, calls)
            }
            false => changes.find_conflict(&self.cells, transaction, calls),
        };
        stale.or_else(|| self.current.conflict(&job.changes))
    }

    /// Applies a commit and returns what it touched.
    pub fn apply(&mut self, at: Time, changes: &Arc<Vec<Change>>) -> TouchedRows {
        if self.sharing == Sharing::Shared {
            let next = self.take_updated_copy();
            self.previous = Some(std::mem::replace(&mut self.current, next));
            self.sharing = Sharing::Private;
        }
        let state = Arc::make_mut(&mut self.current);
        changes.iter().for_each(|change| state.apply(at, change));
        if self.previous.is_some() {
            self.missing_commits.push((at, Arc::clone(changes)));
        }
        state.take_touched()
    }

    /// Drops the calls that a commit has ended, once their rows are written.
    pub fn drop_ended_calls(&mut self, touched: &TouchedRows) {
        Arc::make_mut(&mut self.current).drop_ended_calls(&touched.calls);
    }

    /// The other copy with its missing commits applied if no reader holds it, else a new copy.
    fn take_updated_copy(&mut self) -> Arc<State> {
        let missing_commits = std::mem::take(&mut self.missing_commits);
        if let Some(mut previous) = self.previous.take()
            && let Some(state) = Arc::get_mut(&mut previous)
        {
            for (at, changes) in missing_commits {
                changes.iter().for_each(|change| state.apply(at, change));
                let touched = state.take_touched();
                state.drop_ended_calls(&touched.calls);
            }
            return previous;
        }
        Arc::new(State::clone(&self.current))
    }
}

pub(super) struct WorkingCopies {
    copies: HashMap<SessionKey, WorkingCopy>,
    /// Which copies consist of which cells.
    sessions_by_cell: HashMap<Cell, BTreeSet<SessionKey>>,
    /// Ordered by last use.
    sessions_by_use: BTreeMap<u64, SessionKey>,
    uses: u64,
    weight: usize,
    /// Sessions that readers must no longer have.
    removed: BTreeSet<SessionKey>,
}

impl WorkingCopies {
    pub fn new() -> Self {
        Self {
            copies: HashMap::new(),
            sessions_by_cell: HashMap::new(),
            sessions_by_use: BTreeMap::new(),
            uses: 0,
            weight: 0,
            removed: BTreeSet::new(),
        }
    }

    /// Takes a copy out, if it contains these rows.
    pub fn take(&mut self, session: &SessionKey, rows: &[RowKey]) -> Option<WorkingCopy> {
        let copy = self.copies.remove(session)?;
        self.sessions_by_use.remove(&copy.last_used);
        self.weight = self.weight.saturating_sub(copy.weight);
        if contains_rows(&copy.current, rows) {
            return Some(copy);
        }
        self.remove_cells(session, &copy.cells);
        None
    }

    /// Puts a copy back after a commit that touched `touched`. The copy of a session that is not open
    /// yet depends on who opens it, so it is not kept.
    pub fn put_back(&mut self, scope: &ReadScope, mut copy: WorkingCopy, touched: &TouchedRows) {
        let Some(session) = scope.single_session() else { return };
        if !copy.current.sessions.contains_key(session) {
            self.remove_cells(session, &copy.cells);
            return;
        }
        let cells_may_differ = !touched.sessions.is_empty() || !touched.notices.is_empty();
        if cells_may_differ || copy.cells.is_empty() {
            self.remove_cells(session, &copy.cells);
            copy.cells = collect_snapshot_cells(scope, &copy.current);
            for cell in &copy.cells {
                self.sessions_by_cell.entry(cell.clone()).or_default().insert(session.clone());
            }
        }
        self.uses += 1;
        (copy.last_used, copy.weight) = (self.uses, weigh(&copy));
        self.weight += copy.weight;
        self.sessions_by_use.insert(copy.last_used, session.clone());
        self.copies.insert(session.clone(), copy);
    }

    /// Drops the copies of other sessions that contain a changed cell.
    pub fn drop_stale(&mut self, changed: &BTreeSet<Cell>, own: Option<&SessionKey>) {
        let stale: Vec<SessionKey> = changed
            .iter()
            .filter_map(|cell| self.sessions_by_cell.get(cell))
            .flatten()
            .filter(|session| Some(*session) != own)
            .cloned()
            .collect();
        stale.iter().for_each(|session| self.evict(session));
    }

    fn evict(&mut self, session: &SessionKey) {
        if let Some(copy) = self.copies.remove(session) {
            self.sessions_by_use.remove(&copy.last_used);
            self.weight = self.weight.saturating_sub(copy.weight);
            self.remove_cells(session, &copy.cells);
        }
        self.removed.insert(session.clone());
    }

    fn remove_cells(&mut self, session: &SessionKey, cells: &BTreeSet<Cell>) {
        for cell in cells {
            if let Some(sessions) = self.sessions_by_cell.get_mut(cell) {
                sessions.remove(session);
                if sessions.is_empty() {
                    self.sessions_by_cell.remove(cell);
                }
            }
        }
    }

    /// After a transaction: which snapshots readers must drop, and which they get. Readers never
    /// have one without a copy here, because only here it is noticed that it becomes stale.
    pub fn publish(&mut self, used: BTreeSet<SessionKey>) -> SnapshotUpdate {
        let mut now = Vec::with_capacity(used.len());
        for name in used {
            let grown = |copy: &WorkingCopy| {
                let loaded = copy.rows_when_loaded;
                count_rows(&copy.current) >= loaded + loaded.max(MIN_COPY_GROWTH_ROWS)
            };
            let grown = self.copies.get(&name).is_none_or(grown);
            if grown {
                self.evict(&name);
            } else if let Some(copy) = self.copies.get_mut(&name) {
                copy.sharing = Sharing::Shared;
                now.push((name.clone(), Arc::clone(&copy.current)));
                self.removed.remove(&name);
            }
        }
        // The last used one stays even if it alone is too large: loading it for every commit would
        // cost more the more it holds.
        while self.weight > MAX_WORKING_COPY_ROWS
            && self.copies.len() > 1
            && let Some((_, oldest)) = self.sessions_by_use.pop_first()
        {
            self.evict(&oldest);
        }
        now.retain(|(name, _)| self.copies.contains_key(name));
        SnapshotUpdate { removed: std::mem::take(&mut self.removed), updated: now }
    }

    pub fn clear(&mut self) {
        *self = Self::new();
    }
}

pub(super) struct SnapshotUpdate {
    pub removed: BTreeSet<SessionKey>,
    pub updated: Vec<(SessionKey, Arc<State>)>,
}

/// Sooner or later there are two copies.
fn weigh(copy: &WorkingCopy) -> usize {
    2 * (EMPTY_COPY_ROWS + count_rows(&copy.current))
}

fn count_rows(state: &State) -> usize {
    let rows = state.grants.iter().count() + state.requests.count() + state.calls.len();
    rows + state.runs.len() + state.declined.len() + state.carried_over.len() + state.notices.len()
}
