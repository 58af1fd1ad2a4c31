//! The direction of a change: looser or stricter.

use countersign_core::model::category::Category;
use countersign_core::word_enum;
use std::cmp::Ordering;
use std::collections::BTreeSet;

word_enum! {
    /// Ordered by how much attention a difference needs.
    pub enum DiffDirection {
        Looser = "looser",
        /// Looser in one situation and stricter in another, or not decidable from the rules alone.
        Unclear = "unclear",
        Stricter = "stricter",
        /// Affects no decision.
        Neither = "neither",
    }
}

impl DiffDirection {
    /// Whether the change may allow something that was not allowed before.
    pub const fn can_loosen(self) -> bool {
        match self {
            Self::Looser | Self::Unclear => true,
            Self::Stricter | Self::Neither => false,
        }
    }

    /// Compares two values of which the greater is the stricter; `None` if they are equal.
    pub(super) fn from_strictness<T: PartialOrd>(old: &T, new: &T) -> Option<Self> {
        match old.partial_cmp(new) {
            Some(Ordering::Less) => Some(Self::Stricter),
            Some(Ordering::Greater) => Some(Self::Looser),
            Some(Ordering::Equal) => None,
            None => Some(Self::Unclear),
        }
    }

    /// Compares two sets of permissions.
    pub(super) fn from_permissions(old: &BTreeSet<String>, new: &BTreeSet<String>) -> Self {
        if new.is_superset(old) {
            Self::Looser
        } else if new.is_subset(old) {
            Self::Stricter
        } else {
            Self::Unclear
        }
    }

    /// Compares two sets of demands that a call has to meet.
    pub(super) fn from_demands(old: &BTreeSet<String>, new: &BTreeSet<String>) -> Self {
        Self::from_permissions(new, old)
    }

    /// Compares two lists of categories.
    ///
    /// A category grant has to cover every category above read-only, and it covers no call without
    /// categories. So one category more needs one more grant. But the categories of rule, tool and
    /// call are added up, and a category of the call is covered only if rule or tool name it too.
    /// So no change of the list is stricter in every situation.
    pub(super) fn from_categories(old: &[Category], new: &[Category]) -> Self {
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
