//! Grants of an earlier system: brought in as questions, once, and answered.
//!
//! Neither waits for the engine to be open for business: nothing that runs bears on them, and a
//! command that is over soon should not count as a restart. No agent-facing room may hand this on.

use crate::{Engine, EngineError, ReadScope, RowKey, ScopeKind, Store};
use countersign_core::model::grant::Holder;
use countersign_core::model::ids::RequestId;
use countersign_core::model::imported::Imported;
use countersign_core::model::imported::Offered;
use countersign_core::model::names::{Agent, Project, SessionName};
use countersign_core::model::request::{Answer, Request};
use countersign_core::model::words::Risk;
use countersign_core::steps::import::import_grants;
use countersign_core::steps::settle::Settlement;
use countersign_core::steps::settle::settle;

impl<S: Store> Engine<S> {
    /// Opens a question for each that was not brought in before.
    pub fn import(
        &self,
        (session, agent): (&SessionName, &Agent),
        project: Option<&Project>,
        offers: &[(Imported, Risk)],
    ) -> Result<Vec<Offered>, EngineError> {
        // What was answered long ago counts too.
        let need = ReadScope { kind: ScopeKind::Everything, ..ReadScope::for_session(session) };
        self.transact_before(&need, |facts, _| {
            let holder = Holder { session, agent, project };
            import_grants(facts, &holder, offers)
        })
    }

    /// The operator's answer to one of these questions; to any other it is none.
    pub fn answer_import(&self, id: RequestId, answer: &Answer) -> Result<Settlement, EngineError> {
        self.transact_before(&ReadScope::for_row(RowKey::Request(id)), |facts, _| {
            let asked = facts.state.requests.get(&id).filter(|request| request.is_imported());
            let requests: Vec<&Request> = asked.into_iter().collect();
            let settlement = settle(facts, &requests, answer);
            let changes = settlement.changes.clone();
            (settlement, changes)
        })
    }
}
