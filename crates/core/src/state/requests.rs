//! All requests of a state, indexed by id and by digest.
//!
//! Closed requests stay, so a decision that scanned all requests would become slower with every
//! question ever asked.

use crate::encoding::digest::Digest;
use crate::model::ids::RequestId;
use crate::model::request::Request;
use crate::state::Table;
use std::collections::HashMap;

#[derive(Clone, Debug, PartialEq)]
pub struct Requests {
    by_id: Table<RequestId, Request>,
    /// The digest of a request never changes, so this only grows.
    by_digest: HashMap<Digest, Vec<RequestId>>,
}

impl Requests {
    pub fn empty() -> Self {
        Self { by_id: Table::empty(), by_digest: HashMap::new() }
    }

    pub fn insert(&mut self, id: RequestId, request: Request) {
        self.index_digest(id, request.digest);
        self.by_id.insert(id, request);
    }

    /// Inserts a request that the store already holds, without marking it as touched.
    pub fn restore(&mut self, id: RequestId, request: Request) {
        self.index_digest(id, request.digest);
        self.by_id.restore(id, request);
    }

    fn index_digest(&mut self, id: RequestId, digest: Digest) {
        let about = self.by_digest.entry(digest).or_default();
        if !about.contains(&id) {
            about.push(id);
        }
    }

    pub fn get(&self, id: &RequestId) -> Option<&Request> {
        self.by_id.get(id)
    }

    /// The caller must not change the digest.
    pub fn get_mut(&mut self, id: &RequestId) -> Option<&mut Request> {
        self.by_id.get_mut(id)
    }

    /// Requests with this digest, the oldest first.
    pub fn with_digest(&self, digest: &Digest) -> impl Iterator<Item = &Request> {
        let ids = self.by_digest.get(digest).into_iter().flatten();
        ids.filter_map(|id| self.by_id.get(id))
    }

    pub fn values(&self) -> impl Iterator<Item = &Request> {
        self.by_id.values()
    }

    pub fn count(&self) -> usize {
        self.by_id.len()
    }

    pub(crate) fn take_touched(&mut self) -> Vec<RequestId> {
        self.by_id.take_touched()
    }
}
