//! What is said in a session: turns, plans, changes of topic, hand-over.
//!
//! An agent, or an adapter for it, reports these in a session of its own; an operator speaks in any.
//! Whether a turn can loosen anything depends on who reports it.

use crate::revocation_queue::PendingRevocation;
use crate::{Engine, EngineError, ReadScope, SessionOwner, Store};
use countersign_conversation::plan::{propose_accepted_plan, propose_plan};
use countersign_conversation::{
    ProcessedTurn, ReportedMove, Turn, context_changed, hand_over, is_tightening, say,
    topic_changed,
};
use countersign_core::decide::facts::Facts;
use countersign_core::model::change::Change;
use countersign_core::model::names::{Project, SessionKey};
use countersign_core::model::plan::PlanDraft;

/// The topic or context that a conversation has left, as an adapter saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConversationMove {
    /// The operator turned to something else.
    Topic,
    /// The work continued in another project, feature or set of files.
    Context,
}

/// Who reports a turn.
#[derive(Clone, Copy, Debug)]
pub enum TurnReporter<'a> {
    /// The operator, in any session.
    Operator,
    /// An agent, or an adapter for it, in a session of its own.
    Agent { owner: &'a SessionOwner, project: Option<&'a Project> },
}

impl<S: Store> Engine<S> {
    /// Processes a turn. None if another agent owns the session. If the store does not take a turn
    /// that makes things stricter, that is an error, and this engine decides nothing until it is
    /// written.
    pub fn process_turn(
        &self,
        turn: &Turn,
        reporter: TurnReporter<'_>,
    ) -> Result<Option<ProcessedTurn>, EngineError> {
        let result = self.check_ready().and_then(|()| match reporter {
            TurnReporter::Operator => self.write_turn(turn).map(Some),
            TurnReporter::Agent { owner, project } => {
                self.run_in_own_session(owner, project, ReadScope::with_project_sessions, |facts| {
                    process(facts, turn)
                })
            }
        });
        match is_tightening(&turn.text) {
            true => self.queue_if_unwritten(|| PendingRevocation::Turn(turn.clone()), result),
            false => result,
        }
    }

    pub(crate) fn write_turn(&self, turn: &Turn) -> Result<ProcessedTurn, EngineError> {
        let scope = ReadScope::for_session(&turn.session).with_project_sessions();
        self.run_step_anytime(&scope, |facts, _| process(facts, turn))
    }

    /// Records a plan of the agent. None if another agent owns the session.
    pub fn propose_plan(
        &self,
        owner: &SessionOwner,
        plan: &PlanDraft,
    ) -> Result<Option<()>, EngineError> {
        self.run_in_own_session(
            owner,
            None,
            |scope| scope,
            |facts| ((), propose_plan(facts, &owner.session, plan.clone())),
        )
    }

    /// Records a plan that the operator has accepted in the agent's program, and returns the lines
    /// that say what became of it. None if another agent owns the session.
    pub fn propose_accepted_plan(
        &self,
        owner: &SessionOwner,
        plan: &PlanDraft,
    ) -> Result<Option<Vec<String>>, EngineError> {
        self.run_in_own_session(
            owner,
            None,
            |scope| scope,
            |facts| propose_accepted_plan(facts, &owner.session, plan.clone()),
        )
    }

    /// Records that the conversation moved on, and returns the lines that announce what it cleared.
    /// None if another agent owns the session.
    pub fn record_move(
        &self,
        owner: &SessionOwner,
        project: Option<&Project>,
        moved: ConversationMove,
    ) -> Result<Option<Vec<String>>, EngineError> {
        self.run_in_own_session(
            owner,
            project,
            |scope| scope,
            |facts| {
                let ReportedMove { lines, changes } = match moved {
                    ConversationMove::Topic => topic_changed(facts, &owner.session),
                    ConversationMove::Context => context_changed(facts, &owner.session),
                };
                (lines, changes)
            },
        )
    }

    /// Asks, command by command, whether standing commands of an earlier session of the same agent
    /// hold in this one too. If this one is not open yet, it opens with this project, or else with
    /// that of the earlier one. Returns the number of questions, or none if a session is foreign.
    pub fn hand_over(
        &self,
        from: &SessionKey,
        owner: &SessionOwner,
        project: Option<&Project>,
    ) -> Result<Option<usize>, EngineError> {
        let earlier = self.read_own_project(from, owner)?;
        let asked = self.run_in_own_session(
            owner,
            project.or(earlier.as_ref()),
            |scope| scope.with_session(from),
            |facts| {
                let earlier = facts.state.sessions.get(from);
                if earlier.is_none_or(|earlier| earlier.agent != owner.agent) {
                    return (None, Vec::new());
                }
                let changes = hand_over(facts, from, &owner.session);
                (Some(changes.len()), changes)
            },
        )?;
        Ok(asked.flatten())
    }
}

impl<S: Store> Engine<S> {
    /// The folder in which a session works, if it is the agent's own.
    pub fn read_own_project(
        &self,
        session: &SessionKey,
        owner: &SessionOwner,
    ) -> Result<Option<Project>, EngineError> {
        let state = self.store.read(&ReadScope::for_session(session))?.state;
        let own = state.sessions.get(session).filter(|row| row.agent == owner.agent);
        Ok(own.and_then(|row| row.workspace().cloned()))
    }
}

fn process(facts: &Facts, turn: &Turn) -> (ProcessedTurn, Vec<Change>) {
    let said = say(facts, turn, |text| countersign_commands::analyse(text, None));
    let changes = said.changes.clone();
    (said, changes)
}
