//! Observations of the world around a call: where paths lead, what a program name starts, and the
//! facts of the call's arguments.
//!
//! It only reads: it opens no file and changes none. It decides nothing; rules and policies test
//! what it returns.

mod argument_facts;
pub mod disk;
pub mod limits;

pub use argument_facts::Reader;
