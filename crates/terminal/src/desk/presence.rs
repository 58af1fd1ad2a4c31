//! Whether somebody is there: known from keys alone. It is never an answer.

use super::{Act, Desk, Heard};
use crate::limits;
use countersign_core::model::words::Presence;
use std::time::Duration;

#[derive(Default)]
pub(super) struct Attention {
    last_key_at: Duration,
    said: Option<Presence>,
}

impl Desk {
    /// Somebody has sat down here.
    pub fn begin(&mut self, now: Duration) {
        self.keyed(now);
    }

    pub(super) fn keyed(&mut self, now: Duration) {
        self.attention.last_key_at = now;
        self.attend(now);
    }

    /// Says whether somebody is there, when that changes.
    pub(super) fn attend(&mut self, now: Duration) {
        let still = now.saturating_sub(self.attention.last_key_at);
        self.say_presence(match still {
            still if still < limits::IDLE => Presence::Active,
            still if still < limits::AWAY => Presence::Idle,
            _ => Presence::Away,
        });
    }

    /// Says it once more: whoever was told may be gone.
    pub(super) fn attend_anew(&mut self, now: Duration) {
        self.attention.said = None;
        self.attend(now);
    }

    pub(super) fn say_presence(&mut self, presence: Presence) {
        if self.heard == Heard::Typed && self.attention.said != Some(presence) {
            self.attention.said = Some(presence);
            self.acts.push(Act::Presence(presence));
        }
    }

    /// When presence changes if no key comes.
    pub(super) fn presence_ends(&self) -> Option<Duration> {
        let last = self.attention.last_key_at;
        match self.attention.said? {
            Presence::Active => Some(last + limits::IDLE),
            Presence::Idle => Some(last + limits::AWAY),
            Presence::Away | Presence::Unknown => None,
        }
    }
}
