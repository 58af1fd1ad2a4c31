//! How much somebody may send: a bucket for each, which fills again as time goes by.

use crate::limits;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Mutex;
use std::time::Duration;
use tokio::time::Instant;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    pub a_second: u32,
    /// What may come at once after a quiet time.
    pub at_once: u32,
}

/// Too much: in so many seconds there is room again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Later {
    pub seconds: u64,
}

pub(crate) struct Buckets<K> {
    rate: Rate,
    held: Mutex<HashMap<K, Bucket>>,
}

struct Bucket {
    left: f64,
    at: Instant,
}

impl<K: Eq + Hash> Buckets<K> {
    pub fn new(rate: Rate) -> Self {
        Self { rate, held: Mutex::new(HashMap::new()) }
    }

    /// Takes one, if there is one.
    pub fn take(&self, who: K, now: Instant) -> Result<(), Later> {
        let full = f64::from(self.rate.at_once);
        let Ok(mut held) = self.held.lock() else { return Err(Later { seconds: 1 }) };
        if held.len() >= limits::TOLD_APART && !held.contains_key(&who) {
            self.forget(&mut held, now);
        }
        let bucket = held.entry(who).or_insert(Bucket { left: full, at: now });
        let passed = now.saturating_duration_since(bucket.at);
        bucket.left = (bucket.left + self.filled(passed)).min(full);
        bucket.at = now;
        if bucket.left >= 1.0 {
            bucket.left -= 1.0;
            return Ok(());
        }
        let missing = (1.0 - bucket.left) / f64::from(self.rate.a_second.max(1));
        Err(Later { seconds: Duration::from_secs_f64(missing).as_secs().saturating_add(1) })
    }

    fn filled(&self, passed: Duration) -> f64 {
        passed.as_secs_f64() * f64::from(self.rate.a_second)
    }

    /// A full bucket says nothing. If all of them say something, the fullest goes: whoever made
    /// so many of them gets no second one for free.
    fn forget(&self, held: &mut HashMap<K, Bucket>, now: Instant) {
        let full = f64::from(self.rate.at_once);
        let level =
            |bucket: &Bucket| bucket.left + self.filled(now.saturating_duration_since(bucket.at));
        let fullest = held.values().map(level).fold(0.0, f64::max).min(full);
        held.retain(|_, bucket| level(bucket) < fullest);
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test needs some instant")]
mod tests {
    use super::*;

    const SLOW: Rate = Rate { a_second: 2, at_once: 3 };

    #[test]
    fn what_is_used_up_comes_back_with_time() {
        let (buckets, start) = (Buckets::new(SLOW), Instant::now());
        let take = |after: u64| buckets.take("a", start + Duration::from_millis(after));
        assert_eq!([take(0), take(0), take(0)], [Ok(()); 3]);
        assert_eq!(take(0), Err(Later { seconds: 1 }));
        assert_eq!(take(400), Err(Later { seconds: 1 }));
        assert_eq!(take(1000), Ok(()));
        assert_eq!(take(1000), Ok(()));
        assert_eq!(take(1000), Err(Later { seconds: 1 }));
        assert_eq!([take(60_000), take(60_000), take(60_000)], [Ok(()); 3]);
        assert!(take(60_000).is_err());
    }

    #[test]
    fn one_does_not_use_up_what_another_has() {
        let (buckets, start) = (Buckets::new(SLOW), Instant::now());
        for _ in 0..3 {
            assert_eq!(buckets.take(1, start), Ok(()));
        }
        assert!(buckets.take(1, start).is_err());
        assert_eq!(buckets.take(2, start), Ok(()));
    }

    #[test]
    fn whoever_is_told_apart_is_bounded_and_the_empty_bucket_stays() {
        let (buckets, start) = (Buckets::new(SLOW), Instant::now());
        for _ in 0..4 {
            let _used = buckets.take(0, start);
        }
        for who in 1..=2 * limits::TOLD_APART {
            assert_eq!(buckets.take(who, start), Ok(()));
        }
        assert!(buckets.held.lock().unwrap().len() <= limits::TOLD_APART);
        assert!(buckets.take(0, start).is_err());
    }
}
