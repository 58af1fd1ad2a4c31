//! The user that the agent runs as, and what that user can replace.

use rustix::fs::{Access, access};
use rustix::process::{getgroups, getuid};
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// The user that the agent runs as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentIdentity {
    pub uid: u32,
    /// If unknown, the agent may be in any group.
    pub groups: Option<Vec<u32>>,
}

impl AgentIdentity {
    /// An agent that runs as the same user as this process.
    pub fn current_user() -> Self {
        let groups = getgroups().ok();
        let groups = groups.map(|groups| groups.into_iter().map(|group| group.as_raw()).collect());
        Self { uid: getuid().as_raw(), groups }
    }

    /// An agent that may run as any user but root: everything that is not root's alone can be
    /// replaced.
    pub const fn unknown_user() -> Self {
        Self { uid: 0, groups: None }
    }

    pub(crate) fn is_known(&self) -> bool {
        *self != Self::unknown_user()
    }

    /// Whether this process finds the same folders readable as the agent does.
    pub(crate) fn is_current_user(&self) -> bool {
        *self == Self::current_user()
    }

    /// Root can replace everything, and then no rule could allow a program. So for root only what
    /// somebody else can replace counts.
    pub(crate) fn can_replace(&self, path: &str, metadata: &Metadata) -> bool {
        const GROUP: u32 = 0o020;
        const OTHERS: u32 = 0o002;
        let can_write = |bit: u32| metadata.mode() & bit != 0;
        let is_in_group =
            || self.groups.as_ref().is_none_or(|groups| groups.contains(&metadata.gid()));
        if self.uid == 0 {
            let by_group = can_write(GROUP) && metadata.gid() != 0;
            return metadata.uid() != 0 || can_write(OTHERS) || by_group;
        }
        let by_group = can_write(GROUP) && is_in_group();
        // An owner without write permission can give it to itself.
        let by_mode = metadata.uid() == self.uid || can_write(OTHERS) || by_group;
        // Only the kernel evaluates access lists, and only for the user of this process.
        by_mode || (self.uid == getuid().as_raw() && access(path, Access::WRITE_OK).is_ok())
    }
}
