//! Time as it passes, from any beginning; it never goes back.

use std::time::Duration;

pub trait Clock {
    fn now(&self) -> Duration;
}
