//! Whoever waits for an answer, by session: an answer wakes those whom it may concern, and lets ten
//! thousand others sleep.

use countersign_core::model::names::SessionName;
use countersign_engine::Whose;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

#[derive(Default)]
pub(crate) struct Waiting {
    held: Mutex<HashMap<SessionName, Arc<Notify>>>,
}

/// Somebody who waits, as long as this lives.
pub(crate) struct Waiter {
    all: Arc<Waiting>,
    session: SessionName,
    bell: Arc<Notify>,
}

impl Waiting {
    pub fn join(self: &Arc<Self>, session: &SessionName) -> Waiter {
        let bell = Arc::clone(self.lock().entry(session.clone()).or_default());
        Waiter { all: Arc::clone(self), session: session.clone(), bell }
    }

    pub fn wake(&self, whose: Whose<'_>) {
        let held = self.lock();
        match whose {
            Whose::Anybodys => held.values().for_each(|bell| bell.notify_waiters()),
            Whose::Of(sessions) => {
                let bells = sessions.iter().filter_map(|session| held.get(session));
                bells.for_each(|bell| bell.notify_waiters());
            }
        }
    }

    /// Nothing here is ever half done.
    fn lock(&self) -> MutexGuard<'_, HashMap<SessionName, Arc<Notify>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiter {
    /// What hears every ring from now on.
    pub fn bell(&self) -> &Notify {
        &self.bell
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        let mut held = self.all.lock();
        // The list's own, and this one.
        if Arc::strong_count(&self.bell) == 2 {
            held.remove(&self.session);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Waker};

    fn session(name: &str) -> SessionName {
        SessionName::parse(name).unwrap()
    }

    fn has_heard(heard: std::pin::Pin<&mut impl Future>) -> bool {
        heard.poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    #[test]
    fn an_answer_wakes_those_whom_it_concerns() {
        let waiting = Arc::new(Waiting::default());
        let (one, other) = (waiting.join(&session("one")), waiting.join(&session("other")));
        let mut heard = (pin!(one.bell().notified()), pin!(other.bell().notified()));
        waiting.wake(Whose::Of(&[session("one"), session("nobody's")]));
        assert!(has_heard(heard.0.as_mut()));
        assert!(!has_heard(heard.1.as_mut()));
        waiting.wake(Whose::Anybodys);
        assert!(has_heard(heard.1.as_mut()));
    }

    #[test]
    fn whoever_has_gone_leaves_nothing_behind() {
        let waiting = Arc::new(Waiting::default());
        let (one, same) = (waiting.join(&session("one")), waiting.join(&session("one")));
        drop(one);
        {
            let mut heard = pin!(same.bell().notified());
            waiting.wake(Whose::Of(&[session("one")]));
            assert!(has_heard(heard.as_mut()), "the other one still waits");
        }
        drop(same);
        assert!(waiting.lock().is_empty());
    }
}
