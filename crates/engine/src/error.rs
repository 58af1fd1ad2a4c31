//! What can go wrong in the engine. Every one of these means no.

use countersign_core::state::Conflict;
use countersign_store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("nothing was decided, because the store failed: {0}")]
    Store(#[from] StoreError),
    #[error("nothing was decided, because others kept changing the same thing: {0}; try again")]
    Contended(Conflict),
    #[error("nothing was decided, because an earlier failure left the engine damaged; restart it")]
    Damaged,
    /// Nothing is decided here until it is written, which is tried before every decision.
    #[error(
        "this could not be written down: {0}; nothing passes here until it is, but other nodes do not know of it yet"
    )]
    Unwritten(String),
    #[error("nothing is decided yet: the engine has not been opened for business")]
    Closed,
    #[error("the engine cannot be set up: {0}")]
    Setup(String),
}
