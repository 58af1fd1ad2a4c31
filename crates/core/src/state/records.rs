//! The rows of the state for sessions, calls and declines.

use crate::encoding::digest::Digest;
use crate::model::call::{Call, CallTarget};
use crate::model::category::Category;
use crate::model::graph::LayerRef;
use crate::model::ids::{CallId, GestureId, GrantId, RequestId};
use crate::model::limits;
use crate::model::names::{Action, Agent, NodeName, Project, SessionKey};
use crate::model::plan::PlanDraft;
use crate::model::repeat::PendingRepeat;
use crate::model::run_file::SeenRunFiles;
use crate::model::session_place::SessionFolders;
use crate::model::time::Time;
use crate::model::words::{Effect, Risk};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    pub agent: Agent,
    pub project: Option<Project>,
    #[serde(default, skip_serializing_if = "SessionFolders::is_empty")]
    pub folders: SessionFolders,
    /// Counts the openings of this name by this agent, from 1. Name and number identify one opening.
    pub opening: u32,
    /// Set once this opening has ended. The row stays, so that no number is given twice.
    pub ended_at: Option<Time>,
    /// When its agent last submitted something, to within `limits::SESSION_ACTIVITY_STEP`.
    pub active_at: Time,
    /// The number of the operator's turns so far.
    pub turn: u32,
    pub restraints: Restraints,
    /// The plan that waits for an answer.
    pub plan: Option<PlanDraft>,
    /// The actions of the accepted plan, until it ends.
    pub accepted: Vec<Action>,
    /// Whether a plan was accepted since the last run ended or consent was cleared.
    pub planned: Planned,
    /// Which question was asked last, if both a plan and a request are open.
    pub latest: Question,
    /// Failures. Another attempt at the same action and target asks again.
    pub failures: Vec<FailedCall>,
    /// Of each category, the last ask-ahead that was declined, until one of it is approved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declined_questions: Vec<DeclinedQuestion>,
    /// The session of the agent that started this one's agent. A stop there holds here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<SessionKey>,
    /// The open sessions of the sub-agents that this one's agent started.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub below: Vec<SessionKey>,
    /// The rules of its repository, as they were last read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<LayerRef>,
}

impl Session {
    /// The folder in which it works.
    pub fn workspace(&self) -> Option<&Project> {
        self.folders.workspace.as_ref().or(self.project.as_ref())
    }

    /// A session ends by an act, or because its agent was silent for too long.
    pub fn is_open(&self, now: Time) -> bool {
        self.ended_at.is_none() && now < self.idles_out_at()
    }

    /// When it ends if its agent submits nothing more.
    pub fn idles_out_at(&self) -> Time {
        self.active_at + limits::SESSION_IDLE + limits::SESSION_ACTIVITY_STEP
    }
}

/// What holds an agent back in a session. It outlives the session if the agent itself ends it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restraints {
    pub mode: Mode,
    /// Actions and targets that were declined and not approved since.
    pub declined: Vec<(Action, CallTarget)>,
    /// The first destination of each event, by domain.
    pub destinations: BTreeMap<String, BTreeMap<Digest, String>>,
    /// The files that decide what lines execute, as they may be executed.
    #[serde(default, skip_serializing_if = "SeenRunFiles::is_none")]
    pub run_files: SeenRunFiles,
}

impl Restraints {
    pub const NONE: Self = Self {
        mode: Mode::Normal,
        declined: Vec::new(),
        destinations: BTreeMap::new(),
        run_files: SeenRunFiles::NONE,
    };

    /// Adds those of another session. Of two destinations of one event, the first stays.
    pub(super) fn add(&mut self, other: &Self) {
        self.mode = self.mode.and(other.mode);
        for refused in &other.declined {
            if !self.declined.contains(refused) {
                self.declined.push(refused.clone());
            }
        }
        for (domain, events) in &other.destinations {
            let own = self.destinations.entry(domain.clone()).or_default();
            for (event, target) in events {
                own.entry(*event).or_insert_with(|| target.clone());
            }
        }
        self.run_files.merge(&other.run_files);
    }
}

/// The restraints of the sessions that an agent ended. They hold in every session that it opens
/// before `ends_at`, so that an agent sheds none of them by ending a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CarriedOver {
    pub ends_at: Time,
    pub restraints: Restraints,
}

/// What the operator's turns hold back in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    Normal,
    /// Until the next turn, whatever does more than read asks.
    DryRun,
    /// Until the operator goes on, whatever does more than read is denied.
    Stopped,
    /// A dry run was asked for while the session was stopped, or the other way round.
    StoppedDryRun,
}

impl Mode {
    pub fn is_stopped(self) -> bool {
        matches!(self, Self::Stopped | Self::StoppedDryRun)
    }

    pub fn is_dry_run(self) -> bool {
        matches!(self, Self::DryRun | Self::StoppedDryRun)
    }

    /// What holds back as much as both.
    pub(super) fn and(self, other: Self) -> Self {
        let is_stopped = self.is_stopped() || other.is_stopped();
        match (is_stopped, self.is_dry_run() || other.is_dry_run()) {
            (false, false) => Self::Normal,
            (false, true) => Self::DryRun,
            (true, false) => Self::Stopped,
            (true, true) => Self::StoppedDryRun,
        }
    }

    pub(super) fn without_stop(self) -> Self {
        if self.is_dry_run() { Self::DryRun } else { Self::Normal }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Planned {
    Never,
    Once,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    Plan,
    Request,
}

/// An ask-ahead that the operator declined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclinedQuestion {
    pub category: Option<Category>,
    pub request: RequestId,
}

/// The latest decline of one digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclineRecord {
    pub agent: Agent,
    pub project: Option<Project>,
    /// None if the operator declined something else than a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    pub target: CallTarget,
    pub at: Time,
    pub note: String,
    pub state: DeclineState,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeclineState {
    Holds,
    /// The operator later named what was declined, for all sessions.
    Lifted,
    /// The operator later named it in these sessions, each with its opening. It holds in others.
    LiftedIn(Vec<(SessionKey, u32)>),
}

impl DeclineState {
    /// Whether the decline holds in this opening of a session; none if it is not open.
    pub fn holds_in(&self, session: &SessionKey, opening: Option<u32>) -> bool {
        match self {
            Self::Holds => true,
            Self::Lifted => false,
            Self::LiftedIn(lifted) => {
                !lifted.iter().any(|(key, number)| key == session && Some(*number) == opening)
            }
        }
    }

    /// Lifts the decline in one opening of a session, and leaves it as it is in all others.
    pub(super) fn lift_in(&mut self, session: &SessionKey, opening: u32) {
        if !self.holds_in(session, Some(opening)) {
            return;
        }
        match self {
            Self::LiftedIn(lifted) => lifted.push((session.clone(), opening)),
            Self::Holds | Self::Lifted => *self = Self::LiftedIn(vec![(session.clone(), opening)]),
        }
    }
}

/// One action of a call that failed, or whose effect is unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedCall {
    pub action: Action,
    pub target: CallTarget,
    pub digest: Digest,
}

/// The stored record of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallRecord {
    pub call: Arc<Call>,
    /// The opening of its session in which it was made.
    pub opening: u32,
    /// Its actions as they were decided. For sends to unknown contacts they differ from those that
    /// the call names.
    pub decided: Vec<Action>,
    pub state: CallState,
    pub consent: Consent,
    /// The highest risk among the call's actions, which its card shows.
    pub card_risk: Risk,
    pub requests: Vec<RequestId>,
    /// The digests of questions from nested calls while this call ran.
    pub questions: Vec<Digest>,
    /// The node on which it was last allowed.
    pub node: NodeName,
    /// Set while it waits to be repeated.
    pub repeat: Option<PendingRepeat>,
}

impl CallRecord {
    /// Whether the call waits for an answer, or has one and was not retried yet.
    pub fn is_waiting(&self) -> bool {
        matches!(self.state, CallState::Parked | CallState::Approved)
    }

    /// Whether the call waits for the answer to this request, listed there or not.
    pub fn waits_for(&self, request: RequestId) -> bool {
        self.is_waiting() && self.requests.contains(&request)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    Denied,
    Parked,
    Approved,
    Executing,
    Ended(Effect),
    Declined,
    Expired,
    /// Cancelled by the operator's stop.
    Stopped,
    /// Cancelled by the agent that made it, or with the end of its session.
    Cancelled,
}

impl CallState {
    /// Whether the call is finished: neither parked, approved nor executing.
    pub fn is_over(self) -> bool {
        match self {
            Self::Denied
            | Self::Declined
            | Self::Expired
            | Self::Stopped
            | Self::Cancelled
            | Self::Ended(_) => true,
            Self::Parked | Self::Approved | Self::Executing => false,
        }
    }
}

/// The consent that a running call rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consent {
    pub grants: Vec<GrantId>,
    pub gesture: Option<GestureId>,
    pub parent: Option<CallId>,
    pub standing: ConsentStanding,
    /// The actions that the operator consented to, as opposed to those that a rule, a notice,
    /// idleness or a reducer let pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<Action>,
    /// Grants on which only declared actions rest: without such a grant the call itself goes on, and
    /// only what is nested for these actions does not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declared: Vec<DeclaredConsent>,
}

impl Consent {
    /// The declared actions that alone rest on a grant; none if the call itself rests on it.
    pub fn find_declared(&self, grant: GrantId) -> Vec<Action> {
        let resting = self.declared.iter().filter(|item| item.grant == grant);
        resting.map(|item| item.action.clone()).collect()
    }
}

/// A declared action of a call, and a grant that it rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclaredConsent {
    pub grant: GrantId,
    pub action: Action,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConsentStanding {
    /// The operator consented to none of its actions.
    None,
    /// The operator consented to at least one of its actions.
    Given,
    /// Revoked or stopped, or the run ended, while the call still ran.
    Withdrawn,
}
