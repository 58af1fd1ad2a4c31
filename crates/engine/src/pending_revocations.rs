//! Revocations and pauses that the store did not take. The operator hears an error; meanwhile
//! nothing is decided here, and as soon as the store takes something, it takes them first.

use crate::{Engine, EngineError, Store, limits};
use countersign_core::model::names::{Agent, SessionName};
use countersign_core::steps::revoke::Revoke;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tightening {
    Revoke(SessionName, Revoke),
    Pause(Agent),
}

#[derive(Default)]
pub(crate) struct Unwritten {
    any: AtomicBool,
    held: Mutex<Vec<Tightening>>,
}

impl Unwritten {
    pub(crate) fn any(&self) -> bool {
        self.any.load(Ordering::SeqCst)
    }
}

impl<S: Store> Engine<S> {
    /// Holds what could not be written, and says so.
    pub(crate) fn hold_until_written<T>(
        &self,
        what: Tightening,
        done: Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let cause = match done {
            Err(EngineError::Store(cause)) => cause.to_string(),
            Err(EngineError::Contended(cause)) => cause.to_string(),
            other => return other,
        };
        let mut held = self.unwritten.held.lock().map_err(|_| EngineError::Damaged)?;
        if !held.contains(&what) {
            held.push(what);
        }
        self.unwritten.any.store(true, Ordering::SeqCst);
        Err(EngineError::Unwritten(cause))
    }

    /// Writes what could not be written before; until that is done, nothing is decided.
    pub(crate) fn write_what_waits(&self) -> Result<(), EngineError> {
        if !self.unwritten.any() {
            return Ok(());
        }
        let mut held = self.unwritten.held.lock().map_err(|_| EngineError::Damaged)?;
        if held.len() > limits::UNWRITTEN {
            return Err(EngineError::Damaged);
        }
        while let Some(first) = held.first() {
            match first {
                Tightening::Revoke(session, what) => {
                    self.revoke_now(session, what)?;
                }
                Tightening::Pause(agent) => self.pause_now(agent)?,
            }
            held.remove(0);
        }
        self.unwritten.any.store(false, Ordering::SeqCst);
        Ok(())
    }
}
