//! The folders in which the commands of a line may run, after each `cd`.
//!
//! Every folder that some way through the line leads to is kept. A list is followed as a shell does:
//! `&&` continues after success, `||` and `;` after either.

use crate::limits;
use crate::loose::LooseJoin;
use crate::strict::Join;

/// The folders in which a command may run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FolderSet {
    /// Absolute paths.
    pub(crate) known: Vec<String>,
    /// It may also run in a folder that nobody knows.
    pub(crate) is_open: bool,
}

impl FolderSet {
    pub(crate) fn new(folder: Option<&str>) -> Self {
        match folder {
            Some(folder) => Self { known: vec![folder.to_owned()], is_open: false },
            None => Self::unknown(),
        }
    }

    pub(crate) const fn unknown() -> Self {
        Self { known: Vec::new(), is_open: true }
    }

    pub(crate) fn add(&mut self, folder: String) {
        if self.known.contains(&folder) {
            return;
        }
        // Each folder multiplies the lookups.
        if self.known.len() == limits::MAX_FOLDERS {
            self.is_open = true;
            return;
        }
        self.known.push(folder);
    }

    pub(crate) fn union(mut self, other: &Self) -> Self {
        self.is_open |= other.is_open;
        other.known.iter().for_each(|folder| self.add(folder.clone()));
        self
    }
}

/// How a command is joined to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlowJoin {
    And,
    Or,
    Then,
    Pipe,
    Background,
}

impl From<LooseJoin> for FlowJoin {
    fn from(join: LooseJoin) -> Self {
        match join {
            LooseJoin::And => Self::And,
            LooseJoin::Or => Self::Or,
            LooseJoin::Then => Self::Then,
            LooseJoin::Pipe => Self::Pipe,
            LooseJoin::Background => Self::Background,
        }
    }
}

impl From<Option<Join>> for FlowJoin {
    fn from(join: Option<Join>) -> Self {
        match join {
            Some(Join::And) => Self::And,
            Some(Join::Or) => Self::Or,
            Some(Join::Pipe) => Self::Pipe,
            Some(Join::Then) | None => Self::Then,
        }
    }
}

/// Where a `cd` leads.
pub(crate) struct FolderChange {
    pub(crate) to: FolderSet,
    pub(crate) certainty: ChangeCertainty,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeCertainty {
    Succeeds,
    MayFail,
}

/// Follows the folders through the commands of a list.
#[derive(Clone, Debug)]
pub(crate) struct FolderFlow {
    input: FolderSet,
    /// Where the list so far ends if it succeeds, and if it fails.
    success: FolderSet,
    failure: FolderSet,
    before: FlowJoin,
    /// Until then, every command runs in `input`.
    has_changed: bool,
}

impl FolderFlow {
    pub(crate) fn new(start: FolderSet) -> Self {
        Self {
            input: start,
            success: FolderSet::default(),
            failure: FolderSet::default(),
            before: FlowJoin::Then,
            has_changed: false,
        }
    }

    /// Where the next command runs.
    pub(crate) const fn folders(&self) -> &FolderSet {
        &self.input
    }

    /// Every folder in which the list so far may end.
    pub(crate) fn ends(&self) -> FolderSet {
        self.input.clone().union(&self.success).union(&self.failure)
    }

    /// Continues behind a command, which may have changed the folder.
    pub(crate) fn advance(&mut self, change: Option<FolderChange>, join: FlowJoin) {
        // Most lists stay where they are.
        if change.is_none() && !self.has_changed {
            self.before = join;
            return;
        }
        if !self.has_changed {
            self.has_changed = true;
            (self.success, self.failure) = (self.input.clone(), self.input.clone());
        }
        let is_separate = [self.before, join]
            .iter()
            .any(|join| matches!(join, FlowJoin::Pipe | FlowJoin::Background));
        let (success, failure) = match change {
            None => (self.input.clone(), self.input.clone()),
            // In a process of its own the change has no effect, in some shells.
            Some(change) if is_separate => {
                let both = self.input.clone().union(&change.to);
                (both.clone(), both)
            }
            Some(FolderChange { to, certainty: ChangeCertainty::MayFail }) => {
                (to, self.input.clone())
            }
            Some(FolderChange { to, certainty: ChangeCertainty::Succeeds }) => {
                (to, FolderSet::default())
            }
        };
        match self.before {
            FlowJoin::Then | FlowJoin::Background => {
                (self.success, self.failure) = (success, failure);
            }
            FlowJoin::And => {
                self.success = success;
                self.failure = std::mem::take(&mut self.failure).union(&failure);
            }
            FlowJoin::Or | FlowJoin::Pipe => {
                self.success = std::mem::take(&mut self.success).union(&success);
                self.failure = std::mem::take(&mut self.failure).union(&failure);
            }
        }
        self.input = match join {
            FlowJoin::And => self.success.clone(),
            FlowJoin::Pipe => std::mem::take(&mut self.input),
            FlowJoin::Or | FlowJoin::Then | FlowJoin::Background => {
                self.success.clone().union(&self.failure)
            }
        };
        self.before = join;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Follows `cd NAME` and other commands, and returns where the last command runs.
    fn follow(steps: &[(Option<&str>, FlowJoin)]) -> String {
        let mut flow = FolderFlow::new(FolderSet::new(Some("w")));
        for (target, join) in steps {
            let change = target.map(|target| FolderChange {
                to: FolderSet::new(Some(target)),
                certainty: ChangeCertainty::MayFail,
            });
            flow.advance(change, *join);
        }
        let mut known = flow.folders().known.clone();
        known.sort();
        known.join(" ")
    }

    #[test]
    fn every_folder_that_a_list_may_lead_to_is_kept() {
        use FlowJoin::{And, Or, Pipe, Then};
        let cd = Some("a");
        for (steps, expected) in [
            (&[(cd, And)][..], "a"),
            (&[(cd, Then)], "a w"),
            (&[(cd, Or)], "a w"),
            (&[(cd, And), (None, And)], "a"),
            (&[(cd, And), (None, Then)], "a w"),
            (&[(cd, And), (None, Pipe)], "a"),
            (&[(cd, And), (None, Pipe), (None, And)], "a"),
            (&[(None, Or), (cd, And)], "a w"),
            (&[(None, And), (cd, Then)], "a w"),
            (&[(cd, Pipe), (None, And)], "a w"),
            (&[(cd, And), (Some("b"), And)], "b"),
            (&[(cd, And), (Some("b"), Then)], "a b w"),
        ] {
            assert_eq!(follow(steps), expected, "{steps:?}");
        }
    }
}
