//! From rows to the slice of the state that a step needs: the same for every database.

use crate::rows::{Kept, restore};
use crate::{Breadth, Need, StoreError, Thing};
use countersign_core::model::ids::{CallId, GrantId, RunId};
use countersign_core::model::limits;
use countersign_core::model::names::{Agent, Project, SessionName};
use countersign_core::state::{CallState, State};
use std::collections::BTreeSet;

/// What a row is looked for by. Only what still bears on a decision is found by anything but
/// its key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum By<'a> {
    Key(&'a str),
    /// Given, asked or made in this session; of grants those that the session itself owns.
    Session(&'a str),
    /// Owned by the project; of sessions those that belong to it, whatever they hold.
    Project(&'a str),
    Agent(&'a str),
    /// The requests that would start this run.
    Run(&'a str),
    State(&'a str),
    /// All that still bears on something.
    Active,
    /// Owned by any project.
    Projects,
    All,
}

/// A database that can be asked for rows.
pub(crate) trait Rows {
    /// Key and body, in the order in which the rows were first written.
    fn fetch(&mut self, kept: Kept, by: By<'_>) -> Result<Vec<(String, String)>, StoreError>;

    /// Who is paused and who is present.
    fn globals(&mut self, state: &mut State) -> Result<(), StoreError>;

    /// The session that a row belongs to.
    fn session_of(&mut self, kept: Kept, key: &str) -> Result<Option<String>, StoreError>;
}

pub(crate) fn load(rows: &mut impl Rows, need: &Need) -> Result<State, StoreError> {
    let mut state = State::empty();
    rows.globals(&mut state)?;
    let mut loading = Loading { rows, state: &mut state, projects: BTreeSet::new() };
    match need.breadth {
        Breadth::Everything => loading.everything()?,
        Breadth::Running => loading.running()?,
        Breadth::Notices => loading.bring(Kept::Notices, By::Active)?,
        Breadth::ProjectGrants => loading.bring(Kept::Grants, By::Projects)?,
        Breadth::Sessions | Breadth::Projects => loading.sessions(need)?,
    }
    Ok(state)
}

struct Loading<'a, R> {
    rows: &'a mut R,
    state: &'a mut State,
    /// Projects whose grants are there already.
    projects: BTreeSet<Project>,
}

impl<R: Rows> Loading<'_, R> {
    fn bring(&mut self, kept: Kept, by: By<'_>) -> Result<(), StoreError> {
        for (key, body) in self.rows.fetch(kept, by)? {
            restore(self.state, kept, (&key, &body))?;
        }
        Ok(())
    }

    fn everything(&mut self) -> Result<(), StoreError> {
        Kept::ALL.into_iter().try_for_each(|kept| self.bring(kept, By::All))
    }

    fn running(&mut self) -> Result<(), StoreError> {
        self.bring(Kept::Nodes, By::All)?;
        self.bring(Kept::Runs, By::State("live"))?;
        self.bring(Kept::Runs, By::State("suspended"))?;
        self.bring(Kept::Calls, By::State("executing"))?;
        self.bring(Kept::Grants, By::State("reserved"))?;
        self.bring(Kept::Gestures, By::All)?;
        self.rests()
    }

    fn sessions(&mut self, need: &Need) -> Result<(), StoreError> {
        for name in self.named(need)? {
            self.session(name.as_str())?;
        }
        if need.breadth == Breadth::Projects {
            for project in self.projects.clone() {
                self.neighbours(&project)?;
            }
        }
        if let Some((agent, project)) = &need.opening {
            self.owners(agent, project.as_ref())?;
        }
        need.things.iter().try_for_each(|thing| self.thing(*thing))?;
        self.rests()
    }

    /// The sessions that are named, and those that things belong to.
    fn named(&mut self, need: &Need) -> Result<BTreeSet<String>, StoreError> {
        let mut names: BTreeSet<String> =
            need.sessions.iter().map(|name| name.as_str().to_owned()).collect();
        for thing in &need.things {
            let (kept, key) = place(*thing);
            let mut found = self.rows.session_of(kept, &key)?;
            if found.is_none() && matches!(thing, Thing::Run(_)) {
                found = self.asking(&key)?;
            }
            names.extend(found);
        }
        Ok(names)
    }

    /// The session in which somebody asked to start this run.
    fn asking(&mut self, run: &str) -> Result<Option<String>, StoreError> {
        let asked = self.rows.fetch(Kept::Requests, By::Run(run))?;
        let Some((key, _)) = asked.first() else { return Ok(None) };
        self.rows.session_of(Kept::Requests, key)
    }

    fn session(&mut self, name: &str) -> Result<(), StoreError> {
        self.bring(Kept::Sessions, By::Key(name))?;
        for kept in [Kept::Grants, Kept::Requests, Kept::Calls, Kept::Runs] {
            self.bring(kept, By::Session(name))?;
        }
        for kept in [Kept::Gestures, Kept::Proposals] {
            self.bring(kept, By::Session(name))?;
        }
        let name = SessionName::parse(name).ok();
        let open = name.and_then(|name| self.state.sessions.get(&name)).cloned();
        open.map_or(Ok(()), |open| self.owners(&open.agent, open.project.as_ref()))
    }

    /// What an agent was declined and told about, and what its project was granted.
    fn owners(&mut self, agent: &Agent, project: Option<&Project>) -> Result<(), StoreError> {
        for kept in [Kept::Declined, Kept::Notices] {
            self.bring(kept, By::Agent(agent.as_str()))?;
        }
        if let Some(project) = project
            && self.projects.insert(project.clone())
        {
            self.bring(Kept::Grants, By::Project(project.as_str()))?;
        }
        Ok(())
    }

    fn neighbours(&mut self, project: &Project) -> Result<(), StoreError> {
        let names = self.rows.fetch(Kept::Sessions, By::Project(project.as_str()))?;
        names.iter().try_for_each(|(name, _)| self.session(name))
    }

    fn thing(&mut self, thing: Thing) -> Result<(), StoreError> {
        let (kept, key) = place(thing);
        self.bring(kept, By::Key(&key))?;
        match thing {
            Thing::Run(_) => self.bring(Kept::Requests, By::Run(&key)),
            Thing::Call(_)
            | Thing::Request(_)
            | Thing::Grant(_)
            | Thing::Proposal(_)
            | Thing::Notice(_) => Ok(()),
        }
    }

    /// What the rows that are there rest on, whatever has become of it.
    fn rests(&mut self) -> Result<(), StoreError> {
        self.outer_calls()?;
        let mut requests = BTreeSet::new();
        let mut grants: BTreeSet<GrantId> = BTreeSet::new();
        let mut runs: BTreeSet<RunId> = BTreeSet::new();
        for record in self.state.calls.values() {
            requests.extend(record.requests.iter().copied());
            runs.extend(record.call.run);
            if record.state == CallState::Executing {
                grants.extend(record.consent.grants.iter().copied());
            }
        }
        requests.retain(|id| self.state.requests.get(id).is_none());
        grants.retain(|id| self.state.grants.get(*id).is_none());
        self.bring_each(Kept::Requests, requests)?;
        self.bring_each(Kept::Grants, grants)?;
        runs.extend(self.state.grants.iter().filter_map(|grant| grant.run));
        runs.retain(|id| !self.state.runs.contains_key(id));
        self.bring_each(Kept::Runs, runs)
    }

    /// The calls around those that run: what is withdrawn from an outer one reaches the inner.
    fn outer_calls(&mut self) -> Result<(), StoreError> {
        for _ in 0..limits::PARENT_CHAIN {
            let mut outer: BTreeSet<CallId> =
                self.state.calls.values().filter_map(|record| record.consent.parent).collect();
            outer.retain(|id| !self.state.calls.contains_key(id));
            if outer.is_empty() {
                break;
            }
            self.bring_each(Kept::Calls, outer)?;
        }
        Ok(())
    }

    fn bring_each<K: ToString>(&mut self, kept: Kept, keys: BTreeSet<K>) -> Result<(), StoreError> {
        keys.iter().try_for_each(|key| self.bring(kept, By::Key(&key.to_string())))
    }
}

/// Where a thing is kept, and under which key.
pub(crate) fn place(thing: Thing) -> (Kept, String) {
    match thing {
        Thing::Call(id) => (Kept::Calls, id.to_string()),
        Thing::Request(id) => (Kept::Requests, id.to_string()),
        Thing::Run(id) => (Kept::Runs, id.to_string()),
        Thing::Grant(id) => (Kept::Grants, id.to_string()),
        Thing::Proposal(id) => (Kept::Proposals, id.to_string()),
        Thing::Notice(id) => (Kept::Notices, id.to_string()),
    }
}

/// Whether a slice of one session holds these things, so that nothing has to be fetched.
pub(crate) fn holds(state: &State, things: &[Thing]) -> bool {
    things.iter().all(|thing| match thing {
        Thing::Call(id) => state.calls.contains_key(id),
        Thing::Request(id) => state.requests.get(id).is_some(),
        Thing::Run(id) => state.runs.contains_key(id),
        Thing::Grant(id) => state.grants.get(*id).is_some(),
        Thing::Proposal(id) => state.proposals.contains_key(id),
        Thing::Notice(id) => state.notices.contains_key(id),
    })
}
