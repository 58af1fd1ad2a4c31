//! How the gateway takes its short locks.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// No change under these locks is ever half done, so a poisoned one is safe to use.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
