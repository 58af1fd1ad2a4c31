//! Time and unpredictability, as the engine takes them in.
//!
//! Stories bring a clock that moves only when told to; a program brings the system's. Whatever a
//! clock says, engine time never goes back: a clock that was set back extends nothing. One that was
//! set forward may end things early, which is the safe side, and stays ahead.

use crate::EngineError;
use countersign_core::model::node::{Node, Uptime};
use countersign_core::model::time::{Span, Time};
use std::sync::Mutex;

pub trait Clock: Send + Sync {
    /// What the wall says, and anybody can set.
    fn now(&self) -> Time;

    /// How long the machine has run, asleep or not, which nobody can set. None where nothing
    /// tells.
    fn uptime(&self) -> Option<Span> {
        None
    }

    /// Which start of the machine that is counted from.
    fn boot(&self) -> Option<&str> {
        None
    }
}

/// Fresh bits for the ids of one operation.
pub trait Entropy: Send + Sync {
    fn bits(&self) -> u64;
}

/// Where a machine stands, if its clock tells.
pub(crate) fn uptime(clock: &dyn Clock) -> Option<Uptime> {
    let (boot, since) = (clock.boot()?.to_owned(), clock.uptime()?);
    Some(Uptime { boot, since })
}

/// Holds time against clocks that are set back.
#[derive(Default)]
pub(crate) struct Steady {
    held: Mutex<Option<Held>>,
}

#[derive(Clone, Copy)]
struct Held {
    at: Time,
    since: Option<Span>,
}

impl Held {
    /// What time it must be by now.
    fn carried(self, since: Option<Span>) -> Time {
        match (self.since, since) {
            (Some(then), Some(now)) if now > then => self.at + (now - then),
            (Some(_) | None, Some(_) | None) => self.at,
        }
    }
}

impl Steady {
    /// The latest of what a clock says, what was committed last, and what must have passed since
    /// time was last asked for.
    pub(crate) fn hold(
        &self,
        clock: &dyn Clock,
        (said, committed): (Time, Time),
    ) -> Result<Time, EngineError> {
        let since = clock.uptime();
        let mut held = self.held.lock().map_err(|_| EngineError::Damaged)?;
        let carried = held.map_or(said, |held| held.carried(since));
        let at = said.max(committed).max(carried);
        *held = Some(Held { at, since });
        Ok(at)
    }

    /// Goes on where this node began before, if its machine has run since.
    pub(crate) fn resume(&self, clock: &dyn Clock, before: &Node) -> Result<(), EngineError> {
        let Some(uptime) = uptime(clock) else { return Ok(()) };
        let Some(at) = before.carried(&uptime) else { return Ok(()) };
        self.hold(clock, (at, at)).map(|_| ())
    }
}
