//! Time and unpredictability, as the engine takes them in.
//!
//! Stories bring a clock that moves only when told to; a program brings the system's.

use countersign_core::time::Time;

pub trait Clock: Send + Sync {
    fn now(&self) -> Time;
}

/// Fresh bits for the ids of one operation.
pub trait Entropy: Send + Sync {
    fn bits(&self) -> u64;
}
