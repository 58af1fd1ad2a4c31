//! Grants of an earlier system: imported as requests, once, and answered.
//!
//! Neither needs an open engine: nothing that runs depends on them, and a short command should not
//! count as a restart. Only the operator may reach this.

use crate::{Engine, EngineError, ReadScope, RowKey, ScopeKind, SessionOwner, Store};
use countersign_core::model::grant::Holder;
use countersign_core::model::ids::RequestId;
use countersign_core::model::imported::{ImportOutcome, ImportedGrant};
use countersign_core::model::names::Project;
use countersign_core::model::request::{Answer, Request};
use countersign_core::model::words::Risk;
use countersign_core::steps::settle::{Settlement, settle};
use countersign_operations::import::import_grants;

impl<S: Store> Engine<S> {
    /// Opens a request for each grant that was not imported before.
    pub fn import_grants(
        &self,
        owner: &SessionOwner,
        project: Option<&Project>,
        offers: &[(ImportedGrant, Risk)],
    ) -> Result<Vec<ImportOutcome>, EngineError> {
        let SessionOwner { session, agent } = owner;
        // Requests that were answered long ago count too.
        let scope = ReadScope { kind: ScopeKind::Everything, ..ReadScope::for_session(session) };
        self.run_step_anytime(&scope, |facts, _| {
            import_grants(facts, &Holder { session, agent, project }, offers)
        })
    }

    /// Answers a request of an import. It has no effect on any other request.
    pub fn answer_import(&self, id: RequestId, answer: &Answer) -> Result<Settlement, EngineError> {
        self.run_step_anytime(&ReadScope::for_row(RowKey::Request(id)), |facts, _| {
            let imported = facts.state.requests.get(&id).filter(|request| request.is_imported());
            let requests: Vec<&Request> = imported.into_iter().collect();
            let settlement = settle(facts, &requests, answer);
            let changes = settlement.changes.clone();
            (settlement, changes)
        })
    }
}
