//! Applies the opening and the end of a session, and what carries over from one to the next.

use crate::model::change::LayerSighting;
use crate::model::limits;
use crate::model::names::{Agent, Project, SessionKey};
use crate::model::run_file::{RunFileSighting, SightingCause};
use crate::model::session_place::SessionFolders;
use crate::model::time::Time;
use crate::model::words::SessionEnder;
use crate::state::{CallState, CarriedOver, Mode, Planned, Question, Restraints, Session, State};

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
            declined_questions: Vec::new(),
            above: None,
            below: Vec::new(),
            layer: None,
        };
        self.sessions.insert(key.clone(), session);
    }

    pub(in crate::state) fn see_layer(&mut self, key: &SessionKey, seen: Option<&LayerSighting>) {
        if let Some(session) = self.sessions.get_mut(key) {
            session.layer = seen.map(|seen| seen.of);
        }
    }

    /// A session that has one above it keeps that: another one would shed its stop.
    pub(in crate::state) fn join_session(
        &mut self,
        at: Time,
        key: &SessionKey,
        above: &SessionKey,
    ) {
        let Some(session) = self.sessions.get_mut(key).filter(|row| row.above.is_none()) else {
            return;
        };
        session.above = Some(above.clone());
        session.active_at = at;
        if let Some(above) = self.sessions.get_mut(above) {
            above.below.push(key.clone());
        }
        self.keep_above_open(at, key);
    }

    /// A session does not end by silence while a sub-agent of it is at work.
    fn keep_above_open(&mut self, at: Time, key: &SessionKey) {
        let above: Vec<SessionKey> = self.sessions_above(key).cloned().collect();
        for key in above {
            if let Some(session) = self.sessions.get_mut(&key) {
                session.active_at = session.active_at.max(at);
            }
        }
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
        let is_stopped_above = self.is_stopped_above(key, at);
        let Some(session) = self.sessions.get_mut(key) else { return };
        session.ended_at = Some(at);
        session.below.clear();
        session.plan = None;
        session.accepted.clear();
        session.planned = Planned::Never;
        session.failures.clear();
        session.declined_questions.clear();
        let mut restraints = std::mem::replace(&mut session.restraints, Restraints::NONE);
        if is_stopped_above {
            restraints.mode = restraints.mode.and(Mode::Stopped);
        }
        let (agent, above) = (session.agent.clone(), session.above.take());
        if let Some(above) = above.and_then(|above| self.sessions.get_mut(&above)) {
            above.below.retain(|below| below != key);
        }
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

    /// Remembers the content of files. A yes also holds where the agent brings the files along.
    pub(in crate::state) fn add_seen_files(&mut self, key: &SessionKey, seen: &RunFileSighting) {
        if let Some(session) = self.sessions.get_mut(key) {
            session.restraints.run_files.add(seen);
        }
        if seen.cause == SightingCause::Answer {
            self.loosen_carried_over(key, |restraints| restraints.run_files.add(seen));
        }
    }

    /// Remembers that the agent is at work, rarely enough that it costs hardly a write.
    pub(in crate::state) fn record_activity(&mut self, at: Time, key: &SessionKey) {
        let is_due = |session: &Session| at >= session.active_at + limits::SESSION_ACTIVITY_STEP;
        if self.sessions.get(key).is_some_and(is_due)
            && let Some(session) = self.sessions.get_mut(key)
        {
            session.active_at = at;
            self.keep_above_open(at, key);
        }
    }
}

impl Restraints {
    /// The operator is at work again.
    pub(super) fn end_stop(&mut self) {
        self.mode = self.mode.without_stop();
    }
}
