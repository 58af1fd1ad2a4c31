//! The domains of a graph, and the settings of a whole domain.
//!
//! A hash map, because every decision looks up a domain. Iteration is in the order of names.

use super::{LastReview, VisibilityRule};
use crate::model::words::TrustLevel;
use std::collections::HashMap;

#[derive(Clone, Debug, PartialEq)]
pub struct Domains(HashMap<String, Domain>);

#[derive(Clone, Debug, PartialEq)]
pub struct Domain {
    pub trust: Option<TrustLevel>,
    /// The domain's own date, if it has one.
    pub last_reviewed: Option<LastReview>,
    pub visible: VisibilityRule,
    pub destinations: Destinations,
    pub conditions: Conditions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destinations {
    Any,
    /// `single_destination`: each event goes to one destination.
    One,
}

/// Conditions that only a proposal can meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conditions {
    pub diff: Demand,
    pub cooling_hours: Option<u32>,
    pub undo_days: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    NotNeeded,
    Needed,
}

impl Conditions {
    pub const NONE: Self = Self { diff: Demand::NotNeeded, cooling_hours: None, undo_days: None };

    pub fn any(&self) -> bool {
        *self != Self::NONE
    }
}

impl Domains {
    pub fn get(&self, name: &str) -> Option<&Domain> {
        self.0.get(name)
    }

    pub fn get_mut(&mut self, name: &str) -> Option<&mut Domain> {
        self.0.get_mut(name)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// In the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &Domain)> {
        let mut all: Vec<_> = self.0.iter().collect();
        all.sort_unstable_by_key(|(name, _)| *name);
        all.into_iter()
    }

    /// In alphabetical order.
    pub fn keys(&self) -> impl Iterator<Item = &String> {
        self.iter().map(|(name, _)| name)
    }

    /// In the order of their names.
    pub fn values(&self) -> impl Iterator<Item = &Domain> {
        self.iter().map(|(_, domain)| domain)
    }

    /// In arbitrary order.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Domain> {
        self.0.values_mut()
    }
}

impl FromIterator<(String, Domain)> for Domains {
    fn from_iter<T: IntoIterator<Item = (String, Domain)>>(domains: T) -> Self {
        Self(domains.into_iter().collect())
    }
}
