//! `retry`: carries out a call that waited.

use super::{ToolAnswer, read_arguments};
use crate::call::ToolCalls;
use crate::client::ClientRequest;
use crate::upstream::OutputSchema;
use countersign_core::model::ids::CallId;
use serde::Deserialize;

pub(super) const SCHEMA: &str = r#"{"type":"object","properties":{"operation_id":{"type":"string","description":"The operation_id of the result that said the call waits"}},"required":["operation_id"],"additionalProperties":false}"#;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RetryArguments {
    operation_id: CallId,
}

pub(super) async fn retry_operation(calls: &ToolCalls, request: &ClientRequest) -> ToolAnswer {
    let RetryArguments { operation_id } = read_arguments(request)?;
    Ok(calls.retry_call(request, operation_id, OutputSchema::None).await)
}
