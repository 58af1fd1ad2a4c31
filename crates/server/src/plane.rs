//! The two planes.

/// The agents' or the operator's plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plane {
    Agent,
    Operator,
}
