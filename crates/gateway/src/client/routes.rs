//! The client's requests that servers work on, by our numbers: what a server sends meanwhile finds its
//! way back here.

use super::reply::ReplySender;
use crate::locks::lock;
use crate::wire::{META_LOG_LEVEL, Message, find};
use std::collections::BTreeMap;
use std::sync::Mutex;
use tokio::sync::mpsc;

#[derive(Default)]
pub(crate) struct ExchangeRoutes {
    open: Mutex<BTreeMap<u64, ExchangeRoute>>,
}

pub(crate) struct ExchangeRoute {
    pub(crate) reply: ReplySender,
    /// The client's own token for progress, as text.
    pub(crate) token: Option<String>,
    /// Takes the questions that belong to this request, if its client answers them by repeating it.
    pub(crate) questions: Option<mpsc::Sender<Message>>,
    pub(crate) logs: LogMessages,
}

/// Whether a modern request names a log level. Without one it must get no log messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogMessages {
    Wanted,
    Unwanted,
}

impl LogMessages {
    pub(crate) fn of_request(params: &str) -> Self {
        match find(params, &["_meta", META_LOG_LEVEL]) {
            Some(_) => Self::Wanted,
            None => Self::Unwanted,
        }
    }
}

impl ExchangeRoutes {
    pub(crate) fn add(&self, id: u64, route: ExchangeRoute) {
        lock(&self.open).insert(id, route);
    }

    pub(crate) fn remove(&self, id: u64) {
        lock(&self.open).remove(&id);
    }

    /// Goes on with another request of the client.
    pub(crate) fn redirect(&self, id: u64, reply: ReplySender, token: Option<String>) {
        if let Some(route) = lock(&self.open).get_mut(&id) {
            (route.reply, route.token) = (reply, token);
        }
    }

    pub(super) fn find_reply(&self, id: Option<u64>) -> Option<ReplySender> {
        lock(&self.open).get(&id?).map(|route| route.reply.clone())
    }

    pub(super) fn find_newest_reply(&self) -> Option<ReplySender> {
        lock(&self.open).last_key_value().map(|(_, route)| route.reply.clone())
    }

    /// The newest modern request that wants log messages: they do not say to which one they belong.
    pub(super) fn find_log_reply(&self) -> Option<ReplySender> {
        let open = lock(&self.open);
        let mut wanting = open.values().rev().filter(|route| route.logs == LogMessages::Wanted);
        wanting.next().map(|route| route.reply.clone())
    }

    /// The way back and the client's token for progress under our number.
    pub(crate) fn find_progress(&self, id: u64) -> Option<(ReplySender, String)> {
        let open = lock(&self.open);
        let route = open.get(&id)?;
        Some((route.reply.clone(), route.token.clone()?))
    }

    /// The request to which a question belongs: the named one, or else the newest that takes any.
    pub(crate) fn find_questions(&self, id: Option<u64>) -> Option<mpsc::Sender<Message>> {
        let open = lock(&self.open);
        match id {
            Some(id) => open.get(&id)?.questions.clone(),
            None => open.values().rev().find_map(|route| route.questions.clone()),
        }
    }
}
