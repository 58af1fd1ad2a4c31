//! Cells: the units of change in the state. A snapshot is current as long as none of its cells has
//! changed.
//!
//! A step commits only if what it read has not changed since. Most commits in a busy session only
//! start or complete calls, and most steps do not look at the calls of others, so a cell has two
//! kinds of changes: any change of its contents, and a *decisive* one, which is any other than
//! starting or completing a call.
//!
//! See docs/decisions/0038-conflicts-from-what-was-read.md.

use crate::limits::MAX_TRACKED_CELLS;
use crate::rows::NO_PROJECT;
use crate::{CallsRead, ReadScope, ScopeKind};
use countersign_core::model::change::{Attempt, Change, GrantUseEffect};
use countersign_core::model::grant::Owner;
use countersign_core::model::ids::{CallId, GrantId};
use countersign_core::model::names::{Agent, Project, SessionKey};
use countersign_core::model::notice::Notice;
use countersign_core::state::{Conflict, State, TouchedRows};
use std::collections::{BTreeSet, HashMap};
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Cell {
    /// Paused agents, operator presence, the reviewed graph, and notices of no agent.
    Globals,
    /// The declines of an agent, what it carries over, and the notices about it.
    Agent(Agent),
    /// The grants of a project.
    Project(Project),
    /// The grants of the user.
    User,
    Session(SessionKey),
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Globals => f.write_str("globals"),
            Self::Agent(agent) => write!(f, "agent:{agent}"),
            Self::Project(project) => write!(f, "project:{project}"),
            Self::User => write!(f, "project:{NO_PROJECT}"),
            Self::Session(session) => write!(f, "session:{}", session.as_str()),
        }
    }
}

/// The cells that a snapshot consists of.
pub(crate) fn collect_snapshot_cells(scope: &ReadScope, state: &State) -> BTreeSet<Cell> {
    let mut cells = BTreeSet::from([Cell::Globals, Cell::User]);
    cells.extend(scope.sessions.iter().cloned().map(Cell::Session));
    for (name, session) in state.sessions.iter() {
        cells.insert(Cell::Session(name.clone()));
        insert_owner_cells(&mut cells, &session.agent, session.project.as_ref());
    }
    cells.extend(state.notices.values().map(notice_cell));
    if scope.kind == ScopeKind::Running {
        let calls = state.calls.values().map(|record| &record.call.session);
        let runs = state.runs.values().map(|run| &run.session);
        cells.extend(calls.chain(runs).cloned().map(Cell::Session));
    }
    if let Some(opener) = &scope.opener {
        insert_owner_cells(&mut cells, &opener.agent, opener.project());
    }
    cells
}

/// The same for the whole state in memory, of which a scope of one session reads only a part.
pub(crate) fn collect_scope_cells(scope: &ReadScope, state: &State) -> BTreeSet<Cell> {
    let Some(session) = scope.single_session().filter(|_| scope.rows.is_empty()) else {
        return collect_snapshot_cells(scope, state);
    };
    let mut cells = BTreeSet::from([Cell::Globals, Cell::User]);
    for session in std::iter::once(session).chain(state.sessions_above(session)) {
        cells.insert(Cell::Session(session.clone()));
        if let Some(open) = state.sessions.get(session) {
            insert_owner_cells(&mut cells, &open.agent, open.project.as_ref());
        }
    }
    if let Some(opener) = &scope.opener {
        insert_owner_cells(&mut cells, &opener.agent, opener.project());
    }
    cells
}

/// The names of these cells in a database.
pub(crate) fn cell_names(cells: &BTreeSet<Cell>) -> Vec<String> {
    cells.iter().map(ToString::to_string).collect()
}

fn notice_cell(notice: &Notice) -> Cell {
    notice.agent.clone().map_or(Cell::Globals, Cell::Agent)
}

fn insert_owner_cells(cells: &mut BTreeSet<Cell>, agent: &Agent, project: Option<&Project>) {
    cells.insert(Cell::Agent(agent.clone()));
    cells.extend(project.cloned().map(Cell::Project));
}

/// The cells that a commit changes.
#[derive(Debug, Default)]
pub(crate) struct ChangedCells {
    /// Cells whose contents change.
    pub contents: BTreeSet<Cell>,
    /// Those of them that change in more than calls that start or complete.
    pub decisive: BTreeSet<Cell>,
}

impl ChangedCells {
    fn insert(&mut self, cell: Cell, kind: ChangeKind) {
        if kind == ChangeKind::Decisive {
            self.decisive.insert(cell.clone());
        }
        self.contents.insert(cell);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ChangeKind {
    Decisive,
    /// A call starts or completes, or a grant that several calls can use is used once more.
    Routine,
}

/// `state` is the state after the changes.
pub(crate) fn collect_changed_cells(
    state: &State,
    touched: &TouchedRows,
    changes: &[Change],
) -> ChangedCells {
    let mut cells = ChangedCells::default();
    if changes.iter().any(is_global) {
        cells.insert(Cell::Globals, ChangeKind::Decisive);
    }
    let session = |name: &SessionKey| Cell::Session(name.clone());
    let mut insert = |cell: Cell| cells.insert(cell, ChangeKind::Decisive);
    touched.sessions.iter().map(session).for_each(&mut insert);
    let requests = touched.requests.iter().filter_map(|id| state.requests.get(id));
    requests.map(|request| session(&request.session)).for_each(&mut insert);
    let runs = touched.runs.iter().filter_map(|id| state.runs.get(id));
    runs.map(|run| session(&run.session)).for_each(&mut insert);
    let gestures = touched.gestures.iter().filter_map(|id| state.gestures.get(id));
    gestures.map(|gesture| session(&gesture.session)).for_each(&mut insert);
    let proposals = touched.proposals.iter().filter_map(|id| state.proposals.get(id));
    proposals.map(|proposal| session(&proposal.session)).for_each(&mut insert);
    let declined = touched.declined.iter().filter_map(|digest| state.declined.get(digest));
    declined.map(|declined| Cell::Agent(declined.agent.clone())).for_each(&mut insert);
    touched.carried_over.iter().cloned().map(Cell::Agent).for_each(&mut insert);
    let notices = touched.notices.iter().filter_map(|id| state.notices.get(id));
    notices.map(notice_cell).for_each(&mut insert);
    for grant in touched.grants.iter().filter_map(|id| state.grants.get(*id)) {
        let cell = match &grant.owner {
            Owner::Session(name) => session(name),
            Owner::Project(project) => Cell::Project(project.clone()),
            Owner::User => Cell::User,
        };
        cells.insert(cell, grant_change_kind(grant.id, changes));
    }
    for record in touched.calls.iter().filter_map(|id| state.calls.get(id)) {
        cells.insert(session(&record.call.session), call_change_kind(record.call.id, changes));
    }
    cells
}

/// A use that is only counted leaves the grant as it is for everybody else.
fn grant_change_kind(id: GrantId, changes: &[Change]) -> ChangeKind {
    let is_counted = |change: &&Change| match change {
        Change::GrantUsed { grant, hold, .. } => *grant == id && *hold == GrantUseEffect::Counted,
        _ => false,
    };
    // A change that names no grant, such as a completion, can still end one.
    let is_harmless = |change: &Change| match change {
        Change::CallDecided { attempt: Attempt::First(_), .. }
        | Change::RequestDelivered { .. }
        | Change::AgentRecorded { .. }
        | Change::NestedCovered { .. }
        | Change::GestureCovered { .. }
        | Change::RiskReduced { .. }
        | Change::RuleDecayed { .. } => true,
        Change::GrantUsed { hold, .. } => *hold == GrantUseEffect::Counted,
        _ => false,
    };
    match changes.iter().any(|change| is_counted(&change)) && changes.iter().all(is_harmless) {
        true => ChangeKind::Routine,
        false => ChangeKind::Decisive,
    }
}

fn call_change_kind(id: CallId, changes: &[Change]) -> ChangeKind {
    let is_own = |change: &Change| match change {
        Change::CallDecided { attempt: Attempt::First(call), .. } => call.id == id,
        Change::CallCompleted { call, .. } => *call == id,
        _ => false,
    };
    if changes.iter().any(is_own) { ChangeKind::Routine } else { ChangeKind::Decisive }
}

/// Which commit last changed which cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellChanges {
    /// The number of the commit, or batch of commits, that is open or comes next.
    pub transaction: u64,
    last_changes: HashMap<Cell, LastChange>,
    /// Changes before this transaction are forgotten.
    known_since: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct LastChange {
    contents: u64,
    decisive: u64,
}

impl CellChanges {
    pub fn record(&mut self, changed: &ChangedCells) {
        if self.last_changes.len() > MAX_TRACKED_CELLS {
            self.last_changes.clear();
            self.known_since = self.transaction;
        }
        for cell in &changed.contents {
            let last = self.last_changes.entry(cell.clone()).or_default();
            last.contents = self.transaction;
            if changed.decisive.contains(cell) {
                last.decisive = self.transaction;
            }
        }
    }

    /// Whether no contents of these cells have changed after this transaction.
    pub fn is_unchanged<'a>(
        &self,
        cells: impl IntoIterator<Item = &'a Cell>,
        transaction: u64,
    ) -> bool {
        self.find_change(cells, transaction, CallsRead::All).is_none()
    }

    /// The conflict of a step that read these cells as of this transaction.
    pub fn find_conflict<'a>(
        &self,
        cells: impl IntoIterator<Item = &'a Cell>,
        transaction: u64,
        calls: CallsRead,
    ) -> Option<Conflict> {
        self.find_change(cells, transaction, calls).map(stale_conflict)
    }

    fn find_change<'a>(
        &self,
        cells: impl IntoIterator<Item = &'a Cell>,
        transaction: u64,
        calls: CallsRead,
    ) -> Option<&'a Cell> {
        let has_changed = |cell: &&Cell| {
            transaction < self.known_since
                || self.last_changes.get(*cell).is_some_and(|last| match calls {
                    CallsRead::All => last.contents > transaction,
                    CallsRead::OnlyRows => last.decisive > transaction,
                })
        };
        cells.into_iter().find(has_changed)
    }
}

pub(crate) fn stale_conflict(cell: impl ToString) -> Conflict {
    Conflict::Stale(cell.to_string())
}

/// Whether a change reaches the globals. A gesture that has ended needs no case here: it is gone
/// from the state, but the same change touches the row of its session.
fn is_global(change: &Change) -> bool {
    matches!(
        change,
        Change::AgentPaused { .. }
            | Change::AgentResumed { .. }
            | Change::PresenceChanged { .. }
            | Change::Restarted { .. }
            | Change::GraphReviewed { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(name: &str, kind: ChangeKind) -> ChangedCells {
        let mut changed = ChangedCells::default();
        changed.insert(cell(name), kind);
        changed
    }

    fn cell(name: &str) -> Cell {
        Cell::Session(SessionKey::parse(&format!("coder {name}")).unwrap())
    }

    fn has_changed(changes: &CellChanges, transaction: u64, calls: CallsRead) -> bool {
        changes.find_conflict(&[cell("s1")], transaction, calls).is_some()
    }

    #[test]
    fn a_change_after_a_read_makes_it_stale_and_a_change_before_does_not() {
        let mut changes = CellChanges { transaction: 5, ..CellChanges::default() };
        changes.record(&change("s1", ChangeKind::Decisive));
        assert!(!has_changed(&changes, 5, CallsRead::All));
        assert!(has_changed(&changes, 4, CallsRead::All));
        changes.transaction = 6;
        changes.record(&change("s2", ChangeKind::Decisive));
        assert!(!has_changed(&changes, 5, CallsRead::All));
    }

    #[test]
    fn a_call_that_starts_leaves_steps_alone_that_do_not_read_it() {
        let mut changes = CellChanges { transaction: 5, ..CellChanges::default() };
        changes.record(&change("s1", ChangeKind::Routine));
        assert!(has_changed(&changes, 4, CallsRead::All));
        assert!(!has_changed(&changes, 4, CallsRead::OnlyRows));
        changes.record(&change("s1", ChangeKind::Decisive));
        assert!(has_changed(&changes, 4, CallsRead::OnlyRows));
    }

    #[test]
    fn a_read_from_before_the_remembered_changes_is_stale() {
        let mut changes = CellChanges { transaction: 9, ..CellChanges::default() };
        for number in 0..=MAX_TRACKED_CELLS {
            changes.record(&change(&format!("n{number}"), ChangeKind::Decisive));
        }
        changes.record(&change("s2", ChangeKind::Decisive));
        assert!(has_changed(&changes, 8, CallsRead::All));
        assert!(!has_changed(&changes, 9, CallsRead::All));
    }
}
