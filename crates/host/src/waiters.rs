//! Callers that wait for an answer, by session: a commit wakes those whom it may concern.
//!
//! See docs/decisions/0029-threads-and-waiting.md.

use countersign_core::model::names::SessionKey;
use countersign_engine::AffectedSessions;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

#[derive(Default)]
pub(crate) struct Waiters {
    by_session: Mutex<HashMap<SessionKey, Arc<Notify>>>,
}

/// A caller that waits, as long as this lives.
pub(crate) struct Waiter {
    waiters: Arc<Waiters>,
    session: SessionKey,
    notify: Arc<Notify>,
}

impl Waiters {
    pub(crate) fn join(self: &Arc<Self>, session: &SessionKey) -> Waiter {
        let notify = Arc::clone(self.lock().entry(session.clone()).or_default());
        Waiter { waiters: Arc::clone(self), session: session.clone(), notify }
    }

    pub(crate) fn wake(&self, affected: &AffectedSessions) {
        match affected {
            AffectedSessions::None => {}
            AffectedSessions::All => {
                self.lock().values().for_each(|notify| notify.notify_waiters());
            }
            AffectedSessions::Only(sessions) => {
                let by_session = self.lock();
                let waiting = sessions.iter().filter_map(|session| by_session.get(session));
                waiting.for_each(|notify| notify.notify_waiters());
            }
        }
    }

    /// No change here is ever half done, so a poisoned lock is safe to use.
    fn lock(&self) -> MutexGuard<'_, HashMap<SessionKey, Arc<Notify>>> {
        self.by_session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiter {
    /// Completes at the next wake-up from now on.
    pub(crate) fn wait_for_wake_up(&self) -> Notified<'_> {
        self.notify.notified()
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        let mut by_session = self.waiters.lock();
        // The map's reference, and this one.
        if Arc::strong_count(&self.notify) == 2 {
            by_session.remove(&self.session);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::pin::{Pin, pin};
    use std::task::{Context, Waker};

    fn session(name: &str) -> SessionKey {
        SessionKey::parse(&format!("coder {name}")).unwrap()
    }

    fn only(names: &[&str]) -> AffectedSessions {
        AffectedSessions::Only(names.iter().map(|name| session(name)).collect())
    }

    fn is_woken(woken: Pin<&mut impl Future>) -> bool {
        woken.poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    #[test]
    fn a_commit_wakes_only_the_sessions_it_affects() {
        let waiters = Arc::new(Waiters::default());
        let (one, other) = (waiters.join(&session("one")), waiters.join(&session("other")));
        let (mut one, mut other) = (pin!(one.wait_for_wake_up()), pin!(other.wait_for_wake_up()));
        waiters.wake(&AffectedSessions::None);
        assert!(!is_woken(one.as_mut()));
        waiters.wake(&only(&["one", "unknown"]));
        assert!(is_woken(one.as_mut()));
        assert!(!is_woken(other.as_mut()));
        waiters.wake(&AffectedSessions::All);
        assert!(is_woken(other.as_mut()));
    }

    #[test]
    fn the_last_waiter_of_a_session_removes_its_entry() {
        let waiters = Arc::new(Waiters::default());
        let (one, same) = (waiters.join(&session("one")), waiters.join(&session("one")));
        drop(one);
        {
            let mut woken = pin!(same.wait_for_wake_up());
            waiters.wake(&only(&["one"]));
            assert!(is_woken(woken.as_mut()), "the other one still waits");
        }
        drop(same);
        assert!(waiters.lock().is_empty());
    }
}
