//! Keeps the result of a call, so that an agent that asks again gets it after a restart too.
//!
//! Only the session and agent that made a call keep and find its result. A result with a secret is
//! not written.

use crate::{Engine, EngineError, KeptResult, SessionOwner, Store, limits};
use countersign_core::model::ids::CallId;
use countersign_redact::holds_secret;
use serde_json::Value;

/// Whether a result was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultUpdate {
    Kept,
    TooLong,
    HasSecret,
    /// No call of this session and agent has that id.
    Unknown,
}

impl<S: Store> Engine<S> {
    /// Keeps the result of a call, a JSON text, for a day. It replaces that of an earlier attempt.
    pub fn keep_result(
        &self,
        call: CallId,
        owner: &SessionOwner,
        text: &str,
    ) -> Result<ResultUpdate, EngineError> {
        let Some(own) = self.read_own_call(call, owner)? else { return Ok(ResultUpdate::Unknown) };
        let now = own.read_at;
        let refused = match text.len() > limits::KEPT_RESULT_BYTES {
            true => Some(ResultUpdate::TooLong),
            false => has_secret(text).then_some(ResultUpdate::HasSecret),
        };
        if let Some(refused) = refused {
            // What is kept of an earlier attempt is not the result of this one.
            self.store.drop_results(&[call])?;
            return Ok(refused);
        }
        let until = now + limits::KEPT_RESULT_LIFETIME;
        let result = KeptResult { call, text: text.to_owned(), until };
        self.store.keep_result(&result, now)?;
        Ok(ResultUpdate::Kept)
    }

    /// The kept result of a call. None if there is none, or if this session and agent did not make
    /// the call.
    pub fn find_result(
        &self,
        call: CallId,
        owner: &SessionOwner,
    ) -> Result<Option<String>, EngineError> {
        match self.read_own_call(call, owner)? {
            Some(own) => Ok(self.store.find_result(call, own.read_at)?),
            None => Ok(None),
        }
    }
}

/// Looks at the text as it is, and at each string of it without its escapes.
fn has_secret(text: &str) -> bool {
    let strings_have_secret = |value: Value| {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            match value {
                Value::String(text) if holds_secret(&text) => return true,
                Value::Array(items) => open.extend(items),
                Value::Object(members) => {
                    for (name, value) in members {
                        open.extend([Value::String(name), value]);
                    }
                }
                Value::String(_) | Value::Number(_) | Value::Bool(_) | Value::Null => {}
            }
        }
        false
    };
    holds_secret(text) || serde_json::from_str(text).map_or(true, strings_have_secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_found_behind_escapes_and_beside_its_name() {
        for text in [
            r#"{"result":{"content":[{"type":"text","text":"{\"password\":\"hunter2hunter2\"}"}]}}"#,
            r#"{"result":{"structuredContent":{"password":"hunter2hunter2"}}}"#,
            r#"{"result":{"content":[{"text":"ghp\u005f0123456789abcdefghij0123456789abcdef"}]}}"#,
            "no JSON",
        ] {
            assert!(has_secret(text), "{text}");
        }
        assert!(!has_secret(r#"{"result":{"content":[{"type":"text","text":"counted"}]}}"#));
    }
}
