//! A run: one execution of a workflow, from its start to its end.

use crate::model::ids::{GrantId, RunId};
use crate::model::limits;
use crate::model::names::{Action, Agent, NodeName, SessionKey, StepName, Workflow};
use crate::model::request::Attendance;
use crate::model::time::Time;
use crate::model::words::RunEnding;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    pub id: RunId,
    pub session: SessionKey,
    /// The opening of its session in which it began.
    pub opening: u32,
    pub agent: Agent,
    pub workflow: Workflow,
    /// The workflow's declared actions when the run began.
    pub actions: Vec<Action>,
    pub attendance: Attendance,
    /// The class grant that made a start prompt unnecessary.
    pub class: Option<GrantId>,
    pub started_at: Time,
    /// When a call of this run was last allowed.
    pub active_at: Time,
    pub started_turn: u32,
    /// The turn in which a call of this run was last allowed.
    pub active_turn: u32,
    /// The turn in which the operator last confirmed the run's consent.
    pub confirmed_turn: u32,
    pub state: RunState,
    /// The step of the call that was allowed last, of those that named one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepName>,
    /// Its own grant, for the actions that it declares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<GrantId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Time>,
    /// Until when its owner can take it up again, while it is suspended. Exclusive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reattach_until: Option<Time>,
    /// What the operator asked for, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<TaskTitle>,
    /// The turn in which its agent last proposed a plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_plan_turn: Option<u32>,
    /// How many of its calls asked because they were not in the accepted plan.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub deviations: u32,
    /// The node on which a call of this run was last allowed.
    pub node: NodeName,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// The beginning of the message with which the operator began a task. It names the task for people
/// and decides nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TaskTitle(String);

impl TaskTitle {
    /// The first line of a message, shortened. Nothing if it is empty or holds something secret.
    pub fn from_message(text: &str) -> Option<Self> {
        let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
        if countersign_redact::holds_secret(line) {
            return None;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let plain = words.join(" ").replace(char::is_control, "");
        let mut title: String = plain.chars().take(limits::MAX_TITLE_CHARS).collect();
        if title.len() < plain.len() {
            title.truncate(title.rfind(' ').unwrap_or(title.len()));
            title.push('…');
        }
        (!title.is_empty()).then_some(Self(title))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    Live,
    /// The process restarted, and its owner has not reattached it yet.
    Suspended,
    Ended(RunEnding),
}

impl Run {
    /// What people call it: what the operator asked for, or else the workflow's name.
    pub fn name(&self) -> &str {
        self.title.as_ref().map_or(self.workflow.as_str(), TaskTitle::as_str)
    }

    /// When the run ends by itself: nothing happens in it, or nobody takes it up after a restart.
    pub fn ends_at(&self) -> Time {
        let idles_out_at = self.idles_out_at();
        match self.state {
            RunState::Suspended => {
                self.reattach_until.map_or(idles_out_at, |end| end.min(idles_out_at))
            }
            RunState::Live | RunState::Ended(_) => idles_out_at,
        }
    }

    fn idles_out_at(&self) -> Time {
        let idle = match self.attendance {
            Attendance::Attended => limits::RUN_IDLE,
            Attendance::Headless => limits::RUN_IDLE_HEADLESS,
        };
        self.active_at + idle
    }

    /// Whether its consent has to be confirmed again before it is used.
    pub fn is_due(&self, turn: u32) -> bool {
        let stretch = |at: u32| at.saturating_sub(self.started_turn) / limits::RUN_CONFIRM_TURNS;
        stretch(turn) > stretch(self.confirmed_turn)
    }

    pub fn is_live(&self, now: Time) -> bool {
        self.state == RunState::Live && !self.is_over(now)
    }

    /// Ended, idled out or not taken up, whether a sweep has recorded it or not.
    pub fn is_over(&self, now: Time) -> bool {
        matches!(self.state, RunState::Ended(_)) || now >= self.ends_at()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot be set up should fall over")]
mod tests {
    use super::*;
    use crate::model::ids::IdGenerator;
    use crate::model::time::Span;

    fn run(state: RunState) -> Run {
        let now = Time::from_micros(0);
        Run {
            id: RunId::generate(&IdGenerator::new(now, 1)),
            session: SessionKey::parse("agent-1 s1").unwrap(),
            opening: 1,
            agent: Agent::parse("agent-1").unwrap(),
            workflow: Workflow::parse("tidy").unwrap(),
            actions: Vec::new(),
            attendance: Attendance::Attended,
            class: None,
            started_at: now,
            active_at: now,
            started_turn: 0,
            active_turn: 0,
            confirmed_turn: 0,
            state,
            step: None,
            grant: None,
            ended_at: None,
            reattach_until: None,
            last_plan_turn: None,
            deviations: 0,
            title: None,
            node: NodeName::local().clone(),
        }
    }

    #[test]
    fn a_run_is_over_when_it_ended_or_idled_out() {
        let early = Time::from_micros(0) + Span::hours(1);
        let late = Time::from_micros(0) + limits::RUN_IDLE;
        let ended = RunState::Ended(RunEnding::Completed);
        let over = |state, now| run(state).is_over(now);
        assert!(!over(RunState::Live, early) && !over(RunState::Suspended, early));
        assert!(over(ended, early));
        assert!(over(RunState::Live, late) && over(RunState::Suspended, late));
        let waits = |state| Run { reattach_until: Some(early), ..run(state) };
        let before = early - Span::seconds(1);
        assert!(waits(RunState::Suspended).is_over(early) && !waits(RunState::Live).is_over(early));
        assert!(!waits(RunState::Suspended).is_over(before));
    }
}
