//! Where a session works: its project, and the folders that are its own.
//!
//! See docs/decisions/0121-a-project-is-a-repository.md.

use crate::model::names::Project;
use serde::{Deserialize, Serialize};

/// The folders of a session, as far as they are not its project itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionFolders {
    /// Where it works: a worktree of the repository, or a folder in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<Project>,
    /// The root of the worktree that holds the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// Folders for its temporary files, as an adapter reported them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scratch: Vec<String>,
}

impl SessionFolders {
    pub const NONE: &'static Self = &Self { workspace: None, root: None, scratch: Vec::new() };

    pub fn is_empty(&self) -> bool {
        self == Self::NONE
    }

    /// A folder of a command as a grant of the project names it: as if the worktree were the project's
    /// main one.
    pub fn name_in_project(&self, project: &Project, folder: &str) -> Option<String> {
        let rest = folder.strip_prefix(self.root.as_deref()?)?;
        let is_below = rest.is_empty() || rest.starts_with('/');
        is_below.then(|| format!("{project}{rest}"))
    }
}

/// What the disk says about the folder that the opener of a session names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionPlace {
    pub named: Project,
    /// The repository that the folder belongs to, or else the folder.
    pub project: Project,
    pub folders: SessionFolders,
}

impl SessionPlace {
    /// A folder that is its own project.
    pub fn plain(named: &Project) -> Self {
        Self { named: named.clone(), project: named.clone(), folders: SessionFolders::default() }
    }
}
