//! Tokens that prove inside which call another one is made.
//!
//! Whoever executes a call gets its token: a server behind the gateway, an application with the reply
//! to its check. A call that is made inside sends it back, to whichever node, and so proves its
//! parent. The token is valid as long as that call is executed.

use crate::{AgentError, Host, Seal, SealedFor, limits};
use countersign_core::model::call::CallDraft;
use countersign_core::model::ids::CallId;
use countersign_core::state::CallState;
use countersign_engine::SessionOwner;

/// What the record says about the call that a token names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParentState {
    Executing,
    Over,
    /// Another session or agent made it.
    Foreign,
}

impl Seal {
    pub fn issue_parent_token(&self, call: CallId) -> String {
        let call = call.to_string();
        format!("{call}.{}", self.sign(SealedFor::Parent, &call))
    }

    /// The call that a token names. Whether that call is still executed is in the record.
    pub fn read_parent_token(&self, token: &str) -> Option<CallId> {
        let (call, signed) = token.split_once('.')?;
        let is_ours = self.verify(SealedFor::Parent, call, signed);
        CallId::parse(call).filter(|_| is_ours)
    }
}

impl Host {
    /// Notes in the draft that it is made inside this call, if that is executed now.
    pub async fn observe_parent(
        &self,
        draft: &mut CallDraft,
        owner: &SessionOwner,
        parent: CallId,
    ) -> Result<ParentState, AgentError> {
        let owner = owner.clone();
        let read = self.run(move |engine| {
            Ok((engine.call_state(parent, &owner)?, engine.stored_call(parent, &owner)?))
        });
        let (state, stored) = read.await?;
        let Some(stored) = stored else { return Ok(ParentState::Foreign) };
        if state != Some(CallState::Executing) {
            return Ok(ParentState::Over);
        }
        draft.observed.parent = Some(parent);
        let own = stored.tool.iter().map(|tool| tool.as_str().to_owned());
        let own = own.chain(stored.actions.iter().map(|action| action.as_str().to_owned()));
        let above = stored.observed.callers.iter().cloned();
        draft.observed.callers = own.chain(above).take(limits::MAX_CALLER_DEPTH).collect();
        Ok(ParentState::Executing)
    }
}
