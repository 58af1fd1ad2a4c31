//! Ledger entries about credentials and assurance. The level decides which answers count.

use crate::{CredentialStanding, Engine, EngineError, ReadScope, Store};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::change::{Change, Credential};
use countersign_core::model::words::Assurance;
use std::sync::PoisonError;

impl<S: Store> Engine<S> {
    pub fn record_credential_issued(&self, credential: &Credential) -> Result<(), EngineError> {
        self.record_change(|| Change::CredentialIssued { credential: Box::new(credential.clone()) })
    }

    pub fn record_credential_revoked(&self, credential: &Credential) -> Result<(), EngineError> {
        self.record_change(|| Change::CredentialRevoked {
            credential: Box::new(credential.clone()),
        })
    }

    /// What the record says about a credential, by the hash of its token: of all nodes, if several
    /// share it, and nothing otherwise.
    pub fn find_credential(&self, hash: Digest) -> Result<Option<CredentialStanding>, EngineError> {
        Ok(self.store.find_credential(hash)?)
    }

    /// The credentials of all nodes, if several share the record.
    pub fn list_credentials(&self) -> Result<Vec<CredentialStanding>, EngineError> {
        Ok(self.store.list_credentials()?)
    }

    /// Whether several nodes can use the record.
    pub fn shares_record(&self) -> bool {
        self.store.is_shared()
    }

    /// Records the level that was detected. It holds from now on, also if the store does not take it.
    pub fn record_assurance(&self, level: Assurance) -> Result<(), EngineError> {
        self.set_assurance(level);
        self.record_change(|| Change::AssuranceFound { level, node: self.node.clone() })
    }

    pub fn set_assurance(&self, level: Assurance) {
        *self.assurance.lock().unwrap_or_else(PoisonError::into_inner) = level;
    }

    /// How far agents are separated from Countersign.
    pub fn assurance(&self) -> Assurance {
        *self.assurance.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record_change(&self, change: impl Fn() -> Change) -> Result<(), EngineError> {
        self.run_step(&ReadScope::globals(), |_, _| ((), vec![change()]))
    }
}
