//! The rows of calls. Every check writes one, so its JSON is made from parts that are ready.

use super::RowContent;
use crate::StoreError;
use crate::limits::TYPICAL_ROW_BYTES;
use crate::prepared_commit::CallTexts;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::names::{Action, NodeName};
use countersign_core::model::repeat::PendingRepeat;
use countersign_core::model::words::Risk;
use countersign_core::state::{CallRecord, CallState, Consent, State};
use serde::Serialize;

/// The other fields of a record, in the order of its JSON.
#[derive(Serialize)]
struct RecordWithoutCall<'a> {
    opening: u32,
    decided: &'a [Action],
    state: &'a CallState,
    consent: &'a Consent,
    card_risk: &'a Risk,
    requests: &'a [RequestId],
    questions: &'a [Digest],
    node: &'a NodeName,
    repeat: &'a Option<PendingRepeat>,
}

fn record_content(record: &CallRecord, texts: &CallTexts) -> Result<RowContent, StoreError> {
    let Some(call) = texts.get(&record.call) else { return RowContent::new(record) };
    let CallRecord {
        call: _,
        opening,
        decided,
        state,
        consent,
        card_risk,
        requests,
        questions,
        node,
        repeat,
    } = record;
    let mut bytes = Vec::with_capacity(call.len() + TYPICAL_ROW_BYTES);
    bytes.extend_from_slice(b"{\"call\":");
    bytes.extend_from_slice(call.as_bytes());
    let end = bytes.len();
    let opening = *opening;
    let rest = RecordWithoutCall {
        opening,
        decided,
        state,
        consent,
        card_risk,
        requests,
        questions,
        node,
        repeat,
    };
    serde_json::to_writer(&mut bytes, &rest).map_err(|e| StoreError::unwritable(&e))?;
    // The other fields follow the call: their opening brace becomes a comma.
    if let Some(brace) = bytes.get_mut(end) {
        *brace = b',';
    }
    // Only new calls are serialised before the commit.
    Ok(RowContent { is_new: true, ..RowContent::from_bytes(bytes)? })
}

pub(super) fn call_content(
    state: &State,
    id: CallId,
    texts: &CallTexts,
) -> Result<Option<RowContent>, StoreError> {
    let Some(record) = state.calls.get(&id) else { return Ok(None) };
    let state_name = match record.state {
        CallState::Denied => "denied",
        CallState::Parked => "parked",
        CallState::Approved => "approved",
        CallState::Executing => "executing",
        CallState::Ended(effect) => effect.word(),
        CallState::Declined => "declined",
        CallState::Expired => "expired",
        CallState::Stopped => "stopped",
        CallState::Cancelled => "cancelled",
    };
    let content = self::record_content(record, texts)?
        .with_session(&record.call.session, Some(&record.call.agent));
    let ended = matches!(record.state, CallState::Ended(_));
    let due = record.repeat.as_ref().filter(|_| ended).map(|repeat| repeat.due_at);
    Ok(Some(content.with_state(state_name, due)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_gives_the_same_row_with_and_without_a_prepared_call() {
        let text = r#"{"call":{"id":"c63deca01a1e46970f2700081eaeb8a17","agent":"coder",
            "session":"coder s1","actions":["notes.add"],"args":{"text":"one\ntwo"},"target":["x"],
            "recipients":["x"],"parking":"allowed",
            "digest":"702e776ad07ad6e7fc32cd3b37c4137a35672f7cb8408d7df0d149b1e788034e",
            "lasting":"e61ca965337ac8b1ac84a38c84e6276806b341861b08e31709e7697e1922d087"},
            "decided":["notes.add"],"state":"executing",
            "consent":{"grants":[],"gesture":null,"parent":null,"standing":"none"},
            "opening": 1, "card_risk":"low","requests":[],"questions":[],"node":"local","repeat":null}"#;
        let record: CallRecord = serde_json::from_str(text).unwrap();
        let (own, none) =
            (CallTexts::from_calls([&record.call]).unwrap(), CallTexts::from_calls([]).unwrap());
        let (prepared, serialized) =
            (super::record_content(&record, &own), super::record_content(&record, &none));
        let (prepared, serialized) = (prepared.unwrap(), serialized.unwrap());
        assert_eq!(prepared.body, serialized.body);
        assert!(prepared.is_new && !serialized.is_new);
        // An equal call is not the same call.
        let same: CallRecord = serde_json::from_str(text).unwrap();
        assert!(!super::record_content(&same, &own).unwrap().is_new);
    }
}
