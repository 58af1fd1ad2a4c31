//! What a model reads if its call was not carried out.
//!
//! One sentence, one rule id, the operator's note, and what to do next. Programs find the same in
//! `_meta`.

use crate::upstream::OutputSchema;
use crate::wire::{RpcResponse, encode_string, set_at, set_member};
use countersign_core::decide::explain;
use countersign_core::model::decision::Decision;
use countersign_core::model::ids::CallId;
use countersign_engine::EngineError;
use countersign_host::AgentError;

/// Whether a client shows a result as a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Error,
}

/// A tool result with one text.
pub(crate) fn text_result(text: &str, tone: Tone) -> String {
    let content = format!("[{{\"type\":\"text\",\"text\":{}}}]", encode_string(text));
    match tone {
        Tone::Plain => format!("{{\"content\":{content}}}"),
        Tone::Error => format!("{{\"content\":{content},\"isError\":true}}"),
    }
}

/// A result with a text, and its status for programs.
fn status_result(text: &str, status: &str, call: Option<CallId>, tone: Tone) -> String {
    let operation = call.map(|call| format!(",\"countersign/operationId\":\"{call}\""));
    let meta = format!(
        "{{\"countersign/status\":\"{status}\"{}}}",
        operation.as_deref().unwrap_or_default()
    );
    set_member(&text_result(text, tone), "_meta", &meta)
}

/// The decision was no.
pub(crate) fn denied_result(call: Option<CallId>, decision: &Decision) -> String {
    let sentence = explain::sentence(decision);
    let rule = decision.reason.word();
    // The sentence has the note already, where a decline is the reason.
    let note = match decision.note.as_str() {
        note if !note.is_empty() && !sentence.contains(note) => {
            format!(" The operator said: {note}.")
        }
        _ => String::new(),
    };
    let text = format!("Not carried out: {sentence}. (rule: {rule}){note}");
    status_result(&text, "denied", call, Tone::Error)
}

/// Nobody has answered yet. Clients that check a result against the tool's schema refuse one without
/// structured content, unless it is an error.
pub(crate) fn pending_result(
    call: CallId,
    decision: &Decision,
    retry: &str,
    output: OutputSchema,
) -> String {
    let sentence = explain::sentence(decision);
    let text = format!(
        "Waiting for the operator: {sentence}. Nothing has been done yet. To carry out this call \
         once it is approved, call the tool `{retry}` with {{\"operation_id\": \"{call}\"}}. Until \
         then go on with something else, or ask the operator to answer. (rule: {})",
        decision.reason.word()
    );
    let tone = match output {
        OutputSchema::None => Tone::Plain,
        OutputSchema::Declared => Tone::Error,
    };
    status_result(&text, "pending", Some(call), tone)
}

/// The server may or may not have done it.
pub(crate) fn unknown_result(call: CallId, why: &str) -> String {
    let text = format!(
        "Whether this call was carried out is unknown: {why}. Check its effect before you try again."
    );
    status_result(&text, "unknown", Some(call), Tone::Error)
}

/// The server has not received the call.
pub(crate) fn unreachable_result(call: CallId, why: &str, retry: &str) -> String {
    let text = format!(
        "Not carried out: the server cannot be reached ({why}). Nothing has been done. Call the tool \
         `{retry}` with {{\"operation_id\": \"{call}\"}} to try again."
    );
    status_result(&text, "unreachable", Some(call), Tone::Error)
}

/// The server went away under a call that may be carried out twice.
pub(crate) fn repeated_result(call: CallId, why: &str, retry: &str) -> String {
    let text = format!(
        "Whether this call was carried out is unknown: {why}. Its tool may run twice, so the call is \
         tried again by itself. Call the tool `{retry}` with {{\"operation_id\": \"{call}\"}} for its \
         result."
    );
    status_result(&text, "unreachable", Some(call), Tone::Error)
}

/// It was carried out before, and its result is gone.
pub(crate) fn result_gone(call: CallId) -> String {
    let text = "This call was carried out before. Its result is no longer available.";
    status_result(text, "already_done", Some(call), Tone::Plain)
}

/// Something else that a model has to know.
pub(crate) fn refusal(text: &str) -> String {
    status_result(text, "refused", None, Tone::Error)
}

/// Countersign cannot decide, so nothing is carried out.
pub(crate) fn undecided(error: &EngineError) -> RpcResponse {
    RpcResponse::Result(refusal(&format!(
        "Not carried out: Countersign cannot decide now ({error})."
    )))
}

/// Why an operation was not carried out, for the model.
impl From<AgentError> for RpcResponse {
    fn from(error: AgentError) -> Self {
        match error {
            AgentError::Engine(error) => undecided(&error),
            AgentError::Unknown(object) => RpcResponse::Result(refusal(&format!(
                "There is no such {object} in this session. Check the id."
            ))),
            other => RpcResponse::Result(refusal(&format!("Refused: {other}."))),
        }
    }
}

/// A result with the lines that the operator reads about this call too, such as "Using session
/// allowlist". An error of the protocol has no place for them.
pub(crate) fn announce(response: RpcResponse, lines: &[String]) -> RpcResponse {
    let result = match &response {
        RpcResponse::Result(result) => Some(result.as_str()),
        RpcResponse::Forward(message) => message.result(),
        RpcResponse::Error(_) => None,
    };
    let Some(result) = result.filter(|_| !lines.is_empty()) else { return response };
    let lines: Vec<String> = lines.iter().map(|line| encode_string(line)).collect();
    let lines = format!("[{}]", lines.join(","));
    RpcResponse::Result(set_at(result, &["_meta", "countersign/announced"], &lines))
}
