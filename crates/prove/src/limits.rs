//! Every bound of a proof, each with its reason.

/// Texts of one kind whose meaning the solver is told: each costs it a few comparisons of
/// strings. What is left out can only make an answer `not proved`.
pub(crate) const SPELLED: usize = 60;
/// Of what a solver says, for people to read.
pub(crate) const SAID_CHARACTERS: usize = 200;
/// Folders that a path in an example is taken to be seen from, tried one after the other.
pub(crate) const FOLDERS: usize = 12;
/// Paths that an example is tried with before it is given up: each is judged twice.
pub(crate) const PATHS: usize = 500;
