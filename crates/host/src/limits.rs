//! Every bound of the host, each with its reason.

use std::time::Duration;

/// How often a waiting caller reads the record although nothing woke it: another node's wake-up can
/// be lost.
pub const POLL_INTERVAL: Duration = Duration::from_secs(60);
/// How often the host sweeps: a request must not stay open long after its end.
pub const SWEEP_INTERVAL: Duration = Duration::from_secs(2);
/// How often the host looks for changed rules. A change counts when two looks in a row see the same,
/// and it must count within half a second.
pub const RULES_POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Calls of programs that are recognized. A program asks again within seconds, and an entry is small.
pub const MAX_PROGRAM_CALLS: usize = 4096;
/// Sessions of programs whose task is remembered: more than anybody works in at once.
pub const MAX_PROGRAM_SESSIONS: usize = 1024;
/// Cleared sessions that wait for their hand-over, which follows at once.
pub const MAX_CLEARED_SESSIONS: usize = 64;
/// Grants, requests and calls of its own that an agent is listed, of each: more than one needs.
pub const OWN_OBJECTS_LISTED: usize = 200;
/// Calls that a nested call can name as its parents.
pub const MAX_CALLER_DEPTH: usize = 16;
