//! What the figures of the stores are measured on, one file for each of them.

pub mod answer;
pub mod callers;
pub mod decision;
pub mod digest;
pub mod growth;
pub mod large;
pub mod log;
pub mod postgres;
pub mod start;
pub mod verify;
pub mod world;

use std::fmt::Display;
use xtask::failure::Failure;

pub type Made<T> = Result<T, Failure>;

/// Names what was being done when something failed.
pub trait Said<T> {
    fn said(self, what: &str) -> Made<T>;
}

impl<T, E: Display> Said<T> for Result<T, E> {
    fn said(self, what: &str) -> Made<T> {
        self.map_err(|error| Failure::saying(format!("{what}: {error}")))
    }
}
