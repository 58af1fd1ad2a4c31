//! Cells: the units of change in the state. A snapshot is current as long as none of its cells has
//! changed.

use crate::{Opener, ReadScope, ScopeKind};
use countersign_core::model::change::Change;
use countersign_core::model::grant::Owner;
use countersign_core::model::names::{Agent, Project, SessionName};
use countersign_core::model::notice::Notice;
use countersign_core::state::{State, Touched};
use std::collections::BTreeSet;
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Cell {
    /// Paused agents, operator presence, the reviewed graph, and notices of no agent.
    Globals,
    /// The declines of an agent, and the notices about it.
    Agent(Agent),
    /// The grants of a project.
    Project(Project),
    Session(SessionName),
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Globals => f.write_str("globals"),
            Self::Agent(agent) => write!(f, "agent:{agent}"),
            Self::Project(project) => write!(f, "project:{project}"),
            Self::Session(session) => write!(f, "session:{session}"),
        }
    }
}

/// The cells that a snapshot consists of.
pub(crate) fn collect_snapshot_cells(scope: &ReadScope, state: &State) -> BTreeSet<Cell> {
    let mut cells = BTreeSet::from([Cell::Globals]);
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
    if let Some(Opener { agent, project }) = &scope.opener {
        insert_owner_cells(&mut cells, agent, project.as_ref());
    }
    cells
}

fn notice_cell(notice: &Notice) -> Cell {
    notice.agent.clone().map_or(Cell::Globals, Cell::Agent)
}

fn insert_owner_cells(cells: &mut BTreeSet<Cell>, agent: &Agent, project: Option<&Project>) {
    cells.insert(Cell::Agent(agent.clone()));
    cells.extend(project.cloned().map(Cell::Project));
}

/// The cells that a commit changes.
pub(crate) fn collect_changed_cells(
    state: &State,
    touched: &Touched,
    changes: &[Change],
) -> BTreeSet<Cell> {
    let mut cells = BTreeSet::new();
    if changes.iter().any(is_global) {
        cells.insert(Cell::Globals);
    }
    let session = |name: &SessionName| Cell::Session(name.clone());
    cells.extend(touched.sessions.iter().map(session));
    for grant in touched.grants.iter().filter_map(|id| state.grants.get(*id)) {
        cells.insert(match &grant.owner {
            Owner::Session(name) => session(name),
            Owner::Project(project) => Cell::Project(project.clone()),
        });
    }
    let requests = touched.requests.iter().filter_map(|id| state.requests.get(id));
    cells.extend(requests.map(|request| session(&request.session)));
    let calls = touched.calls.iter().filter_map(|id| state.calls.get(id));
    cells.extend(calls.map(|record| session(&record.call.session)));
    let runs = touched.runs.iter().filter_map(|id| state.runs.get(id));
    cells.extend(runs.map(|run| session(&run.session)));
    let gestures = touched.gestures.iter().filter_map(|id| state.gestures.get(id));
    cells.extend(gestures.map(|gesture| session(&gesture.session)));
    let proposals = touched.proposals.iter().filter_map(|id| state.proposals.get(id));
    cells.extend(proposals.map(|proposal| session(&proposal.session)));
    let declined = touched.declined.iter().filter_map(|digest| state.declined.get(digest));
    cells.extend(declined.map(|declined| Cell::Agent(declined.agent.clone())));
    cells.extend(touched.notices.iter().filter_map(|id| state.notices.get(id)).map(notice_cell));
    cells
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
