//! Versions of repositories' rules: which of them the operator has accepted, and what was compiled of them.
//!
//! See docs/decisions/0137-a-repositorys-rules-are-a-layer.md.

use crate::limits;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::graph::LayerStanding;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Whether the operator has accepted the file at this path with a content of this hash.
pub type LayerTrust = Box<dyn Fn(&str, &Digest) -> bool + Send + Sync>;

/// The file of a layer, its content, and what it may do.
type LayerKey = (String, Digest, LayerStanding);

/// The rules of a graph together with layers that were met.
pub(crate) struct LayerCache<R>(Mutex<BTreeMap<LayerKey, Arc<R>>>);

impl<R> LayerCache<R> {
    pub(crate) fn empty() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    pub(crate) fn find(&self, key: &LayerKey) -> Option<Arc<R>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    /// Beyond the bound everything is forgotten: it is only read and compiled again.
    pub(crate) fn keep(&self, key: LayerKey, rules: &Arc<R>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= limits::MAX_KEPT_LAYERS {
            kept.clear();
        }
        kept.insert(key, Arc::clone(rules));
    }
}
