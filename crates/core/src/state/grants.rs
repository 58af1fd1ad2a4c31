//! All grants of a state, indexed by owner and by what they cover.
//!
//! The owner comes first, so that a decision pays only for the grants of its own session and
//! project. Agents choose some of these keys, so the maps are `HashMap`s with a random seed per
//! process: nobody can prepare names that collide.

use crate::encoding::digest::Digest;
use crate::model::category::Category;
use crate::model::command::is_open_argument;
use crate::model::grant::{Coverage, Grant, Owner};
use crate::model::ids::{GrantId, RunId};
use crate::model::names::{Action, Project, SessionKey};
use crate::model::place::{Bound, PinnedProgram};
use crate::state::sorted_unique;
use std::collections::HashMap;

#[derive(Clone, Debug)]
pub struct Grants {
    slots: Vec<Grant>,
    by_id: HashMap<GrantId, usize>,
    by_session: HashMap<SessionKey, OwnerIndex>,
    by_project: HashMap<Project, OwnerIndex>,
    of_user: OwnerIndex,
    /// Ids of grants that were inserted or borrowed mutably, with duplicates.
    touched: Vec<GrantId>,
}

/// Compares the grants only, not what was touched.
impl PartialEq for Grants {
    fn eq(&self, other: &Self) -> bool {
        self.slots == other.slots
    }
}

/// The index of one owner's grants. Lookups in an empty map do not hash.
#[derive(Clone, Debug, Default, PartialEq)]
struct OwnerIndex {
    digests: HashMap<Digest, Vec<usize>>,
    commands: HashMap<Vec<String>, Vec<usize>>,
    heads: HashMap<Vec<String>, Vec<usize>>,
    actions: HashMap<Action, Vec<usize>>,
    /// Grants of an action that hold outside of the workspace. They are few, so lookups scan them.
    outside_actions: Vec<usize>,
    categories: HashMap<Category, Vec<usize>>,
    runs: HashMap<RunId, Vec<usize>>,
    programs: HashMap<PinnedProgram, Vec<usize>>,
    /// Standing commands with open arguments. They are few, so lookups scan them.
    patterns: Vec<usize>,
    /// Class grants, indexed by owner only.
    classes: Vec<usize>,
    everything: Vec<usize>,
}

/// The grants of one owner.
#[derive(Clone, Copy)]
pub struct OwnerGrants<'a> {
    slots: &'a [Grant],
    index: &'a OwnerIndex,
}

/// A key of the index.
#[derive(Clone, Copy)]
pub enum Cover<'a> {
    Digest(&'a Digest),
    Argv(&'a [String]),
    Head(&'a [String]),
    Action(&'a Action),
    OutsideActions,
    Category(&'a Category),
    Run(&'a RunId),
    Program(&'a PinnedProgram),
    Patterns,
    Class,
    Everything,
}

#[derive(Clone, Copy)]
pub enum OwnerRef<'a> {
    Session(&'a SessionKey),
    Project(&'a Project),
    User,
}

impl Grants {
    pub fn empty() -> Self {
        Self {
            slots: Vec::new(),
            by_id: HashMap::new(),
            by_session: HashMap::new(),
            by_project: HashMap::new(),
            of_user: OwnerIndex::default(),
            touched: Vec::new(),
        }
    }

    pub fn insert(&mut self, grant: Grant) {
        self.touched.push(grant.id);
        self.restore(grant);
    }

    /// Inserts a grant that the store already holds, without marking it as touched.
    pub fn restore(&mut self, grant: Grant) {
        let slot = self.slots.len();
        let index = match &grant.owner {
            Owner::Session(session) => self.by_session.entry(session.clone()).or_default(),
            Owner::Project(project) => self.by_project.entry(project.clone()).or_default(),
            Owner::User => &mut self.of_user,
        };
        index.slots_mut(&grant.coverage).push(slot);
        let is_outside = grant.within.iter().flatten().any(Bound::is_outside);
        if is_outside && matches!(grant.coverage, Coverage::Action(_)) {
            index.outside_actions.push(slot);
        }
        self.by_id.insert(grant.id, slot);
        self.slots.push(grant);
    }

    pub fn get(&self, id: GrantId) -> Option<&Grant> {
        self.by_id.get(&id).and_then(|slot| self.slots.get(*slot))
    }

    pub fn get_mut(&mut self, id: GrantId) -> Option<&mut Grant> {
        self.touched.push(id);
        self.by_id.get(&id).and_then(|slot| self.slots.get_mut(*slot))
    }

    pub fn iter(&self) -> impl Iterator<Item = &Grant> {
        self.slots.iter()
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Grant> {
        self.touched.extend(self.slots.iter().map(|grant| grant.id));
        self.slots.iter_mut()
    }

    /// Changes the grants that fit, and marks only them as touched.
    pub fn change(&mut self, fits: impl Fn(&Grant) -> bool, change: impl Fn(&mut Grant)) {
        for grant in self.slots.iter_mut().filter(|grant| fits(grant)) {
            self.touched.push(grant.id);
            change(grant);
        }
    }

    pub(crate) fn take_touched(&mut self) -> Vec<GrantId> {
        sorted_unique(std::mem::take(&mut self.touched))
    }

    /// All grants of this owner; none if it never had any.
    pub fn held_by(&self, owner: OwnerRef<'_>) -> Option<OwnerGrants<'_>> {
        let index = match owner {
            OwnerRef::Session(session) => self.by_session.get(session),
            OwnerRef::Project(project) => self.by_project.get(project),
            OwnerRef::User => Some(&self.of_user),
        };
        index.map(|index| OwnerGrants { slots: &self.slots, index })
    }

    /// The grants of this owner under this key. The caller has to check their other conditions.
    pub fn candidates(
        &self,
        owner: OwnerRef<'_>,
        cover: Cover<'_>,
    ) -> impl Iterator<Item = &Grant> {
        self.held_by(owner).into_iter().flat_map(move |held| held.find_by_key(cover))
    }
}

impl<'a> OwnerGrants<'a> {
    /// The grants under this key, in the order in which they were given.
    pub fn find_by_key(self, cover: Cover<'_>) -> impl Iterator<Item = &'a Grant> + use<'a> {
        let slots = self.index.slots(cover).unwrap_or_default();
        slots.iter().filter_map(move |slot| self.slots.get(*slot))
    }
}

impl OwnerIndex {
    fn slots(&self, cover: Cover<'_>) -> Option<&[usize]> {
        let found = match cover {
            Cover::Digest(digest) => self.digests.get(digest),
            Cover::Argv(argv) => self.commands.get(argv),
            Cover::Head(words) => self.heads.get(words),
            Cover::Action(action) => self.actions.get(action),
            Cover::OutsideActions => Some(&self.outside_actions),
            Cover::Category(category) => self.categories.get(category),
            Cover::Run(run) => self.runs.get(run),
            Cover::Program(program) => self.programs.get(program),
            Cover::Patterns => Some(&self.patterns),
            Cover::Class => Some(&self.classes),
            Cover::Everything => Some(&self.everything),
        };
        found.map(Vec::as_slice)
    }

    fn slots_mut(&mut self, coverage: &Coverage) -> &mut Vec<usize> {
        match coverage {
            Coverage::Digest { digest, .. } => self.digests.entry(*digest).or_default(),
            Coverage::Command { argv, .. } if argv.iter().any(|word| is_open_argument(word)) => {
                &mut self.patterns
            }
            Coverage::Command { argv, .. } => self.commands.entry(argv.clone()).or_default(),
            Coverage::Head { words, .. } => self.heads.entry(words.clone()).or_default(),
            Coverage::Action(action) | Coverage::Step { action, .. } => {
                self.actions.entry(action.clone()).or_default()
            }
            Coverage::Category(category) => self.categories.entry(category.clone()).or_default(),
            Coverage::Run { run, .. } => self.runs.entry(*run).or_default(),
            Coverage::Program(program) => self.programs.entry(program.clone()).or_default(),
            Coverage::Class { .. } => &mut self.classes,
            Coverage::Everything => &mut self.everything,
        }
    }
}
