//! A checked policy of the operator, with its name and the facts it uses.

use super::facts::FactGroup;
use cedar_policy::Policy;
use std::collections::BTreeSet;

#[derive(Debug)]
pub(crate) struct NamedPolicy {
    /// The `@id`, or `file:line`. Also the policy's id in Cedar.
    pub(crate) name: String,
    pub(crate) policy: Policy,
    pub(crate) fact_groups: BTreeSet<FactGroup>,
}
