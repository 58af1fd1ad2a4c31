//! Time and random bits, as the engine takes them in.
//!
//! A program brings the system's clock, a story one that only it moves. Engine time never goes
//! back: setting a clock back extends nothing. A clock that was set forward may end things early,
//! which is the safe side, and engine time stays ahead then.
//!
//! See docs/decisions/0018-time-and-nodes.md.

use crate::EngineError;
use countersign_core::model::node::{Node, Uptime};
use countersign_core::model::time::{Span, Time};
use std::sync::Mutex;

pub trait Clock: Send + Sync {
    /// The wall clock, which anybody can set.
    fn now(&self) -> Time;

    /// How long the machine has run, sleep included, which nobody can set. None if it is unknown.
    fn uptime(&self) -> Option<Span> {
        None
    }

    /// The boot that `uptime` counts from.
    fn boot(&self) -> Option<&str> {
        None
    }
}

/// Random bits for the ids of one operation.
pub trait Entropy: Send + Sync {
    fn bits(&self) -> u64;
}

/// The uptime of this machine, if its clock tells.
pub(crate) fn read_uptime(clock: &dyn Clock) -> Option<Uptime> {
    let (boot, since) = (clock.boot()?.to_owned(), clock.uptime()?);
    Some(Uptime { boot, since })
}

/// Engine time, which never goes back.
#[derive(Default)]
pub(crate) struct SteadyClock {
    last: Mutex<Option<ClockReading>>,
}

#[derive(Clone, Copy)]
struct ClockReading {
    at: Time,
    uptime: Option<Span>,
}

impl ClockReading {
    /// The time that it must be at a later uptime.
    fn extrapolate(self, uptime: Option<Span>) -> Time {
        match (self.uptime, uptime) {
            (Some(then), Some(now)) if now > then => self.at + (now - then),
            (Some(_) | None, Some(_) | None) => self.at,
        }
    }
}

impl SteadyClock {
    /// The later of `reading` and the time that must have passed since the last call.
    pub(crate) fn advance(&self, clock: &dyn Clock, reading: Time) -> Result<Time, EngineError> {
        let uptime = clock.uptime();
        let mut last = self.last.lock().map_err(|_| EngineError::Damaged)?;
        let at = last.map_or(reading, |last| reading.max(last.extrapolate(uptime)));
        *last = Some(ClockReading { at, uptime });
        Ok(at)
    }

    /// Continues from this node's last start, if its machine has not rebooted since.
    pub(crate) fn resume(&self, clock: &dyn Clock, before: &Node) -> Result<(), EngineError> {
        let Some(uptime) = read_uptime(clock) else { return Ok(()) };
        let Some(at) = before.time_by_uptime(&uptime) else { return Ok(()) };
        self.advance(clock, at).map(|_| ())
    }
}
