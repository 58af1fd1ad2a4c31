//! Requests about future calls.

use crate::{Engine, EngineError, ReadScope, Store};
use countersign_core::model::decision::Decision;
use countersign_core::model::draft::AheadDraft;
use countersign_core::model::ids::RequestId;
use countersign_operations::ask_ahead::{AskAheadResult, ask_ahead};

impl<S: Store> Engine<S> {
    /// Asks the operator about a future call.
    pub fn ask_ahead(
        &self,
        draft: &AheadDraft,
    ) -> Result<(Decision, Option<RequestId>), EngineError> {
        let scope = ReadScope::for_session(&draft.session)
            .with_opener(&draft.agent, self.find_place(draft.project.as_ref(), &[]));
        let mut draft = draft.clone();
        draft.ahead.redact(self.store.key());
        self.run_step(&scope, |facts, _| {
            let AskAheadResult { decision, request, changes } = ask_ahead(facts, &draft);
            ((decision, request), changes)
        })
    }
}
