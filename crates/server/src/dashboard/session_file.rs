//! The file of browser sessions, so that a restart of the daemon does not log anybody out.

use super::sessions::{BrowserSessions, StoredSession};
use crate::credentials::{CredentialError, Credentials};

const FILE: &str = "dashboard-sessions.json";

/// A file that cannot be read means that everybody logs in again.
pub(super) fn read_sessions(credentials: &Credentials) -> BrowserSessions {
    let text = credentials.read_private(FILE).ok().flatten();
    let stored: Option<Vec<StoredSession>> = text.and_then(|text| serde_json::from_str(&text).ok());
    BrowserSessions::from_stored(stored.unwrap_or_default())
}

pub(super) fn write_sessions(
    credentials: &Credentials,
    sessions: &BrowserSessions,
) -> Result<(), CredentialError> {
    let bytes = serde_json::to_vec(&sessions.stored()).unwrap_or_default();
    credentials.replace_private(FILE, &bytes)
}
