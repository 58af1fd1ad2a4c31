//! Reads shell command lines: a strict parser for what may run, a loose one for what may not, and the
//! variables that a line may set.
//!
//! The strict parser gives segments of literal words, or says why it cannot. The loose one finds every
//! command that any reading of a line could reach. Pure: text in, words out.
//!
//! See docs/decisions/0007-command-rule-grammar.md.

pub mod limits;
pub mod loose;
pub mod strict;
pub mod variables;
