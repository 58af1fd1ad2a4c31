//! `action_ledger_record` and `action_ledger_list`: what an agent says about its own doing.

use super::{read_arguments, refuse, reply};
use crate::call::decide::undecided;
use crate::limits;
use crate::relay::{Context, Relay, RpcResponse};
use countersign_api::Timestamp;
use countersign_core::model::ids::CallId;
use countersign_core::model::recorded::{Recorded, StatedReason};
use countersign_engine::{RecordResult, RecordsFrom};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) const RECORD_SCHEMA: &str = r#"{"type":"object","properties":{"text":{"type":"string","description":"What was asked, decided and seen"},"evidence":{"type":"string","enum":["observed","inferred","user_declared","unknown","not_measured"],"description":"How you know it"},"operation_id":{"type":"string","description":"The call that it is about"}},"required":["text","evidence"],"additionalProperties":false}"#;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordArguments {
    text: String,
    evidence: StatedReason,
    operation_id: Option<String>,
}

impl Relay {
    pub(super) async fn record_statement(
        self: &Arc<Self>,
        context: &Context,
    ) -> Result<RpcResponse, RpcResponse> {
        let RecordArguments { text, evidence, operation_id } = read_arguments(context)?;
        if text.len() > limits::RECORD_BYTES {
            return Err(refuse("The text is too long."));
        }
        let unknown = || refuse("No call of this session has that operation_id.");
        let call = operation_id.map(|id| CallId::parse(&id).ok_or_else(unknown)).transpose()?;
        let (session, agent) = (self.owner.session.clone(), self.owner.agent.clone());
        let recorded = Recorded { session, agent, call, ground: evidence, text };
        let result = self.gateway.host.run(move |engine| engine.record_statement(recorded)).await;
        match result.map_err(|error| undecided(&error))? {
            RecordResult::Recorded => reply(&json!({"recorded": true})),
            RecordResult::UnknownCall => Err(unknown()),
            RecordResult::ForeignSession => Err(refuse("This session belongs to another agent.")),
        }
    }

    /// The last ones, oldest first.
    pub(super) async fn list_statements(&self) -> Result<RpcResponse, RpcResponse> {
        let owner = self.owner.clone();
        let list = move |engine: &countersign_host::HostEngine| {
            engine.list_records(&owner, RecordsFrom::Latest)
        };
        let page = self.gateway.host.run(list).await.map_err(|error| undecided(&error))?;
        let records: Vec<Value> = page
            .records
            .iter()
            .map(|(seq, at, recorded)| {
                json!({"seq": seq, "at": Timestamp(*at), "operation_id": recorded.call,
                    "evidence": recorded.ground, "text": recorded.text})
            })
            .collect();
        reply(&json!({"records": records}))
    }
}
