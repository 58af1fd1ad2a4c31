//! Carries out a call of the record: one that waited for its answer, or whose repeat is due.

use super::prepare::ToolCall;
use super::texts::{announce, refusal, undecided};
use super::tool_calls::ToolCalls;
use crate::client::ClientRequest;
use crate::upstream::OutputSchema;
use crate::wire::{Era, RpcResponse, encode_string, find, remove_member, set_member};
use countersign_core::model::call::Call;
use countersign_core::model::ids::CallId;
use countersign_core::model::words::Effect;
use countersign_engine::{CheckResult, Permit};
use std::sync::Arc;

impl ToolCalls {
    /// Carries a call out that has its answer, or waits until there is one.
    pub(crate) async fn retry_call(
        &self,
        request: &ClientRequest,
        call: CallId,
        output: OutputSchema,
    ) -> RpcResponse {
        let host = &self.shared.host;
        let mut checked = host.retry(call, self.owner.clone()).await;
        if let Ok(CheckResult::Pending { .. }) = &checked {
            match self.wait_for_operator(request, call).await {
                Ok(true) => checked = host.retry(call, self.owner.clone()).await,
                Ok(false) => {}
                Err(error) => return undecided(&error),
            }
        }
        let checked = match checked {
            Ok(checked) => checked,
            Err(error) => return undecided(&error),
        };
        let announced = checked.announced().to_vec();
        let response = match self.find_permit(checked, output).await {
            Ok(permit) => self.redeem(request, permit).await,
            Err(answer) => answer,
        };
        announce(response, &announced)
    }

    /// Carries out a stored call: as it was sent if that is still known, or else as it is on record.
    pub(crate) async fn redeem(&self, request: &ClientRequest, permit: Permit) -> RpcResponse {
        let (id, owner) = (permit.call(), self.owner.clone());
        let stored = self.shared.host.run(move |engine| engine.stored_call(id, &owner)).await;
        let stored = stored.ok().flatten();
        let prepared = match &stored {
            Some(stored) => self.restore_call(request, id, stored).await,
            None => Err("the record of the call is gone".to_owned()),
        };
        match prepared {
            Ok(mut call) => {
                call.params = replace_meta(&call.params, request);
                self.execute(request, call, permit).await
            }
            Err(why) => {
                let nothing = permit.complete(Effect::Nothing);
                let _recorded = self.shared.host.complete(nothing).await;
                RpcResponse::Result(refusal(&format!("Not carried out: {why}.")))
            }
        }
    }

    /// A call of the record, ready to be carried out.
    pub(crate) async fn restore_call(
        &self,
        request: &ClientRequest,
        id: CallId,
        stored: &Call,
    ) -> Result<ToolCall, String> {
        let name = stored.tool.as_ref().and_then(|tool| tool.as_str().strip_prefix("mcp__"));
        let (server, tool) =
            name.and_then(|name| name.split_once("__")).ok_or("it is not a call of an MCP tool")?;
        let slot = self.servers.find(server);
        let slot = slot.ok_or_else(|| format!("the server `{server}` is not connected here"))?;
        let params = match self.shared.parked.find(id) {
            Some(params) => params.to_string(),
            None if stored.is_whole() => {
                format!("{{\"name\":{},\"arguments\":{}}}", encode_string(tool), stored.args)
            }
            None => {
                let what =
                    "its arguments had a secret, which is not on record; call the tool again";
                return Err(what.to_owned());
            }
        };
        // Without the list of tools nobody would notice that the tool changed. A server that is not
        // there is noticed when the call is carried out.
        if let Ok(upstream) = self.servers.connect(slot, &request.hello).await {
            slot.ensure_tools(&upstream, &request.hello).await;
        }
        let call = ToolCall::from_record(Arc::clone(slot), tool.to_owned(), params);
        self.shared.pins.check_stored_definition(call.defined_tool(), stored)?;
        Ok(call)
    }
}

/// The params of an earlier request with the `_meta` of this one: its token for progress, and what
/// the client says about itself.
pub(crate) fn replace_meta(params: &str, request: &ClientRequest) -> String {
    let bare = remove_member(params, "_meta");
    match (find(request.message.params(), &["_meta"]), request.hello.era) {
        (Some(meta), _) => set_member(&bare, "_meta", meta),
        (None, Era::Modern) => request.hello.add_meta(&bare, None),
        (None, Era::Legacy) => bare,
    }
}
