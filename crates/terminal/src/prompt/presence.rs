//! Derives the operator's presence from key presses alone. Presence is never an answer.

use super::{InputMode, Prompt, PromptTask};
use crate::limits;
use countersign_core::model::words::Presence;
use std::time::Duration;

#[derive(Default)]
pub(super) struct PresenceTracker {
    last_key_at: Duration,
    reported: Option<Presence>,
}

impl Prompt {
    /// Starting the program counts as a key press.
    pub fn start(&mut self, now: Duration) {
        self.record_activity(now);
    }

    pub(super) fn record_activity(&mut self, now: Duration) {
        self.presence.last_key_at = now;
        self.update_presence(now);
    }

    pub(super) fn update_presence(&mut self, now: Duration) {
        let presence = match now.saturating_sub(self.presence.last_key_at) {
            quiet if quiet < limits::IDLE_AFTER => Presence::Active,
            quiet if quiet < limits::AWAY_AFTER => Presence::Idle,
            _ => Presence::Away,
        };
        self.report_presence(presence);
    }

    /// Reports again, because a restarted daemon does not know the last report.
    pub(super) fn repeat_presence(&mut self, now: Duration) {
        self.presence.reported = None;
        self.update_presence(now);
    }

    pub(super) fn report_presence(&mut self, presence: Presence) {
        let is_new = self.presence.reported != Some(presence);
        if self.input_mode == InputMode::Interactive && is_new {
            self.presence.reported = Some(presence);
            self.tasks.push(PromptTask::ReportPresence(presence));
        }
    }

    /// When the presence changes if no key arrives.
    pub(super) fn next_presence_change(&self) -> Option<Duration> {
        let last_key_at = self.presence.last_key_at;
        match self.presence.reported? {
            Presence::Active => Some(last_key_at + limits::IDLE_AFTER),
            Presence::Idle => Some(last_key_at + limits::AWAY_AFTER),
            Presence::Away | Presence::Unknown => None,
        }
    }
}
