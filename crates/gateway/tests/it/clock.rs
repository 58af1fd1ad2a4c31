//! The time of day, and as much more as a test wants.

use countersign_core::model::time::Time;
use countersign_engine::Clock;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[derive(Clone, Default)]
pub struct TestClock {
    ahead: Arc<AtomicU64>,
}

impl TestClock {
    pub fn advance(&self, by: Duration) {
        self.ahead.fetch_add(by.as_secs(), Ordering::SeqCst);
    }

    pub fn read(&self) -> Time {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let ahead = Duration::from_secs(self.ahead.load(Ordering::SeqCst));
        Time::from_micros((since + ahead).as_micros().try_into().unwrap())
    }
}

impl Clock for TestClock {
    fn now(&self) -> Time {
        self.read()
    }
}
