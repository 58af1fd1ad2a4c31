//! `action_ledger_record` and `action_ledger_list`: what an agent says about its own doing.

use super::{ToolAnswer, read_arguments, reply};
use crate::call::ToolCalls;
use crate::client::ClientRequest;
use countersign_api::Text;
use countersign_core::model::ids::CallId;
use countersign_core::model::recorded::{Recorded, StatedReason};
use countersign_engine::RecordsFrom;
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) const RECORD_SCHEMA: &str = r#"{"type":"object","properties":{"text":{"type":"string","description":"What was asked, decided and seen"},"evidence":{"type":"string","enum":["observed","inferred","user_declared","user-declared","unknown","not_measured","not-measured"],"description":"How you know it"},"operation_id":{"type":"string","description":"The call that it is about"}},"required":["text","evidence"],"additionalProperties":false}"#;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordArguments {
    text: Text<4096>,
    evidence: StatedReason,
    operation_id: Option<CallId>,
}

pub(super) async fn record_statement(calls: &ToolCalls, request: &ClientRequest) -> ToolAnswer {
    let RecordArguments { text, evidence, operation_id } = read_arguments(request)?;
    let recorded = Recorded {
        session: calls.owner.session.clone(),
        agent: calls.owner.agent.clone(),
        call: operation_id,
        ground: evidence,
        text: text.into(),
    };
    calls.shared.host.record_statement(recorded).await?;
    reply(&json!({"recorded": true}))
}

/// The last ones, oldest first.
pub(super) async fn list_statements(calls: &ToolCalls) -> ToolAnswer {
    let page = calls.shared.host.list_records(calls.owner.clone(), RecordsFrom::Latest).await?;
    let records: Vec<Value> = page
        .records
        .iter()
        .map(|record| {
            json!({"seq": record.seq, "at": record.at, "operation_id": record.operation_id,
                "evidence": record.ground, "text": record.text})
        })
        .collect();
    reply(&json!({"records": records}))
}
