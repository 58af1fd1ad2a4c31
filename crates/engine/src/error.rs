//! What can go wrong in the engine. Every error means no.

use countersign_core::state::Conflict;
use countersign_store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("nothing was decided, because the store failed: {0}")]
    Store(#[from] StoreError),
    #[error("nothing was decided, because somebody changed the same thing: {0}; send it again")]
    Contended(Conflict),
    #[error("nothing was decided, because an earlier failure left the engine damaged; restart it")]
    Damaged,
    /// The engine decides nothing until the revocation or pause is written. It tries that before
    /// every step.
    #[error(
        "the store did not take this: {0}; this node allows nothing until it is written, but other nodes do not know of it yet"
    )]
    Unwritten(String),
    #[error("nothing is decided yet: the engine is still starting")]
    NotOpen,
    #[error("the engine cannot be set up: {0}")]
    Setup(String),
}
