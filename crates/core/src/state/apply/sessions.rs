//! Applies the opening and the end of a session, and what carries over from one to the next.

use crate::model::limits;
use crate::model::names::{Agent, Project, SessionKey};
use crate::model::session_place::SessionFolders;
use crate::model::time::Time;
use crate::model::words::SessionEnder;
use crate::state::{CallState, CarriedOver, Planned, Question, Restraints, Session, State};

impl State {
    pub(in crate::state) fn begin_session(
        &mut self,
        at: Time,
        key: &SessionKey,
        agent: &Agent,
        (project, folders): (Option<&Project>, &SessionFolders),
    ) {
        let session = Session {
            agent: agent.clone(),
            project: project.cloned(),
            folders: folders.clone(),
            opening: self.latest_opening(key) + 1,
            ended_at: None,
            active_at: at,
            turn: 0,
            restraints: self.restraints(key, at).clone(),
            plan: None,
            accepted: Vec::new(),
            planned: Planned::Never,
            latest: Question::Request,
            failures: Vec::new(),
        };
        self.sessions.insert(key.clone(), session);
    }

    /// Its grants, requests and runs end by their own changes.
    pub(in crate::state) fn end_session(&mut self, at: Time, key: &SessionKey, by: SessionEnder) {
        self.end_gestures(key);
        self.calls.change(
            |record| {
                record.call.session == *key
                    && matches!(record.state, CallState::Parked | CallState::Approved)
            },
            |record| record.state = CallState::Cancelled,
        );
        let Some(session) = self.sessions.get_mut(key) else { return };
        session.ended_at = Some(at);
        session.plan = None;
        session.accepted.clear();
        session.planned = Planned::Never;
        session.failures.clear();
        let restraints = std::mem::replace(&mut session.restraints, Restraints::NONE);
        let agent = session.agent.clone();
        match by {
            SessionEnder::Agent => self.carry_over(at, &agent, &restraints),
            SessionEnder::Adapter | SessionEnder::Operator | SessionEnder::Silence => {}
        }
    }

    fn carry_over(&mut self, at: Time, agent: &Agent, restraints: &Restraints) {
        if *restraints == Restraints::NONE {
            return;
        }
        let still_carried = self.carried_over.get(agent).filter(|carried| at < carried.ends_at);
        let mut all = still_carried.map_or(Restraints::NONE, |carried| carried.restraints.clone());
        all.add(restraints);
        let ends_at = at + limits::SESSION_CARRIES_OVER;
        self.carried_over.insert(agent.clone(), CarriedOver { ends_at, restraints: all });
    }

    /// The operator has spoken in a session of this agent, or approved something in it: what was
    /// carried over from the sessions before does not outlive that.
    pub(in crate::state) fn loosen_carried_over(
        &mut self,
        session: &SessionKey,
        loosen: impl Fn(&mut Restraints),
    ) {
        let agent = session.to_agent();
        let Some(carried) = self.carried_over.get(&agent) else { return };
        let mut looser = carried.restraints.clone();
        loosen(&mut looser);
        // `get_mut` marks the row as touched, so it is called only if something changes.
        if looser != carried.restraints
            && let Some(carried) = self.carried_over.get_mut(&agent)
        {
            carried.restraints = looser;
        }
    }

    /// Remembers that the agent is at work, rarely enough that it costs hardly a write.
    pub(in crate::state) fn record_activity(&mut self, at: Time, key: &SessionKey) {
        let is_due = |session: &Session| at >= session.active_at + limits::SESSION_ACTIVITY_STEP;
        if self.sessions.get(key).is_some_and(is_due)
            && let Some(session) = self.sessions.get_mut(key)
        {
            session.active_at = at;
        }
    }
}

impl Restraints {
    /// The operator is at work again.
    pub(super) fn end_stop(&mut self) {
        self.mode = self.mode.without_stop();
    }
}
