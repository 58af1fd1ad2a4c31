//! Every bound of the host, each with its reason.

use std::time::Duration;

/// How often a waiting caller reads the record although nothing woke it: another node's wake-up can
/// be lost.
pub const POLL_INTERVAL: Duration = Duration::from_secs(60);
/// How often the host sweeps and looks at the graph's file: a request must not stay open long after
/// its end, and a changed graph should count soon.
pub const MAINTENANCE_INTERVAL: Duration = Duration::from_secs(2);
