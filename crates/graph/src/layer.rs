//! The rules of a repository: reads its file, and puts it beside the operator's graph.
//!
//! Anybody who can write in the repository can write this file, an agent too. So without trust it can
//! only make the graph stricter, and what could allow more is refused as a whole.
//!
//! See docs/decisions/0137-a-repositorys-rules-are-a-layer.md.

mod apply;
pub(crate) mod read;

pub use apply::apply_layer;

use crate::node::{self, Format};
use crate::problem::{Problem, Problems};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::graph::{CommandRules, Conditions};
use countersign_core::model::names::Action;
use countersign_core::model::words::Tier;
use std::collections::{BTreeMap, BTreeSet};

/// The name of the file, in the root of a repository.
pub const LAYER_FILE: &str = "countersign.yaml";

const HASH_LABEL: &str = "countersign/layer/v1";

/// The rules of a repository, as its file states them.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    pub hash: Digest,
    pub text: String,
    pub(crate) tiers: BTreeMap<Action, Tier>,
    pub(crate) channel_bound: BTreeSet<Action>,
    /// The conditions that it adds, by domain.
    pub(crate) conditions: BTreeMap<String, Conditions>,
    pub(crate) commands: CommandRules,
    pub(crate) secrets: Vec<String>,
    pub(crate) guarded: Vec<String>,
    /// What it states that could allow more. It counts only after the operator accepted the file.
    pub(crate) widening: Vec<Problem>,
}

impl Layer {
    /// What could allow more than the operator's graph: none of it counts without trust.
    pub fn needs_trust(&self) -> bool {
        !self.widening.is_empty()
    }

    /// The same as problems of the file.
    pub fn untrusted_parts(&self, name: &str) -> Option<Problems> {
        self.needs_trust().then(|| Problems::new(name, self.text.as_bytes(), self.widening.clone()))
    }
}

/// The hash of a layer's file.
pub fn hash_layer(bytes: &[u8]) -> Digest {
    Digest::hash_bytes(HASH_LABEL, bytes)
}

/// Reads the file of a layer.
pub fn parse_layer(name: &str, bytes: &[u8]) -> Result<Layer, Problems> {
    let parsed = node::parse(bytes, Format::Yaml).and_then(|root| read::read_layer(&root));
    let mut layer = parsed.map_err(|problems| Problems::new(name, bytes, problems))?;
    layer.hash = hash_layer(bytes);
    layer.text = String::from_utf8_lossy(bytes).into_owned();
    Ok(layer)
}
