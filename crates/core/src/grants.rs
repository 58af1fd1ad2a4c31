//! All grants of a state, found by what they cover instead of by looking through them.
//!
//! The index holds fingerprints: a hit only says where to look, the comparison is exact.

use crate::category::Category;
use crate::digest::Digest;
use crate::grant::{Coverage, Grant, Owner};
use crate::ids::{GrantId, RunId};
use crate::names::{Action, Project, SessionName};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

#[derive(Clone, Debug, PartialEq)]
pub struct Grants {
    slots: Vec<Grant>,
    by_id: HashMap<GrantId, usize>,
    by_cover: HashMap<u64, Vec<usize>>,
}

/// What to look for.
#[derive(Clone, Copy, Hash)]
pub enum Cover<'a> {
    Digest(&'a Digest),
    Argv(&'a [String]),
    Action(&'a Action),
    Category(&'a Category),
    Run(&'a RunId),
    /// Class grants are found by their owner alone.
    Class,
    Everything,
}

#[derive(Clone, Copy, Hash)]
pub enum OwnerRef<'a> {
    Session(&'a SessionName),
    Project(&'a Project),
}

impl Grants {
    pub fn none() -> Self {
        Self { slots: Vec::new(), by_id: HashMap::new(), by_cover: HashMap::new() }
    }

    pub fn insert(&mut self, grant: Grant) {
        let slot = self.slots.len();
        let key = fingerprint(grant.owner.as_ref(), grant.coverage.as_cover());
        self.by_cover.entry(key).or_default().push(slot);
        self.by_id.insert(grant.id, slot);
        self.slots.push(grant);
    }

    pub fn get(&self, id: GrantId) -> Option<&Grant> {
        self.by_id.get(&id).and_then(|slot| self.slots.get(*slot))
    }

    pub fn get_mut(&mut self, id: GrantId) -> Option<&mut Grant> {
        self.by_id.get(&id).and_then(|slot| self.slots.get_mut(*slot))
    }

    pub fn iter(&self) -> impl Iterator<Item = &Grant> {
        self.slots.iter()
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Grant> {
        self.slots.iter_mut()
    }

    /// Grants of this owner whose coverage has this fingerprint. The caller compares.
    pub fn candidates(
        &self,
        owner: OwnerRef<'_>,
        cover: Cover<'_>,
    ) -> impl Iterator<Item = &Grant> {
        let slots = self.by_cover.get(&fingerprint(owner, cover));
        slots.into_iter().flatten().filter_map(|slot| self.slots.get(*slot))
    }
}

impl Owner {
    pub fn as_ref(&self) -> OwnerRef<'_> {
        match self {
            Self::Session(session) => OwnerRef::Session(session),
            Self::Project(project) => OwnerRef::Project(project),
        }
    }
}

impl Coverage {
    fn as_cover(&self) -> Cover<'_> {
        match self {
            Self::Digest { digest, .. } => Cover::Digest(digest),
            Self::Command { argv, .. } => Cover::Argv(argv),
            Self::Action(action) => Cover::Action(action),
            Self::Category(category) => Cover::Category(category),
            Self::Run { run, .. } => Cover::Run(run),
            Self::Class { .. } => Cover::Class,
            Self::Everything => Cover::Everything,
        }
    }
}

fn fingerprint(owner: OwnerRef<'_>, cover: Cover<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    owner.hash(&mut hasher);
    cover.hash(&mut hasher);
    hasher.finish()
}
