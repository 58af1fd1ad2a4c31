//! The number of open questions, which triggers keep up to date in a table of both databases.
//!
//! A request counts if its row has an agent. Those about imported grants have none: the operator
//! causes them.

use crate::StoreError;

/// The row that counts the questions of all agents: no agent has an empty name.
pub(crate) const ALL_AGENTS: &str = "";

/// A stored count. An agent without a row has no question.
pub(crate) fn to_count(stored: Option<i64>) -> Result<usize, StoreError> {
    let count = stored.unwrap_or(0);
    usize::try_from(count).map_err(|_| StoreError::damaged("a count of open questions", &count))
}
