//! What a modern client listens to.

use super::reply::ReplySender;
use crate::limits;
use crate::locks::lock;
use crate::wire::{META_SUBSCRIPTION, Message, decode_string, find, set_at};
use std::sync::Mutex;

#[derive(Default)]
pub(crate) struct Subscriptions {
    open: Mutex<Vec<Subscription>>,
}

pub(crate) struct Subscription {
    /// The id of the client's request, as text.
    pub(crate) id: String,
    pub(crate) reply: ReplySender,
    pub(crate) methods: Vec<&'static str>,
    pub(crate) uris: Vec<String>,
}

impl Subscription {
    fn selects(&self, message: &Message) -> bool {
        match message.method() {
            "notifications/resources/updated" => {
                let uri = find(message.params(), &["uri"]).and_then(decode_string);
                uri.is_some_and(|uri| self.uris.contains(&uri))
            }
            method => self.methods.contains(&method),
        }
    }
}

impl Subscriptions {
    /// None if too many are open.
    #[must_use]
    pub(crate) fn add(&self, subscription: Subscription) -> Option<()> {
        let mut open = lock(&self.open);
        let has_room = open.len() < limits::MAX_SUBSCRIPTIONS;
        has_room.then(|| open.push(subscription))
    }

    pub(crate) fn remove(&self, id: &str) {
        lock(&self.open).retain(|open| open.id != id);
    }

    /// Sends a notification to those that selected it.
    pub(super) async fn notify(&self, message: &Message) {
        let selected: Vec<(ReplySender, String)> = lock(&self.open)
            .iter()
            .filter(|subscription| subscription.selects(message))
            .map(|subscription| (subscription.reply.clone(), subscription.id.clone()))
            .collect();
        for (reply, id) in selected {
            let params = set_at(message.params(), &["_meta", META_SUBSCRIPTION], &id);
            reply.send(message.with_params(&params)).await;
        }
    }
}
