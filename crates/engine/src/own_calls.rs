//! A call as the agent that made it reads it.

use crate::{Engine, EngineError, ReadScope, RowKey, SessionOwner, Store};
use countersign_core::model::ids::CallId;
use countersign_core::model::time::Time;
use countersign_core::state::CallState;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnCall {
    pub state: CallState,
    /// When the engine tries it again, if it does.
    pub repeats_at: Option<Time>,
    /// When it was read.
    pub read_at: Time,
}

impl<S: Store> Engine<S> {
    /// None if this session and agent did not make the call.
    pub fn read_own_call(
        &self,
        call: CallId,
        owner: &SessionOwner,
    ) -> Result<Option<OwnCall>, EngineError> {
        let scope = ReadScope::for_session(&owner.session).with_rows([RowKey::Call(call)]);
        let snapshot = self.store.read(&scope)?;
        let record = snapshot.state.calls.get(&call).filter(|r| owner.is_maker_of(&r.call));
        let Some(record) = record else { return Ok(None) };
        let repeats_at = record.repeat.as_ref().map(|repeat| repeat.due_at);
        let read_at = self.snapshot_time(&snapshot)?;
        Ok(Some(OwnCall { state: record.state, repeats_at, read_at }))
    }
}
