//! What the record says of those who speak: credentials that came and went, and how far agents
//! are kept away. None of it decides anything; who reads the record later wants to know.

use crate::{Engine, EngineError, ReadScope, Store};
use countersign_core::model::change::{Change, Credential};
use countersign_core::model::words::Assurance;

impl<S: Store> Engine<S> {
    pub fn credential_issued(&self, credential: &Credential) -> Result<(), EngineError> {
        let credential = || Box::new(credential.clone());
        self.transact(&ReadScope::globals(), |_| {
            ((), vec![Change::CredentialIssued { credential: credential() }])
        })
    }

    pub fn credential_revoked(&self, credential: &Credential) -> Result<(), EngineError> {
        let credential = || Box::new(credential.clone());
        self.transact(&ReadScope::globals(), |_| {
            ((), vec![Change::CredentialRevoked { credential: credential() }])
        })
    }

    /// Notes the level that this start has found.
    pub fn assurance_found(&self, level: Assurance) -> Result<(), EngineError> {
        let node = &self.node;
        self.transact(&ReadScope::globals(), |_| {
            ((), vec![Change::AssuranceFound { level, node: node.clone() }])
        })
    }
}
