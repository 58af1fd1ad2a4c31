//! The path of every route, once, for server and clients. `{id}` is the only placeholder.

use std::fmt::Display;

/// The OpenAPI document of the plane.
pub const OPENAPI: &str = "/v1/openapi.json";

/// What agents and adapters can reach. Nothing here approves, grants or revokes.
pub mod agent {
    pub const CHECK: &str = "/v1/check";
    pub const ASK_AHEAD: &str = "/v1/ask-ahead";
    pub const QUESTION: &str = "/v1/ask-ahead/{id}";
    pub const WAIT_FOR_QUESTION: &str = "/v1/ask-ahead/{id}/wait";
    pub const CANCEL_QUESTION: &str = "/v1/ask-ahead/{id}/cancel";
    pub const CONSENT: &str = "/v1/consent";
    pub const OPERATION: &str = "/v1/operations/{id}";
    pub const WAIT: &str = "/v1/operations/{id}/wait";
    pub const STORED_CALL: &str = "/v1/operations/{id}/call";
    pub const RETRY: &str = "/v1/operations/{id}/retry";
    pub const CANCEL: &str = "/v1/operations/{id}/cancel";
    pub const OUTCOME: &str = "/v1/operations/{id}/outcome";
    pub const PROGRAM_OUTCOME: &str = "/v1/program-outcome";
    pub const PROGRAM_DECLINE: &str = "/v1/program-decline";
    pub const RUNS: &str = "/v1/runs";
    pub const RUN: &str = "/v1/runs/{id}";
    pub const WAIT_FOR_RUN: &str = "/v1/runs/{id}/wait";
    pub const CANCEL_RUN: &str = "/v1/runs/{id}/cancel";
    pub const END_RUN: &str = "/v1/runs/{id}/end";
    pub const REATTACH_RUN: &str = "/v1/runs/{id}/reattach";
    pub const END_SESSION: &str = "/v1/end-session";
    pub const SUB_AGENT: &str = "/v1/sub-agent";
    pub const TURNS: &str = "/v1/turns";
    pub const PLANS: &str = "/v1/plans";
    pub const MOVED: &str = "/v1/moved";
    pub const HAND_OVER: &str = "/v1/hand-over";
    pub const LEDGER: &str = "/v1/ledger";
    pub const APPLICATION: &str = "/v1/application";
    pub const GESTURES: &str = "/v1/application/gestures";
    pub const CLOSE_GESTURE: &str = "/v1/application/gestures/{id}/close";
    pub const PROPOSALS: &str = "/v1/proposals";
    pub const PROPOSAL_STATE: &str = "/v1/proposals/{id}/state";
    pub const APPLY_PROPOSAL: &str = "/v1/proposals/{id}/apply";
}

/// What only the operator can reach.
pub mod operator {
    pub const STATUS: &str = "/v1/status";
    pub const REQUESTS: &str = "/v1/requests";
    pub const REQUEST: &str = "/v1/requests/{id}";
    pub const REQUEST_TEXT: &str = "/v1/requests/{id}/text";
    pub const ANSWER: &str = "/v1/requests/{id}/answer";
    pub const GRANTS: &str = "/v1/grants";
    pub const GRANT: &str = "/v1/grants/{id}";
    pub const KEEP_GRANT: &str = "/v1/grants/{id}/keep";
    pub const SUGGESTIONS: &str = "/v1/suggestions";
    pub const APPLY_SUGGESTION: &str = "/v1/suggestions/apply";
    pub const REVOKE: &str = "/v1/revoke";
    pub const SESSIONS: &str = "/v1/sessions";
    pub const END_SESSION: &str = "/v1/sessions/end";
    pub const WORKFLOWS: &str = "/v1/workflows";
    pub const RECONCILE: &str = "/v1/workflows/reconcile";
    pub const RUN: &str = "/v1/runs/{id}";
    pub const NOTHING_HAPPENED: &str = "/v1/calls/{id}/nothing-happened";
    pub const IDS: &str = "/v1/ids";
    pub const PAUSE: &str = "/v1/pause";
    pub const RESUME: &str = "/v1/resume";
    pub const PRESENCE: &str = "/v1/presence";
    pub const NOTICES: &str = "/v1/notices";
    pub const ACKNOWLEDGE_NOTICE: &str = "/v1/notices/{id}/acknowledge";
    pub const REVIEW: &str = "/v1/review";
    pub const PROPOSALS: &str = "/v1/proposals";
    pub const PROPOSAL: &str = "/v1/proposals/{id}";
    pub const APPLY_PROPOSAL: &str = "/v1/proposals/{id}/put-in-force";
    pub const VETO_PROPOSAL: &str = "/v1/proposals/{id}/veto";
    pub const UNDO_PROPOSAL: &str = "/v1/proposals/{id}/undo";
    pub const SAY: &str = "/v1/say";
    pub const GESTURES: &str = "/v1/gestures";
    pub const CLOSE_GESTURE: &str = "/v1/gestures/{id}/close";
    pub const DELIVERIES: &str = "/v1/deliveries";
    pub const EVENTS: &str = "/v1/events";
    pub const AGENTS: &str = "/v1/agents";
    pub const REVOKE_AGENT: &str = "/v1/agents/{id}/revoke";
    pub const RENEW_OPERATOR_TOKEN: &str = "/v1/operator-token/renew";
    pub const OPEN_DASHBOARD: &str = "/v1/dashboard/logins";
    pub const CONFIRM_LOGIN: &str = "/v1/dashboard/logins/confirm";
    pub const BROWSER_SESSIONS: &str = "/v1/dashboard/sessions";
    pub const END_BROWSER_SESSION: &str = "/v1/dashboard/sessions/end";
}

/// The path with this id in place of `{id}`.
pub fn with_id(path: &str, id: impl Display) -> String {
    path.replace("{id}", &percent_encode(&id.to_string()))
}

/// A text as one segment of a path or one value of a query.
pub fn percent_encode(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_one_segment_of_a_path() {
        assert_eq!(
            with_id(operator::REVOKE_AGENT, "claude-2.1_x"),
            "/v1/agents/claude-2.1_x/revoke"
        );
        assert_eq!(
            with_id(operator::REQUEST, "a/../b?c#ä"),
            "/v1/requests/a%2F..%2Fb%3Fc%23%C3%A4"
        );
    }

    #[test]
    fn a_name_stays_one_value_of_a_query() {
        assert_eq!(percent_encode("s1"), "s1");
        assert_eq!(percent_encode("/w&x=1 ü"), "%2Fw%26x%3D1%20%C3%BC");
    }
}
