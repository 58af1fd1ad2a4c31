//! How long known clients wait for a call.
//!
//! Measured on the clients themselves. The name is what a client says about itself: a wrong name
//! only changes when the call is reported as pending.

use crate::limits;
use std::time::Duration;

/// Clients by the start of their name, and for how long a call can be held while progress is
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

/// For how long a call of this client is held.
pub(crate) fn hold_for(client: &str) -> Duration {
    let client = client.to_ascii_lowercase();
    let known = PROFILES.iter().find(|(start, _)| client.starts_with(start));
    known.map_or(limits::DEFAULT_HOLD, |(_, seconds)| Duration::from_secs(*seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_client_is_held_for_less_than_a_minute() {
        assert_eq!(hold_for("something"), limits::DEFAULT_HOLD);
        assert_eq!(hold_for(""), limits::DEFAULT_HOLD);
        assert!(hold_for("Claude-Code") > Duration::from_secs(60));
    }
}
