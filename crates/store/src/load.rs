//! Loads a scope of the state from rows. Both databases share this code.

use crate::rows::{NO_PROJECT, RowKind, StoredRow, restore_row};
use crate::{ReadScope, RowKey, ScopeKind, StoreError};
use countersign_core::model::ids::{CallId, GrantId, ProposalId, RequestId, RunId};
use countersign_core::model::limits;
use countersign_core::model::names::{Agent, Project, SessionKey};
use countersign_core::model::request::{RequestState, Subject};
use countersign_core::state::State;
use std::collections::BTreeSet;

/// Which rows to fetch. Except by key and by `All`, only active rows are found: those that can
/// still affect a decision.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RowFilter<'a> {
    Key(&'a str),
    /// Rows of this session; of grants only those that the session itself owns.
    Session(&'a str),
    /// Grants of the project, or its sessions.
    Project(&'a str),
    Agent(&'a str),
    /// Requests that would start this run.
    Run(&'a str),
    State(&'a str),
    /// All active rows.
    Active,
    /// Grants of any project.
    Projects,
    All,
}

/// A database that rows can be fetched from.
pub(crate) trait RowSource {
    /// In the order in which the rows were first written.
    fn fetch_rows(
        &mut self,
        kind: RowKind,
        filter: RowFilter<'_>,
    ) -> Result<Vec<StoredRow>, StoreError>;

    /// Loads the paused agents and the settings.
    fn load_globals(&mut self, state: &mut State) -> Result<(), StoreError>;

    /// The session that a row belongs to.
    fn find_session(&mut self, kind: RowKind, key: &str) -> Result<Option<String>, StoreError>;
}

pub(crate) fn load_state(
    rows: &mut impl RowSource,
    scope: &ReadScope,
) -> Result<State, StoreError> {
    let mut state = State::empty();
    rows.load_globals(&mut state)?;
    let mut loader = Loader { rows, state: &mut state, projects: BTreeSet::new() };
    match scope.kind {
        ScopeKind::Everything => loader.load_everything()?,
        ScopeKind::Running => loader.load_running()?,
        ScopeKind::Notices => loader.load_rows(RowKind::Notices, RowFilter::Active)?,
        ScopeKind::ProjectGrants => loader.load_rows(RowKind::Grants, RowFilter::Projects)?,
        ScopeKind::Requests => loader.load_requests(scope)?,
        ScopeKind::Sessions | ScopeKind::Projects | ScopeKind::SubAgents => {
            loader.load_sessions(scope)?;
        }
    }
    Ok(state)
}

struct Loader<'a, R> {
    rows: &'a mut R,
    state: &'a mut State,
    /// Projects whose grants are loaded.
    projects: BTreeSet<Project>,
}

impl<R: RowSource> Loader<'_, R> {
    fn load_rows(&mut self, kind: RowKind, filter: RowFilter<'_>) -> Result<(), StoreError> {
        for row in self.rows.fetch_rows(kind, filter)? {
            restore_row(self.state, kind, &row)?;
        }
        Ok(())
    }

    fn load_everything(&mut self) -> Result<(), StoreError> {
        RowKind::ALL.into_iter().try_for_each(|kind| self.load_rows(kind, RowFilter::All))
    }

    fn load_running(&mut self) -> Result<(), StoreError> {
        self.load_rows(RowKind::Nodes, RowFilter::All)?;
        self.load_rows(RowKind::Runs, RowFilter::State("live"))?;
        self.load_rows(RowKind::Runs, RowFilter::State("suspended"))?;
        self.load_rows(RowKind::Calls, RowFilter::State("executing"))?;
        self.load_rows(RowKind::Grants, RowFilter::State("reserved"))?;
        self.load_rows(RowKind::Gestures, RowFilter::All)?;
        self.load_dependencies()
    }

    /// Loads requests with their first call, its run, their proposal, their session's own row and an
    /// earlier decline. The cost depends on the requests, not on what else is open.
    fn load_requests(&mut self, scope: &ReadScope) -> Result<(), StoreError> {
        scope.rows.iter().try_for_each(|row| self.load_row(*row))?;
        let declined: BTreeSet<RequestId> =
            self.state.requests.values().filter_map(|request| request.declined_before).collect();
        self.load_each(RowKind::Requests, declined.into_iter().map(RequestId::to_key))?;
        let mut calls = BTreeSet::new();
        let mut proposals = BTreeSet::new();
        let mut sessions = BTreeSet::new();
        let mut declined = BTreeSet::new();
        for request in self.state.requests.values() {
            match &request.subject {
                Subject::Calls(about) => calls.extend(about.first().copied()),
                Subject::Proposal(id) => drop(proposals.insert(*id)),
                Subject::Ahead(_)
                | Subject::Start(_)
                | Subject::Standing(_)
                | Subject::Slash(_)
                | Subject::Imported(_) => {}
            }
            sessions.insert(request.session.as_str().to_owned());
            declined.insert(request.lasting.to_string());
        }
        self.load_each(RowKind::Calls, calls.into_iter().map(CallId::to_key))?;
        self.load_each(RowKind::Proposals, proposals.into_iter().map(ProposalId::to_key))?;
        self.load_each(RowKind::Sessions, sessions.into_iter().map(|key| key.to_string()))?;
        self.load_each(RowKind::Declined, declined.into_iter())?;
        let runs: BTreeSet<RunId> =
            self.state.calls.values().filter_map(|record| record.call.run).collect();
        self.load_each(RowKind::Runs, runs.into_iter().map(RunId::to_key))
    }

    fn load_sessions(&mut self, scope: &ReadScope) -> Result<(), StoreError> {
        self.load_rows(RowKind::Grants, RowFilter::Project(NO_PROJECT))?;
        let names = self.session_names(scope)?;
        names.iter().try_for_each(|name| self.load_session(name))?;
        if scope.kind == ScopeKind::Projects {
            for project in self.projects.clone() {
                self.load_project_sessions(&project)?;
            }
        }
        if matches!(scope.kind, ScopeKind::Projects | ScopeKind::SubAgents) {
            self.load_sessions_below(names)?;
        }
        if let Some(opener) = &scope.opener {
            self.load_owner_rows(&opener.agent, opener.project())?;
        }
        scope.rows.iter().try_for_each(|row| self.load_row(*row))?;
        self.load_dependencies()
    }

    /// The sessions that the scope names, and those that its rows belong to.
    fn session_names(&mut self, scope: &ReadScope) -> Result<BTreeSet<String>, StoreError> {
        let mut names: BTreeSet<String> =
            scope.sessions.iter().map(|name| name.as_str().to_owned()).collect();
        for row in &scope.rows {
            let (kind, key) = locate_row(*row);
            let mut found = self.rows.find_session(kind, &key)?;
            if found.is_none() && matches!(row, RowKey::Run(_)) {
                found = self.find_requesting_session(&key)?;
            }
            names.extend(found);
        }
        Ok(names)
    }

    /// The session with the request to start this run.
    fn find_requesting_session(&mut self, run: &str) -> Result<Option<String>, StoreError> {
        let requests = self.rows.fetch_rows(RowKind::Requests, RowFilter::Run(run))?;
        let Some(request) = requests.first() else { return Ok(None) };
        self.rows.find_session(RowKind::Requests, &request.key)
    }

    fn load_session(&mut self, name: &str) -> Result<(), StoreError> {
        self.load_rows(RowKind::Sessions, RowFilter::Key(name))?;
        for kind in [RowKind::Grants, RowKind::Requests, RowKind::Calls, RowKind::Runs] {
            self.load_rows(kind, RowFilter::Session(name))?;
        }
        for kind in [RowKind::Gestures, RowKind::Proposals] {
            self.load_rows(kind, RowFilter::Session(name))?;
        }
        let name = SessionKey::parse(name).ok();
        let open = name.and_then(|name| self.state.sessions.get(&name)).cloned();
        let Some(open) = open else { return Ok(()) };
        self.load_owner_rows(&open.agent, open.project.as_ref())?;
        self.load_sessions_above(open.above)
    }

    /// Loads the rows of the sessions above that of a sub-agent, and what their agents carry over: a
    /// stop there holds below.
    fn load_sessions_above(&mut self, mut above: Option<SessionKey>) -> Result<(), StoreError> {
        for _ in 0..limits::SUB_AGENT_DEPTH {
            let Some(key) = above else { return Ok(()) };
            if self.state.sessions.get(&key).is_none() {
                self.load_rows(RowKind::Sessions, RowFilter::Key(key.as_str()))?;
                let agent = key.to_agent();
                self.load_rows(RowKind::CarriedOver, RowFilter::Agent(agent.as_str()))?;
            }
            above = self.state.sessions.get(&key).and_then(|row| row.above.clone());
        }
        Ok(())
    }

    /// Loads the sessions of the sub-agents that work for these sessions, which are loaded.
    fn load_sessions_below(&mut self, mut loaded: BTreeSet<String>) -> Result<(), StoreError> {
        let mut above: Vec<String> = loaded.iter().cloned().collect();
        while let Some(name) = above.pop() {
            let row = SessionKey::parse(&name).ok().and_then(|key| self.state.sessions.get(&key));
            for below in row.map_or_else(Vec::new, |row| row.below.clone()) {
                if loaded.insert(below.as_str().to_owned()) {
                    self.load_session(below.as_str())?;
                    above.push(below.as_str().to_owned());
                }
            }
        }
        Ok(())
    }

    /// Loads the declines and notices of an agent, what it carries over from its ended sessions, and the grants of its project.
    fn load_owner_rows(
        &mut self,
        agent: &Agent,
        project: Option<&Project>,
    ) -> Result<(), StoreError> {
        for kind in [RowKind::Declined, RowKind::CarriedOver, RowKind::Notices] {
            self.load_rows(kind, RowFilter::Agent(agent.as_str()))?;
        }
        if let Some(project) = project
            && self.projects.insert(project.clone())
        {
            self.load_rows(RowKind::Grants, RowFilter::Project(project.as_str()))?;
        }
        Ok(())
    }

    fn load_project_sessions(&mut self, project: &Project) -> Result<(), StoreError> {
        let sessions =
            self.rows.fetch_rows(RowKind::Sessions, RowFilter::Project(project.as_str()))?;
        sessions.iter().try_for_each(|session| self.load_session(&session.key))
    }

    fn load_row(&mut self, row: RowKey) -> Result<(), StoreError> {
        let (kind, key) = locate_row(row);
        self.load_rows(kind, RowFilter::Key(&key))?;
        match row {
            RowKey::Run(_) => self.load_rows(RowKind::Requests, RowFilter::Run(&key)),
            RowKey::Call(_)
            | RowKey::Request(_)
            | RowKey::Grant(_)
            | RowKey::Proposal(_)
            | RowKey::Notice(_) => Ok(()),
        }
    }

    /// Loads what the loaded rows depend on, in whatever state it is.
    fn load_dependencies(&mut self) -> Result<(), StoreError> {
        self.load_asking_calls()?;
        self.load_outer_calls()?;
        let mut requests = BTreeSet::new();
        let mut grants: BTreeSet<GrantId> = BTreeSet::new();
        let mut runs: BTreeSet<RunId> = BTreeSet::new();
        for record in self.state.calls.values() {
            requests.extend(record.requests.iter().copied());
            runs.extend(record.call.run);
            // Also of an outer call that has ended: what is nested in it runs on its grants.
            grants.extend(record.consent.grants.iter().copied());
        }
        requests.retain(|id| self.state.requests.get(id).is_none());
        grants.retain(|id| self.state.grants.get(*id).is_none());
        self.load_each(RowKind::Requests, requests.into_iter().map(RequestId::to_key))?;
        self.load_each(RowKind::Grants, grants.into_iter().map(GrantId::to_key))?;
        runs.extend(self.state.grants.iter().filter_map(|grant| grant.run));
        runs.retain(|id| !self.state.runs.contains_key(id));
        self.load_each(RowKind::Runs, runs.into_iter().map(RunId::to_key))
    }

    /// Loads the calls of open requests. Some are over: the effect of one is unknown, another was
    /// declined by the answer to its other question.
    fn load_asking_calls(&mut self) -> Result<(), StoreError> {
        let open =
            self.state.requests.values().filter(|request| request.state == RequestState::Open);
        let mut calls: BTreeSet<CallId> =
            open.flat_map(|request| request.calls().iter().copied()).collect();
        calls.retain(|id| !self.state.calls.contains_key(id));
        self.load_each(RowKind::Calls, calls.into_iter().map(CallId::to_key))
    }

    /// Loads the outer calls of nested calls: a revocation of an outer one reaches the inner ones.
    fn load_outer_calls(&mut self) -> Result<(), StoreError> {
        for _ in 0..limits::PARENT_CHAIN {
            let mut outer: BTreeSet<CallId> =
                self.state.calls.values().filter_map(|record| record.consent.parent).collect();
            outer.retain(|id| !self.state.calls.contains_key(id));
            if outer.is_empty() {
                break;
            }
            self.load_each(RowKind::Calls, outer.into_iter().map(CallId::to_key))?;
        }
        Ok(())
    }

    fn load_each(
        &mut self,
        kind: RowKind,
        mut keys: impl Iterator<Item = String>,
    ) -> Result<(), StoreError> {
        keys.try_for_each(|key| self.load_rows(kind, RowFilter::Key(&key)))
    }
}

/// The kind and the stored key of a row.
pub(crate) fn locate_row(row: RowKey) -> (RowKind, String) {
    match row {
        RowKey::Call(id) => (RowKind::Calls, id.to_key()),
        RowKey::Request(id) => (RowKind::Requests, id.to_key()),
        RowKey::Run(id) => (RowKind::Runs, id.to_key()),
        RowKey::Grant(id) => (RowKind::Grants, id.to_key()),
        RowKey::Proposal(id) => (RowKind::Proposals, id.to_key()),
        RowKey::Notice(id) => (RowKind::Notices, id.to_key()),
    }
}

/// Whether a state holds these rows, so that none has to be fetched.
pub(crate) fn contains_rows(state: &State, rows: &[RowKey]) -> bool {
    rows.iter().all(|row| match row {
        RowKey::Call(id) => state.calls.contains_key(id),
        RowKey::Request(id) => state.requests.get(id).is_some(),
        RowKey::Run(id) => state.runs.contains_key(id),
        RowKey::Grant(id) => state.grants.get(*id).is_some(),
        RowKey::Proposal(id) => state.proposals.contains_key(id),
        RowKey::Notice(id) => state.notices.contains_key(id),
    })
}
