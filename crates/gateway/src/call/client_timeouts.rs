//! How long known clients wait for a call.
//!
//! Measured on the clients themselves. The name is what a client says about itself: a wrong name
//! only changes when the call is reported as pending.
//!
//! See docs/decisions/0079-held-and-pending-mcp-calls.md.

use crate::limits;
use std::time::Duration;

/// Clients by the start of their name, and for how long a call can wait while progress is
/// reported.
const PROFILES: &[(&str, u64)] = &[
    // Progress resets its limit of 30 minutes on stdio and of 5 minutes on HTTP.
    ("claude-code", 25 * 60),
    // 300 seconds, and progress does not help.
    ("codex", 240),
    // 10 minutes, and progress does not help.
    ("gemini-cli", 540),
    // Progress resets its limit.
    ("opencode", 240),
    // A silent call of 130 seconds was seen to complete.
    ("github-copilot", 110),
    ("copilot", 110),
];

/// How long a call of this client waits for an answer.
pub(crate) fn answer_wait(client: &str) -> Duration {
    let client = client.to_ascii_lowercase();
    let known = PROFILES.iter().find(|(start, _)| client.starts_with(start));
    known.map_or(limits::DEFAULT_ANSWER_WAIT, |(_, seconds)| Duration::from_secs(*seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_client_waits_for_less_than_a_minute() {
        assert_eq!(answer_wait("something"), limits::DEFAULT_ANSWER_WAIT);
        assert_eq!(answer_wait(""), limits::DEFAULT_ANSWER_WAIT);
        assert!(answer_wait("Claude-Code") > Duration::from_secs(60));
    }
}
