//! A commit that was submitted and not waited for.

use crate::StoreError;

/// Dropping it does not cancel the commit; the ledger then shows whether it was written.
pub struct PendingCommit(Box<dyn FnOnce() -> Result<(), StoreError> + Send>);

impl PendingCommit {
    pub fn new(wait: impl FnOnce() -> Result<(), StoreError> + Send + 'static) -> Self {
        Self(Box::new(wait))
    }

    /// Waits until the commit is durable or has failed.
    pub fn wait(self) -> Result<(), StoreError> {
        (self.0)()
    }
}
