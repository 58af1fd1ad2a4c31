//! An agent's side of the engine: check a call, redeem a parked one, report how it ended.
//!
//! Nothing here approves, mints or revokes.

use crate::rules::InForce;
use crate::{Engine, EngineError, ReadScope, RowKey, Store};
use countersign_core::decide;
use countersign_core::decide::facts::Facts;
use countersign_core::model::call::{CallDraft, Malformed};
use countersign_core::model::change::{Attempt, Change};
use countersign_core::model::command::{Command, rendered};
use countersign_core::model::decision::Decision;
use countersign_core::model::draft::AheadDraft;
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::names::{Agent, SessionName, Tool};
use countersign_core::model::ruled::NOTHING;
use countersign_core::model::words::{Effect, Outcome, Reason};
use countersign_core::steps::ask_ahead::{Asked, ask_ahead};
use countersign_core::steps::record::{decided, opening, record, record_again};
use countersign_core::steps::resolve::resolve_call;
use countersign_core::steps::retry::retry_call;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::Arc;

/// Proof that a call was decided and recorded. Only the engine makes one; reporting the call's
/// end uses it up.
#[must_use]
#[derive(Debug)]
pub struct Permit {
    pub(crate) call: CallId,
    pub(crate) session: SessionName,
}

impl Permit {
    pub fn call(&self) -> CallId {
        self.call
    }
}

/// What an agent can say about its own execution of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reported {
    Done,
    Failed,
    Unknown,
}

impl Reported {
    pub(crate) const fn effect(self) -> Effect {
        match self {
            Self::Done => Effect::Done,
            Self::Failed => Effect::Failed,
            Self::Unknown => Effect::Unknown,
        }
    }
}

/// What became of a call.
#[derive(Debug)]
pub enum Checked {
    /// Recorded: it may execute now.
    Permit {
        permit: Permit,
        decision: Decision,
    },
    /// It was executed before; its result stands.
    Kept {
        call: CallId,
        decision: Decision,
    },
    /// Somebody is asked; the call is kept under this id.
    Pending {
        operation: CallId,
        decision: Decision,
    },
    Denied {
        call: Option<CallId>,
        decision: Decision,
    },
}

impl Checked {
    pub fn decision(&self) -> &Decision {
        match self {
            Self::Permit { decision, .. }
            | Self::Kept { decision, .. }
            | Self::Pending { decision, .. }
            | Self::Denied { decision, .. } => decision,
        }
    }

    pub fn call(&self) -> Option<CallId> {
        match self {
            Self::Permit { permit, .. } => Some(permit.call),
            Self::Kept { call, .. } => Some(*call),
            Self::Pending { operation, .. } => Some(*operation),
            Self::Denied { call, .. } => *call,
        }
    }

    pub(crate) fn of(call: CallId, session: &SessionName, decision: Decision) -> Self {
        match decision.outcome {
            Outcome::Allow if decision.reason == Reason::AlreadyDone => {
                Self::Kept { call, decision }
            }
            Outcome::Allow | Outcome::Notify => {
                let permit = Permit { call, session: session.clone() };
                Self::Permit { permit, decision }
            }
            Outcome::Ask => Self::Pending { operation: call, decision },
            Outcome::Deny => Self::Denied { call: Some(call), decision },
        }
    }
}

impl<S: Store> Engine<S> {
    /// Decides a call and records the decision.
    pub fn check(&self, draft: &CallDraft) -> Result<Checked, EngineError> {
        self.transact_under(&need(draft), |facts, in_force| self.weighed(facts, in_force, draft))
    }

    /// What is decided about a call, and what follows from it.
    pub(crate) fn weighed(
        &self,
        facts: &Facts,
        in_force: Option<&InForce>,
        draft: &CallDraft,
    ) -> (Checked, Vec<Change>) {
        match with_command(facts, draft.clone()).and_then(|draft| resolve_call(facts, draft)) {
            Ok(mut call) => {
                let ruled = self.ruled(in_force, &call);
                let facts = &Facts { ruled: &ruled, ..*facts };
                call.redact(facts.key);
                let call = Arc::new(call);
                let decision = decide(facts, &call);
                let changes = record(facts, &call, &decision);
                (Checked::of(call.id, &call.session, decision), changes)
            }
            Err(malformed) => refuse(facts, (&draft.session, &draft.agent), &malformed),
        }
    }

    /// What would be decided about actions as such. Nothing is recorded, and nothing can be
    /// executed on it.
    pub fn suppose(&self, draft: &CallDraft) -> Result<Decision, EngineError> {
        let read = |facts: &Facts| resolve_call(facts, with_command(facts, draft.clone())?);
        self.transact_under(&need(draft), |facts, in_force| {
            let decision = match read(facts) {
                Ok(mut call) => {
                    let ruled = self.ruled(in_force, &call);
                    call.redact(facts.key);
                    decide::suppose(&Facts { ruled: &ruled, ..*facts }, &call)
                }
                Err(malformed) => Decision::malformed(malformed.to_string()),
            };
            (decision, Vec::new())
        })
    }

    /// Denies and records what could not even be read as a call.
    pub fn refuse(
        &self,
        session: &SessionName,
        agent: &Agent,
        why: &Malformed,
    ) -> Result<Checked, EngineError> {
        let need = ReadScope::for_session(session).with_opener(agent, None);
        self.transact(&need, |facts| refuse(facts, (session, agent), why))
    }

    /// Decides a parked call again, for the session and agent that made it.
    pub fn retry(
        &self,
        operation: CallId,
        session: &SessionName,
        agent: &Agent,
    ) -> Result<Checked, EngineError> {
        let need = ReadScope::for_session(session).with_rows([RowKey::Call(operation)]);
        self.transact_under(&need, |facts, in_force| {
            let known = facts.state.calls.get(&operation).map(|record| &record.call);
            let ruled = known.map_or(NOTHING.clone(), |call| self.ruled(in_force, call));
            let facts = &Facts { ruled: &ruled, ..*facts };
            let decision = retry_call(facts, operation, session, agent);
            let changes = match known {
                Some(call) if decision.reason != Reason::Malformed => {
                    record_again(facts, call, &decision)
                }
                Some(_) | None => {
                    let (session, agent) = (session.clone(), agent.clone());
                    vec![decided(facts, Attempt::Malformed { session, agent }, &decision)]
                }
            };
            (Checked::of(operation, session, decision), changes)
        })
    }

    /// Records how a permitted call ended, as the agent that carried it out says. It cannot attest
    /// that nothing happened.
    pub fn report(&self, permit: Permit, reported: Reported) -> Result<(), EngineError> {
        self.finish(permit, reported.effect())
    }

    pub fn ask_ahead(
        &self,
        draft: &AheadDraft,
    ) -> Result<(Decision, Option<RequestId>), EngineError> {
        let need = ReadScope::for_session(&draft.session)
            .with_opener(&draft.agent, draft.project.as_ref());
        let mut draft = draft.clone();
        draft.ahead.redact(self.store.key());
        self.transact(&need, |facts| {
            let Asked { decision, request, changes } = ask_ahead(facts, &draft);
            ((decision, request), changes)
        })
    }
}

pub(crate) fn need(draft: &CallDraft) -> ReadScope {
    let need =
        ReadScope::for_session(&draft.session).with_opener(&draft.agent, draft.project.as_ref());
    need.with_rows(draft.run.map(RowKey::Run))
}

/// Takes the command line out of the arguments, where the graph says that the tool runs one.
fn with_command(facts: &Facts, mut draft: CallDraft) -> Result<CallDraft, Malformed> {
    if let Some(given) = &mut draft.command {
        given.command.place(draft.cwd.as_deref());
    }
    let Some(tool) = &draft.tool else { return Ok(draft) };
    let mapping = facts.graph.and_then(|graph| graph.tool(tool.as_str()));
    let pointer = mapping.and_then(|mapping| mapping.command.as_deref());
    let Some(pointer) = pointer else { return Ok(draft) };
    let found = draft.args.pointer(pointer).map(|found| line(tool, found)).transpose()?.flatten();
    let Some(text) = found else {
        // Arguments that hold no command line may hold another one, where nobody looks.
        let beside = draft.command.is_some() && draft.args != json!({});
        return if beside { Err(Malformed::AnotherCommand(tool.clone())) } else { Ok(draft) };
    };
    let given = draft.command.as_ref().map(|given| &given.command);
    let cwd = given.and_then(Command::cwd).or(draft.cwd.as_deref());
    let pointed = countersign_commands::analyse(&text, cwd);
    if given.is_some_and(|given| *given != pointed.command) {
        return Err(Malformed::AnotherCommand(tool.clone()));
    }
    draft.command = Some(pointed);
    Ok(draft)
}

/// A command line, as text or as a list of words. What is neither could be run and not be read.
fn line<'a>(tool: &Tool, found: &'a Value) -> Result<Option<Cow<'a, str>>, Malformed> {
    let unreadable = || Malformed::Unreadable(format!("the command line of `{tool}` is no text"));
    match found {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(Cow::Borrowed(text))),
        Value::Array(words) => {
            let word = |word: &Value| word.as_str().map(str::to_owned).ok_or_else(unreadable);
            let argv = words.iter().map(word).collect::<Result<Vec<_>, _>>()?;
            Ok(Some(Cow::Owned(rendered(&argv))))
        }
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => Err(unreadable()),
    }
}

fn refuse(
    facts: &Facts,
    (session, agent): (&SessionName, &Agent),
    why: &Malformed,
) -> (Checked, Vec<Change>) {
    let decision = Decision::malformed(why.to_string());
    let mut changes = opening(facts, session, agent, None);
    let attempt = Attempt::Malformed { session: session.clone(), agent: agent.clone() };
    changes.push(decided(facts, attempt, &decision));
    (Checked::Denied { call: None, decision }, changes)
}
