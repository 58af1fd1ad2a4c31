//! Ledger entries about credentials and assurance. None of them decides anything.

use crate::{Engine, EngineError, ReadScope, Store};
use countersign_core::model::change::{Change, Credential};
use countersign_core::model::words::Assurance;

impl<S: Store> Engine<S> {
    pub fn record_credential_issued(&self, credential: &Credential) -> Result<(), EngineError> {
        self.record_change(|| Change::CredentialIssued { credential: Box::new(credential.clone()) })
    }

    pub fn record_credential_revoked(&self, credential: &Credential) -> Result<(), EngineError> {
        self.record_change(|| Change::CredentialRevoked {
            credential: Box::new(credential.clone()),
        })
    }

    /// Records the level that this start has detected.
    pub fn record_assurance(&self, level: Assurance) -> Result<(), EngineError> {
        self.record_change(|| Change::AssuranceFound { level, node: self.node.clone() })
    }

    fn record_change(&self, change: impl Fn() -> Change) -> Result<(), EngineError> {
        self.run_step(&ReadScope::globals(), |_, _| ((), vec![change()]))
    }
}
