//! The rows of calls, of which one is written with every check.

use super::{Held, USUAL};
use crate::StoreError;
use crate::beforehand::Texts;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::names::{Action, NodeName};
use countersign_core::model::repeat::Repeating;
use countersign_core::model::words::Risk;
use countersign_core::state::{CallRecord, CallState, Consent, State};
use serde::Serialize;

/// What a record holds beside its call.
#[derive(Serialize)]
struct BesideCall<'a> {
    decided: &'a [Action],
    state: &'a CallState,
    consent: &'a Consent,
    card_risk: &'a Risk,
    requests: &'a [RequestId],
    questions: &'a [Digest],
    node: &'a NodeName,
    repeat: &'a Option<Repeating>,
}

fn record(record: &CallRecord, texts: &Texts) -> Result<Held, StoreError> {
    let Some(call) = texts.get(&record.call) else { return Held::new(record) };
    let CallRecord {
        call: _,
        decided,
        state,
        consent,
        card_risk,
        requests,
        questions,
        node,
        repeat,
    } = record;
    let mut bytes = Vec::with_capacity(call.len() + USUAL);
    bytes.extend_from_slice(b"{\"call\":");
    bytes.extend_from_slice(call.as_bytes());
    let end = bytes.len();
    let rest = BesideCall { decided, state, consent, card_risk, requests, questions, node, repeat };
    serde_json::to_writer(&mut bytes, &rest).map_err(|e| StoreError::unwritable(&e))?;
    // Its fields go on where the call has ended.
    if let Some(brace) = bytes.get_mut(end) {
        *brace = b',';
    }
    // What was written down beforehand is a call that was made just now.
    Ok(Held { is_first: true, ..Held::written(bytes)? })
}

pub(super) fn call(state: &State, id: CallId, texts: &Texts) -> Result<Option<Held>, StoreError> {
    let Some(record) = state.calls.get(&id) else { return Ok(None) };
    let word = match record.state {
        CallState::Denied => "denied",
        CallState::Parked => "parked",
        CallState::Approved => "approved",
        CallState::Executing => "executing",
        CallState::Ended(effect) => effect.word(),
        CallState::Declined => "declined",
        CallState::Expired => "expired",
        CallState::Stopped => "stopped",
    };
    let held = self::record(record, texts)?.of(&record.call.session, Some(&record.call.agent));
    let ended = matches!(record.state, CallState::Ended(_));
    let due = record.repeat.as_ref().filter(|_| ended).map(|repeat| repeat.due_at);
    Ok(Some(held.state(word, due)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_the_same_row_whoever_wrote_its_call_down() {
        let text = r#"{"call":{"id":"op_01a1e46970f2700081eaeb8a1763deca","agent":"coder",
            "session":"s1","actions":["notes.add"],"args":{"text":"one\ntwo"},"target":["x"],
            "recipients":["x"],"parking":"allowed",
            "digest":"702e776ad07ad6e7fc32cd3b37c4137a35672f7cb8408d7df0d149b1e788034e",
            "lasting":"e61ca965337ac8b1ac84a38c84e6276806b341861b08e31709e7697e1922d087"},
            "decided":["notes.add"],"state":"executing",
            "consent":{"grants":[],"gesture":null,"parent":null,"standing":"none"},
            "card_risk":"low","requests":[],"questions":[],"node":"local","repeat":null}"#;
        let record: CallRecord = serde_json::from_str(text).unwrap();
        let (own, none) = (Texts::of_calls([&record.call]).unwrap(), Texts::of_calls([]).unwrap());
        let (beforehand, now) = (super::record(&record, &own), super::record(&record, &none));
        let (beforehand, now) = (beforehand.unwrap(), now.unwrap());
        assert_eq!(beforehand.body, now.body);
        assert!(beforehand.is_first && !now.is_first);
        // A call that only looks the same is another one.
        let same: CallRecord = serde_json::from_str(text).unwrap();
        assert!(!super::record(&same, &own).unwrap().is_first);
    }
}
