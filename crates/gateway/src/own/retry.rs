//! `retry`: carries out a call that waited.

use crate::call::decide::{ToolCall, undecided};
use crate::call::texts::pending_result;
use crate::call::texts::{denied_result, refusal};
use crate::call::tools::OutputSchema;
use crate::era::Era;
use crate::relay::{Context, Relay, RpcResponse};
use crate::wire::json_text::{decode_string, encode_string, find, remove_member, set_member};
use countersign_core::model::call::Call;
use countersign_core::model::ids::CallId;
use countersign_core::model::words::Effect;
use countersign_engine::CheckResult;
use std::sync::Arc;

pub(super) const SCHEMA: &str = "{\"type\":\"object\",\"properties\":{\"operation_id\":\
     {\"type\":\"string\",\"description\":\"The operation_id of the result that said the call waits\"}},\
     \"required\":[\"operation_id\"],\"additionalProperties\":false}";

impl Relay {
    pub(super) async fn retry_operation(self: &Arc<Self>, context: &Context) -> RpcResponse {
        match operation_id(context) {
            Some(call) => self.retry_call(context, call, OutputSchema::None).await,
            None => no_operation(),
        }
    }

    /// Carries a call out that has its answer, or holds it until there is one.
    pub(crate) async fn retry_call(
        self: &Arc<Self>,
        context: &Context,
        call: CallId,
        output: OutputSchema,
    ) -> RpcResponse {
        let host = &self.gateway.host;
        let mut checked = host.retry(call, self.owner.clone()).await;
        if let Ok(CheckResult::Pending { .. }) = &checked {
            match self.wait_for_operator(context, call).await {
                Ok(true) => checked = host.retry(call, self.owner.clone()).await,
                Ok(false) => {}
                Err(error) => return undecided(&error),
            }
        }
        match checked {
            Err(error) => undecided(&error),
            Ok(CheckResult::Allowed { permit, .. }) => self.redeem(context, permit).await,
            Ok(CheckResult::AlreadyDone { call, .. }) => self.repeat_result(call).await,
            Ok(CheckResult::Pending { call, decision, .. }) => {
                let retry = self.own_name("retry");
                RpcResponse::Result(pending_result(call, &decision, &retry, output))
            }
            Ok(CheckResult::Denied { call, decision }) => {
                RpcResponse::Result(denied_result(call, &decision))
            }
        }
    }

    /// Carries out a stored call: as it was sent if that is still known, or else as it is on record.
    pub(crate) async fn redeem(
        self: &Arc<Self>,
        context: &Context,
        permit: countersign_engine::Permit,
    ) -> RpcResponse {
        let (id, owner) = (permit.call(), self.owner.clone());
        let stored = self.gateway.host.run(move |engine| engine.stored_call(id, &owner)).await;
        let stored = stored.ok().flatten();
        let prepared = match &stored {
            Some(stored) => self.restore_call(context, id, stored).await,
            None => Err("the record of the call is gone".to_owned()),
        };
        match prepared {
            Ok(mut call) => {
                call.params = adopt_meta(&call.params, context);
                self.execute(context, call, permit).await
            }
            Err(why) => {
                let nothing = permit.complete(Effect::Nothing);
                let _recorded = self.gateway.host.complete(nothing).await;
                RpcResponse::Result(refusal(&format!("Not carried out: {why}.")))
            }
        }
    }

    /// A call of the record, ready to be carried out.
    pub(crate) async fn restore_call(
        self: &Arc<Self>,
        context: &Context,
        id: CallId,
        stored: &Call,
    ) -> Result<ToolCall, String> {
        let name = stored.tool.as_ref().and_then(|tool| tool.as_str().strip_prefix("mcp__"));
        let (server, tool) =
            name.and_then(|name| name.split_once("__")).ok_or("it is not a call of an MCP tool")?;
        let slot = self.find_slot(server);
        let slot = slot.ok_or_else(|| format!("the server `{server}` is not connected here"))?;
        let params = match self.gateway.parked.find(id) {
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
        if let Ok(upstream) = self.connect(slot, &context.hello).await {
            slot.ensure_tools(&upstream, &context.hello).await;
        }
        let call = ToolCall::restored(Arc::clone(slot), tool.to_owned(), params);
        self.check_stored_definition(&call, stored)?;
        Ok(call)
    }
}

/// The params of an earlier request with the `_meta` of this one: its token for progress, and what
/// the client says about itself.
pub(crate) fn adopt_meta(params: &str, context: &Context) -> String {
    let bare = remove_member(params, "_meta");
    match (find(context.message.params(), &["_meta"]), context.hello.era) {
        (Some(meta), _) => set_member(&bare, "_meta", meta),
        (None, Era::Modern) => context.hello.add_meta(&bare, None),
        (None, Era::Legacy) => bare,
    }
}

fn operation_id(context: &Context) -> Option<CallId> {
    let id = find(context.message.params(), &["arguments", "operation_id"])?;
    CallId::parse(&decode_string(id)?)
}

fn no_operation() -> RpcResponse {
    RpcResponse::Result(refusal("No call of this session has that operation_id."))
}
