//! Every bound of the commands about rules, each with its reason.

use std::ops::RangeInclusive;
use std::time::Duration;

/// Seconds that the solver may take for one question: an hour is more than anybody waits.
pub(crate) const SOLVER_SECONDS: RangeInclusive<u64> = 1..=3_600;
/// How long a command waits for the daemon to load a graph that it wrote: two looks of the daemon.
pub(crate) const GRAPH_RELOAD: Duration = Duration::from_secs(6);
/// Days of the record on which a changed rule is tried: what people remember.
pub(crate) const RULE_TRIAL_DAYS: u32 = 30;
/// How often a command looks whether the daemon has loaded it.
pub(crate) const RELOAD_POLL: Duration = Duration::from_millis(20);
/// How long a command waits for an answer of the daemon.
pub(crate) const DAEMON_TIMEOUT: Duration = Duration::from_secs(10);
