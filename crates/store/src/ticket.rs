//! A commit that was handed over and not waited for.

use crate::StoreError;

/// Tells, when asked, how the commit ended. Whoever drops it will read it from the ledger.
pub struct Ticket(Box<dyn FnOnce() -> Result<(), StoreError> + Send>);

impl Ticket {
    pub fn new(wait: impl FnOnce() -> Result<(), StoreError> + Send + 'static) -> Self {
        Self(Box::new(wait))
    }

    /// Waits until the commit is durable or has failed.
    pub fn wait(self) -> Result<(), StoreError> {
        (self.0)()
    }
}
