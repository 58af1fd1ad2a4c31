//! Rate limits: a token bucket for each sender, which refills over time.

use crate::limits::{self, Rate};
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Mutex;
use std::time::Duration;
use tokio::time::Instant;

/// The sender has to wait for this many seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RateLimited {
    pub retry_after: u64,
}

pub(crate) struct RateLimiter<K> {
    rate: Rate,
    buckets: Mutex<HashMap<K, Bucket>>,
}

struct Bucket {
    tokens: f64,
    updated_at: Instant,
}

impl<K: Eq + Hash> RateLimiter<K> {
    pub fn new(rate: Rate) -> Self {
        Self { rate, buckets: Mutex::new(HashMap::new()) }
    }

    /// Takes a token of this sender, if one is left.
    pub fn take(&self, sender: K, now: Instant) -> Result<(), RateLimited> {
        let full = f64::from(self.rate.burst);
        let Ok(mut buckets) = self.buckets.lock() else {
            return Err(RateLimited { retry_after: 1 });
        };
        if buckets.len() >= limits::MAX_TRACKED_SENDERS && !buckets.contains_key(&sender) {
            self.evict(&mut buckets, now);
        }
        let bucket = buckets.entry(sender).or_insert(Bucket { tokens: full, updated_at: now });
        bucket.tokens = self.level(bucket, now).min(full);
        bucket.updated_at = now;
        if bucket.tokens >= 1.0 {
            bucket.tokens -= 1.0;
            return Ok(());
        }
        let missing = (1.0 - bucket.tokens) / f64::from(self.rate.per_second.max(1));
        let seconds = Duration::from_secs_f64(missing).as_secs();
        Err(RateLimited { retry_after: seconds.saturating_add(1) })
    }

    /// The tokens of a bucket at this time, not limited to its size.
    fn level(&self, bucket: &Bucket, now: Instant) -> f64 {
        let elapsed = now.saturating_duration_since(bucket.updated_at).as_secs_f64();
        bucket.tokens + elapsed * f64::from(self.rate.per_second)
    }

    /// Removes full buckets, which hold no information. If there are none, it removes the fullest:
    /// a sender with an empty bucket must not get a new one by creating many others.
    fn evict(&self, buckets: &mut HashMap<K, Bucket>, now: Instant) {
        let full = f64::from(self.rate.burst);
        let level = |bucket: &Bucket| self.level(bucket, now);
        let fullest = buckets.values().map(level).fold(0.0, f64::max).min(full);
        buckets.retain(|_, bucket| level(bucket) < fullest);
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test needs some instant")]
mod tests {
    use super::*;

    const SLOW: Rate = Rate { per_second: 2, burst: 3 };
    const LIMITED: Result<(), RateLimited> = Err(RateLimited { retry_after: 1 });

    #[test]
    fn used_tokens_come_back_with_time() {
        let (limiter, start) = (RateLimiter::new(SLOW), Instant::now());
        let take = |millis: u64| limiter.take("a", start + Duration::from_millis(millis));
        assert_eq!([take(0), take(0), take(0)], [Ok(()); 3]);
        assert_eq!(take(0), LIMITED);
        assert_eq!(take(400), LIMITED);
        assert_eq!(take(1000), Ok(()));
        assert_eq!(take(1000), Ok(()));
        assert_eq!(take(1000), LIMITED);
        assert_eq!([take(60_000), take(60_000), take(60_000)], [Ok(()); 3]);
        assert!(take(60_000).is_err());
    }

    #[test]
    fn senders_do_not_share_a_bucket() {
        let (limiter, start) = (RateLimiter::new(SLOW), Instant::now());
        for _ in 0..3 {
            assert_eq!(limiter.take(1, start), Ok(()));
        }
        assert!(limiter.take(1, start).is_err());
        assert_eq!(limiter.take(2, start), Ok(()));
    }

    #[test]
    fn the_number_of_buckets_is_bounded_and_an_empty_one_stays() {
        let (limiter, start) = (RateLimiter::new(SLOW), Instant::now());
        for _ in 0..4 {
            let _used = limiter.take(0, start);
        }
        for sender in 1..=2 * limits::MAX_TRACKED_SENDERS {
            assert_eq!(limiter.take(sender, start), Ok(()));
        }
        assert!(limiter.buckets.lock().unwrap().len() <= limits::MAX_TRACKED_SENDERS);
        assert!(limiter.take(0, start).is_err());
    }
}
