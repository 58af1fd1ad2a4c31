//! A policy of the operator: checked, named, and what it looks at.

use super::facts::Group;
use cedar_policy::Policy;
use std::collections::BTreeSet;

#[derive(Debug)]
pub(crate) struct Named {
    /// By its `@id`, or as `file:line`; also its id in Cedar.
    pub(crate) name: String,
    pub(crate) policy: Policy,
    pub(crate) looks_at: BTreeSet<Group>,
}
