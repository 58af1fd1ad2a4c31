//! A task as its client reads it.

use super::kept_responses::KeptResponse;
use crate::limits;
use crate::wire::{encode_string, modernise_result, set_member};
use countersign_core::model::ids::CallId;
use countersign_core::model::time::Time;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TaskStatus {
    Working(String),
    /// The open questions of the server, by their keys.
    InputRequired(String),
    /// The result of the call.
    Completed(String),
    /// An error object of JSON-RPC.
    Failed(String),
    Cancelled(&'static str),
}

impl From<KeptResponse> for TaskStatus {
    fn from(response: KeptResponse) -> Self {
        match response {
            KeptResponse::Result(result) => Self::Completed(result.to_string()),
            KeptResponse::Error(error) => Self::Failed(error.to_string()),
        }
    }
}

impl TaskStatus {
    pub(crate) fn is_over(&self) -> bool {
        match self {
            Self::Working(_) | Self::InputRequired(_) => false,
            Self::Completed(_) | Self::Failed(_) | Self::Cancelled(_) => true,
        }
    }

    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Working(_) => "working",
            Self::InputRequired(_) => "input_required",
            Self::Completed(_) => "completed",
            Self::Failed(_) => "failed",
            Self::Cancelled(_) => "cancelled",
        }
    }

    /// The task as a JSON object. Results for a modern client have what its era demands.
    pub(super) fn describe(&self, call: CallId, updated_at: Time) -> String {
        let created_at = created_at(call);
        let updated_at = updated_at.max(created_at);
        let (ttl, poll) = (limits::TASK_LIFETIME.as_millis(), limits::TASK_POLL.as_millis());
        let word = self.word();
        let task = format!(
            "{{\"taskId\":\"{call}\",\"status\":\"{word}\",\"createdAt\":\"{created_at}\",\
             \"lastUpdatedAt\":\"{updated_at}\",\"ttlMs\":{ttl},\"pollIntervalMs\":{poll}}}"
        );
        match self {
            Self::Working(text) => set_member(&task, "statusMessage", &encode_string(text)),
            Self::Cancelled(text) => set_member(&task, "statusMessage", &encode_string(text)),
            Self::InputRequired(requests) => set_member(&task, "inputRequests", requests),
            Self::Completed(result) => {
                set_member(&task, "result", &modernise_result("tools/call", result))
            }
            Self::Failed(error) => set_member(&task, "error", error),
        }
    }
}

/// An id starts with the milliseconds at which it was made.
pub(super) fn created_at(call: CallId) -> Time {
    let key = call.to_key();
    let millis = key.get(1..13).and_then(|digits| i64::from_str_radix(digits, 16).ok());
    Time::from_micros(millis.unwrap_or(0).saturating_mul(1_000))
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_core::model::ids::IdGenerator;

    #[test]
    fn a_task_was_created_when_its_call_was_made() {
        let made = Time::parse("2030-01-05T09:00:00Z").unwrap();
        let call = CallId::generate(&IdGenerator::new(made, u64::MAX));
        assert_eq!(created_at(call), made);
        let task = TaskStatus::Cancelled("withdrawn").describe(call, Time::from_micros(0));
        assert!(task.contains(r#""lastUpdatedAt":"2030-01-05T09:00:00Z""#), "{task}");
    }
}
