//! The snapshots of sessions in use that a node keeps between two steps.

use super::CachedSnapshot;
use crate::limits::{MAX_CACHED_SESSIONS, MIN_SNAPSHOT_COMMITS};
use crate::{ReadScope, StoreError, lock};
use countersign_core::model::names::SessionKey;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Shared with pending commits.
pub(super) type SessionSnapshots = Arc<Mutex<HashMap<SessionKey, CachedSnapshot>>>;

pub(super) fn cache_session(
    sessions: &SessionSnapshots,
    scope: &ReadScope,
    snapshot: &CachedSnapshot,
) -> Result<(), StoreError> {
    let is_open = |session: &&SessionKey| snapshot.state.sessions.contains_key(*session);
    let Some(session) = scope.single_session().filter(is_open) else { return Ok(()) };
    // More commits for more rows, so that a commit costs the same however many there are.
    let max_commits = snapshot.state.requests.count().max(MIN_SNAPSHOT_COMMITS);
    if snapshot.commits_since_read >= max_commits {
        return Ok(());
    }
    let mut sessions = lock(sessions)?;
    if sessions.len() >= MAX_CACHED_SESSIONS {
        sessions.clear();
    }
    sessions.insert(session.clone(), snapshot.clone());
    Ok(())
}
