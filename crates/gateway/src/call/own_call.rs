//! A call of this session on record: how far it is, and whether it is tried again.

use super::tool_calls::ToolCalls;
use countersign_core::model::ids::CallId;
use countersign_engine::{EngineError, OwnCall};

/// None if it is no call of this session and agent.
pub(crate) async fn read_own_call(
    calls: &ToolCalls,
    call: CallId,
) -> Result<Option<OwnCall>, EngineError> {
    let owner = calls.owner.clone();
    calls.shared.host.run(move |engine| engine.read_own_call(call, &owner)).await
}
