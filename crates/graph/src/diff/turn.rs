//! Which way a change goes.

use countersign_core::model::category::Category;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// In the order in which people should look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Turn {
    Looser,
    /// Looser in one situation and stricter in another, or not to be told from the rules alone.
    Unclear,
    Stricter,
    /// No decision depends on it.
    Neither,
}

impl Turn {
    pub const ALL: [Self; 4] = [Self::Looser, Self::Unclear, Self::Stricter, Self::Neither];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Looser => "looser",
            Self::Unclear => "unclear",
            Self::Stricter => "stricter",
            Self::Neither => "neither",
        }
    }

    /// Whether something may happen that did not before.
    pub const fn may_loosen(self) -> bool {
        match self {
            Self::Looser | Self::Unclear => true,
            Self::Stricter | Self::Neither => false,
        }
    }

    /// From one value to another, of which the greater is the stricter.
    pub(super) fn towards<T: PartialOrd>(old: &T, new: &T) -> Option<Self> {
        match old.partial_cmp(new) {
            Some(Ordering::Less) => Some(Self::Stricter),
            Some(Ordering::Greater) => Some(Self::Looser),
            Some(Ordering::Equal) => None,
            None => Some(Self::Unclear),
        }
    }

    /// From one set of permissions to another.
    pub(super) fn of_permissions(old: &BTreeSet<String>, new: &BTreeSet<String>) -> Self {
        if new.is_superset(old) {
            Self::Looser
        } else if new.is_subset(old) {
            Self::Stricter
        } else {
            Self::Unclear
        }
    }

    /// From one set of demands to another.
    pub(super) fn of_demands(old: &BTreeSet<String>, new: &BTreeSet<String>) -> Self {
        Self::of_permissions(new, old)
    }

    /// A category grant has to cover every category above read-only, and covers no call without.
    ///
    /// So one category more asks for one more to be granted, and none at all for none. But rule,
    /// tool and call add theirs up, and what a call adds is covered only if the others name it
    /// too: no change of the list is stricter in every situation.
    pub(super) fn of_categories(old: &[Category], new: &[Category]) -> Self {
        let needed = |list: &[Category]| -> BTreeSet<String> {
            let needed = list.iter().filter(|category| category.needs_cover());
            needed.map(|category| category.as_str().to_owned()).collect()
        };
        let (old, new) = (needed(old), needed(new));
        if old == new {
            Self::Neither
        } else if old.is_empty() || (new.is_subset(&old) && !new.is_empty()) {
            Self::Looser
        } else {
            Self::Unclear
        }
    }
}
