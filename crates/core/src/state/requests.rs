//! All requests of a state, found by their id or by the digest they are about.
//!
//! Closed requests are kept, so a decision that had to look through all of them would take longer
//! with every question ever asked.

use crate::encoding::digest::Digest;
use crate::model::ids::RequestId;
use crate::model::request::Request;
use crate::state::Table;
use std::collections::HashMap;

#[derive(Clone, Debug, PartialEq)]
pub struct Requests {
    by_id: Table<RequestId, Request>,
    /// A request keeps its digest for life, so this only grows.
    by_digest: HashMap<Digest, Vec<RequestId>>,
}

impl Requests {
    pub fn empty() -> Self {
        Self { by_id: Table::empty(), by_digest: HashMap::new() }
    }

    pub fn insert(&mut self, id: RequestId, request: Request) {
        self.find_by_digest(id, request.digest);
        self.by_id.insert(id, request);
    }

    /// Puts in what is stored already.
    pub fn restore(&mut self, id: RequestId, request: Request) {
        self.find_by_digest(id, request.digest);
        self.by_id.restore(id, request);
    }

    fn find_by_digest(&mut self, id: RequestId, digest: Digest) {
        let about = self.by_digest.entry(digest).or_default();
        if !about.contains(&id) {
            about.push(id);
        }
    }

    pub fn get(&self, id: &RequestId) -> Option<&Request> {
        self.by_id.get(id)
    }

    /// Everything about a request may change but its digest.
    pub fn get_mut(&mut self, id: &RequestId) -> Option<&mut Request> {
        self.by_id.get_mut(id)
    }

    /// Requests about this digest, the oldest first.
    pub fn about(&self, digest: &Digest) -> impl Iterator<Item = &Request> {
        let ids = self.by_digest.get(digest).into_iter().flatten();
        ids.filter_map(|id| self.by_id.get(id))
    }

    pub fn values(&self) -> impl Iterator<Item = &Request> {
        self.by_id.values()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.by_id.len()
    }

    pub(crate) fn take_touched(&mut self) -> Vec<RequestId> {
        self.by_id.take_touched()
    }
}
