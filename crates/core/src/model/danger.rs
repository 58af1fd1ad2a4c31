//! Dangers: what a command line would destroy, delete for others, or run from elsewhere.
//!
//! The reader of commands finds them and words them. Here they are data, so that a replay needs
//! neither the reader nor the disk.
//!
//! See docs/decisions/0107-catastrophes-and-other-dangers.md.

use crate::model::names::Action;
use crate::model::words::{Risk, words};
use serde::{Deserialize, Serialize};

words! {
    /// How bad a danger is. In order of gravity.
    DangerKind {
        /// Destroys the machine, a home folder, a mount, or a folder above the workspace.
        Catastrophe = "catastrophe",
        /// Deletes the workspace itself.
        Workspace = "workspace",
        /// Deletes what others own or use: a repository, a bucket, a database, a remote branch.
        Shared = "shared",
        /// Downloads code and runs it.
        ForeignCode = "foreign_code",
        /// Worth naming on a card. It raises nothing.
        Noted = "noted",
    }
}

impl DangerKind {
    /// The risk that a call with this danger has at least, whatever its class says.
    pub const fn floor(self) -> Risk {
        match self {
            Self::Catastrophe | Self::Workspace | Self::Shared => Risk::Critical,
            Self::ForeignCode => Risk::High,
            Self::Noted => Risk::ReadOnly,
        }
    }
}

/// One danger of a command line, worded by Countersign. `what` may hold words of the line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Danger {
    pub kind: DangerKind,
    /// A verb: `deletes`.
    pub does: String,
    /// What it does that to: `your home folder`.
    pub what: String,
}

impl Danger {
    /// Whether it raises the risk. What is only noted changes no decision.
    pub fn raises(&self) -> bool {
        self.kind != DangerKind::Noted
    }

    /// The action that a catastrophe adds to a call, where the graph lists it.
    pub fn destroying_action() -> Option<Action> {
        Action::parse("system.destroy").ok()
    }
}

impl std::fmt::Display for Danger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.does, self.what)
    }
}
