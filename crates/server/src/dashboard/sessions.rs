//! The browsers in which the dashboard is open.

use super::random_token;
use crate::credentials::{CredentialError, hash_token, hashes_match};
use crate::limits;
use countersign_api::{BrowserSessionView, Timestamp};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::delivery::Extent;
use countersign_core::model::ids::RequestId;
use countersign_core::model::names::SurfaceName;
use countersign_core::model::time::Time;
use countersign_dashboard::SavedMessage;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, VecDeque};

/// What is kept on the disk about a browser session: the hash of its cookie, not the cookie.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoredSession {
    pub hash: Digest,
    pub browser: String,
    pub opened_at: Time,
    pub used_at: Time,
}

#[derive(Default)]
pub(crate) struct BrowserSessions {
    sessions: Vec<BrowserSession>,
    written_at: Option<Time>,
}

struct BrowserSession {
    stored: StoredSession,
    /// What this browser was reported to have shown.
    shown: BTreeSet<(RequestId, Extent)>,
    messages: VecDeque<(u64, SavedMessage)>,
    last_message: u64,
}

/// A session that a request belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CurrentSession {
    pub hash: Digest,
    /// The name of this browser as a surface: what another one has shown does not count here.
    pub surface: SurfaceName,
}

impl StoredSession {
    fn id(&self) -> String {
        self.hash.to_string().chars().take(8).collect()
    }

    fn ends_at(&self) -> Time {
        let hard = self.opened_at + limits::BROWSER_SESSION_TIME;
        hard.min(self.used_at + limits::BROWSER_IDLE_TIME)
    }
}

impl BrowserSession {
    fn new(stored: StoredSession) -> Self {
        Self { stored, shown: BTreeSet::new(), messages: VecDeque::new(), last_message: 0 }
    }
}

impl BrowserSessions {
    pub fn from_stored(stored: Vec<StoredSession>) -> Self {
        let sessions = stored.into_iter().map(BrowserSession::new).collect();
        Self { sessions, written_at: None }
    }

    pub fn stored(&self) -> Vec<StoredSession> {
        self.sessions.iter().map(|session| session.stored.clone()).collect()
    }

    /// Opens a session. Returns its cookie.
    pub fn open(&mut self, browser: String, now: Time) -> Result<String, CredentialError> {
        self.sessions.retain(|session| now < session.stored.ends_at());
        while self.sessions.len() >= limits::MAX_BROWSER_SESSIONS {
            self.sessions.remove(0);
        }
        let cookie = random_token()?;
        let hash = hash_token(&cookie);
        let stored = StoredSession { hash, browser, opened_at: now, used_at: now };
        self.sessions.push(BrowserSession::new(stored));
        Ok(cookie)
    }

    /// The session of one of these cookies. Using it keeps it from becoming idle.
    pub fn find(&mut self, cookies: &[String], now: Time) -> Option<CurrentSession> {
        let hashes: Vec<Digest> = cookies.iter().map(|cookie| hash_token(cookie)).collect();
        let mut found = None;
        for session in &mut self.sessions {
            let is_own = hashes.iter().any(|hash| hashes_match(hash, &session.stored.hash).into());
            if is_own && now < session.stored.ends_at() {
                session.stored.used_at = session.stored.used_at.max(now);
                found = Some((session.stored.hash, session.stored.id()));
            }
        }
        let (hash, id) = found?;
        let surface = SurfaceName::parse(&format!("dashboard-{id}")).ok()?;
        Some(CurrentSession { hash, surface })
    }

    /// Whether a session is still open. It does not count as using it.
    pub fn is_open(&self, hash: &Digest, now: Time) -> bool {
        self.sessions.iter().any(|one| one.stored.hash == *hash && now < one.stored.ends_at())
    }

    pub fn end(&mut self, id: Option<&str>) -> usize {
        let before = self.sessions.len();
        self.sessions.retain(|session| id.is_some_and(|id| session.stored.id() != id));
        before - self.sessions.len()
    }

    pub fn list(&self, now: Time) -> Vec<BrowserSessionView> {
        let open = self.sessions.iter().rev().map(|session| &session.stored);
        open.filter(|stored| now < stored.ends_at())
            .map(|stored| BrowserSessionView {
                id: stored.id(),
                browser: stored.browser.clone(),
                opened_at: Timestamp(stored.opened_at),
                used_at: Timestamp(stored.used_at),
                ends_at: Timestamp(stored.opened_at + limits::BROWSER_SESSION_TIME),
            })
            .collect()
    }

    /// Whether this is the first time that the session shows so much of a request.
    pub fn is_first_showing(&mut self, hash: &Digest, shown: (RequestId, Extent)) -> bool {
        let Some(session) = self.find_hash(hash) else { return false };
        while session.shown.len() >= limits::MAX_SHOWN_REQUESTS {
            session.shown.pop_first();
        }
        session.shown.insert(shown)
    }

    /// Keeps a message for the page that comes next. Returns its number.
    pub fn add_message(&mut self, hash: &Digest, message: SavedMessage) -> u64 {
        let Some(session) = self.find_hash(hash) else { return 0 };
        session.last_message += 1;
        session.messages.push_back((session.last_message, message));
        while session.messages.len() > limits::MAX_SAVED_MESSAGES {
            session.messages.pop_front();
        }
        session.last_message
    }

    pub fn message(&mut self, hash: &Digest, number: u64) -> Option<SavedMessage> {
        let messages = &self.find_hash(hash)?.messages;
        messages.iter().find(|(known, _)| *known == number).map(|(_, message)| message.clone())
    }

    pub fn is_due_for_writing(&mut self, now: Time) -> bool {
        let is_due = self.written_at.is_none_or(|at| now >= at + limits::SESSION_WRITE_INTERVAL);
        if is_due {
            self.written_at = Some(now);
        }
        is_due
    }

    fn find_hash(&mut self, hash: &Digest) -> Option<&mut BrowserSession> {
        self.sessions.iter_mut().find(|session| session.stored.hash == *hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_core::model::time::Span;

    #[test]
    fn a_session_ends_when_it_is_idle_and_after_a_week() {
        let start = Time::from_micros(1_000_000);
        let mut sessions = BrowserSessions::default();
        let cookie = vec![sessions.open("Firefox".to_owned(), start).unwrap()];
        assert!(sessions.find(&["x".to_owned()], start).is_none());
        assert!(sessions.find(&cookie, start + Span::hours(12)).is_none());
        let mut at = start;
        while at < start + Span::days(7) - Span::hours(11) {
            assert!(sessions.find(&cookie, at).is_some(), "{at}");
            at = at + Span::hours(11);
        }
        assert!(sessions.find(&cookie, start + Span::days(7)).is_none());
    }

    #[test]
    fn sessions_end_one_by_one_or_all_together() {
        let start = Time::from_micros(1_000_000);
        let mut sessions = BrowserSessions::default();
        let cookies: Vec<String> =
            (0..3).map(|_| sessions.open(String::new(), start).unwrap()).collect();
        let id = sessions.list(start).first().unwrap().id.clone();
        assert_eq!(sessions.end(Some(&id)), 1);
        assert!(sessions.find(&cookies[2..], start).is_none());
        assert!(sessions.find(&cookies[..1], start).is_some());
        assert_eq!(sessions.end(None), 2);
        assert!(sessions.find(&cookies, start).is_none());
    }
}
