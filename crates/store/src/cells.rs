//! Cells: the parts of the state that move together. A slice holds as long as no cell that it is
//! made of has moved.

use crate::{Breadth, Need};
use countersign_core::model::change::Change;
use countersign_core::model::grant::Owner;
use countersign_core::model::names::{Agent, Project, SessionName};
use countersign_core::model::notice::Notice;
use countersign_core::state::{State, Touched};
use std::collections::BTreeSet;
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Cell {
    /// Who is paused, who is present, what was reviewed, what nobody's agent is told of.
    All,
    /// What an agent was declined, and what operators are told of it.
    Agent(Agent),
    /// What a project was granted.
    Project(Project),
    Session(SessionName),
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Agent(agent) => write!(f, "agent:{agent}"),
            Self::Project(project) => write!(f, "project:{project}"),
            Self::Session(session) => write!(f, "session:{session}"),
        }
    }
}

/// What a slice is made of.
pub(crate) fn of_slice(need: &Need, state: &State) -> BTreeSet<Cell> {
    let mut cells = BTreeSet::from([Cell::All]);
    cells.extend(need.sessions.iter().cloned().map(Cell::Session));
    for (name, session) in state.sessions.iter() {
        cells.insert(Cell::Session(name.clone()));
        owners(&mut cells, &session.agent, session.project.as_ref());
    }
    cells.extend(state.notices.values().map(about));
    if need.breadth == Breadth::Running {
        let calls = state.calls.values().map(|record| &record.call.session);
        let runs = state.runs.values().map(|run| &run.session);
        cells.extend(calls.chain(runs).cloned().map(Cell::Session));
    }
    if let Some((agent, project)) = &need.opening {
        owners(&mut cells, agent, project.as_ref());
    }
    cells
}

fn about(notice: &Notice) -> Cell {
    notice.agent.clone().map_or(Cell::All, Cell::Agent)
}

fn owners(cells: &mut BTreeSet<Cell>, agent: &Agent, project: Option<&Project>) {
    cells.insert(Cell::Agent(agent.clone()));
    cells.extend(project.cloned().map(Cell::Project));
}

/// What a commit has moved.
pub(crate) fn of_changes(state: &State, touched: &Touched, changes: &[Change]) -> BTreeSet<Cell> {
    let mut cells = BTreeSet::new();
    if changes.iter().any(is_for_all) {
        cells.insert(Cell::All);
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
    cells.extend(touched.notices.iter().filter_map(|id| state.notices.get(id)).map(about));
    cells
}

/// A click that is over is gone from the state, and with it whose it was: its session's row is
/// touched by the same change.
fn is_for_all(change: &Change) -> bool {
    matches!(
        change,
        Change::AgentPaused { .. }
            | Change::AgentResumed { .. }
            | Change::PresenceChanged { .. }
            | Change::Restarted { .. }
            | Change::GraphReviewed { .. }
    )
}
