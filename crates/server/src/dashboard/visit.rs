//! A request of a browser that is logged in, for the pages and the forms.

use super::Dashboard;
use super::sessions::CurrentSession;
use crate::Daemon;
use axum::extract::State;
use countersign_core::model::time::Time;
use std::sync::Arc;

/// A request of a browser that is logged in.
pub(super) struct Visit {
    pub daemon: Arc<Daemon>,
    pub session: CurrentSession,
    pub now: Time,
    /// Below the path of the dashboard.
    pub path: String,
}

impl Visit {
    pub fn dashboard(&self) -> &Dashboard {
        &self.daemon.dashboard
    }

    /// What the handlers of the operator's routes take.
    pub fn plane(&self) -> State<Arc<Daemon>> {
        State(Arc::clone(&self.daemon))
    }
}
